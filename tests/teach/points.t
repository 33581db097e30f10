#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Points: those of each goal, of late days, in the tables of LMSs; who comes to two results; what is graded once
# for all who handed it in.
use lib 'tests/lib';
use Tests qw(exercises);
use Time::Local qw(timegm);
use Check ();
use Grade ();

my ($scratch, $root, %folder) = needs_solutions(qw(g++ bwrap));
my $tool = 'tools/teach/classroom';
my %solution = map { $_ => slurp("$folder{$_}/solution.cu") } qw(2.5 3.1 3.4);

# ---- Three students --------------------------------------------------------------------------------
# One stream for both halves; reads memory again as often as the clock says.
my $half = $solution{'2.5'} =~ s/cudaStream_t s = half \? s1 : s0;/cudaStream_t s = s0;/r;
my $restless = $solution{'3.4'} =~ s/(=+ yours, from here =+\n)/$1#include <time.h>\n/r
    =~ s{(// out = x \* x)}{__global__ void again(float *scratch, const float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        scratch[i] = x[i];
}
static size_t now() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (size_t)t.tv_nsec / 1000;
}
$1}r =~ s/\(void\)scratch;/if (n > 0) again<<<(unsigned)((n + 255) \/ 256), 256>>>(scratch, x, now() % (n + 1));/r;
my %students = (
    anna => { '3.1' => $solution{'3.1'}, '2.5' => $half },
    ben  => { '3.1' => $solution{'3.1'} },
    carl => { '3.4' => $restless },
);
my $due = timegm(0, 0, 12, 30, 10, 2026);
for my $who (sort keys %students) {
    for my $id (sort keys %{ $students{$who} }) {
        my $file = "$scratch/in/$who/$folder{$id}/exercise.cu";
        spew($file, $students{$who}{$id});
        utime $due + 90 * 86400, $due + 90 * 86400, $file;    # a file's time counts for nothing
    }
}
spew("$scratch/homework", "2.5 20\n3.1\n3.4\ndue 2026-11-30T12:00\n");
spew("$scratch/roster.csv", "id,name,email\nanna,Anna A,anna\@example.org\nben,Ben B,ben\@example.org\ncarl,Carl C,carl\@example.org\n");
sub collect_with {
    my ($to, @decided) = @_;
    spew("$scratch/overrides.csv", "student,what,value,reason\n" . join '', map { "$_\n" } @decided);
    local $ENV{OVERRIDES} = "$scratch/overrides.csv";
    return output_of("$tool collect '$scratch/in' '$scratch/$to' '$scratch/roster.csv'");
}
my @times = ('anna,handed in,2026-12-01T13:00,by mail', 'ben,handed in,2026-11-30T11:00,by mail', 'carl,handed in,2026-11-30T11:59,by mail');
my ($code, $text) = collect_with('returned', @times);
is($code, 0, 'make collect') or diag($text);

