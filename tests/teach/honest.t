#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Honest students: each file of honest/ is one, what is in it comes in the way that its first line says, and the right student
# gets the right points (honest/README.md; more ways, and questions, are in right_student.t). A sample (*) in every run; with
# TEST_ALL all of them, in every kind of isolation.
use lib 'tests/lib';
use Tests qw(exercises);
use Exercises;
use Handin;

my ($scratch, $root, %folder) = needs_solutions(qw(g++ bsdtar));
$ENV{ISOLATION} = found('bwrap') ? 'best' : 'none';
my @numbered = map { m{/s(\d+)\.txt$} } glob "$root/tests/teach/honest/*.txt";
my $roster = slurp("$root/tests/teach/honest/roster.csv") . join '', map { sprintf "s%s,%d,%d,ls%1\$s,s%1\$s\@example.org,Student %1\$s\n", $_, 700 + $_, 900 + $_ } @numbered;
spew("$scratch/roster.csv", $roster);
my %row = map { my ($id, $canvas, $moodle, undef, $email, $name) = /^([^,]*),(\d+),(\d+),([^,]*),([^,]*),"?([^"]*)/; ($id => { canvas => $canvas, moodle => $moodle, email => $email, name => $name =~ s/^(.*), (.*)$/$2 $1/r }) }
    grep { !/^ID/ } split /\n/, $roster;

# ---- What each hands in ------------------------------------------------------------------------------
my (@all, %way_of);
for my $file (sort glob "$root/tests/teach/honest/*.txt") {
    my ($student) = $file =~ m{([^/]+)\.txt$};
    my ($id, $points, $verdict, $star, $way, $what, $text) = slurp($file) =~ /\A(\d+\.\d+) ([\d.]+) ([\w|]+): (\*?)([\w.]+): ([^\n]*)\n(.*)\z/s or die "$file: the first line is no 'EXERCISE POINTS VERDICT: WAY: what'\n";
    die "$student is not in honest/roster.csv\n" if !$row{$student};
    push @all, { student => $student, %{ $row{$student} }, id => $id, points => $points, verdict => $verdict, star => $star, way => $way, what => $what, text => $text };
}
cmp_ok(scalar @all, '>=', 35, scalar @all . ' honest students');
@all = grep { $_->{star} } @all if !$ENV{TEST_ALL};

sub region { my ($name) = @_; return (parts(slurp($name)))[1] }
my ($kernel, $thread, $launcher) = region("$folder{'0.1'}/solution.cu") =~ /\A((.*?;\n).*?\n\}\n).*(^void saxpy_arrays.*)/ms;
for my $h (@all) {
    my ($e) = grep { $_->{id} eq $h->{id} } all_exercises();
    my %for = (SOLUTION => region("$folder{ $h->{id} }/solution.cu"), UNSOLVED => region("$folder{ $h->{id} }/exercise.cu"), KERNEL => $kernel, THREAD => $thread, LAUNCHER => $launcher);
    my ($front, undef, $back) = parts($e->{start});
    $h->{region} = "// the work of $h->{student}\n" . $h->{text} =~ s/^\@LAUNCHER\@ (.*)\n/my $launch = $1; $launcher =~ s{saxpy<<<.*;}{$launch}r/mer =~ s/^\@STEP\@ (.*)\n/    if (i < n)\n        y[i] = $1;\n}\n/mr
        =~ s/^\@LAUNCH\@ (.*)\n/    if (n > 0)\n        $1\n    CUDA_CHECK(cudaGetLastError());\n}\n/mr =~ s/\@(SOLUTION|UNSOLVED|KERNEL|THREAD|LAUNCHER)\@\n/$for{$1}/gr;
    $h->{file} = $front . $h->{region} . $back;
    $h->{place} = "$folder{ $h->{id} }/exercise.cu";
}

