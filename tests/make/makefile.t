#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The Makefile and tools/*.mk: what they build again and what not, what they remove, how words reach the tools.
# In a small course in a folder with an awkward name, with compilers and tools that only note how they
# were called. Then the real tools: wrong usage is one line and exit code 2.
use lib 'tests/lib';
use Tests;
use File::Copy qw(copy);
use File::Find;

my $root = root();
my $scratch = tempdir(CLEANUP => 1);
my $course = "$scratch/my course [1] o'b";
my @words = qw(EX CH CHAPTER PROGRAM VARIANT FROM OUT CSV COMPARE SIZE PREFIX DESTDIR);
delete @ENV{ qw(MAKEFLAGS MAKELEVEL MFLAGS BUILD DEVICE DEVICES NVCC CC CXX CFLAGS CUDACCFLAGS NVCCFLAGS CUDA_ARCH TEST_ALL), @words };

# ---- A course of two chapters ------------------------------------------------------------------
my @makefiles = ('Makefile', glob 'tools/*.mk');
mkdir $course;
chdir $course or die;
for my $script (@makefiles, qw(tools/Course.pm tools/Chinese.pm tools/measure/run tools/measure/step tools/measure/Steps.pm tests/lib/limit)) {
    make_path('tests/lib', 'tools/measure', 'tools/learn');
    copy("$root/$script", $script) or die "$script: $!";
    chmod((stat "$root/$script")[2] & 07777, $script);
}
# A compiler: notes what it makes, writes the headers included (by the real preprocessor), and makes a
# program that passes and notes that it ran.
my $compiler = <<'END';
#!/bin/sh
for word; do
    case $last,$word in
    -o,*) output=$word ;;
    -MF,*) file=$word ;;
    *,-MMD | *,-MP) dependencies="$dependencies $word" ;;
    *,-D*) define=$word ;;
    *,*.cu | *,*.c) source=$word ;;
    *,--version) echo 'nvcc V13.0.88'; exit ;;
    esac
    last=$word
done
echo "$output" >>made
if [ -n "$source" ]; then
    g++ -x c++ -E $dependencies -MF "$file" -MT "$output" "${define:--DX}" "$source" >/dev/null || exit
fi
case $output in
*.o) echo >"$output" ;;
*) printf '#!/bin/sh\necho %s >>ran\necho PASS\n' "$output" >"$output" && chmod +x "$output" ;;
esac
END
spew('cudacc/cudacc', $compiler, 0755);
spew('bin/nvcc', $compiler, 0755);
spew('cudacc/README.md', "# A compiler\n");
spew('cudacc/runtime/deep/stream.c', "\n");
spew('common/experiment/program.h', "#include \"rows.h\"\n");
spew('common/experiment/rows.h', "\n");
spew('common/lonely.h', "\n");
spew('01_one/experiments/1_first.cu', "#include \"../../common/experiment/program.h\"\nint main() { return 0; }\n");
spew('01_one/experiments/2_second.cu', "#include \"own.h\"\nint main() { return 0; }\n");
spew('01_one/experiments/own.h', "#include \"other.h\"\n");
spew('01_one/experiments/other.h', "\n");
spew('01_one/Makefile', "include ../tools/chapter.mk\n");
spew('01_one/results/device.txt', "\n");
spew('02_two/two.cu', "int main() { return 0; }\n");
spew('cudacc/tests/runtime/some.cu', "int main() { return 0; }\n");
my $tool = "#!/bin/sh\nprintf '[%s]' \"\$@\" >>called\nprintf ' SIZE=[%s]\\n' \"\${SIZE-}\" >>called\n";
spew($_, $tool, 0755) for map({ "tools/measure/$_" } qw(access report)), map({ "tools/documents/$_" } qw(book)), 'tools/learn/exercises', map { "tools/teach/$_" } qw(classroom lint_exercises);
$ENV{PATH} = "$course/bin:$ENV{PATH}";

# Runs make: exit code, stdout and stderr together.
sub make {
    my (@arguments) = @_;
    unlink qw(made ran called);
    return output_of(join ' ', map { quoted($_) } 'make', @arguments);
}

