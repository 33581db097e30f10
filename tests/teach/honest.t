#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Honest students: each file of honest/ is one, what is in it comes in the way that its first line says, and the right student
# gets the right points, or there is a question (honest/README.md). A sample (*) in every run; with TEST_ALL all of them, in
# every kind of isolation.
use strict;
use warnings;
use Test::More;
use FindBin;
use Cwd qw(getcwd);
use Encode qw(decode encode);
use File::Temp qw(tempdir);
use JSON::PP;
use lib map { "$FindBin::Bin/../../tools$_" } '', '/learn';
use Exercises;
use Handin;
require "$FindBin::Bin/../lib/exercises.pl";

needs_solutions(qw(g++ bsdtar));
my $root = getcwd();
my $scratch = tempdir(CLEANUP => 1);
$ENV{ISOLATION} = found('bwrap') ? 'best' : 'none';
my %folder = exercise_folders();
my %row = map { my ($id, $canvas, $moodle, undef, $email, $name) = /^([^,]*),(\d+),(\d+),([^,]*),([^,]*),"?([^"]*)/; ($id => { canvas => $canvas, moodle => $moodle, email => $email, name => $name =~ s/^(.*), (.*)$/$2 $1/r }) }
    grep { !/^ID/ } split /\n/, slurp("$FindBin::Bin/honest/roster.csv");

# ---- What each hands in ------------------------------------------------------------------------------
my (@all, %way_of);
for my $file (sort glob "$FindBin::Bin/honest/*.txt") {
    my ($student) = $file =~ m{([^/]+)\.txt$};
    my ($id, $points, $verdict, $star, $way, $what, $text) = slurp($file) =~ /\A(\d+\.\d+) ([\d.]+) ([\w|]+): (\*?)([\w.]+): ([^\n]*)\n(.*)\z/s or die "$file: the first line is no 'EXERCISE POINTS VERDICT: WAY: what'\n";
    die "$student is not in honest/roster.csv\n" if !$row{$student};
    push @all, { student => $student, %{ $row{$student} }, id => $id, points => $points, verdict => $verdict, star => $star, way => $way, what => $what, text => $text };
}
cmp_ok(scalar @all, '>=', 40, scalar @all . ' honest students');
@all = grep { $_->{star} } @all if !$ENV{TEST_ALL};

sub region { my ($name) = @_; return (parts(slurp($name)))[1] }
my ($kernel, $launcher) = region("$folder{'0.1'}/solution.cu") =~ /\A(.*?\n\}\n).*(^void saxpy_arrays.*)/ms;
for my $h (@all) {
    my ($e) = grep { $_->{id} eq $h->{id} } all_exercises();
    my %for = (SOLUTION => region("$folder{ $h->{id} }/solution.cu"), UNSOLVED => region("$folder{ $h->{id} }/exercise.cu"), KERNEL => $kernel, LAUNCHER => $launcher);
    my ($front, undef, $back) = parts($e->{start});
    $h->{region} = "// the work of $h->{student}\n" . $h->{text} =~ s/\@(SOLUTION|UNSOLVED|KERNEL|LAUNCHER)\@\n/$for{$1}/gr;
    $h->{file} = $front . $h->{region} . $back;
    $h->{place} = "$folder{ $h->{id} }/exercise.cu";
}