# ---- How it comes: into the downloads, under a name --------------------------------------------------
my ($in, $gs) = ("$scratch/down loads", "$scratch/gradescope");
mkdir $in;
sub packed {
    my ($h) = @_;
    system('sh', '-c', 'cd "$1" && exec bsdtar -a -cf "$2" .', 'sh', "$scratch/pack/$h->{student}", "$in/$h->{student}.zip") == 0 or die 'bsdtar';
}
sub cloned {    # a course as a clone has it
    my ($h, $to) = @_;
    spew("$to/.git/objects/$_", $_) for 1 .. 20;
    spew("$to/build/exercises/exercise.cu", 'built');
    system("cp -r '$root'/[0-9][0-9]_*/ '$root/Makefile' '$to/'");
    unlink glob "$to/*/exercises/*/{solution.cu,mutants.diff}";
    spew("$to/$h->{place}", $h->{file});
}
my %way = (
    folder         => sub { spew("$in/$_->{student}/$_->{place}", $_->{file}) },
    zip            => sub { spew("$scratch/pack/$_->{student}/hw/$_->{place}", $_->{file}); packed($_) },
    git            => sub { cloned($_, "$in/$_->{student}") },
    zip_git        => sub { cloned($_, "$scratch/pack/$_->{student}/course"); packed($_) },
    folder_unicode => sub { spew("$in/Jo\xcc\x88rg M\xc3\xbcller/$_->{place}", $_->{file}) },    # the roster has it composed
    canvas         => sub { spew("$in/studentname_$_->{canvas}_4711_exercise.cu", $_->{file}) },
    canvas_late    => sub { spew("$in/studentname_LATE_$_->{canvas}_4711_exercise-1.cu", $_->{file}) },
    moodle_folder  => sub { spew("$in/$_->{name}_$_->{moodle}_assignsubmission_file_/exercise.cu", $_->{file}) },
    gradescope     => sub { spew("$gs/submission_$_->{canvas}/$_->{place}", $_->{file}) },
    handin         => sub {
        my %x = (exercise => $_->{id}, region => Handin::characters($_->{region}));
        spew("$in/handin_$_->{student}.json", JSON::PP->new->utf8->encode({ handin => 1, id => $_->{student}, time => '2026-11-20T10:00:00Z', exercises => [{ %x, sha256 => Handin::hash_of(\%x) }] }));
    },
    loose          => sub { spew("$in/$_->{student}/exercise.cu", $_->{file}) },
);
for (@all) { ($way{ $_->{way} } // die "$_->{student}: there is no way $_->{way}\n")->() }
my @gradescope = grep { $_->{way} eq 'gradescope' } @all;
spew("$gs/submission_metadata.yml", "---\n" . join '', map { "submission_$_->{canvas}:\n  :submitters:\n  - :name: $_->{name}\n    :sid: '$_->{student}'\n    :email: $_->{email}\n  :created_at: 2026-11-20 07:39:49 Z\n" } @gradescope);

# ---- Whose it is ---------------------------------------------------------------------------------------
sub collected {
    my ($from, $to) = @_;
    my ($code, $text) = output_of('tools/teach/classroom collect ' . join ' ', map { quoted($_) } $from, "$scratch/$to", "$scratch/roster.csv");
    return ($code, $text);
}
sub whose { my ($to, $h) = @_; return (slurp("$scratch/$to/$h->{student}/$h->{place}") =~ /^\/\/ the work of (.*)$/m)[0] // 'nothing' }

my ($code, $text) = collected($in, 'returned');
is($code, 0, 'all are collected, without a question') or diag($text);
($code, $text) = collected($gs, 'from_gradescope');
is($code, 0, 'and what Gradescope has') or diag($text);
is(whose($_->{way} eq 'gradescope' ? 'from_gradescope' : 'returned', $_), $_->{student}, "$_->{student}, $_->{way}: is this student's") for @all;

# ---- Points and verdicts -----------------------------------------------------------------------------
my $ids = join ' ', sort keys %{ { map { $_->{id} => 1 } @all } };
for my $isolation ($ENV{TEST_ALL} ? qw(bwrap setpriv none) : 'best') {
  SKIP: {
        my %grades;
        for my $from ('returned', 'from_gradescope') {
            local @ENV{qw(EX SEED OUT ISOLATION JOBS)} = ($ids, 3, "$scratch/$isolation $from", $isolation, 2);
            ($code, $text) = output_of("tools/teach/classroom grade '$scratch/$from'");
            skip "$isolation is not there", 1 if $code == 2 && $text =~ /is not installed|refused here|only root|ISOLATION=none/;
            is($code, 0, "$isolation: $from is graded") or diag(substr $text, -2000);
            $grades{$from} = eval { decode_json(slurp("$scratch/$isolation $from/grades.json")) } // { students => [] };
        }
        for my $h (@all) {
            my ($s) = grep { $_->{id} eq $h->{student} } @{ $grades{ $h->{way} eq 'gradescope' ? 'from_gradescope' : 'returned' }{students} };
            my ($r) = grep { $_->{id} eq $h->{id} } @{ $s->{exercises} };
            ok($r->{points} == $h->{points} && $r->{line} =~ /^(?:$h->{verdict})\b/, "$isolation: $h->{student}, $h->{what}: $h->{points} points, $h->{verdict}") or diag("$r->{points}: $r->{line}");
            is($s->{points}, $h->{points}, "$isolation: $h->{student}: and none besides");
        }
        my %is = map { $_->{student} => 1 } @all;
        is(join(' ', map { $_->{id} } grep { !$is{ $_->{id} } && $_->{points} } map { @{ $_->{students} } } values %grades), '', "$isolation: nobody else has any");
    }
}
done_testing();
