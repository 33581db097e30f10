#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# A grade is evidence: what a student's folder says of points is no word of make collect's; archives in archives share one
# budget; no text that is handed in is slow to read; and nothing in it is HTML or a formula where grades are read.
use lib 'tests/lib';
use Tests qw(exercises);
use POSIX ();
use Build ();
use Check ();
use Collect ();
use Exercises;
use Grade ();
use Report ();

my ($scratch, undef, %folder) = needs_solutions('g++');
my $tool = 'tools/teach/classroom';

# ---- Points that a folder claims ------------------------------------------------------------------------
my $claim = sub { return encode_json({ students => [{ id => $_[0], name => 'x', files => [], word => JSON::PP::true, flags => [], overrides => [{ what => 'points 3.1', value => '5', reason => 'shown in the lab' }] }] }) };
for my $id ('.', '../../escaped', 's01') {
    my $one = "$scratch/one";
    spew("$one/$folder{'3.1'}/exercise.cu", slurp("$folder{'3.1'}/exercise.cu") =~ s/return [^;]*;/return 0;/gr);
    spew("$one/collect.json", $claim->($id));
    local @ENV{qw(OUT EX ISOLATION)} = ("$scratch/grades", '3.1', 'none');
    my ($code, $text) = output_of("$tool grade '$one'");
    my $grades = eval { decode_json(slurp("$scratch/grades/grades.json")) } // {};
    ok($code == 0 && $grades->{students}[0]{id} eq 'one' && $grades->{students}[0]{points} == 0, "a collect.json in one student's folder, of '$id': 0 points") or diag($text);
    ok(!-e "$scratch/escaped.json" && !-e "$scratch/grades/escaped.json", 'and nothing outside');
    spew("$scratch/class $id/s01/$folder{'3.1'}/exercise.cu", 'x');
    spew("$scratch/class $id/collect.json", $claim->($id));
    tells("$tool grade '$scratch/class $id'", 2, qr/make collect of this copy of the course did not write it/, 'beside students: refused');
}
spew("$scratch/in/s01/$folder{'3.1'}/exercise.cu", slurp("$folder{'3.1'}/exercise.cu") . '// mine');
my $all = Collect::collect("$scratch/in", "$scratch/returned");
is(Collect::collected("$scratch/returned")->[0]{id}, 's01', 'what make collect has written is read');
spew("$scratch/returned/collect.json", slurp("$scratch/returned/collect.json") =~ s/"s01"/"s02"/r);
ok(!eval { Collect::collected("$scratch/returned") }, 'and not when it was edited');

# ---- Archives in archives ---------------------------------------------------------------------------------
SKIP: {
    skip 'libarchive-tools is not installed (bsdtar)', 3 if !found('bsdtar');
    Sandbox::isolate('none');
    my $packed = sub { my ($to, $from) = @_; system('bsdtar', '-a', '-cf', $to, '-C', $from, '.') == 0 or die "bsdtar: $to" };
    spew("$scratch/z/exercise.cu", "\0" x (6 << 20));
    make_path("$scratch/zz", "$scratch/pile/s01", "$scratch/pile/s02");
    $packed->("$scratch/zz/$_.zip", "$scratch/z") for 1 .. 9;
    $packed->("$scratch/pile/s01/hw.zip", "$scratch/zz");
    spew("$scratch/pile/s02/$folder{'3.1'}/exercise.cu", slurp("$folder{'3.1'}/exercise.cu") . '// mine');
    my $left = Collect::budget(20 << 20);
    my @entries = map { Collect::unpacked({ name => 'hw.zip', path => "$scratch/pile/s01/hw.zip" }, 1, $left) } 1;
    is(scalar(grep { $_->{why} =~ /more than 256 KiB/ } @entries), 4, 'nine archives of 6 MiB in one: four fit into 20 MiB and what is spared for heads');
    is(scalar(grep { $_->{unreadable} } @entries), 5, 'the others are not unpacked');
    is(scalar(grep { defined $_->{bytes} } @entries), 0, 'and nothing too large is kept');
    ok(!eval { Collect::collect("$scratch/pile", "$scratch/of_pile") } && $@ =~ /^To decide, 1:|To decide, 1:\n    s01 +file - +unreadable: /, 'one question, of one student') or diag($@);
}