# All files are old, what was built a little younger.
sub age {
    find({ no_chdir => 1, wanted => sub { utime((1e9 + 1e3 * m{^\./build/}) x 2, $_) } }, '.');
    return;
}

# What make does for a goal, in one line, after all are old and a file is new.
sub builds {
    my ($what, $new, $expected, @arguments) = @_;
    age();
    utime undef, undef, $new if defined $new;
    my ($code, $text) = make(@arguments);
    my ($first, @made) = map { s{^build/}{}r } split /\n/, slurp('made');
    unshift @made, $first // () if ($first // '') ne 'empty'; # by which the CPU device is built
    my $made = join ' ', sort @made;
    is("$code $made", "0 $expected", $what) or diag($text);
    return;
}

# ---- What is built again -----------------------------------------------------------------------
my @all = ('all', 'DEVICE=cpu');
my @cpu = qw(cpu/01_one/experiments/1_first cpu/01_one/experiments/2_second cpu/02_two/two);
builds('make all builds every program', undef, "@cpu", @all);
ok(!-e 'ran', 'and runs none');
builds('nothing is new: nothing is made', undef, '', @all);
builds('a document is new', 'cudacc/README.md', '', @all);
builds('the Makefile is new, its commands are not', 'Makefile', '', @all);
builds('a header that no program includes', 'common/lonely.h', '', @all);
builds("a chapter's header", '01_one/experiments/own.h', 'cpu/01_one/experiments/2_second', @all);
builds('what that includes', '01_one/experiments/other.h', 'cpu/01_one/experiments/2_second', @all);
builds('a common header', 'common/experiment/rows.h', 'cpu/01_one/experiments/1_first', @all);
builds('a program', '02_two/two.cu', 'cpu/02_two/two', @all);
builds("a source of the CPU device's runtime", 'cudacc/runtime/deep/stream.c', "@cpu", @all);
builds('its compiler', 'cudacc/cudacc', "@cpu", @all);
for my $change ('CC=gcc', 'CXX=g++', 'CUDACCFLAGS=-O1', "CUDACCFLAGS=-DTEXT='a b'") {
    builds("with $change", undef, "@cpu", @all, $change);
    builds("with $change again", undef, '', @all, $change);
}
builds('and without', undef, "@cpu", @all);
{
    local $ENV{CXX} = 'g++';
    builds('with CXX in the environment', undef, "@cpu", @all);
}
builds('and without', undef, "@cpu", @all);

my @gpu = map { s/cpu/gpu/r } @cpu;
my @on_gpu = ('all', 'DEVICE=gpu');
builds('for the GPU', undef, "@gpu", @on_gpu);
builds("there the CPU device is nobody's source", 'cudacc/runtime/deep/stream.c', '', @on_gpu);
builds('a common header, for the GPU', 'common/experiment/rows.h', 'gpu/01_one/experiments/1_first', @on_gpu);
for my $change ('NVCC=./bin/nvcc', 'NVCCFLAGS=-O1 -Xcompiler -Wall,-Wextra', 'CUDA_ARCH=sm_90') {
    builds("with $change", undef, "@gpu", @on_gpu, $change);
    builds("with $change again", undef, '', @on_gpu, $change);
}

builds('a test', undef, 'cpu/cudacc/tests/runtime/some', 'build/cpu/cudacc/tests/runtime/some');

spew('01_one/experiments/own.h', "\n");
unlink '01_one/experiments/other.h';
builds('a header that is no longer', '01_one/experiments/own.h', 'cpu/01_one/experiments/2_second', @all);
unlink '02_two/two.cu';
builds('a program that is no longer', undef, '', @all);
spew('02_two/two.cu', "int main() { return 0; }\n");

age();
my ($code, $text) = make('01_one/', 'DEVICE=cpu');
is("$code " . slurp('ran') =~ s/\n/ /gr, '0 ' . join(' ', map { "build/cpu/01_one/experiments/$_" } (qw(1_first 2_second)) x 2) . ' ',
    'make 01_one/, as the shell completes it, runs that chapter') or diag($text);
