#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make collect: the right student and the right file, or a question; and nothing left out without a line. Four rosters
# of names that are alike; 50 ways in which honest students hand in; what an instructor decides; what LMSs say.
use lib 'tests/lib';
use Tests qw(exercises);
use Encode qw(encode);

my ($scratch, $root, %folder) = needs_solutions(qw(bsdtar));
$ENV{ISOLATION} //= found('bwrap') ? 'best' : 'none';
my $chapter = (split m{/}, $folder{'3.1'})[0];
my %solution = map { $_ => slurp("$folder{$_}/solution.cu") } keys %folder;

# A solution that says whose it is.
sub by { my ($who, $id) = @_; return $solution{ $id // '3.1' } =~ s{(=+ yours, from here =+\n)}{$1// the work of $who\n}r }
sub handed_out { return slurp("$folder{ $_[0] // '3.1' }/exercise.cu") }
sub place { return "$folder{ $_[0] // '3.1' }/exercise.cu" }

# Packs a folder's files into an archive; bsdtar's options as given.
sub pack_to {
    my ($to, $from, @options) = @_;
    system('sh', '-c', 'cd "$1" && shift && exec bsdtar "$@"', 'sh', $from, '-a', '-cf', $to, @options, '.') == 0 or die "bsdtar: $to";
    return;
}

sub collect {
    my ($from, $roster, $overrides) = @_;
    spew("$scratch/roster.csv", $roster) if defined $roster;
    spew("$scratch/overrides.csv", "student,what,value,reason\n" . join '', map { "$_\n" } @{ $overrides // [] });
    local $ENV{OVERRIDES} = $overrides ? "$scratch/overrides.csv" : '';
    system('rm', '-rf', "$scratch/returned");
    my ($code, $text) = output_of('tools/teach/classroom collect ' . join ' ', map { quoted($_) } $from, "$scratch/returned", defined $roster ? "$scratch/roster.csv" : ());
    my $json = eval { decode_json(slurp("$scratch/returned/collect.json")) } // { students => [] };
    my %student = map { $_->{id} => $_ } @{ $json->{students} };
    return ($code, $text, \%student);
}
sub got { my ($student, $id) = @_; my ($whose) = (slurp("$scratch/returned/$student/" . place($id)) // '') =~ /^\/\/ the work of (.*)$/m; return $whose // 'nothing' }

# ---- Four rosters ------------------------------------------------------------------------------------
my $n = 0;
for my $case (
    ['lee, s.lee',              "id,name\nlee,Ann Lee\ns.lee,Sue Lee\n",                  { 's.lee' => 's.lee' }],
    ['anna, anna-smith',        "id,name\nanna,Anna Smith\nanna-smith,Anna Jones\n",      { 'anna-smith' => 'anna-smith' }],
    ['login kim, Kim Park',     "login,name\nkim,Kim Stone\nkpark,\"Park, Kim\"\n",       { 'Kim Park' => 'kpark' }],
    ['login kim, Kim Parker',   "login,name\nkim,Kim Stone\nkpark,\"Park, Kim\"\n",       { 'Kim Parker' => '' }],
    ['Wei Zhang twice',         "id,name\nz1,\"Zhang, Wei\"\nz2,\"Zhang, Wei\"\n",        { 'Wei Zhang' => '' }],
    ['an ID that is a name',    "id,name\nlee,Ann Stone\nx7,Lee\n",                       { lee => '' }],
    ['two hand-ins of one',     "id,login,name\n7,lee,Ann Lee\n8,park,Kim Park\n",        { lee => '', 'Ann Lee' => '' }],
    ['a part of an address',    "id,email\n7,lee\@a.org\n8,lee\@b.org\n",                 { lee => '' }],
) {
    my ($name, $roster, $whose) = @$case;
    my $from = "$scratch/four" . $n++;
    spew("$from/$_/" . place(), by($_)) for keys %$whose;
    my ($code, $text, $student) = collect($from, $roster);
    my @asked = grep { !length $whose->{$_} } sort keys %$whose;
    ok(@asked ? $code == 2 && !%$student && @asked == grep { $text =~ /^    \S+ +hand-in +\Q$_\E: /m } @asked : $code == 0, "$name: " . (@asked ? 'a question' : 'whole')) or diag($text);
    is(got($whose->{$_}), $_, "$name: the right student") for grep { length $whose->{$_} } keys %$whose;
}

# ---- Honest hand-ins ---------------------------------------------------------------------------------
# Each: what it is, what is written under which name, and: '', it is taken; 'ask', a question; else what a line says.
my (@roster, @honest);
my $in = "$scratch/down loads";
sub honest {
    my ($what, $write, $expect, $id) = @_;
    my $student = sprintf 's%02d', scalar @honest;
    push @honest, { what => $what, student => $student, expect => $expect // '', id => $id // '3.1' };
    push @roster, "$student,l$student,$student\@x.org,\"Name $student\"";
    $write->($student, by($student, $id), "$in/$student", tempdir(DIR => $scratch));
    return;
}
my $clone = sub {    # a course as a clone has it: with .git, what was built, given.h of the same time
    my ($to, $text, $id) = @_;
    system('mkdir', '-p', "$to/.git/objects", "$to/build/exercises", "$to/common");
    system("cp -r '$root'/[0-9][0-9]_*/ '$root/Makefile' '$root/README.md' '$to/' && cp '$root/common/common.h' '$to/common/'");
    unlink glob "$to/*/exercises/*/{solution.cu,mutants.diff}";
    spew("$to/.git/objects/$_", $_) for 1 .. 50;
    system("truncate -s 30M '$to/.git/objects/pack'");
    spew("$to/build/exercises/exercise.cu", by('what was built'));
    spew("$to/" . place($id), $text);
    system("find '$to' -exec touch -d 2026-11-01T00:00:00Z {} +");
};
honest('a folder', sub { spew("$_[2]/" . place(), $_[1]) });
honest("a clone, its given.h of the same time: $_", sub { $clone->($_[2], $_[1], $_) }, '', $_) for qw(1.1 2.2 4.2);
honest('a zip with .git', sub { $clone->("$_[3]/course", $_[1], '1.1'); pack_to("$_[2].zip", $_[3]) }, '', '1.1');
honest("a zip with $_/", sub { my ($name) = $_; spew("$_[3]/$name/" . place(), $_[1]); local $ENV{LC_ALL} = 'C.UTF-8'; pack_to("$_[2].zip", $_[3]) }) for '作业3', 'Übung', "U\xcc\x88bung";
honest('a zip with names in GBK', sub { spew("$_[3]/ABCD/" . place(), $_[1]); pack_to("$_[2].zip", $_[3]); spew("$_[2].zip", slurp("$_[2].zip") =~ s/ABCD/\xd7\xf7\xd2\xb5/gr) });
honest("a $_", sub { my ($kind) = $_; spew("$_[3]/hw/" . place(), $_[1]); pack_to("$_[2].$kind", $_[3]) }) for qw(tar.gz tar.xz tgz 7z tar);
honest('a zip in a zip', sub { spew("$_[3]/a/" . place(), $_[1]); mkdir "$_[3]/b"; pack_to("$_[3]/b/hw.zip", "$_[3]/a"); pack_to("$_[2].zip", "$_[3]/b") });
honest('a zip in a folder', sub { spew("$_[3]/" . place(), $_[1]); mkdir $_[2]; pack_to("$_[2]/hw 3.zip", $_[3]) });
honest('zips, three deep', sub { spew("$_[3]/a/" . place(), $_[1]); mkdir "$_[3]/$_" for qw(b c); pack_to("$_[3]/b/x.zip", "$_[3]/a"); pack_to("$_[3]/c/y.zip", "$_[3]/b"); pack_to("$_[2].zip", "$_[3]/c") }, 'an archive in an archive in an archive');
honest('a Mac\'s zip', sub { spew("$_[3]/" . place(), $_[1]); spew("$_[3]/__MACOSX/$chapter/._exercise.cu", 'x'); spew("$_[3]/.DS_Store", 'x'); pack_to("$_[2].zip", $_[3]) });
honest("a loose $_", sub { spew("$_[2]/$_", $_[1]) }) for 'exercise.cu', 'exercise (1).cu', 'Exercise.CU', 'exercise.cu.txt', 'hw/exercise-2.cu';
honest('a loose 3.1.cu', sub { spew("$_[2]/3.1.cu", $_[1]) }, 'ask');
honest('exercise.cu.txt in the folder', sub { spew("$_[2]/" . place() . '.txt', $_[1]) }, 'ask');
honest('its first line is gone, and no folder says it', sub { spew("$_[2]/exercise.cu", $_[1] =~ s/\A.*\n//r) }, 'ask');
honest('two that differ outside of the marks', sub { spew("$_[2]/a/exercise.cu", $_[1]); spew("$_[2]/b/exercise.cu", "$_[1]// mine\n") });
honest('a text for 3.1 in the folder of 3.2', sub { spew("$_[2]/" . place('3.2'), $_[1]) }, 'ask');
honest('two that differ', sub { spew("$_[2]/first/" . place(), by('an earlier time')); spew("$_[2]/" . place(), $_[1]) }, 'ask');
honest('two that are the same', sub { spew("$_[2]/first/" . place(), $_[1]); spew("$_[2]/" . place(), $_[1]) });
honest('as handed out, and solved beside it', sub { spew("$_[2]/" . place(), handed_out()); spew("$_[2]/exercise.cu", $_[1]) });
honest("kept beside it: $_", sub { spew("$_[2]/" . place(), $_[1]); my $to = "$_[2]/" . place() =~ s/exercise\.cu$/$_/r; spew($to, by('an earlier time')); utime 2e9, 2e9, $to }, "$_: its name is not exercise.cu") for 'exercise.cu.1~', 'exercise.cu~', 'exercise (1).cu', 'exercise_old.cu';
honest('its first line is gone', sub { spew("$_[2]/" . place(), $_[1] =~ s/\A.*\n//r) });
honest('CRLF, a BOM', sub { spew("$_[2]/" . place(), "\xef\xbb\xbf" . $_[1] =~ s/\n/\r\n/gr) });
honest('UTF-16', sub { spew("$_[2]/exercise.cu", "\xff\xfe" . encode('UTF-16LE', $_[1])) });
honest('folders round it', sub { spew("$_[2]/course-main/course/" . place(), $_[1]) });
honest('upper case', sub { spew("$_[2]/" . uc place(), $_[1]) });
honest('a folder called by its login', sub { spew("$in/L" . uc($_[0]) . '/' . place(), $_[1]) });
honest('by its address', sub { spew("$in/$_[0]\@X.org/" . place(), $_[1]) });
honest('by its name', sub { spew("$in/Name $_[0]/" . place(), $_[1]) });
honest('by its name, turned', sub { spew("$in/$_[0], Name/" . place(), $_[1]) });
honest('a link', sub { spew("$_[3]/x", $_[1]); spew("$_[2]/notes.txt", 'x'); symlink "$_[3]/x", "$_[2]/exercise.cu" }, 'exercise.cu: it is a link, not a file');
honest('a damaged zip', sub { spew("$_[2].zip", 'PK' . 'x' x 100) }, 'archive: it is damaged, or no archive');
honest('a PDF', sub { spew("$_[2]/report.pdf", 'x') }, 'report.pdf: its name is not exercise.cu');
honest('first answers beside it', sub { spew("$_[2]/" . place('5.2'), $_[1]); spew("$_[2]/" . place('5.2') =~ s/exercise\.cu/first_answers.txt/r, "those of $_[0]\n") }, '', '5.2');
honest('first answers of nothing', sub { spew("$_[2]/exercise.cu", $_[1]); spew("$_[2]/hw/first_answers.txt", 'x') }, 'hw/first_answers.txt: which exercise it belongs to is not said');
honest('two hand-ins, one a copy', sub { spew("$_[2]/" . place(), $_[1]); spew("$_[3]/" . place(), $_[1]); pack_to("$_[2].zip", $_[3]) });

my $roster = "ID,Login,Email,Name\n" . join '', map { "$_\n" } @roster, 'silent,lsilent,silent@x.org,Not Here';
my ($code, $text, $student) = collect($in, $roster);
is($code, 2, 'what is ambiguous stops collecting') or diag($text);
my %asked = map { $_ => 1 } $text =~ /^    (s\d\d) +file (?:3\.1|\?|-) /mg;
is_deeply([sort keys %asked], [map { $_->{student} } grep { $_->{expect} =~ /^ask|^archive:|^an archive/ } @honest], 'with a question where there is one, and no other') or diag($text);
my ($lines) = $text =~ /^student,what,value,reason\n(.*)\z/ms;
my @decided = grep { !/first/ && !/^\?/ } map { s/file \?/file 3.1/r . 'seen by hand' } split /\n/, $lines // '';
($code, $text, $student) = collect($in, $roster, [@decided, 'silent,due,2026-12-05T12:00,ill', 'silent,points 3.1,4,shown in the lab']);
is($code, 0, 'decided: it collects') or diag($text);
for my $h (@honest) {
    my $s = $student->{ $h->{student} } // {};
    my $said = join "\n", map { "$_->{file}: $_->{why}" } @{ $s->{left_out} // [] };
    my $nothing = $h->{what} =~ /link|damaged|PDF|three deep/;
    is(got($h->{student}, $h->{id}), $nothing ? 'nothing' : $h->{student}, "$h->{what}: the right student's") or diag($said);
    like($said, qr/\Q$h->{expect}\E/, "$h->{what}: a line says it") if length $h->{expect} && $h->{expect} ne 'ask';
    like($text, qr/\Q$h->{expect}\E/, "$h->{what}: on the screen, too") if length $h->{expect} && $h->{expect} ne 'ask';
}
SKIP: {
    skip 'the counts are those of g++', scalar @honest if !found('g++');
    local @ENV{qw(EX SEED OUT)} = ('3.1', 3, "$scratch/grades");
    output_of("tools/teach/classroom grade '$scratch/returned'");
    my %points = (slurp("$scratch/grades/grades.csv") // '') =~ /^"(\w+)","3\.1","(\d+)"/mg;
    is($points{silent}, 4, 'points by hand');
    is($points{ $_->{student} }, $_->{id} ne '3.1' || $_->{what} =~ /link|damaged|PDF|three deep/ ? 0 : 5, "$_->{what}: the right points") for @honest;
}
my ($late) = grep { $_->{what} eq 'a folder called by its login' } @honest;
is($student->{ $late->{student} }{match}, 'whole ID', 'how each was matched stands in the result');
my ($zip) = grep { $_->{what} eq 'a zip with .git' } @honest;
is_deeply([map { $_->{file} =~ s{.*/course}{}r } grep { $_->{why} eq 'it is not looked at' } @{ $student->{ $zip->{student} }{left_out} }], ['/.git/', '/build/'], '.git and build are named');
is_deeply([map { $_->{student} } grep { "@{ $student->{ $_->{student} }{flags} }" =~ /unreadable/ } @honest], [map { $_->{student} } grep { $_->{expect} =~ /archive/ } @honest], 'what cannot be read is a flag');
ok($student->{silent}{match} eq '' && $student->{silent}{overrides}[1]{value} eq '4' && "@{ $student->{silent}{flags} }" eq 'nothing', 'who handed in nothing has a row, and what was decided');
my ($five) = grep { $_->{id} eq '5.2' } @honest;
is(slurp("$scratch/returned/$five->{student}/" . place('5.2') =~ s/exercise\.cu/first_answers.txt/r), "those of $five->{student}\n", 'first answers go with their exercise');

spew("$scratch/none/ann/exercise_old.cu", by('ann'));
($code, $text) = collect("$scratch/none");
($code, $text, $student) = collect("$scratch/none", undef, ['ann,file -,exercise_old.cu,not what was meant']) if $code == 2;
is($code . got('ann') . $student->{ann}{left_out}[0]{why}, '0nothingoverrides.csv: not what was meant', 'a file that is decided to be none') or diag($text);

# ---- One archive of all ------------------------------------------------------------------------------
spew("$scratch/all/J\xc3\xb6rg M\xc3\xbcller_12_assignsubmission_file_/" . place(), by('joerg'));
spew("$scratch/all/\xe5\xbc\xa0\xe4\xbc\x9f_13_assignsubmission_file_/exercise.cu", by('zhang'));
spew("$scratch/all/Ann Lee_14_assignsubmission_onlinetext_/onlinetext.html", 'x');
spew("$scratch/all/Ann Lee_14_assignsubmission_file_/exercise.cu", by('ann'));
spew("$scratch/all/Ann Lee_15_assignsubmission_file_exercise.cu", by('ann2'));
spew("$scratch/all/Kim Park_17_assignsubmission_file_/exercise.cu", by('kim'));
{ local $ENV{LC_ALL} = 'C.UTF-8'; pack_to("$scratch/all.zip", "$scratch/all") }
my $moodle = "Identifier,Full name,Email address,Grade\nParticipant 12,Jo\xcc\x88rg M\xc3\xbcller,j\@x.org,\nParticipant 13,\xe5\xbc\xa0\xe4\xbc\x9f,z\@x.org,\nParticipant 14,Ann Lee,a1\@x.org,\nParticipant 15,Ann Lee,a2\@x.org,\nParticipant 16,Kim Park,k\@x.org,\nParticipant 17,Sam Stone,s\@x.org,\n";
($code, $text) = collect("$scratch/all.zip", $moodle);
is(join(',', $text =~ /hand-in +(.*?): /g), 'Kim Park_17', "Moodle: a number that is another name's is a question, and nothing else is") or diag($text);
($code, $text, $student) = collect("$scratch/all.zip", $moodle, ['k-x.org,hand-in,Kim Park_17,asked']);
is_deeply([map { got($_) } qw(j-x.org z-x.org a1-x.org a2-x.org k-x.org s-x.org)], [qw(joerg zhang ann ann2 kim nothing)], 'and all have theirs') or diag($text);
is($student->{'k-x.org'}{match}, 'overrides.csv: asked', 'by decision');
{
    my $times = $moodle =~ s/,Grade$/,Grade,Last modified (submission)/mr =~ s/^(Participant 12.*)$/$1,"Tuesday, 24 November 2026, 11:58 PM"/mr =~ s/^(Participant 13.*)$/$1,"Wednesday, 1 July 2026, 12:05 AM"/mr =~ s/^(Participant 14.*)$/$1,"Dienstag, 24. Xember 2026, 23:58"/mr;
    my @decided = ('k-x.org,hand-in,Kim Park_17,asked');
    local $ENV{TZ} = 'Europe/Berlin';
    ($code, $text, $student) = collect("$scratch/all.zip", $times, \@decided);
    is_deeply([map { $student->{$_}{time} } qw(j-x.org z-x.org a1-x.org)], ['2026-11-24T22:58:00Z', '2026-06-30T22:05:00Z', ''], "a worksheet's times, where TZ says whose") or diag($text);
    $ENV{TZ} = '';
    ($code, $text, $student) = collect("$scratch/all.zip", $times, \@decided);
    is($student->{'j-x.org'}{time}, '', 'and not used where nothing does');
}

# ---- Canvas, Gradescope: numbers, and the LMS's word on time -----------------------------------------------
spew("$scratch/canvas/zhangwei_111_900_exercise.cu", by('111'));
spew("$scratch/canvas/zhangwei_LATE_222_901_exercise.cu", by('222'));
spew("$scratch/canvas/zhangwei_LATE_222_902_exercise-1.cu", by('222', '1.4'));
spew("$scratch/canvas/obrienana_333_903_hw.txt", 'x');
spew("$scratch/canvas/roster.xls", 'x');
utime 2e9, 2e9, glob "$scratch/canvas/*";
my $canvas = "Student,ID,SIS User ID,SIS Login ID,HW\n    Points Possible,,,,5\n\"Zhang, Wei\",222,z2,wz2\@x.org,3\n\"Zhang, Wei\",111,z1,wz1\@x.org,3\n\"O'Brien, Ana\",333,ob,ob\@x.org,\n\"Gone, Lee\",444,gl,gl\@x.org,2\n";
($code, $text, $student) = collect("$scratch/canvas", $canvas);
is_deeply([got('z1'), got('z2'), got('z2', '1.4')], ['111', '222', '222'], "Canvas's user number tells two Wei Zhang apart") or diag($text);
is_deeply([map { my $s = $student->{$_}; "$s->{match}; late $s->{late}; time '$s->{time}'" } qw(z1 z2)], ["Canvas's user number 111; late 0; time ''", "Canvas's user number 222; late 1; time ''"], "late by Canvas's word, by no file's time");
like($text, qr/^nobody's: roster\.xls: it is no hand-in$/m, 'what is no hand-in has a line');
($code, $text) = collect("$scratch/canvas", "Student,Student ID\n\"Zhang, Wei\",z2\n\"Zhang, Wei\",z1\n\"O'Brien, Ana\",ob\n");
is(join(',', $text =~ /hand-in +(.*?): /g), 'zhangwei_111,zhangwei_222', 'without numbers on the roster: a question, but for a name that is there once');

spew("$scratch/gs/assignment_9_export/submission_$_/exercise.cu", by($_)) for 1 .. 3;
spew("$scratch/gs/assignment_9_export/submission_metadata.yml", "---\nsubmission_1:\n  :submitters:\n  - :name: Wei Zhang\n    :sid: 'z2'\n    :email: wz\@x.org\n  :created_at: 2026-11-20 07:39:49.186693000 Z\n"
    . "submission_2:\n  :submitters:\n  - :name: Ana O'Brien\n    :sid: ''\n    :email: ob\@x.org\n  :created_at: !ruby/object:ActiveSupport::TimeWithZone\n    utc: 2026-11-21 10:00:00.000000000 Z\n    time: 2026-11-21 02:00:00.000000000 Z\n"
    . "submission_3:\n  :submitters:\n  - :name: Ann Lee\n    :email: a\@x.org\n  - :name: Kim Park\n    :email: k\@x.org\n  :created_at: 2026-11-20 07:39:49 Z\n");
my $gs = "Student ID,Name,Email\nz1,Wei Zhang,w1\@x.org\nz2,Wei Zhang,wz\@x.org\nob,\"O'Brien, Ana\",ob\@x.org\nal,Ann Lee,a\@x.org\nkp,Kim Park,k\@x.org\n";
($code, $text) = collect("$scratch/gs", $gs);
is(join(',', $text =~ /hand-in +(.*?): /g), 'submission_3', 'Gradescope: a hand-in of two is a question') or diag($text);
($code, $text, $student) = collect("$scratch/gs", $gs, ['-,hand-in,submission_3,graded elsewhere']);
is_deeply([map { got($_) . ' ' . $student->{$_}{time} } qw(z1 z2 ob)], ['nothing ', '1 2026-11-20T07:39:49Z', '2 2026-11-21T10:00:00Z'], 'IDs and times of its metadata') or diag($text);
like($text, qr/^nobody's: submission_3: overrides\.csv: graded elsewhere$/m, "nobody's, by decision");

# ---- What cannot be: one line, and which ---------------------------------------------------------------
for my $wrong (
    ['a hand-in that is not there', $gs, ['z1,hand-in,submission_8,x'], qr/there is no hand-in of this name/],
    ['a student that is not there', $gs, ['zz,hand-in,submission_3,x'], qr/no student of the roster has this ID/],
    ['no reason',                   $gs, ['z1,due,2026-12-01T12:00,'], qr/a reason is missing/],
    ['no time',                     $gs, ['z1,due,tomorrow,x'], qr/a time is like/],
    ['no such word',                $gs, ['z1,grade,5,x'], qr/'what' is one of/],
    ['twice',                       $gs, ['z1,due,2026-12-01T12:00,x', 'Z1,due,2026-12-02T12:00,x'], qr/this is decided twice/],
    ['no such exercise',            $gs, ['-,hand-in,submission_3,x', 'z1,points 9.9,5,x'], qr/there is no such exercise/],
    ['a roster with an ID twice',   "id,name\nlee,Ann\nLEE,Sue\n", undef, qr/two students have the id lee/],
    ['two columns of IDs',          "id,student id,name\n1,2,Ann\n", undef, qr/are both a student's id/],
    ['a roster of names alone',     "name\nAnn\n", undef, qr/it needs a column id, login or email/],
) {
    my ($what, $list, $decided, $like) = @$wrong;
    ($code, $text, $student) = collect("$scratch/gs", $list, $decided);
    ok($code == 2 && $text =~ /\A[^\n]+\n\z/ && $text =~ $like && !%$student, "$what: one line, exit code 2") or diag("$code: $text");
}

# ---- Called otherwise: the roster may say how ----------------------------------------------------------
spew("$scratch/hub/hw3-$_/" . place(), by($_)) for qw(ann kim);
($code, $text, $student) = collect("$scratch/hub", "id,name,folder\na1,Ann Lee,hw3-kim\nk1,Kim Park,hw3-ann\n");
is_deeply([map { got($_) } qw(a1 k1)], [qw(kim ann)], "a column 'folder' of the roster") or diag($text);
spew("$scratch/han/$_/" . place(), by($_)) for "\xe5\xbc\xa0\xe4\xbc\x9f", "\xe5\xbc\xa0\xe4\xb8\x89";
($code, $text, $student) = collect("$scratch/han");
is_deeply([sort keys %$student], [qw(u5f20u4e09 u5f20u4f1f)], 'without a roster: names without a letter of ASCII stay apart') or diag($text);

# ---- A folder round all ---------------------------------------------------------------------------------
spew("$scratch/round/downloads/$_/" . place(), by($_)) for qw(ann kim);
($code, $text, $student) = collect("$scratch/round", "id,name\nann,Ann Lee\nkim,Kim Park\n");
is_deeply([map { got($_) } qw(ann kim)], [qw(ann kim)], "one folder round all that is no student's") or diag($text);
spew("$scratch/single/ann/hw3/" . place(), by('ann'));
($code, $text, $student) = collect("$scratch/single", "id,name\nann,Ann Lee\nkim,Kim Park\n");
is(got('ann'), 'ann', "one folder that is a student's") or diag($text);

# ---- Without a roster ----------------------------------------------------------------------------------
($code, $text, $student) = collect("$scratch/canvas");
is_deeply([sort keys %$student], [qw(obrienana_333 zhangwei_111 zhangwei_222)], 'without a roster each hand-in is its own') or diag($text);
{
    local $ENV{ONE} = 'submission';
    spew("$scratch/one/exercise.cu", by('one'));
    spew("$scratch/packed/exercise.cu", by('one', '1.4'));
    pack_to("$scratch/one/more.zip", "$scratch/packed");
    chmod 0600, "$scratch/one/more.zip";
    ($code, $text, $student) = collect("$scratch/one");
    is_deeply([got('submission'), got('submission', '1.4')], ['one', 'one'], "one student's, an archive that its owner alone may read") or diag($text);
    spew("$scratch/one/b/exercise.cu", by('two'));
    ($code, $text, $student) = collect("$scratch/one");
    like($text, qr/\AHand in one exercise\.cu for each exercise, in its folder\.\n    file 3\.1 of yours, b\/exercise\.cu: several, and they differ\n/, 'two that differ: told to the student') or diag($text);
}

# ---- make handin: one file -----------------------------------------------------------------------------
tells("tools/teach/classroom strip '$scratch/edition'", 0, 'a student edition');
sub handin {    # what make handin writes for an ID, of a solution's text
    my ($id, $to, $more, @solved) = @_;
    spew("$scratch/edition/" . place($_), by($more, $_)) for @solved;
    my ($code, $said) = output_of("cd '$scratch/edition' && ID=" . quoted($id) . " OUT=" . quoted($to) . ' make -s handin');
    spew("$scratch/edition/" . place($_), handed_out($_)) for @solved;
    return ($code, $said);
}
($code, $text) = handin('x', "$scratch/none.json", 'x');
ok($code != 0 && !-e "$scratch/none.json" && $text =~ /nothing is written/, 'make handin with nothing begun: no file, and a word');
mkdir "$scratch/hi";
mkdir "$scratch/hi/$_" for qw(ann kim x);
spew("$scratch/edition/" . place('5.2') =~ s/exercise\.cu/first_answers.txt/r, "label\t5\n");
tells([handin('lee', "$scratch/hi/handin_lee.json", 'lee', qw(3.1 5.2))], 0, qr/handin_lee\.json of lee, \d{4}-\S+Z: 3\.1 5\.2$/m, 'make handin says what is in it');
unlink "$scratch/edition/" . place('5.2') =~ s/exercise\.cu/first_answers.txt/r;
handin('ann', "$scratch/hi/ann/handin_ann.json", 'ann', '3.1');
spew("$scratch/hi/ann/" . place(), by('an older one'));
spew("$scratch/hi/ann/" . place('1.4'), by('ann', '1.4'));
handin('kim', "$scratch/hi/kim/handin_kim.json", 'kim', '3.1');
spew("$scratch/hi/kim/handin_kim.json", slurp("$scratch/hi/kim/handin_kim.json") =~ s/the work of kim/the work of a cheat/r);
spew("$scratch/hi/kim/" . place(), by('kim by file'));
handin('sam', "$scratch/hi/zhangwei_7_8_handin_sam.json", 'sam', '3.1');
spew("$scratch/hi/x/handin.json", '{"handin": 1, "id": ["x"]}');
my $hi = "id,name,canvas id\nlee,Lee L,5\nann,Ann A,1\nkim,Kim K,2\nsam,Sam S,3\nwz,\"Zhang, Wei\",7\nx,Xu X,4\n";
$text = tells([collect("$scratch/hi", $hi)], undef, qr/hand-in +zhangwei_7: Canvas's user number 7; its handin says sam: may be wz \(Zhang, Wei\) or sam \(Sam S\)$/m, "another one's handin file is a question");
like($text, qr/^    x +file - +unreadable: handin\.json: it is not what make handin writes$/m, 'a broken handin file, too');
is((() = $text =~ /^    \S+ +(?:hand-in|file)/mg), 2, 'and nothing else is') or diag($text);
($code, $text, $student) = collect("$scratch/hi", $hi, ['wz,hand-in,zhangwei_7,a copy', 'x,file -,unreadable,asked for it again']);
is_deeply([got('lee'), got('lee', '5.2'), got('ann'), got('ann', '1.4'), got('kim'), got('wz'), got('sam'), got('x')], ['lee', 'lee', 'ann', 'ann', 'kim by file', 'sam', 'nothing', 'nothing'],
    'handin files come first, where they are as make handin wrote them') or diag($text);
is($student->{lee}{match}, 'its handin says lee', 'matched by the ID in it');
like("$student->{lee}{time} @{ $student->{lee}{flags} }", qr/^2\d{3}-\S+Z time by own clock$/, 'its time is said to be of the student\'s clock');
is(slurp("$scratch/returned/lee/" . place('5.2') =~ s/exercise\.cu/first_answers.txt/r), "label\t5\n", 'first answers are in it');
is_deeply([map { "$_->{file}: $_->{why}" } map { @{ $student->{$_}{left_out} } } qw(ann kim x)], ["$folder{'3.1'}/exercise.cu: another one is taken for 3.1",
    'handin_kim.json, 3.1: it was edited after make handin', 'handin.json: it is not what make handin writes; overrides.csv: asked for it again'], 'what is left out has a line');
($code, $text) = collect("$scratch/hi", $hi =~ s/^lee,/leo,/mr, ['wz,hand-in,zhangwei_7,a copy', 'x,file -,unreadable,asked for it again']);
like($text, qr/^    \? +hand-in +handin_lee: .*its handin says lee: nobody on the roster$/m, 'an ID that is not on the roster is a question');

# ---- make class without bsdtar -------------------------------------------------------------------------
{
    mkdir "$scratch/bin";
    symlink $_, "$scratch/bin/" . s{.*/}{}r for grep { !/bsdtar/ } map { my $tool = $_; grep { -x } map { "$_/$tool" } '/usr/bin', '/bin' } qw(perl sh env git g++);
    local $ENV{PATH} = "$scratch/bin";
    ($code, $text) = output_of("tools/teach/classroom class 3 1 '$scratch/class'");
    ok($code == 2 && $text =~ /\A[^\n]*install libarchive-tools[^\n]*\n\z/ && !-e "$scratch/class", 'make class without bsdtar: one line, exit code 2') or diag("$code: $text");
}
done_testing();