# ---- Every pass over what a student writes: 1 MB of what is hard to read, 2 s of processor time ------------
my ($e, $fix) = map { find_exercise($_) } '3.3', '3.1';
my ($front, undef, $back) = parts($e->{start});
my %pass = (
    'words of answers'    => sub { Language::numbers_wrong($e->{start}, $front . substr($_[0], 0, 60000) . "\n$back") },
    'the source'          => sub { Language::source_wrong($fix, "b\n$_[0]\ne", 'exercise.cu', "b\n", "\ne") },
    'headers'             => sub { Language::headers("$front$_[0]\n$back") },
    'the object'          => sub { Language::object_wrong($_[0], $_[0], ''); Language::globals($_[0], '') },
    'a compiler\'s words' => sub { Build::compile_error($fix, { out => '', err => $_[0] }, '/x') },
    'repairs, marks'      => sub { Language::marked($front . (repaired($_[0]))[0] . $back); Check::without_comment_lines($_[0]) },
    'edits outside'       => sub { Grade::cleaned(Grade::difference($front, $_[0])) },
    'a handin'            => sub { eval { Collect::read_handin($_[0]) }; eval { Answers::answers_kept($e, $_[0]) } },
    'a run'               => sub { Check::verdict_of_run({ judge => $_[0], code => 3, err => $_[0] }, scalar Check::table_of($_[0]), 1); Sandbox::files_of($_[0], 'x' x 32, 'a.csv') },
    'a page'              => sub { Report::inert($_[0]); Report::code_block($_[0], 6); Report::cell($_[0]) },
);
for my $name (sort keys %pass) {
    my @slow;
    for my $hard ('/*', '/* ', "\n", "//\n", '"', '([', '# 1 "', 'R"x(', ' ', "$begin_mark\n", '{"a":') {
        my $text = substr $hard x (1 + (1 << 20) / length $hard), 0, 1 << 20;
        my $pid = fork // die;
        if (!$pid) {
            alarm 240;    # of the clock, on a busy machine
            my $before = (times)[0];
            local $SIG{__WARN__} = sub { };
            $pass{$name}->($text);
            POSIX::_exit((times)[0] - $before > 20);    # what looks back at each step takes hours
        }
        waitpid $pid, 0;
        push @slow, $hard =~ s/\n/\\n/gr if $?;
    }
    is("@slow", '', "$name: fast to read, whatever it is");
}

# ---- Where grades are read ----------------------------------------------------------------------------------
my $page = Report::feedback({ id => 's', points => 0, of => 5, flags => [], overrides => [], left_out => [{ file => '<img src=x>', why => '[a](javascript:x)' }],
    exercises => [{ id => '3.1', points => 0, of => 5, status => 'wrong', reason => 'values', line => "values: <b>\n# s: 5 of 5 points", text => '', facts => [], repaired => [], outside => "</pre>```\n<b>", output => '````<b>', next => '' }] },
    { isolation => 'bwrap', exercises => [{ id => '3.1', title => 'Units' }] });
ok($page =~ s/^(`{3,})\n.*?^\1\n//msgr !~ /<(?:img|b)|[^\\]\]\(|^# s: 5/m, 'no HTML, link or heading of a student\'s is in the feedback') or diag($page);
spew("$scratch/lms.csv", "ID,Name,HW\ns01,\"=HYPERLINK(\"\"x\"\")\",-1\n\@s02,+3,-1\n");
my ($table) = Report::into({ students => [{ id => 's01', points => 5 }] }, "$scratch/lms.csv", 'HW');
is($table, "ID,Name,HW\ns01,\"'=HYPERLINK(\"\"x\"\")\",5\n'\@s02,+3,\n", 'a table that is filled has no formula');
done_testing();