like($text, qr/^Device: cpu .*^PASS: all 2 runs\n\z/ms, 'and says on which device');
($code, $text) = make('-s', '-C', '01_one', 'DEVICE=cpu');
is("$code " . slurp('ran') =~ s/\n/ /gr, '0 ' . join(' ', map { "build/cpu/01_one/experiments/$_" } (qw(1_first 2_second)) x 2) . ' ', "make in a chapter's folder runs it")
    or diag($text);
for my $words ('run', 'run -j3', 'run -s -C 01_one', '02_two', '01_one -j3') {
    age();
    utime undef, undef, 'cudacc/cudacc';
    tells([make('V=1', 'DEVICE=cpu', split ' ', $words)], 0, not => qr/warning|jobserver/, "make $words: its make has all jobs, and complains of none");
}
spew('tools/measure/results', "#!/bin/sh\necho \"\$1 of \$2\"\n", 0755);
for my $goals ('results', 'clean', 'help') {
    my ($here, $there) = map { s/\d+\.\d s$/TIME s/mgr } (make($goals, '-s', 'DEVICE=cpu'))[1], (make('-s', '-C', '01_one', 'DEVICE=cpu', $goals))[1];
    is($there, $here, "make $goals there is make $goals here");
}

# ---- Help --------------------------------------------------------------------------------------
($code, $text) = make('help');
is(join(', ', $text =~ /^([A-Z]\w+[^:\n]*(?:: \w+)?)$/mg), 'Learn, Learn: exercises, Your own kernel (cudacc/cudacc --trace FILE.cu), Your own GPU, Teach, Change the course: documents, Change the course: sources',
    'make help has groups');
my @goals = map { slurp($_) =~ /^\.PHONY: ([^\$\n]*[a-z-])/mg } @makefiles;
is_deeply([sort $text =~ /^  ([a-z-]+) +\S/mg], [sort map { split } grep { !/^results$/ } @goals], 'and lists every command');

# ---- BUILD, and clean --------------------------------------------------------------------------
# Refused by make: one line, exit code 2, nothing built.
sub refused {
    my ($what, $regex, @arguments) = @_;
    my ($code, $text) = make(@arguments);
    ok($code == 2 && $text =~ /\A(?:Makefile|tools\/\w+\.mk):\d+: \*\*\* [^\n]*\.  Stop\.\n\z/ && $text =~ $regex && !-e 'made' && !-e 'called', $what)
        or diag("exit code $code\n$text");
    return;
}
sub cleans {
    my ($what, $folder, @arguments) = @_;
    my ($code, $text) = make('clean', @arguments);
    ok($code == 0 && !-e $folder, $what) or diag($text);
    return;
}
cleans('make clean removes build', 'build');
cleans('and is content when there is none', 'build');
make('all', 'DEVICE=cpu', 'BUILD=else/where');
cleans('BUILD that make made', 'else/where', 'BUILD=else/where/');
mkdir 'empty';
make('all', 'DEVICE=cpu', 'BUILD=empty');
ok(-x 'empty/cpu/01_one/experiments/1_first', 'BUILD that was empty is used');
cleans('and removed', 'empty', 'BUILD=empty');
mkdir $_ for qw(x1 y1);
refused('clean: two folders', qr/'x1 y1'/, 'clean', 'BUILD=x1 y1');
ok(-d 'x1' && -d 'y1', 'both are there');
spew('mine/thesis.tex', "long\n");
make('all', 'DEVICE=cpu', 'BUILD=mine');
refused("clean: somebody's folder", qr/mine was not made by make/, 'clean', 'BUILD=mine');
is(slurp('mine/thesis.tex'), "long\n", 'what was in it is there');
refused("clean: $_", qr/was not made by make/, 'clean', "BUILD=$_") for '.', '..', '01_one', "$scratch";
spew('rust/CACHEDIR.TAG', "Signature: 8a477f597d28d172789f06886806bc55\n");
refused('clean: built by another', qr/rust was not made by make/, 'clean', 'BUILD=rust');
refused("BUILD is no name: " . s{\n}{\\n}r, qr/BUILD is one folder/, 'all', "BUILD=$_")
    for '', '/', '-x', 'a b', ' ', "it's", 'a;touch X', 'a`touch X`', 'a$$(touch X)', 'a"', 'a:b', 'a%', 'a*', 'a#b', '~/x', "a\nb";