sub grade_to {
    my ($out, %environment) = @_;
    local @ENV{qw(SEED ISOLATION), keys %environment} = (5, 'bwrap', values %environment);
    return output_of("OUT='$scratch/$out' $tool grade '$scratch/" . ($environment{RETURNED} // 'returned') . "'");
}
sub grades_of { return eval { decode_json(slurp("$scratch/$_[0]/grades.json")) } // { students => [] } }

# ---- Shares, late days, two results ----------------------------------------------------------------
tells([grade_to('late', ASSIGNMENT => "$scratch/homework", LATE => '10%/day', GRADE_CONTAINER => 'sha256:0123')], 0, 'make grade');
my $grades = grades_of('late');
my %row = map { $_->{id} => $_ } @{ $grades->{students} };
my %result = map { $_->{id} => $_ } @{ ($row{anna} // {})->{exercises} // [] };
is_deeply([map { "$_->{points} of $_->{of}" } grep { $_->{kind} eq 'goal' } @{ ($result{'2.5'} // {})->{facts} // [] }], ['4 of 10', '6 of 10'],
    'half of a way: each goal has its share, and no more than the one before it') or diag(explain($result{'2.5'}));
is($result{'2.5'}{points}, 10, 'together half of the points');
is_deeply([map { $_ // 0 } @{ $row{anna} }{qw(late_hours points)}], [25, 12], '25 hours late are two days: a fifth of 15 less');
is_deeply([@{ $row{anna}{flags} }, @{ $row{ben}{flags} }, @{ $row{carl}{flags} }], [qw(late suspicious)], 'flags: late; other counts in a second run')
    or diag(explain($row{carl}));
is($row{ben}{points}, 5, 'in time: nothing less');
{
    collect_with('extended', $times[1], 'anna,handed in,2026-12-01T13:00,by mail', 'anna,due,2026-12-02T12:00,ill', 'carl,points 3.1,4,shown in the lab');
    local @ENV{qw(EX ASSIGNMENT)} = ('', "$scratch/homework");
    grade_to('extended', LATE => '10%/day', RETURNED => 'extended');
    my %extended = map { $_->{id} => $_ } @{ grades_of('extended')->{students} };
    is_deeply([map { $_ // 0 } @{ $extended{anna} }{qw(late_hours points)}], [0, 15], 'an extension: nothing less');
    my ($by_hand) = grep { $_->{id} eq '3.1' } @{ $extended{carl}{exercises} };
    is("$by_hand->{points}: $by_hand->{line}", '4: by hand: shown in the lab (the check: 0, none: not handed in)', 'points by hand, and why');
    is_deeply([grep { /time/ } @{ $extended{carl}{flags} }], ['time unknown'], 'no word on when: a flag, and nothing less');
    like(slurp("$scratch/extended/feedback/anna.md"), qr/^Decided by the instructor: due: 2026-12-02T12:00:00Z: ill$/m, 'the student reads it');
    like(slurp("$scratch/extended/totals.csv"), qr/^"anna",.*"whole ID"/m, 'totals.csv says how each was matched');
    spew("$scratch/late.csv", "Name,Canvas ID\nAda Late,7\n");
    spew("$scratch/canvas/lateada_LATE_7_8_exercise.cu", $solution{'3.1'});
    output_of("$tool collect '$scratch/canvas' '$scratch/canvas.returned' '$scratch/late.csv'");
    ($code, $text) = grade_to('by_canvas', LATE => '10%/day', RETURNED => 'canvas.returned');
    ok($code == 2 && $text =~ /\Alate, and not known by how much: 7\. Say it/ && !-e "$scratch/by_canvas/grades.json", 'late, says Canvas, and not by how much: with LATE= it has to be said') or diag($text);
    grade_to('by_canvas', EX => '3.1', ASSIGNMENT => '', RETURNED => 'canvas.returned');
    is("@{ (grades_of('by_canvas')->{students}[0] // {})->{flags} // [] }", 'late', 'without: flagged');
}
is($grades->{container}, 'sha256:0123', 'the image that graded is named');
like((grade_to('none', EX => '3.1', LATE => 'much'))[1], qr{^LATE is like 10%/day, not 'much'\n\z}, 'late days that cannot be read');

my $tests = sub { my ($who) = @_; return decode_json(slurp("$scratch/late/results/$who.json")) };
my %test = map { $_->{number} => $_ } @{ $tests->('anna')->{tests} };
ok(!exists $test{'2.5'}{score} && $test{'2.5'}{status} eq 'passed' && $test{'2.5.1'}{score} == 4 && $test{'2.5.1'}{max_score} == 10 && $test{'2.5.2'}{score} == 6 && $test{'2.5.2'}{status} eq 'failed',
    'Gradescope: a test for the results, one for each goal') or diag(explain(\%test));
like(slurp("$scratch/late/feedback/anna.md"), qr/^- WRONG: 1 of 2 halves .*: 4 of 10 points$/m, 'the feedback says so, too');
is($test{'3.1'}{score}, 5, 'an exercise without goals is one test');
is($tests->('anna')->{score}, 12, 'the sum is less what it was late');

require Report;
# ---- Feedback: what make check says, in 60 lines ---------------------------------------------------
{
    my %empty = (points => 0, of => 5, facts => [], text => '', repaired => [], outside => '', output => '', next => '', page => '05_coalescing/layouts.md');
    my $fact = sub { my ($kind, $ok, $text, @points) = @_; return { kind => $kind, ok => $ok ? JSON::PP::true : JSON::PP::false, text => $text, @points ? (points => $points[0], of => $points[1]) : () } };
    my @results = (
        { %empty, id => '1.1', points => 5, status => 'done', reason => '', line => 'done' },
        { %empty, id => '1.2', status => 'wrong', reason => 'compile', line => "compile: exercise.cu:9: error", text => join("\n", map { "exercise.cu:$_: error" } 1 .. 40), next => 'make it compile.' },
        { %empty, id => '1.3', status => 'none', reason => 'none', line => 'none: not handed in', text => 'not handed in' },
        { %empty, id => '1.4', status => 'wrong', reason => 'goal', line => 'goal: 9 waits; 1 is possible', text => '9 waits; 1 is possible', next => 'the bars show it.',
            facts => [$fact->('goal', 0, '9 waits; 1 is possible', 2, 5), $fact->('explain', 1, 'One reason.'), $fact->('explain', 1, 'Another reason.')] },
        { %empty, id => '2.1', status => 'wrong', reason => 'values', line => 'values: x[0] is 1, expected 2', text => 'x[0] is 1, expected 2', next => 'work out that element.', output => "a\n" x 30 },
        { %empty, id => '2.2', status => 'none', reason => 'none', line => 'none: not handed in', text => 'not handed in' },
    );
    my $of = sub { my (@all) = @_; return Report::feedback({ id => 'anna', points => 5, of => 30, late_hours => 0, overrides => [], left_out => [map { { file => "f$_", why => 'x' } } 1 .. 30], exercises => \@all }, { isolation => 'bwrap', exercises => [map { { id => $_->{id}, title => 'Title' } } @all] }) };
    my $said = $of->(@results);
    is(scalar(() = $said =~ /9 waits/g), 1, 'the verdict stands there once') or diag($said);
    is(scalar(() = $said =~ /expected 2/g), 1, 'that of a wrong value, too');
    like($said, qr{^- WRONG: 9 waits; 1 is possible: 2 of 5 points\n- why: One reason\.\nNext: the bars show it\. Read 05_coalescing/layouts\.md\.$}m, 'why, what is next, and where to read') or diag($said);
    unlike($said, qr/Another reason/, 'one reason at a time');
    like($said, qr/^- not handed in: 1\.3, 2\.2$/m, 'what was not handed in is one line');
    { local $ENV{SITE} = 'https://example.org/course/'; like($of->(@results), qr{Read \[05_coalescing/layouts\.md\]\(https://example\.org/course/05_coalescing/layouts\.md\)}, 'SITE makes a link of it'); }
    for my $times (1, 2, 3, 7) {
        my $long = $of->((@results) x $times);
        cmp_ok(scalar(() = $long =~ /\n/g), '<=', 60, @results * $times . ' exercises: at most 60 lines');
        is(scalar(() = $long =~ /expected 2/g), $times, 'and each verdict is there');
    }
}

# ---- Moodle's worksheet ----------------------------------------------------------------------------
spew("$scratch/moodle.csv", "\xef\xbb\xbfIdentifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Feedback comments\"\n"
    . "Participant 71,\"Anna, \"\"A\"\"\",anna\@example.org,\"Submitted for grading\",,25.00,\nParticipant 72,Ben,BEN\@example.org,,,25.00,\nParticipant 73,Dora,dora\@example.org,,,25.00,\n");
($code, $text) = grade_to('late', ASSIGNMENT => "$scratch/homework", LATE => '10%/day', GRADE_CONTAINER => 'sha256:0123', INTO => "$scratch/moodle.csv", COLUMN => 'Grade');
is(slurp("$scratch/moodle.csv") =~ s/\A\xef\xbb\xbf//r, "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\n"
    . "Participant 71,\"Anna, \"\"A\"\"\",anna\@example.org,Submitted for grading,12,25.00,\nParticipant 72,Ben,BEN\@example.org,,5,25.00,\nParticipant 73,Dora,dora\@example.org,,,25.00,\n",
    'the column Grade of a Moodle worksheet is filled') or diag($text);
like($text, qr/^not in \S+moodle\.csv: carl$/m, 'who is not in it is named');
($code, $text) = grade_to('late', ASSIGNMENT => "$scratch/homework", LATE => '10%/day', GRADE_CONTAINER => 'sha256:0123', INTO => "$scratch/moodle.csv", COLUMN => 'HW 4');
ok($code == 2 && $text =~ /moodle\.csv: there is no column 'HW 4'; there are: Identifier, /, 'a column that is not there: what there is');

# ---- The same program, the same verdict --------------------------------------------------------------
{
    my %checks;
    my $verdict = sub {    # of a run, of a program: how often it has been checked so far
        my ($run, $program, %with) = @_;
        return Grade::same_as("$scratch/programs", $run)->($program, sub { return { count => ++$checks{"$run $program"}, %with } })->{count};
    };
    is_deeply([map { $verdict->($_->[0], $_->[1]) } ['seed 1', 'a'], ['seed 1', 'a'], ['seed 1', 'b'], ['seed 2', 'a']], [1, 1, 1, 1], 'a program is checked once in a run');
    is_deeply([map { $verdict->('seed 3', 'a', reason => $_), $verdict->('seed 3', 'a', reason => $_) } qw(time crash output)], [1 .. 6], 'but not what a limit ended');
    is_deeply([map { $verdict->('seed 4', 'a', suspicious => 1) } 1, 2], [1, 2], 'nor what counts otherwise each time');

    # Two texts that are one before they are preprocessed: lines of comment alone differ, and no more.
    my $one = sub { my ($p, $q) = map { Check::without_comment_lines($_) } @_; return $p eq $q ? 'one' : 'two' };
    my @one = (["// Anna\nint a;\n", "  // Ben\nint a;\n"], ["int a;\n// x\n", "int a;\n\n"]);
    my @two = (["int a; // x\n", "int a;\n"], ["// x\nint a;\n", "int a;\n"], ["/*\n// */ int b;\n/**/\n", "/*\n// no\n/**/\n"], ["#define A \\\n// x\nint b;\n", "#define A \\\n\nint b;\n"],
        ["// x\\\nint a;\n", "// x\nint a;\n"], ["// x\\ \nint a;\n", "// x\nint a;\n"], ["// x??/\nint a;\n", "// x\nint a;\n"], ["char s[] = R\"(\n// x\n)\";\n", "char s[] = R\"(\n// y\n)\";\n"]);
    is_deeply([map { $one->(@$_) } @one, @two], [('one') x @one, ('two') x @two], 'comments in lines of their own are no other program; what looks like one may be');
}

# ---- Not a learner's mistake ---------------------------------------------------------------------
{
    local @ENV{qw(GRADE_DEVICE NVCC EX OUT)} = ('gpu', '/bin/false', '3.1', "$scratch/nowhere");
    tells("$tool grade '$scratch/returned'", 2, "an empty kernel does not compile, run and pass the lint on the gpu (ISOLATION=bwrap): exit code 1\n", 'a compiler that fails');
    ok(!-e "$scratch/nowhere/grades.json", 'is not graded as 0 points');
    mkdir "$scratch/bin";
    symlink $_, "$scratch/bin/" . s{.*/}{}r for grep { !m{/perl[^/]*$} } map { glob "$_/*" } split /:/, $ENV{PATH};
    local @ENV{qw(ISOLATION PATH GRADE_DEVICE)} = ('none', "$scratch/bin", 'cpu');
    ($code, $text) = output_of(quoted($^X) . " $tool grade '$scratch/returned'");
    like("$code $text", qr/^2 an empty kernel does not compile, run and pass the lint on the cpu \(ISOLATION=none\): .*perl.*not found$/, 'nor a lint that does not run there');
}
done_testing();
