#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# cudacc, the compiler driver of the CPU device, and its translator: what they accept and what they
# make of it; what they refuse is in refused.t. With g++ and, where present, clang++; nvcc, where
# present, confirms that the fixtures are CUDA.
use lib 'tests/lib';
use Tests;

my ($scratch, $root) = scratch_and_root();
my $tests  = "$root/cudacc/tests/translate/cudacc";
my $folder = "$root/cudacc";
my $cudacc = $ENV{CUDACC} // "$folder/cudacc";
my $nvcc   = $ENV{NVCC} // '';
my $temporary = "$scratch/temporary files";
mkdir $temporary;
delete @ENV{qw(CC CXX MAKEFLAGS)};
$ENV{TMPDIR} = $temporary;
chdir $scratch or die;

# Compiles and runs a program that prints "what: ok" or "what: WRONG".
sub passes {
    my ($name, $arguments) = @_;
    unlink 'program';
    my ($code, $out, $err) = sh("'$cudacc' -Wall -Wextra $arguments -o program && ./program");
    my $right = () = $out =~ /: ok$/mg;
    my @wrong = $out =~ /^(.*): WRONG$/mg;
    ok($code eq '0' && $right && !@wrong && $err eq '', "$name ($right)")
        or diag("exit code $code", map({ "\nwrong: $_" } @wrong), "\n$err");
}

# ---- The fixtures, with each compiler ------------------------------------------------------------
my $O1 = $ENV{TEST_ALL} ? '-O1' : '-O0'; # the optimization is no subject here, but for two programs
my @compilers = compilers();
for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    my $all = $compiler == $compilers[0] || $ENV{TEST_ALL};
    passes("$_.cu, $compiler->[0]", "$O1 '$tests/$_.cu'")
        for 'shared', $all ? qw(architecture bits launches steps untouched) : (), $ENV{TEST_ALL} ? 'declarations' : ();
    passes("the limits of shared memory, $compiler->[0]", "$O1 '$tests/limits.cu' '$tests/limits_other.cu'");
    next if !$all;
    passes("several files, $compiler->[0]",
        "$O1 '$tests/multi_main.cu' '$tests/multi_kernels.cu' '$tests/multi_host.c'");
    passes("-rdc=true, $compiler->[0]",
        "-rdc=true '$tests/separate_main.cu' '$tests/separate_device.cu'");
    # As a Makefile for nvcc has it, with a device link between.
    passes("-dc, -dlink, $compiler->[0]", "-dc '$tests/separate_main.cu' '$tests/separate_device.cu' && " .
        "'$cudacc' -arch=sm_75 -dlink separate_main.o separate_device.o -o linked.o && '$cudacc' separate_main.o separate_device.o linked.o");
    passes("kernels that launch kernels, $compiler->[0]", "-rdc=true $O1 '$tests/children.cu'");
}
passes($_, "$_ '$tests/declarations.cu'") for '-O0 -g -std=c++14', $ENV{TEST_ALL} ? '-O3 -std=c++20' : '-O1 -std=c++20';
SKIP: {
    my @fixtures = (glob("$tests/*.cu"));
    skip 'no nvcc on the PATH', scalar @fixtures if !$nvcc;
    skip 'with TEST_ALL=1', scalar @fixtures if !$ENV{TEST_ALL};
    for my $fixture (@fixtures) {
        my ($code, $out, $err) = sh("'$nvcc' -std=c++17 -extended-lambda -rdc=true -c '$fixture' -o nvcc.o");
        is($code, 0, "nvcc accepts " . $fixture =~ s{.*/}{}r) or diag($err);
    }
}