# ---- How it comes: into the downloads, under a name --------------------------------------------------
my ($in, $gs) = ("$scratch/down loads", "$scratch/gradescope");
mkdir $in;
sub packed {
    my ($h, $kind, $from) = @_;
    local $ENV{LC_ALL} = 'C.UTF-8';
    system('sh', '-c', 'cd "$1" && exec bsdtar -a -cf "$2" .', 'sh', $from // "$scratch/pack/$h->{student}", "$in/$h->{student}.$kind") == 0 or die "bsdtar: $kind";
}
sub put { my ($h, $name, $text) = @_; return spew("$scratch/pack/$h->{student}/$name", $text // $h->{file}) }
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
    (map { my $kind = $_; ($kind => sub { put($_, "hw/$_->{place}"); packed($_, $kind) }) } qw(zip tar.gz tar.xz 7z)),
    git            => sub { cloned($_, "$in/$_->{student}") },
    zip_git        => sub { cloned($_, "$scratch/pack/$_->{student}/course"); packed($_, 'zip') },
    zip_in_zip     => sub { put($_, "a/$_->{place}"); system('sh', '-c', 'cd "$1/a" && mkdir ../b && bsdtar -a -cf ../b/hw.zip .', 'sh', "$scratch/pack/$_->{student}"); packed($_, 'zip', "$scratch/pack/$_->{student}/b") },
    zip_in_folder  => sub { put($_, $_->{place}); mkdir "$in/$_->{student}"; packed({ %$_, student => "$_->{student}/hw 1" }, 'zip', "$scratch/pack/$_->{student}") },
    mac            => sub { put($_, $_->{place}); put($_, "__MACOSX/$_->{place}", 'x'); put($_, '.DS_Store', 'x'); packed($_, 'zip') },
    folder_unicode => sub { spew("$in/Jo\xcc\x88rg M\xc3\xbcller/$_->{place}", $_->{file}) },    # the roster has it composed
    zip_unicode    => sub { put($_, "\xe4\xbd\x9c\xe4\xb8\x9a3/$_->{place}"); packed({ %$_, student => "\xe5\xbc\xa0\xe4\xbc\x9f" }, 'zip', "$scratch/pack/$_->{student}") },
    canvas         => sub { spew("$in/studentname_$_->{canvas}_4711_exercise.cu", $_->{file}) },
    canvas_late    => sub { spew("$in/studentname_LATE_$_->{canvas}_4711_exercise-1.cu", $_->{file}) },
    moodle_folder  => sub { spew("$in/$_->{name}_$_->{moodle}_assignsubmission_file_/exercise.cu", $_->{file}) },
    moodle_file    => sub { spew("$in/$_->{name}_$_->{moodle}_assignsubmission_file_exercise.cu", $_->{file}) },
    gradescope     => sub { spew("$gs/submission_$_->{canvas}/$_->{place}", $_->{file}) },
    handin         => sub {
        my %x = (exercise => $_->{id}, region => Handin::characters($_->{region}));
        spew("$in/handin_$_->{student}.json", JSON::PP->new->utf8->encode({ handin => 1, id => $_->{student}, time => '2026-11-20T10:00:00Z', exercises => [{ %x, sha256 => Handin::hash_of(\%x) }] }));
    },
    loose          => sub { spew("$in/$_->{student}/exercise.cu", $_->{file}) },
    loose_number   => sub { spew("$in/$_->{student}/exercise (2).cu", $_->{file}) },
    loose_txt      => sub { spew("$in/$_->{student}/exercise.cu.txt", $_->{file}) },
    upper          => sub { spew("$in/" . uc("$_->{student}/$_->{place}"), $_->{file}) },
    kept_beside    => sub { spew("$in/$_->{student}/$_->{place}", $_->{file}); spew("$in/$_->{student}/$_->{place}.1~", 'older') },
    crlf           => sub { spew("$in/$_->{student}/$_->{place}", "\xef\xbb\xbf" . $_->{file} =~ s/\n/\r\n/gr) },
    utf16          => sub { spew("$in/$_->{student}/$_->{place}", "\xff\xfe" . encode('UTF-16LE', decode('UTF-8', $_->{file}))) },
    email          => sub { spew("$in/$_->{email}/$_->{place}", $_->{file}) },
    turned         => sub { spew("$in/$_->{name}/$_->{place}", $_->{file}) },
    course_main    => sub { spew("$in/$_->{student}/course-main/course/$_->{place}", $_->{file}) },
    two_differ     => sub { spew("$in/$_->{student}/$_->{place}", $_->{file}); spew("$in/$_->{student}/old/$_->{place}", $_->{file} =~ s/the work/an earlier work/r) },
    folder_of_another => sub { spew("$in/$_->{student}/$folder{'0.1'}/exercise.cu", $_->{file}) },
    exercise_old   => sub { spew("$in/$_->{student}/" . $_->{place} =~ s/exercise\.cu$/exercise_old.cu/r, $_->{file}) },
    two_people     => sub { spew("$in/Wei Zhang/$_->{place}", $_->{file}) },
    part_of_id     => sub { spew("$in/ann/$_->{place}", $_->{file}) },
);
my %called = (two_people => 'Wei Zhang', part_of_id => 'ann');    # nobody's, or several people's
for (@all) { ($way{ $_->{way} } // die "$_->{student}: there is no way $_->{way}\n")->() }
my @gradescope = grep { $_->{way} eq 'gradescope' } @all;
spew("$gs/submission_metadata.yml", "---\n" . join '', map { "submission_$_->{canvas}:\n  :submitters:\n  - :name: $_->{name}\n    :sid: '$_->{student}'\n    :email: $_->{email}\n  :created_at: 2026-11-20 07:39:49 Z\n" } @gradescope);

# ---- Whose it is, or a question ----------------------------------------------------------------------
sub collected {
    my ($from, $to) = @_;
    my ($code, $text) = output_of('tools/teach/classroom collect ' . join ' ', map { quoted($_) } $from, "$scratch/$to", "$FindBin::Bin/honest/roster.csv");
    return ($code, $text);
}
sub whose { my ($to, $h) = @_; return (slurp("$scratch/$to/$h->{student}/$h->{place}") =~ /^\/\/ the work of (.*)$/m)[0] // 'nothing' }

my ($code, $text) = collected($in, 'returned');
my @asked = grep { $_->{verdict} eq 'question' } @all;
my %question = map { ($called{ $_->{way} } // $_->{student}) => 1 } @asked;
my %is_asked = map { /^    \? +hand-in +(.+?): / || /^    (\S+) +file / ? ($1 => 1) : () } split /\n/, $text;
is($code, @asked ? 2 : 0, 'what is not sure stops collecting');
is_deeply([sort keys %is_asked], [sort keys %question], 'a question for each of these, and no other') or diag($text);
system('rm', '-rf', '--', map { "$in/$_" } keys %question);
($code, $text) = collected($in, 'returned');
is($code, 0, 'without them all are collected') or diag($text);
($code, $text) = collected($gs, 'from_gradescope');
is($code, 0, 'and what Gradescope has') or diag($text);
my @mine = grep { $_->{verdict} ne 'question' } @all;
is(whose($_->{way} eq 'gradescope' ? 'from_gradescope' : 'returned', $_), $_->{student}, "$_->{student}, $_->{way}: is this student's") for @mine;

# ---- Points and verdicts -----------------------------------------------------------------------------
my $ids = join ' ', sort keys %{ { map { $_->{id} => 1 } @mine } };
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
        for my $h (@mine) {
            my ($s) = grep { $_->{id} eq $h->{student} } @{ $grades{ $h->{way} eq 'gradescope' ? 'from_gradescope' : 'returned' }{students} };
            my ($r) = grep { $_->{id} eq $h->{id} } @{ $s->{exercises} };
            ok($r->{points} == $h->{points} && $r->{line} =~ /^(?:$h->{verdict})\b/, "$isolation: $h->{student}, $h->{what}: $h->{points} points, $h->{verdict}") or diag("$r->{points}: $r->{line}");
            is($s->{points}, $h->{points}, "$isolation: $h->{student}: and none besides");
        }
        my %is = map { $_->{student} => 1 } @mine;
        is(join(' ', map { $_->{id} } grep { !$is{ $_->{id} } && $_->{points} } map { @{ $_->{students} } } values %grades), '', "$isolation: nobody else has any");
    }
}
done_testing();