ok(!-e 'X', 'no shell has looked at them');

# ---- Words, as they are ------------------------------------------------------------------------
my @awkward = ('1.1; touch X', '$(shell touch X)', '$$', '$HOME', '`touch X`', "it's", '"', 'a b', '-n', '*', '\\', '%', '#', 'a\'"b');
sub called {
    my ($expected, @arguments) = @_;
    my ($status, $said) = make('-s', @arguments);
    is($status . slurp('called') =~ s/^\[--needs\].*\n//r, "0$expected\n", "make @arguments") or diag($said);
    return;
}
called("[check][$_] SIZE=[]", 'check', "EX=$_") for @awkward;
my $odd = "@awkward";
called("[hint][$odd] SIZE=[]", 'hint', "EX=$odd");
called("[reset][$odd] SIZE=[]", 'reset', "EX=$odd");
called("[$odd] SIZE=[]", 'lint-exercises', "EX=$odd");
called("[strip][$odd] SIZE=[]", 'strip', "OUT=$odd");
called("[grade][$odd] SIZE=[]", 'grade', "FROM=$odd");
called("[--build][build][--from][$odd] SIZE=[]", 'report', "FROM=$odd");
called("[grade][a][$odd] SIZE=[]", 'grade', 'FROM=a', "CSV=$odd");
called("[cpu][01_one][$odd] SIZE=[$odd]", 'access', 'CHAPTER=01_one/', "PROGRAM=$odd", "SIZE=$odd");
called("[--build][build][--device][cpu][--compare][$odd] SIZE=[]", 'report', 'DEVICE=cpu', "COMPARE=$odd");
called('[check] SIZE=[]', 'check');
called('[check] SIZE=[]', 'check', 'EX=');
called('[watch] SIZE=[]', 'watch');
called("[watch][$odd] SIZE=[]", 'watch', "EX=$odd");
ok(!-e 'X', 'and no shell has looked at it');

refused("make $_->[0]", $_->[1], split ' ', $_->[0])
    for ['hint', qr/EX=5\.2/], ['reset', qr/EX=5\.2/], ['strip', qr/OUT=dir/], ['grade', qr/FROM=dir/],
    ['access', qr/CHAPTER=01_one/], ['access CHAPTER=01', qr/did you mean 01_one/],
    ['access CHAPTER=%', qr/CHAPTER=01_one/], ['sass CHAPTER=03_three', qr/CHAPTER=01_one/],
    ['run DEVICE=tpu', qr/not 'tpu'/], ['run DEVICE=both', qr/not 'both'/], ['run DEVICE=gpu NVCC=none', qr/no none on the PATH/];

spew('no perl/perl', "#!/bin/sh\nexit 127\n", 0755);
{
    local $ENV{PATH} = "$course/no perl:$ENV{PATH}";
    refused("make $_ without perl", qr/apt install perl/, $_) for 'run', 'test';
}

# What was probably meant.
refused("make $_->[0]: $_->[1]", qr/\Q$_->[1]\E/, split ' ', $_->[0])
    for ['chek', "there is no 'chek'; make help lists the commands"], ['02', 'did you mean 02_two?'], ['1', 'did you mean 01_one?'],
    ['access CHAPTER=02', 'CHAPTER=02: did you mean 02_two?'], ['access CHAPTER=', 'say which chapter: make access CHAPTER=01_one'];
refused("make $_", qr/did you mean|make help lists/, $_) for 'chek; touch X', 'a$$(touch X)', "it's", '`touch X`';
ok(!-e 'X', 'and no shell has looked at that');
spew('tools/learn/exercises', "#!/bin/sh\necho NOT YET\nexit \$VERDICT\n", 0755);
for my $verdict (0, 1, 2, 77) {
    local $ENV{VERDICT} = $verdict;
    my ($status, $said) = make('-s', 'check', 'EX=1.1');
    my $is_one = $verdict < 2;
    ok($is_one ? $status == 0 && $said eq "NOT YET\n" : $status == 2 && $said =~ /\nmake: \*\*\* /, "make check after exit code $verdict: " . ($is_one ? 'content' : 'failed'))
        or diag($status, $said);
}

# ---- Limits ------------------------------------------------------------------------------------
chdir $root or die;
is(system('tests/lib/limit', 1, 'perl', '-e', '1 while 1') & 127, 24, 'tests/lib/limit ends a process by the time it computes');
is(system('tests/lib/limit', 1, 'perl', '-e', 'select undef, undef, undef, 1.5; exit 7') >> 8, 7, 'and not by the time it waits');
is(system('tests/lib/limit 0.05 true 2>/dev/null') == 0, '', 'whole seconds');

# ---- The tools, wrongly used -------------------------------------------------------------------
my $chapter = (grep { -d } glob '[0-9][0-9]_*')[0];
spew("$scratch/file", "\n");
spew("$scratch/course/$chapter/exercises/1_name/exercise.cu", "\n");
for my $usage (
    'tools/measure/access', 'tools/measure/access tpu 05_coalescing', 'tools/measure/access cpu nowhere', "tools/measure/access cpu '*'",
    'tools/measure/access cpu 05_coalescing none', 'SIZE=many tools/measure/access cpu 05_coalescing', 'tools/measure/access recorded 05_coalescing',
    'tools/documents/site', 'tools/documents/site --book', 'tools/documents/site a b', 'tools/documents/chinese', 'tools/documents/chinese --nonsense', 'tools/documents/chinese nowhere.md', 'tools/documents/commands', 'tools/documents/commands nowhere.md', 'tools/documents/quote', 'tools/documents/quote --nonsense',
    'tools/documents/quote --check nowhere.md', 'tools/documents/links', 'tools/documents/links nowhere.md', 'tools/measure/figures --nonsense', 'tools/measure/figures --block',
    'tools/measure/figures --block none', 'tools/learn/predict', 'tools/learn/predict nowhere', 'tools/learn/predict --nonsense 1',
    'tools/measure/report', 'tools/measure/report --nonsense', 'tools/measure/report --from', 'tools/measure/report --from none',
    'tools/measure/results', 'tools/measure/results nowhere build', 'tools/measure/checksums', 'tools/measure/checksums nowhere',
    'tools/learn/exercises check 99.9', 'tools/learn/exercises hint x', 'tools/teach/lint_exercises 99.9',
    'tools/teach/classroom grade nowhere', "tools/teach/classroom grade '$scratch/course' nowhere/x.csv", "tools/teach/classroom strip '$scratch/file'",
    'tools/teach/classroom strip nowhere/x', 'tools/teach/classroom strip docs/x',
) {
    my $said = `{ $usage; } 2>&1 >'$scratch/out' </dev/null`;
    ok($? >> 8 == 2 && $said =~ /\A[^\n]+\n\z/ && !-s "$scratch/out", "$usage: one line, exit code 2")
        or diag('exit code ', $? >> 8, "\n$said", slurp("$scratch/out"));
}
for my $usage ('', 'nonsense', 'hint', 'check 1.1 1.2') {
    my $said = `tools/learn/exercises $usage 2>&1 >'$scratch/out' </dev/null`;
    ok($? >> 8 == 2 && $said =~ /^exercises check \[ID\]/ && !-s "$scratch/out", "tools/learn/exercises $usage: how to call it, exit code 2");
}
for my $usage ('', 'nonsense', 'strip', 'class 3', 'merge a b') {
    my $said = `tools/teach/classroom $usage 2>&1 >'$scratch/out' </dev/null`;
    ok($? >> 8 == 2 && $said =~ /^classroom strip FOLDER/ && !-s "$scratch/out", "tools/teach/classroom $usage: how to call it, exit code 2");
}
done_testing();