# ---- A program for the rest ----------------------------------------------------------------------
spew('hello.cu', <<'END');
#include <stdio.h>
#ifndef TEXT
#define TEXT "hello"
#endif
__global__ void write(int *p) { *p = 42; }
int main(int argc, char **argv) {
    int *p, n = 0;
    cudaMalloc(&p, sizeof n);
    write<<<1, 1>>>(p);
    cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost);
    printf("%s %d %d\n", TEXT, n, argc);
    return argv[0] ? 0 : 1;
}
END
sub says { # COMMAND, OUTPUT, NAME
    my ($command, $expected, $name) = @_;
    shows($command, '0', $expected, '', $name // $command);
}
sub compiles { # ARGUMENTS: silently; then ./a.out greets
    my ($arguments, $expected) = @_;
    unlink 'a.out';
    says("'$cudacc' $arguments && ./a.out", $expected // "hello 42 1\n", "cudacc $arguments");
}

# ---- Options -------------------------------------------------------------------------------------
spew('asks.cu', "#include <stdio.h>\n__global__ void ask() {\n#if __CUDA_ARCH__\n    printf(\"%d\\n\", __CUDA_ARCH__);\n#endif\n}\n" .
    "int main() {\n    ask<<<1, 1>>>();\n    return cudaDeviceSynchronize();\n}\n");
{
    local $ENV{CC} = $cudacc; # as a makefile hands it on that is told so
    compiles('hello.cu');
}
compiles(@$_) for ['-MD -MP asks.cu', "750\n"], ['asks.cu -arch sm_90', "900\n"],
    ['-gencode arch=compute_60,code=sm_60 -gencode=arch=compute_80,code=[sm_80,compute_80] -arch=sm_100a asks.cu', "800\n"];
# What it changes outside of bodies is the host's, and that is said; within them, of the host's too, not.
spew('arch.cu', "#if __CUDA_ARCH__ >= 700\nconstexpr int tile = 32;\n#else\nconstexpr int tile = 8;\n#endif\n__global__ void k(int *o) { *o = tile; }\nint main() {}\n");
my (undef, undef, $different) = sh("'$cudacc' arch.cu -o arch");
like($different, qr/\Aarch\.cu:4(?::\d+)?: warning: what __CUDA_ARCH__ changes outside/, 'another constant for a GPU: a warning') or diag($different);
sub accepts { # ARGUMENTS: silently
    my ($arguments) = @_;
    shows("'$cudacc' $arguments hello.cu -E", '0', undef, '', "cudacc $arguments");
}
compiles('hello.cu');
compiles('-O3 -g -G -lineinfo -w -m64 -arch=sm_90 -use_fast_math -Xptxas -v -lcudart hello.cu');
compiles('-Xcompiler -Wall,-Wextra -Werror all-warnings -std=c++11 --fmad=false -rdc=true hello.cu');
spew('newer.cu', join('', map { "#include \"$_\"\n" } glob "$root/common/*.h $root/common/experiment/*.h") . slurp('hello.cu'));
compiles("-Wall -Wextra -Werror -std=$_ newer.cu") for 'c++20', 'c++2b';
# Macros of one letter: only T is a name of our headers, as it is of NVIDIA's.
my $letters = join ' ', map { "-D$_=4" } grep { $_ ne 'T' } 'A' .. 'Z';
says("'$cudacc' $_ $letters -c hello.cu", '', "cudacc $_, all letters but T as macros") for '', '--trace';
# A function that ends without its return gives some value, as nvcc's; it must not run into the next.
spew('ends.cu', "#include <stdio.h>\n__device__ int none(int) {}\n" .
    "__global__ void use(int *p) {\n    int v = none(*p);\n    *p = v * 0 + 5 + (p[1] ? none(2) * 0 : 0);\n}\n" .
    "int main() {\n    int *p, v;\n    cudaMalloc(&p, 8);\n    cudaMemset(p, 0, 8);\n    use<<<1, 1>>>(p);\n" .
    "    cudaMemcpy(&v, p, 4, cudaMemcpyDefault);\n    cudaFree(p);\n    printf(\"%d\\n\", v);\n}\n");
says("'$cudacc' $_ -w ends.cu && ./a.out 2>&1 | grep -x 5", "5\n", "cudacc $_, a function without its return")
    for '-O0', '-O3', '--trace';
compiles("-Xcompiler='-Wall -pthread' -O 1 -Xlinker -O1,--as-needed -lm -x cu hello.cu");
my @options = (
    '--optimize=2', '-arch sm_90', '--gpu-architecture=native', '-gencode arch=compute_80,code=sm_80',
    '-gencode=arch=compute_90,code=[sm_90,compute_90]', '--ptxas-options=-v -maxrregcount 32',
    '--std c++17', '-std=gnu++20', '--cudart=static', '--cudart 12', '--compiler-options -Wall',
    '-extended-lambda --expt-relaxed-constexpr', '-default-stream legacy', '-ccbin g++',
    '--relocatable-device-code false', '-Werror', '-Wno-deprecated-gpu-targets', '-t 4',
);
accepts($_) for $ENV{TEST_ALL} ? @options : "@options";
sub expands { # ARGUMENTS, WORD, TEXT: what the preprocessor makes of WORD
    my ($arguments, $word, $expected) = @_;
    spew('expand.cu', "<$word>\n");
    my ($code, $out, $err) = sh("'$cudacc' $arguments expand.cu -E");
    my ($text) = $out =~ /^<(.*)>$/m;
    ok($code eq '0' && $err eq '' && defined $text && $text eq $expected, "cudacc $arguments: $word")
        or diag("exit code $code\n", $text // 'nothing', "\n$err");
}
mkdir 'a folder';
spew('a folder/text.h', "#define TEXT \"included\"\n");
expands("-DTEXT='\"a b\"'",                     'TEXT', '"a b"');
expands("-D 'TEXT=\"it'\\''s\"'",               'TEXT', "\"it's\"");
expands("--define-macro=TEXT='\"x=y\"'",        'TEXT', '"x=y"');
expands("-DTEXT=1 -U TEXT",                     'TEXT', 'TEXT');
expands($_, 'TEXT', '"included"')
    for "-I 'a folder' -include text.h", "-include 'a folder/text.h'", "-I'a folder' -include=text.h",
    "-I='a folder' -include text.h", "--include-path 'a folder' -include text.h";
accepts("-isystem 'a folder' -include text.h -Werror");
my $per_thread = 'CUDA_API_PER_THREAD_DEFAULT_STREAM';
expands($_, $per_thread, $per_thread) for '', '-default-stream legacy', '-default-stream=null';
expands($_, $per_thread, '1') for '-default-stream per-thread', '--default-stream=per-thread';
expands($_, 'CUDART_VERSION', '13000') for '', '--cudart=13', '--cudart=shared';
expands($_, 'CUDART_VERSION', '12080') for '--cudart=12', '-cudart 12';
expands('-cudart=11', 'CUDART_VERSION', '11080');
expands($_, '__OPTIMIZE__', '1')            for '', '-O1', '-O 3';
expands($_, '__OPTIMIZE__', '__OPTIMIZE__') for '-O0', '-O 0', '--optimize=0', '-G';
compiles("-DTEXT='\"a b\"' hello.cu", "a b 42 1\n");
says("'$cudacc' hello.cu -o 'a folder/out' && 'a folder/out' x", "hello 42 2\n");
says("'$cudacc' hello.cu -run", "hello 42 1\n");
says("'$cudacc' -dc hello.cu -o 'a folder/h.o' && '$cudacc' 'a folder/h.o' -run", "hello 42 1\n");
says("cp hello.cu hello.txt && '$cudacc' -x cu hello.txt -run", "hello 42 1\n");
{
    my ($code, $out, $err) = sh("'$cudacc' -v -arch=sm_90 -std=c++11 -c hello.cu");
    like($err, qr/^cudacc: -arch=sm_90: ignored/m, '-v says what is ignored');
    like($err, qr/^cudacc: -std=c\+\+11: raised to c\+\+14/m, '-v says that the standard is raised');
    like($err, qr/^#\$ '.*translate'/m, '-v prints the commands');
    shows("'$cudacc' --help", '0', qr/\A[^\n]*\n\n +cudacc saxpy\.cu/, '', '--help starts with examples');
    ($code, $out, $err) = shows("'$cudacc' --version", '0', qr/\Acudacc[^\n]+\nhost compiler: [^\n]+\n\z/, '', '--version');
    is((sh("'$cudacc' -v"))[1], $out, '-v alone');
    ($code, $out, $err) = sh("'$cudacc' --keep -c hello.cu -o kept.o");
    like(slurp('kept.translated.ii'), qr/cpu_device::bind\(\n# 9 \"hello\.cu\"\n    write,/, '--keep');
    shows("'$cudacc' -E hello.cu", '0', qr/__global__ void write/, undef, '-E');
    says("'$cudacc' -arch sm_90 -E asks.cu -o asks.ii && '$cudacc' -x cu-cpp-output asks.ii && ./a.out", "900\n",
        '-E makes the text that is compiled, -x cu-cpp-output compiles it');
    shows("'$cudacc' -MM hello.cu -include 'a folder/text.h'", '0', qr{\Ahello\.o: hello\.cu .*text\.h}s, undef, '-MM');
    ($code, $out, $err) = sh("'$cudacc' -MMD -MP -c hello.cu -o dep.o");
    like(slurp('dep.d'), qr{\Adep\.o: hello\.cu}, '-MMD');
    ($code, $out, $err) = sh("'$cudacc' -MD -MF other.d -MT target hello.cu -o dep");
    like(slurp('other.d'), qr{\Atarget: hello\.cu}, '-MD -MF -MT');
    ($code, $out, $err) = sh("'$cudacc' -MMD -MP -MF linked.d -include 'a folder/text.h' hello.cu -o linked");
    ok($code eq '0' && slurp('linked.d') =~ m{\Alinked: hello\.cu a\\ folder/text\.h\n(?:a\\ folder/text\.h:\n)+\z},
        '-MMD -MP -MF, compiled and linked at once') or diag(slurp('linked.d'), $err);
}
# NVIDIA's headers do not get in the way, wherever they are named.
mkdir $_ for 'toolkit', 'toolkit/include';
spew('toolkit/cuda_runtime.h', "#error not this one\n");
spew('runtime.cu', "#include <cuda_runtime.h>\nint main() { return 0; }\n");
says("'$cudacc' $_ runtime.cu " . ($ENV{TEST_ALL} ? '-run' : '-E >expanded'), '', "a toolkit's headers: $_")
    for '-Itoolkit', '-I toolkit', '-isystem toolkit';
{
    spew('toolkit/cuda_runtime_api.h', "#error not this one\n");
    spew('toolkit/include/device_things.h', "/* Copyright NVIDIA Corporation */\n#warning it is old\n");
    spew('toolkit/include/cuda_runtime_api.h', '');
    spew('toolkit/include/others.h', "int other;\n");
    spew('things.cu', "#include <others.h>\n#include <device_things.h>\nint main() {}\n");
    local $ENV{CPLUS_INCLUDE_PATH} = "$scratch/toolkit/include";
    shows("'$cudacc' things.cu", '1', undef, qr/\Athings\.cu:2:10: error: device_things\.h is not part of the CPU device; .*\n\z/,
        "a toolkit's header that lies where the compiler looks");
}
{
    mkdir "toolkit/include/$_" for 'cccl', 'cccl/thrust';
    spew('toolkit/include/cccl/thrust/outer.h', "#include <thrust/inner.h>\n");
    spew('toolkit/include/cccl/thrust/inner.h', "#error not for this compiler\n");
    spew('sorts.cu', "#include <stdio.h>\n#include <thrust/outer.h>\nint main() {}\n");
    shows("'$cudacc' -I '$scratch/toolkit/include/cccl' sorts.cu", '1', undef, qr{\Asorts\.cu:2:10: error: thrust/outer\.h: Thrust is not .*\n(?!.*inner\.h: Thrust)},
        "a library's headers that -I finds");
}
{
    local $ENV{CPATH} = "$scratch/a folder:$scratch/toolkit";
    says("'$cudacc' runtime.cu -include text.h -run", '', "a toolkit's headers: CPATH");
}
spew('marks.cu', "#include <device_functions.h>\n#include <math_functions.h>\n#include <nvToolsExt.h>\n#include <nvtx3/nvToolsExt.h>\n" .
    "int main() { nvtxRangePush(\"a\"); nvtxMark(\"b\"); return nvtxRangePop(); }\n");
says("'$cudacc' $O1 marks.cu -lnvToolsExt -run", '', 'marks for a profiler');
spew('threads.cu', "#include <future>\n#include <stdio.h>\nint main() {\n" .
    "    printf(\"%d\\n\", std::async(std::launch::async, [] { return 42; }).get());\n}\n");
says("'$cudacc' $O1 threads.cu -run", "42\n", "the C++ library's threads");
spew('math.cu', "int main() { return std::max(1, 2) - (int)std::sqrt(4.0f) - !std::numeric_limits<int>::max(); }\n");
says("'$cudacc' math.cu -run", '', 'what comes with the mathematical functions');
spew('special.cu', "#include <cmath>\nint main() { return std::cyl_bessel_j(0, 0.0) != 1; }\n");
says("'$cudacc' -std=c++17 special.cu -run", '', "the C++ library's special functions");

# ---- Files with and without --trace --------------------------------------------------------------
spew('traced.cu', "struct __attribute__((packed)) tight { char c; int i; };\n" .
    "static_assert(sizeof(struct tight) == 5, \"a traced build changes no layout\");\n" .
    "__global__ void inner(int *p) { p[threadIdx.x] = 3; }\n" .
    "void launch(int *p) { inner<<<1, 64>>>(p); }\n");
spew('calls.cu', <<'END');
#include <stdio.h>
void launch(int *p);
__global__ void outer(int *p) { p[threadIdx.x] += 1; }
int main() {
    int *d, h = 0;
    cudaMalloc(&d, 256);
    launch(d);
    outer<<<1, 64>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%d\n", h);
}
END
{
    my $not_traced = qr/^(\w+), grid 1x1x1, block 64x1x1\n  not traced: its file was compiled without --trace$/m;
    for my $traced ('traced.cu', 'calls.cu') {
        my ($plain) = grep { $_ ne $traced } 'traced.cu', 'calls.cu';
        shows("'$cudacc' --trace -c $traced -o t.o && '$cudacc' -c $plain -o p.o && '$cudacc' t.o p.o -o mixed",
            '0', '', '', "an object of $traced, with --trace, is linked without it");
        my ($code, $out, $err) = sh('./mixed');
        my ($kernel) = $err =~ $not_traced;
        my $other = $plain eq 'traced.cu' ? 'inner' : 'outer';
        ok($code eq '0' && $out eq "4\n" && ($kernel // '') eq $other && $err =~ /^CPU device: 0 errors\n\z/m,
            "only the other kernel is counted, $other is said not to be") or diag("$code $out$err");
    }
    shows("'$cudacc' --trace -c traced.cu -o t.o && ar rc libtraced.a t.o && '$cudacc' calls.cu libtraced.a -o mixed", '0', '', '', 'the same from an archive');
    shows("'$cudacc' calls.cu -L. -ltraced -o mixed", '1', '', "cudacc: a library was compiled with --trace: say --trace here, too\n", 'with -l: one line');
    is((sh("'$cudacc' --trace calls.cu -L. -ltraced -o mixed && ACCESS_TABLE=0 ./mixed"))[0], '0', 'as it says');
    local $ENV{CPU_DEVICE_SCHEDULE} = 'nonsense';
    shows("'$root/tests/lib/limit' 20 ./mixed", '2', '', "CPU device: CPU_DEVICE_SCHEDULE is late, stacks, reversed or shuffled:SEED, not 'nonsense'\n",
        'a wrong CPU_DEVICE_SCHEDULE ends a traced program with one line, exit code 2');
}
shows("'$cudacc' --trace -Wall -Wextra '$tests/bits.cu' -o traced && ACCESS_TABLE=0 ./traced",
    '0', "forms: ok\ntypes: ok\n", "CPU device: 0 errors\n", 'bit-fields in a traced build');

for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    for my $option ('', '--trace') {
        shows("'$cudacc' $option -Wall -Wextra '$tests/grammar.cu' -o grammar && ACCESS_TABLE=0 ./grammar",
            '0', "grammar: ok\n", $option ? "CPU device: 0 errors\n" : '', "the grammar of C++17, $compiler->[0] $option");
    }
}

for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    my ($plain) = (sh("'$cudacc' -O2 '$tests/choices.cu' -o choices && ./choices"))[1];
    my ($code, $out, $err) = sh("'$cudacc' --trace -O2 -Wall -Wextra '$tests/choices.cu' -o traced && ACCESS_TABLE=0 ./traced");
    like($plain, qr/\Ano error, \d+\n\z/, "choices.cu, $compiler->[0]");
    is("$code$out$err", "0${plain}CPU device: 0 errors\n", 'choices, copies and branches in a traced build');
}

# A traced build copies objects where the compiler may leave it. This one would be destroyed twice.
spew('owner.cu', <<'END');
#include <stdio.h>
struct owner {
    int *p;
    owner() { cudaMalloc(&p, 128); }
    ~owner() { printf("%d\n", cudaFree(p)); }
};
static owner make() {
    owner o;
    return o;
}
__global__ void set(int *p) { p[threadIdx.x] = 1; }
int main() {
    owner o = make();
    set<<<1, 32>>>(o.p);
}
END
for my $option ('', '--trace') {
    shows("'$cudacc' $option owner.cu -o owner && ACCESS_TABLE=0 ./owner", '0', "0\n", undef, "what a function returns is destroyed once $option");
}

# ---- Where and how it is called ------------------------------------------------------------------
{
    local $ENV{PATH} = '/usr/bin:/bin';
    compiles('hello.cu', undef) if -x '/usr/bin/g++' || -x '/usr/bin/clang++';
    local $ENV{LC_ALL} = 'de_DE.UTF-8';
    compiles('hello.cu');
}
symlink $cudacc, 'link';
symlink '../link', 'a folder/link of link';
says("'a folder/link of link' hello.cu -run", "hello 42 1\n", 'through symbolic links');
says("PATH=\"$folder:\$PATH\"; cudacc hello.cu -run", "hello 42 1\n", 'from the PATH');
says("cp hello.cu 'a folder/it'\\''s.cu' && cd 'a folder' && '$cudacc' \"it's.cu\" -o \"it's\" && \"./it's\"",
    "hello 42 1\n", 'a quote in a name');

# A copy of the component in a project that cannot be written to. Each builds translator and runtime: fast.
sh("'$cudacc' -c hello.cu");
my $cc = found('gcc') ? 'gcc' : 'clang';
spew('fast_cc', "#!/bin/sh\nexec $cc \"\$@\" -O0 -g0\n", 0755);
$ENV{CC} = "$scratch/fast_cc";
mkdir "$scratch/$_" for 'read only', 'read only/common';
sh("cp -R '$folder' 'read only' && cp '$root/common/common.h' 'read only/common' && chmod -R a-w 'read only'");
my $copy = "$scratch/read only/cudacc/cudacc";
# Two at once, each finding no cache.
my @pids;
for (1 .. 2) {
    my $pid = fork;
    if (!$pid) { exec 'sh', '-c', "'$copy' hello.cu -o parallel$_ 2>parallel$_.err" }
    push @pids, $pid;
}
my $bad = 0;
for (@pids) { waitpid $_, 0; $bad++ if $? }
ok($bad == 0, 'in a read-only project, two at once') or diag(map { slurp("parallel$_.err") } 1 .. 2);
is(`./parallel$_`, "hello 42 1\n", "program $_ of them") for 1 .. 2;
says("'$copy' hello.cu -run", "hello 42 1\n", 'in a read-only project, again');
ok($< == 0 || !-e 'read only/build', 'nothing is written there');
sh("chmod -R u+w 'read only'");
my @precompiled = glob "'$temporary'/cudacc-*/*/*.gch 'read only'/build/cudacc/*/*.gch";
ok(@precompiled || !found('g++'), 'headers are precompiled');
spew($_, 'damaged') for @precompiled;
says("'$copy' hello.cu -run", "hello 42 1\n", 'without them, silently');
{
    local $ENV{CUDACC_CACHE} = "$scratch/own cache";
    my @before = map { s{.*/}{}r } glob("'$temporary'/cudacc-*/*");
    spew('read only/cudacc/runtime/more.c', "int cpu_device_more;\n");
    says("'$copy' hello.o -run", "hello 42 1\n", 'CUDACC_CACHE, and a new source in the runtime');
    my @entries = map { s{.*/}{}r } glob("'$scratch/own cache'/*");
    is(scalar @entries, 1, 'one entry in it');
    ok(!grep({ $_ eq $entries[0] } @before), 'a new one');
}
spew('freed.cu', "#include <stdlib.h>\nint main(void) { int *p; cudaMallocHost(&p, 4); free(p); return 0; }\n");
tells("'$cudacc' freed.cu -o freed && ulimit -c 0 && { ./freed; [ \$? -gt 128 ]; }", 0, 'free() of pinned memory ends the program');
delete $ENV{CC};
{
    my $pid = fork;
    if (!$pid) {
        setpgrp;
        $SIG{INT} = 'DEFAULT'; # a shell's job in the background ignores it
        exec 'sh', '-c', "exec '$cudacc' '$tests/launches.cu' -O3 -o interrupted 2>/dev/null";
    }
    for (1 .. 1200) {
        last if glob "'$temporary'/cudacc.*/1";
        select undef, undef, undef, 0.05;
    }
    kill -2, $pid;
    waitpid $pid, 0;
    ok($? != 0 && !-e 'interrupted', 'interrupted: no output');
}
is_deeply([grep { !m{/cudacc-\d+$} } glob("'$temporary/*'")], [], 'no temporary files are left');
done_testing();
