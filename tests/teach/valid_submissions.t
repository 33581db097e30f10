#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Valid submissions: right answers in clumsy files and C (names and archives: right_student.t). All of them get all points, by
# make collect and make grade. A sample (*) in every run, all with TEST_ALL. Then what is made of the grades.
use lib 'tests/lib';
use Tests qw(exercises);
use Encode qw(encode);

my ($scratch, $root, %folder) = needs_solutions(qw(g++ bwrap bsdtar));
my $tool = 'tools/teach/classroom';
my ($begin, $end) = ("// ==== yours, from here ====\n", "// ==== to here ====\n");
my %text = map { $_ => slurp("$folder{$_}/solution.cu") } qw(1.4 3.1 5.1);
my $three = $text{'3.1'};
my $place = $folder{'3.1'};

# ---- Right answers: name, exercise, file, in which place ---------------------------------------------
my @valid;
sub valid { my ($name, $file, $where, $id) = @_; push @valid, { name => $name, file => $file, where => $where // "$place/exercise.cu", id => $id // '3.1' }; return }
sub with { my ($more) = @_; return $three =~ s/\Q$begin\E/$begin$more/r }

valid('*as it should be', $three);
valid('CR', $three =~ s/\n/\r/gr);
valid('UTF-16, the other way round', "\xfe\xff" . encode('UTF-16BE', $three));
valid('UTF-16 without', encode('UTF-16LE', $three));
valid('*no newline at the end', $three =~ s/\n\z//r);
valid('*blanks behind the marks', $three =~ s/(====)\n/$1  \t\n/gr);
valid('blanks before the marks', $three =~ s{^// ====}{  // ====}gmr);
valid('empty lines at the end', "$three\n\n\n");
valid('tabs for blanks', $three =~ s/^    /\t/gmr);
valid('*a global named calls', with("int calls;\nint grade;\n"));
valid('globals with names of the library', with("static int index_;\nint count, total, report;\n"));
valid('*a function named fail', with("static int fail() { return 1; }\nint must = fail();\n"));
valid('*an include in a comment', with("// #include \"x.h\"\n/* #include \"y.h\" */\n"));
valid('*a header that is not there, in a comment or for another system', with("/* I first tried\n#include <my_own.h>\n*/\n#ifdef _WIN32\n#include <windows.h>\n#endif\n"));
valid('*<math.h> with a comment', with("#include <math.h> /* fabs */\n#include <stdio.h>   // printf\n"));
valid('C++ headers', with("#include <algorithm>\n#include <vector>\n#include <cmath>\n#include <limits>\n"));
valid('<assert.h>, used', with("#include <assert.h>\n") =~ s/return 2 \* n/assert(n < (size_t)-1 \/ 2); return 2 * n/r);
valid('*iostream', with("#include <iostream>\n") =~ s/return 2 \* n/std::cout << "n is " << n << std::endl; return 2 * n/r);
valid('std::string, std::vector, new', with("#include <string>\n#include <vector>\n") =~ s/return 2 \* n/std::string s("flops"); std::vector<size_t> v(2, n); int *p = new int(1); delete p; s += "!"; return v[0] + v[1]/r);
valid('*printf everywhere', $three =~ s/\{ return/{ printf("here\\n"); fprintf(stderr, "there\\n"); return/gr);
valid('a macro of its own', with("#define SQUARE(x) ((x) * (x))\n#pragma unroll\n"));
valid('a string that names asm', with("static const char *text = \"asm volatile, __attribute__((constructor)), #include\";\n") =~ s/return 2 \* n/(void)text; return 2 * n/r);
valid('a word of comment: asm', with("// no asm here, no getenv\n"));
valid('attributes of CUDA', with("__device__ __forceinline__ int f(int x) { return x; }\n__global__ void __launch_bounds__(256) k(int *p) { *p = f(1); }\n__align__(16) static int aligned[4];\n"));
valid('[[maybe_unused]]', with("[[maybe_unused]] static int spare(int a[4]) { int b[2] = {0, 1}; return a[b[0]]; }\n"));
valid('comments in Latin-1', with("// Gr\xf6\xdfe\n"));
valid('a comment at the end of the region', $three =~ s{(\Q$end\E)}{/* done */\n$1}r);
valid('edits outside of the marks', "// my name is Anna\n$three// thanks\n" =~ s/#include/#include <time.h>\n#include/r);
valid('a variable named end', $three =~ s/return 2 \* n/size_t end = 2 * n; return end/r);
valid('a time of its own', with("#include <time.h>\n") =~ s/return 2 \* n/struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 2 * n + 0 * (size_t)t.tv_nsec/r);
valid('*5.1', $text{'5.1'}, "$folder{'5.1'}/exercise.cu", '5.1');
valid('1.4', $text{'1.4'}, "$folder{'1.4'}/exercise.cu", '1.4');

# ---- Handed in: a third as folders, a third as zip, a third as tar -----------------------------------
my $all = $ENV{TEST_ALL};
@valid = grep { $_->{name} =~ /^\*/ } @valid if !$all;
my $downloads = "$scratch/down loads";
my $number = 0;
my @how = ('folder', 'zip', 'tar.gz');
for my $h (@valid) {
    $h->{student} = sprintf 'student%02d', $number;
    my $how = $how[$number++ % 3];
    my $folder = $how eq 'folder' ? "$downloads/$h->{student}" : "$scratch/packed/$h->{student}";
    spew("$folder/$h->{where}", $h->{file});
    next if $how eq 'folder';
    system("cd " . quoted($folder) . " && bsdtar -a -cf " . quoted("$downloads/$h->{student}.$how") . ' *') == 0 or die "bsdtar: $?";
}
spew("$downloads/doejohn_12345_67890_exercise.cu", $three);
spew("$downloads/damaged.zip", 'PK' . 'x' x 100);
spew("$scratch/packed/evil.txt", "nothing of the course\n");
system('cd ' . quoted("$scratch/packed") . ' && bsdtar -cf ' . quoted("$downloads/outside.tar") . " -s ',^evil.txt,../../../../../..$scratch/outside.cu,' evil.txt") == 0 or die;
spew("$scratch/roster.csv", "\xef\xbb\xbfStudent ID,Name,Email Address\r\nstudent00,\"Doe, Anna\",anna\@x.org\r\n" . join('', map { "$_,Student $_,$_\@x.org\r\n" } grep { $_ ne 'student00' } map({ $_->{student} } @valid), qw(damaged outside))
    . "doe,John Doe,doe\@x.org\r\nnobody,No Body,nobody\@x.org\r\n");
spew("$scratch/overrides.csv", "student,what,value,reason\ndamaged,file -,unreadable,asked for it again\n");
tells("OVERRIDES='$scratch/overrides.csv' $tool collect " . quoted($downloads) . " '$scratch/returned' '$scratch/roster.csv'", 0, 'make collect');
ok(!-e "$scratch/outside.cu", 'nothing is unpacked outside');
my $collected = eval { decode_json(slurp("$scratch/returned/collect.json")) } // { students => [] };
is(scalar @{ $collected->{students} }, @valid + 4, 'a row for everybody');
my ($damaged) = grep { $_->{id} eq 'damaged' } @{ $collected->{students} };
like($damaged->{left_out}[0]{why}, qr/^archive: it is damaged/, 'a damaged archive is named');

my %exercises = map { $_->{id} => 1 } @valid;
my $ids = join ' ', sort keys %exercises;
sub grade_with {
    my ($out, %environment) = @_;
    local @ENV{qw(EX SEED), keys %environment} = ($ids, 3, values %environment);
    return output_of("OUT='$scratch/$out' $tool grade '$scratch/returned' '$scratch/my grades.csv'");
}
tells([grade_with('grades', JOBS => 2)], 0, 'make grade');
my $grades = eval { decode_json(slurp("$scratch/grades/grades.json")) } // { students => [] };
my %row = map { $_->{id} => $_ } @{ $grades->{students} };
for my $h (@valid) {
    my ($r) = grep { $_->{id} eq $h->{id} } @{ ($row{ $h->{student} } // {})->{exercises} // [] };
    is($r->{line} // 'no row', 'done', "$h->{name}") or diag(explain($r));
}
is($row{doe}{points}, 5, 'a loose file of an LMS');
is($row{nobody}{points}, 0, 'who has handed in nothing has a row');
like(slurp("$scratch/my grades.csv"), qr/^"doe","3\.1","5","5","done"$/m, 'a CSV whose name has a blank');

# ---- The same bytes again, in one or two at a time, and begun again ----------------------------------
my @reports = map { s{^\Q$scratch/grades/\E}{}r } glob "$scratch/grades/*.json $scratch/grades/*.csv $scratch/grades/feedback/*.md $scratch/grades/results/*.json";
cmp_ok(scalar @reports, '>=', 3 + 2 * @valid, 'reports for everybody');
unlink "$scratch/grades/grades.json", glob "$scratch/grades/students/student0[0-3].json";
my %before = map { $_ => slurp("$scratch/grades/$_") } grep { $_ ne 'grades.json' } @reports;
my $whole = JSON::PP->new->canonical->encode($grades);
grade_with('grades', JOBS => 1);
ok(JSON::PP->new->canonical->encode(decode_json(slurp("$scratch/grades/grades.json"))) eq $whole, 'a run that goes on comes to the same grades');
ok(!(grep { slurp("$scratch/grades/$_") ne $before{$_} } keys %before), 'and to the same reports');

# ---- Formats -------------------------------------------------------------------------------------------
SKIP: {
    skip 'python3-jsonschema is not installed', 1 if system("python3 -c 'import jsonschema' 2>/dev/null");
    my $check = "import json, sys, jsonschema\njsonschema.validate(json.load(open(sys.argv[1])), json.load(open('docs/grades.schema.json')))";
    tells("python3 -W ignore -c " . quoted($check) . " '$scratch/grades/grades.json'", 0, 'grades.json is as docs/grades.schema.json says');
}
my $results = decode_json(slurp("$scratch/grades/results/doe.json"));
my ($units) = grep { $_->{number} eq '3.1' } @{ $results->{tests} };
ok($results->{score} == 5 && $units->{max_score} == 5 && !(grep { !exists $_->{name} || !exists $_->{number} || !exists $_->{visibility} } @{ $results->{tests} }), 'results.json as Gradescope reads it');
spew("$scratch/canvas.csv", "Student,ID,SIS User ID,SIS Login ID,Section,HW 3 (991)\n    Points Possible,,,,,5\n\"Doe, Anna\",77,student00,anna\@x.org,A,\n\"Doe, John\",78,,doe\@x.org,A,\n\"Who, Ever\",79,,ever\@x.org,A,\n");
my ($code, $text) = grade_with('grades', INTO => "$scratch/canvas.csv", COLUMN => 'HW 3');
like(slurp("$scratch/canvas.csv"), qr/\A.*\n    Points Possible,,,,,5\n"Doe, Anna",77,student00,anna\@x\.org,A,5\n"Doe, John",78,,doe\@x\.org,A,5\n"Who, Ever",79,,ever\@x\.org,A,\n\z/, "a column of an LMS's table is filled");
like($text, qr/^not in \S+canvas\.csv: student01$/m, 'who is not in it is named');
spew("$scratch/canvas.csv", "Student,ID,SIS User ID,SIS Login ID,Section,HW 3 (991)\n    Points Possible,,,,,5\n\"Doe, Anna\",77,student00,,A,1\n\"Who, Ever\",79,,ever\@x.org,A,2\n\"No, Body\",80,nobody,,A,3\n");
my $old = slurp("$scratch/canvas.csv");
($code, $text) = grade_with('grades', INTO => "$scratch/canvas.csv", COLUMN => 'HW 3');
like(slurp("$scratch/canvas.csv"), qr/Points Possible,,,,,5\n"Doe, Anna",77,student00,,A,5\n"Who, Ever",79,,ever\@x\.org,A,\n"No, Body",80,nobody,,A,0\n\z/, 'old points of who handed in nothing, or was not graded, go');
ok($text =~ /^not graded, its points are gone from \S+: ever\@x\.org: 2$/m && slurp("$scratch/canvas.csv.before-2") eq $old, 'it says whose, and keeps the table as it was') or diag($text);
spew("$scratch/canvas.csv", "ID,Email,HW 3\nstudent00,,1\n,anna\@x.org,2\n");
$old = slurp("$scratch/canvas.csv");
($code, $text) = grade_with('grades', INTO => "$scratch/canvas.csv", COLUMN => 'HW 3');
ok($code == 2 && $text =~ /both student00 and anna\@x\.org may be student00/ && slurp("$scratch/canvas.csv") eq $old, 'two rows of one student: nothing is filled') or diag($text);

# ---- What cannot be asked for: one line, exit code 2, nothing written ----------------------------------
mkdir "$scratch/empty";
spew("$scratch/bad.csv", "a,b\n1,2\n");
spew("$scratch/bad.txt", "3.1 5\nnonsense\n");
my %wrong = (
    'no exercises'           => "$tool collect '$scratch/empty' '$scratch/new'",
    'no such folder'         => "$tool collect '$scratch/none' '$scratch/new'",
    'a roster of no students' => "$tool collect " . quoted($downloads) . " '$scratch/new' '$scratch/bad.csv'",
    'an unwritable place'    => "OVERRIDES='$scratch/overrides.csv' $tool collect " . quoted($downloads) . " /proc/new",
    'nothing to grade'       => "OUT='$scratch/new' $tool grade '$scratch/empty'",
    'no such exercise'       => "EX=9.9 OUT='$scratch/new' $tool grade '$scratch/returned'",
    'an assignment unread'   => "ASSIGNMENT='$scratch/bad.txt' OUT='$scratch/new' $tool grade '$scratch/returned'",
    'no such isolation'      => "ISOLATION=hope OUT='$scratch/new' $tool grade '$scratch/returned'",
);
for my $what (sort keys %wrong) {
    ($code, $text) = output_of($wrong{$what});
    ok($code == 2 && $text =~ /\A[^\n]+\n\z/ && !-e "$scratch/new", "$what: one line, exit code 2") or diag("$code: $text");
}
done_testing();
