#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# cudacc, the compiler driver of the CPU device, and its translator: what they accept, what they
# make of it, what they say when they refuse. With g++ and, where present, clang++; nvcc, where
# present, confirms that the fixtures are CUDA.
use FindBin;
use lib "$FindBin::Bin/../../../tests/lib";
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

# Wrong usage: exit code 2, one line on stderr that matches, nothing on stdout.
sub refuses {
    my ($arguments, $expected) = @_;
    my ($code, $out, $err) = sh("'$cudacc' $arguments");
    ok($code eq '2' && $out eq '' && $err =~ /\Acudacc: [^\n]+\n\z/ && $err =~ $expected,
        "cudacc $arguments: one line, exit code 2") or diag("exit code $code\n$out$err");
}

# ---- The fixtures, with each compiler ------------------------------------------------------------
my $O1 = $ENV{TEST_ALL} ? '-O1' : '-O0'; # the optimization is no subject here, but for two programs
my @compilers = grep { found($_->[0]) && found($_->[1]) } ['g++', 'gcc'], ['clang++', 'clang'];
BAIL_OUT('neither g++ and gcc nor clang++ and clang on the PATH') if !@compilers;
for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    my $all = $compiler == $compilers[0] || $ENV{TEST_ALL};
    passes("$_.cu, $compiler->[0]", "$O1 '$tests/$_.cu'")
        for 'shared', $all ? qw(architecture bits launches names steps untouched) : (), $ENV{TEST_ALL} ? 'declarations' : ();
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
    my ($code, $out, $err) = sh($command);
    ok($code eq '0' && $out eq $expected && $err eq '', $name // $command)
        or diag("exit code $code\nstdout: $out\nstderr: $err");
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
    my ($code, $out, $err) = sh("'$cudacc' $arguments hello.cu -E");
    ok($code eq '0' && $err eq '', "cudacc $arguments") or diag("exit code $code\n$err");
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
    ($code, $out, $err) = sh("'$cudacc' --help");
    ok($code eq '0' && $err eq '' && $out =~ /\A[^\n]*\n\n +cudacc saxpy\.cu/, '--help starts with examples');
    ($code, $out, $err) = sh("'$cudacc' --version");
    ok($code eq '0' && $err eq '' && $out =~ /\Acudacc[^\n]+\nhost compiler: [^\n]+\n\z/, '--version');
    is((sh("'$cudacc' -v"))[1], $out, '-v alone');
    ($code, $out, $err) = sh("'$cudacc' --keep -c hello.cu -o kept.o");
    like(slurp('kept.translated.ii'), qr/cpu_device::bind\(\n# 9 \"hello\.cu\"\n    write,/, '--keep');
    ($code, $out, $err) = sh("'$cudacc' -E hello.cu");
    ok($code eq '0' && $out =~ /__global__ void write/, '-E');
    says("'$cudacc' -arch sm_90 -E asks.cu -o asks.ii && '$cudacc' -x cu-cpp-output asks.ii && ./a.out", "900\n",
        '-E makes the text that is compiled, -x cu-cpp-output compiles it');
    ($code, $out, $err) = sh("'$cudacc' -MM hello.cu -include 'a folder/text.h'");
    ok($code eq '0' && $out =~ m{\Ahello\.o: hello\.cu .*text\.h}s, '-MM') or diag($out, $err);
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
    my ($code, $out, $err) = sh("'$cudacc' things.cu");
    ok($code eq '1' && $err =~ /\Athings\.cu:2:10: error: device_things\.h is not part of the CPU device; .*\n\z/,
        "a toolkit's header that lies where the compiler looks") or diag("exit code $code\n$err");
}
{
    mkdir "toolkit/include/$_" for 'cccl', 'cccl/thrust';
    spew('toolkit/include/cccl/thrust/outer.h', "#include <thrust/inner.h>\n");
    spew('toolkit/include/cccl/thrust/inner.h', "#error not for this compiler\n");
    spew('sorts.cu', "#include <stdio.h>\n#include <thrust/outer.h>\nint main() {}\n");
    my ($code, $out, $err) = sh("'$cudacc' -I '$scratch/toolkit/include/cccl' sorts.cu");
    ok($code eq '1' && $err =~ m{\Asorts\.cu:2:10: error: thrust/outer\.h: Thrust is not .*\n(?!.*inner\.h: Thrust)},
        "a library's headers that -I finds") or diag("exit code $code\n$err");
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

# ---- Wrong usage ---------------------------------------------------------------------------------
refuses('', qr/no input/);
refuses('missing.cu', qr/missing\.cu: no such file/);
refuses("'a folder'", qr/folder/);
refuses('hello.cu --nonsense', qr/--nonsense/);
refuses('hello.cu -o', qr/-o needs a value/);
refuses("hello.cu $_", qr/\Q$_\E/) for qw(-ptx -cubin -fatbin -shared -lib);
refuses('-dlink hello.cu', qr/-dlink takes objects/);
refuses("hello.cu $_", qr/11, 12 or 13/) for '--cudart=10', '--cudart=';
refuses('-x f90 hello.cu', qr/: the languages are cu, /);
refuses('-rdc=maybe hello.cu', qr/true or false/);
refuses('-c hello.cu expand.cu -o x.o', qr/several files/);
refuses('-ccbin nonsense++ hello.cu', qr/nonsense\+\+/);
refuses("'$tests/multi.h'", qr/multi\.h/);
{
    local $ENV{CXX} = 'nonsense++';
    refuses('hello.cu', qr/nonsense\+\+/);
    delete $ENV{CXX};
    mkdir 'bin';
    spew('old/clang++', "#!/bin/sh\necho Ubuntu clang version 13.0.1-2ubuntu2\n", 0755);
    refuses('-ccbin old/clang++ hello.cu', qr/clang 13 is too old: it takes clang 14 or later/);
    spew('old/g++', "#!/bin/sh\ncase \$1 in --version) echo 'g++ (Debian 10.2.1-6) 10.2.1' ;; -dumpversion) echo 10 ;; *) exit 1 ;; esac\n", 0755);
    local $ENV{CUDACC_CACHE} = "$scratch/nothing built";
    refuses('--trace -ccbin old/g++ hello.cu', qr/gcc 10 is too old: it takes gcc 11 or later/);
    ok(!-e "$scratch/nothing built", 'and nothing has been built before it says so');
    for my $tool (qw(sh cat cksum tr mktemp rm mkdir id find sed sort env dirname readlink)) {
        my ($path) = grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH};
        symlink $path, "bin/$tool" if $path;
    }
    local $ENV{PATH} = "$scratch/bin";
    refuses('hello.cu', qr/no C\+\+ compiler: install g\+\+/);
}

# ---- Messages ------------------------------------------------------------------------------------
# Compiles text that is wrong, with each compiler: exit code 1, stderr matches each pattern.
sub fails {
    my ($name, $text, @patterns) = @_;
    spew('wrong.cu', $text);
    my $each = $ENV{TEST_ALL} ? qr/^unknown|line/ : qr/^unknown (?:function|type)$|<cuda_fp8|PTX|line/;
    for my $compiler (@compilers[0 .. ($name =~ $each ? $#compilers : 0)]) {
        local @ENV{qw(CXX CC)} = @$compiler;
        unlink 'a.out';
        my ($code, $out, $err) = sh("'$cudacc' wrong.cu");
        my @missed = grep { $err !~ $_ } @patterns;
        ok($code eq '1' && $out eq '' && !@missed && !-e 'a.out', "$name, $compiler->[0]")
            or diag("exit code $code\n$err", map { "not there: $_\n" } @missed);
    }
}
my $unknown = qr{(?:cudacc|wrong\.\w+:[\d:]+ error):};
my $list = qr{is not part of the CPU device; what is: .*cudacc/README\.md};
fails('unknown function', "int main() {\n\n    cudaMaloc(0, 0);\n}\n",
    qr/\Awrong\.cu:3:5: error: cudaMaloc $list\n.*^wrong\.cu:3:5: error: '?.*^[ |\d]*    cudaMaloc\(0, 0\);\n/ms);
fails('unknown type', "cudaNonsense_t g;\nint main() {}\n",
    qr/^wrong\.cu:1:\d+: error: /m, qr/^$unknown cudaNonsense_t $list$/m);
fails('unknown function in a template', "template <class T> __global__ void k(T *p) { *p = __nonsense(*p); }\n" .
    "int main() { k<int><<<1, 1>>>(0); }\n", qr/^wrong\.cu:1:\d+: error: /m, qr/^$unknown __nonsense $list$/m);
fails('template of a variable', "template <class... T> __constant__ int t;\nint main() {}\n",
    qr/^wrong\.cu:1:40: error: the CPU device has no such template of variables in device memory$/m);
fails('unknown: mipmaps', "cudaMipmappedArray_t p;\nint main() { cudaFreeMipmappedArray(0); }\n",
    qr/^wrong\.cu:1:\d+: error: /m, qr/^$unknown cudaMipmappedArray_t $list$/m, qr/^$unknown cudaFreeMipmappedArray $list$/m);
spew('wrong.c', "#include <cuda_runtime.h>\nint main(void) { return cudaFreeMipmappedArray(0); }\n");
{
    my ($code, $out, $err) = sh("'$cudacc' wrong.c");
    # gcc says so only when it links; since gcc 14 when it compiles, and where.
    ok($code eq '1' && $err =~ /^(?:cudacc|wrong\.c:2:\d+: error): cudaFreeMipmappedArray $list$/m,
        'an unknown function in C') or diag($err);
}
fails('a namespace', "namespace cg = cooperative_groups;\nint main() {}\n",
    qr/^wrong\.cu:1:\d+: error: cooperative_groups needs #include <cooperative_groups\.h>$/m);
fails("unknown header <$_>", "#include <$_>\nint main() {}\n",
    qr/^$unknown \Q$_\E(?:: Thrust)? $list$/m)
    for qw(cuda_fp8.h thrust/device_vector.h);
fails('a library', "#include <stdio.h>\n#  include <npp.h>\nint main() {}\n", qr/\Awrong\.cu:2:12: error: npp\.h: NPP $list$/m);
fails('fields that CUDA 13 removed', "int main() {\n    cudaDeviceProp p;\n    return p.clockRate + (&p)->nonsense;\n}\n",
    qr/\Awrong\.cu:3:14: error: CUDA 13 removed clockRate; cudacc --cudart=12 has it\n(?!.*removed nonsense)/s);
fails('what older books use', "texture<float, 1> t;\n__global__ void k(int *p) { *p = __any(*p) + __shfl_xor(*p, 1); }\n" .
    "int main() {\n    cudaBindTexture(0, t, 0, 4);\n    return cudaThreadSynchronize();\n}\n",
    qr/^wrong\.cu:1:1: error: CUDA 12 removed texture references, and with them texture: /m, qr/^wrong\.cu:2:\d+: error: __any is of GPUs before 2017: __any_sync /m,
    qr/^wrong\.cu:2:\d+: error: __shfl_xor is of .*: __shfl_xor_sync takes the threads' mask first/m, qr/^wrong\.cu:4:\d+: error: .* with them cudaBindTexture: /m,
    qr/^wrong\.cu:5:\d+: error: CUDA 13 removed cudaThreadSynchronize; cudacc --cudart=12 has it$/m);
fails('clusters of blocks', "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" .
    "__global__ void __cluster_dims__(2) k() {\n    cg::this_cluster().sync();\n}\n" .
    "int main() {\n    cudaLaunchAttribute a;\n    a.id = cudaLaunchAttributeClusterDimension;\n}\n",
    qr/^wrong\.cu:4:\d+: error: this_cluster: the CPU device has no clusters of thread blocks$/m,
    qr/^wrong\.cu:8:\d+: error: cudaLaunchAttributeClusterDimension: the CPU device has no clusters of thread blocks$/m);
fails("a device's number where CUDA 13 takes a location", "int main() {\n    return cudaMemPrefetchAsync(0, 4, 0, 0);\n}\n",
    qr/\Awrong\.cu:2:\d+: error: CUDA 13 takes a cudaMemLocation where CUDA 12 took a device's number; cudacc --cudart=12 takes the number$/m);
fails("a header of NVIDIA's samples", "#include <helper_cuda.h>\nint main() {}\n", qr/\Awrong\.cu:1:10: error: helper_cuda\.h is of NVIDIA's cuda-samples: say -I /);
fails('a generator of random numbers', "#include <curand_kernel.h>\ncurandStateMRG32k3a s;\nint main() {}\n",
    qr/\Awrong\.cu:2:\d+: error: curandStateMRG32k3a is not part of the CPU device; curandState and curandStatePhilox4_32_10_t are$/m);
fails("cuRAND without its header", "curandStateXORWOW_t s;\nint main() {\n    curandGenerator_t g;\n}\n", qr/^wrong\.cu:1:\d+: error: curandStateXORWOW_t needs #include <curand_kernel\.h>$/m,
    qr/^wrong\.cu:3:\d+: error: curandGenerator_t: cuRAND's host API $list$/m);
fails('an input of asm among its outputs', "__global__ void k(int *p, int x) {\n    asm(\"mov.u32 %0, %1;\" : \"=r\"(*p), \"r\"(x));\n}\nint main() {}\n",
    qr/^wrong\.cu:2:\d+: error: .*output/m);
my @ptx = ('"mov.u32 %0 %1;" : "=r"(x) : "r"(*p)', '"cp.async.wait_all;"', '"bar.sync 1, 64;" ::: "memory"', '"{.reg .pred p; @q add.s32 %0, %0, 1;}" : "+r"(x)',
    '"mov.u32 %0, %%pm0;" : "=r"(x)', '"setp.eq.s32 p, %0, 1;" :: "r"(x)');
fails('unknown: PTX', join("\n", '__global__ void k(int *p, int x) {', map({ "    asm volatile($_);" } @ptx),
    '    *p = x;', '}', 'int main() { k<<<1, 1>>>(0, 1); }', ''), map({ my $line = $_ + 1; qr/^wrong\.cu:$line:/m } 1 .. @ptx),
    qr/^$unknown PTX in asm $list$/m);
fails('unknown: PTX that takes a float for an integer', "__global__ void k(int *p, float f) {\n    asm(\"mov.u32 %0, %1;\" : " .
    "\"=r\"(*p) : \"f\"(f));\n}\nint main() { k<<<1, 1>>>(0, 1); }\n", qr/^wrong\.cu:2:/m, qr/^$unknown PTX in asm $list$/m);
my $much = qr/a block has 49152 bytes of shared memory/;
fails('49,156 bytes of shared memory', "__global__ void k(int *p) {\n    __shared__ int s[12289];\n    *p = s[0];\n}\n" .
    "int main() { k<<<1, 1>>>(0); }\n", qr/^wrong\.cu:2:\d+: error: .*$much/m);
fails('49,156 bytes in three variables', "__global__ void k(int *p) {\n    __shared__ int s[288], t[12000];\n" .
    "    { __shared__ char u[4]; *p = s[0] + t[0] + u[0]; }\n}\nint main() { k<<<1, 1>>>(0); }\n", qr/^wrong\.cu:3:\d+: error: .*$much/m);
fails('49,160 bytes in a template', "template <class T> __global__ void k(T *p) { __shared__ T s[6145]; *p = s[0]; }\n" .
    "int main() {\n    k<<<1, 1>>>((float *)0);\n    k<<<1, 1>>>((double *)0);\n}\n", qr/^wrong\.cu:1:\d+: error: .*$much/m);
spew('full.cu', "__global__ void k(int *p) { __shared__ int s[12000], t[288]; *p = s[0] + t[0]; }\nint main() { k<<<1, 1>>>(0); }\n");
is((sh("'$cudacc' -c full.cu"))[0], 0, '49,152 bytes are not too much');
for my $what (['of the compiler', 'x', '', qr/and 1\d\d\d more lines of messages/], ['of the linker', 'f', 'void', qr/and \d+ more lines of messages/],
    ['of the translator', 'd', '__device__ void', qr/after 16 errors the rest is not looked at/]) {
    my ($whose, $name, $is, $last) = @$what;
    my @names = map { "$name$_" } 1 .. 500;
    spew('long.cu', join "\n", $is ? map({ "$is $_()" . ($is eq 'void' ? ';' : ' {}') } @names) : (), 'int main() {', map({ "$_();" } @names), "}\n");
    my ($code, $out, $err) = sh("'$cudacc' long.cu");
    ok($code eq '1' && $err =~ /^cudacc: $last\n\z/m && ($err =~ tr/\n//) <= 101, "a hundred lines of messages $whose") or diag($err);
}
spew('plain.cpp', "int main() { int i = threadIdx.x; cudaFree(0); __syncthreads(); nonsense(); return i; }\n");
{
    my ($code, $out, $err) = sh("'$cudacc' plain.cpp");
    ok($code eq '1' && $err =~ /^plain\.cpp:1:\d+: error: cudaFree needs #include <cuda_runtime\.h>, as this is no \.cu file$/m
        && $err =~ /^plain\.cpp:1:\d+: error: __syncthreads is known in \.cu files alone: /m && $err !~ /is not part/,
        'CUDA in a file of C++') or diag($err);
}
fails('a name of the program', "int main() { return nonsense; }\n", qr/\A(?!.*CPU device).*\z/s);
fails('line numbers', <<'END', qr/^wrong\.cu:10:\d+: error: .*first/m, qr/^wrong\.cu:16:\d+: error: .*second/m);
#include <stdio.h>
#define LAUNCH(k) k<<<1,                                                                           \
                      1>>>
__global__ void k(int *p) {
#pragma unroll
    for (int i = 0; i < 4; i++) p[i] = i;
}
extern __shared__ int s[];
/* a
   comment */ static int a = first;
int main() {
    k<<<dim3(1,
             2),
        3>>>(
        0);
    LAUNCH(k)(0); second;
}
END
fails('after a raw string', "const char *t = R\"(\n)\"\n;\nint main() { return nonsense; }\n",
    qr/^wrong\.cu:4:\d+: error: /m);
fails('#line', "#line 100 \"other.cu\"\nint main() { return nonsense; }\n", qr/^other\.cu:100:\d+: error: /m);
fails('<<< without >>>', "__global__ void k() {}\nint main() {\n    k<<<1, 1>>;\n}\n",
    qr/\Awrong\.cu:3:\d+: error: '<<<' without '>>>\('[^\n]*\n[^\n]*\n +\| +\^\n\z/);
fails('>>> without arguments', "__global__ void k() {}\nint main() {\n    k<<<1, 1>>>;\n}\n",
    qr/\Awrong\.cu:3:6: error: [^\n]*\n[^\n]*\n +\| +\^\n\z/);
fails('<<< without a kernel', "int main() {\n    <<<1, 1>>>();\n}\n", qr/\Awrong\.cu:2:5: error: [^\n]*\n[^\n]*\n +\| +\^\n\z/);
fails('<<< at the end of the file', "__global__ void k() {}\nint main() {\n    k<<<1, 1", qr/\Awrong\.cu:3:\d+: error: /);
fails('too few arguments of a launch', "__global__ void k(int) {}\nint main() {\n    k<<<1, 1>>>();\n}\n",
    qr/^wrong\.cu:3:\d+: error: /m);
fails('a wrong type of a launch', "__global__ void k(int *) {}\nint main() {\n    k<<<1, 1>>>(1.5f);\n}\n",
    qr/^wrong\.cu:3:\d+: error: /m);
fails('a warning under #error', "#error nonsense here\n", qr/^wrong\.cu:1:.*nonsense here/m);
fails('arguments of a launch in the kernel\'s terms', <<'END', qr/\A(?!.*cpu_device::).*^wrong\.cu:6:\d+: error: /ms,
__global__ void k(float *p, int n) { p[n] = 0; }
template <class T> __global__ void t(T *p, T a = 1) { *p = a; }
int main() {
    int *p = 0;
    t<int><<<1, 1>>>(p);
    k<<<1, 32>>>(p, 32);
    t<<<1, 1>>>(1, 2);
}
END
    qr/^wrong\.cu:1:\d+: note: .*(?:initializing argument 1 of 'void k\(float\*, int\)'|from 'int \*' to 'float \*')/m,
    qr/^wrong\.cu:7:\d+: error: no matching function for call to 't/m);

# What nvcc refuses: [name, message, text with a ` before the place]
my $host = 'is a function of the host: kernels cannot call it';
for (
    ['a function of the host in a kernel', "'f' $host", "float f(float x) { return x; }\n__global__ void k(float *p) { p[0] =  `f(1); }\n"],
    ['the same in a __device__ function', "'f' $host", "float f(float x);\n__global__ void k(float *) {}\n__device__ float g(float x) { return 2 * `f(x); }\n"],
    ['a method of the host in a kernel', "'norm' $host", "struct V { float x; float norm() const { return x; } };\n__global__ void k(float *p, V v) { p[0] = v.`norm(); }\n"],
    ['rand() in a kernel', "'rand' is a function of the host's library", "#include <stdlib.h>\n__global__ void k(int *p) { p[0] = 1+`rand(); }\n"],
    ['a kernel launches a kernel', 'a kernel launches a kernel, for which -rdc=true is needed', "__global__ void k(int *p) { if (*p > 1)  `k<<<1, 1>>>(p); }\n"],
    ['the same in a __device__ function', 'a kernel launches a kernel, for which -rdc=true is needed', "__global__ void k(int *) {}\n__device__ void f(int *p) {  `k<<<1, 1>>>(p); }\n"],
    ['std::vector in a kernel', "'std::vector' is of the host's library", "#include <vector>\n__global__ void k(int *p) { std::`vector<int> v(3); p[0] = v[0]; }\n"],
    ['vector after using namespace std', "'std::vector' is of the host's library", "#include <vector>\nusing namespace std;\n__global__ void k(int *p) {   `vector<int> v(3); p[0] = v[0]; }\n"],
    ['a __device__ function on the host', "'f' is a __device__ function: host code cannot call it", "__device__ int f() { return 1; }\nint g() { int i = `f(); return i; }\n"],
    ['a kernel without <<<>>>', "'k' is a kernel: it is launched, as k<<<blocks, threads>>>", "__global__ void k(int) {}\nint main() {   `k(3); }\n"],
    ['an initializer of __shared__', 'a __shared__ variable has no initializer', "__global__ void k() {\n    __shared__ int sum `= 0;\n    sum++;\n}\n"],
    ['braces after __shared__', 'a __shared__ variable has no initializer', "__global__ void k() { __shared__ int s[4]`{}; s[0]++; }\n"],
    ['a lambda of the host', 'a lambda of the host: a kernel calls one', "template <class F> __global__ void k(F f) { f(); }\nint main() {\n    k<<<1, 1>>>(`[=] {});\n}\n"],
    ['the same by its name', 'a lambda of the host: a kernel calls one', "template <class F> __global__ void k(F f, int) { f(); }\nint main() {\n    auto f = [](int) { return 1; };\n    k<<<1, 1>>>( `f, 2);\n}\n"],
    ['a lambda that captures by reference', 'a lambda that a kernel calls cannot capture by reference', "template <class F> __global__ void k(F f) { f(); }\nint main() {\n    int i = 1;\n    k<<<1, 1>>>([`&i] __host__ __device__ { return i; });\n}\n"],
    ['a kernel waits for another', "'cudaDeviceSynchronize' in a kernel: CUDA 12 removed it; ", "__global__ void k() { `cudaDeviceSynchronize(); }\n"],
    ['a copy that a kernel makes', "'cudaMemcpyAsync' in a kernel is not part of the CPU device",
        "__global__ void k(int *p) { if (!cudaGetLastError()) `cudaMemcpyAsync(p, p + 1, 4, cudaMemcpyDeviceToDevice); }\n"],
    ['a kernel that returns something', 'a kernel returns void', "__global__ `int k() { return 1; }\n"],
) {
    my ($name, $message, $text) = @$_;
    my ($before) = $text =~ /\A(.*)`/s;
    my $place = 1 + ($before =~ tr/\n//) . ':' . (1 + length $before =~ s/.*\n//sr);
    spew('wrong.cu', $text =~ s/`//r);
    my ($code, $out, $err) = sh("'$cudacc' -c wrong.cu");
    ok($code eq '1' && $err =~ /\Awrong\.cu:$place: error: \Q$message\E/, "refused: $name") or diag("$code $err");
}
spew('accepted.cu', <<'END');
#include <algorithm>
#include <stdio.h>
#include <vector>
using namespace std;
namespace host { int f(int x) { return x; } }
namespace device { __device__ int f(int x) { return x; } }
constexpr int both(int x) { return x; }
__device__ int later(int x);
template <class F> __global__ void call(int *p, F f) { p[threadIdx.x] = f(threadIdx.x) + device::f(1) + both(1) + later(0); }
int later(int x) { return x; }
__host__ __device__ struct named; // of this and the next two nvcc warns
__device__ struct __align__(8) aligned { int i; };
template <class T> __host__ __device__ struct wrapped : aligned { T t; };
__device__ struct aligned element;
struct timer { void start() {} int norm() { return 0; } };
struct point { __device__ int norm() { return 1; } };
__global__ void k(int *p, int (*norm)(int)) { p[0] = norm ? 0 : point().norm(); __shared__ int s[2]; s[0] = p[0]; p[1] = s[0]; }
template <class T> __device__ void sort(T *p) { p[2] = 0; }
__global__ void sorts(int *list) { if (list[0] < list[1] && list[1] > 0) sort<int>(list); }
typedef float (*op_t)(float);
const int two = int(2.5), four = int(sizeof(op_t)) / 2 * both(1);
__global__ void casts(int *p, float x) { p[3] = int(x) + int(float(two)) + (int)sizeof(op_t); }
struct solver { void k(int) {} void run() { k(3); timer().start(); } };
int main() {
    vector<int> v(4, host::f(1));
    int *p;
    cudaMalloc(&p, 4 * sizeof(int));
    call<<<1, 2>>>(p, [] __device__(int x) { return device::f(x); });
    auto named = [=] __host__ __device__(int x) { return x + (int)sizeof(p); };
    call<<<1, 2>>>([&] { return p; }(), named);
    k<<<1, 1>>>(p, nullptr);
    sorts<<<1, 1>>>(p);
    casts<<<1, 1>>>(p, four);
    solver().run();
    sort(v.begin(), v.end());
    auto f = [](int i) { return i; };
    return f(0) + (cudaDeviceSynchronize() != cudaSuccess) + cudaFree(p);
}
END
for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    says("'$cudacc' -O0 accepted.cu -run", '', "not refused, $compiler->[0]");
}
spew('groesse.cu', "__global__ void gr\xc3\xb6\xc3\x9fe(int *p) { *p = fehl\xc3\xbcber; }\nint main() { gr\xc3\xb6\xc3\x9fe<<<1, 1>>>(0); }\n");
for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    my ($code, $out, $err) = sh("'$cudacc' groesse.cu");
    ok($code eq '1' && $err =~ /^groesse\.cu:1:\d+: error: .*'fehl\xc3\xbcber'/m, "names in UTF-8 as written, $compiler->[0]") or diag($err);
}
spew('source.cu', my $source = slurp('hello.cu'));
refuses("$_ -o ./source.cu", qr/input file/) for 'source.cu', '-c source.cu';
is(slurp('source.cu'), $source, 'the source is still there');
spew('b c.cu', $source);
sh("'$cudacc' -MMD -c 'b c.cu'");
like(slurp('b c.d'), qr/\Ab\\ c\.o: b\\ c\.cu\n/, 'a name with a blank in a dependency file');
spew('wrong.cu', "int main() { return nonsense; }\n");
{
    my $red = qr/\e\[[\d;]*31m/;
    like((sh("'$cudacc' -fdiagnostics-color=always wrong.cu"))[2], $red, 'colors if asked for');
    unlike((sh("'$cudacc' wrong.cu"))[2], $red, 'none in a file');
    my $terminal = found('script') && !system 'script -qec true /dev/null </dev/null >/dev/null 2>&1';
    my ($code, $out) = $terminal ? sh("TERM=xterm script -qec \"'$cudacc' wrong.cu\" /dev/null </dev/null") : (0, "\e[31m");
    like($out, $red, 'colors on a terminal');
}
spew('undefined.cu', "__global__ void k();\nint main() { k<<<1, 1>>>(); }\n");
is((sh("'$cudacc' undefined.cu"))[0], 1, 'a kernel that is nowhere defined: exit code 1');
spew('warned.cu', "int main() {\n    int unused;\n    return 0;\n}\n");
{
    my ($code, $out, $err) = sh("'$cudacc' -Wall -c warned.cu");
    ok($code eq '0' && $err =~ /^warned\.cu:2:9: warning: .*unused/m, 'a warning, exit code 0') or diag($err);
    is((sh("'$cudacc' -Wall $_ -c warned.cu"))[0], 1, "$_ makes it an error")
        for '-Werror', '-Werror all-warnings', '-Werror=unused-variable';
}
spew('assert.cu', <<'END');
#include <assert.h>
__global__ void k(int n) {
    assert(n == 0);
    assert(n ==
           1 && "fifth line");
}
int main() {
    k<<<1, 1>>>(0); k<<<1, 1>>>(0);
    cudaDeviceSynchronize();
    return cudaGetLastError() != cudaErrorAssert;
}
END
{
    my ($code, $out, $err) = sh("'$cudacc' -run assert.cu");
    ok($code eq '0' && $err =~ /assert\.cu:[45]\b.*fifth line/, 'assert in a kernel names its line') or diag("$code $out$err");
}

# Structs that point to each other, each with two names: what holds what is asked once for each.
sub mesh {
    my @mesh = map { "node$_" } 1 .. $_[0];
    my $members = join ' ', map { "$_ *to_$_;" } @mesh;
    return join '', map({ "typedef struct $_ $_;\n" } @mesh), map({ "struct $_ { char c; double d; $members };\n" } @mesh),
        "__global__ void k(node1 *p) { p[1] = p[0]; }\nint main() { k<<<1, 1>>>(0); }\n";
}
spew('mesh.cu', mesh(40));
is((sh("'$root/tests/lib/limit' 60 '$cudacc' --trace -c mesh.cu"))[0], 0, 'a mesh of structs');
{
    spew('mesh.cu', mesh(500));
    my ($code, $out, $err) = sh("ulimit -S -t 2; '$cudacc' --trace -c mesh.cu");
    ok($code eq '1' && $err =~ /^mesh\.cu:\d+:8: error: the CPU time is used up, the translator was at this struct$/m, 'one of which there is no end') or diag($err);
}

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
        my ($code, $out, $err) = sh("'$cudacc' --trace -c $traced -o t.o && '$cudacc' -c $plain -o p.o && '$cudacc' t.o p.o -o mixed");
        ok($code eq '0' && "$out$err" eq '', "an object of $traced, with --trace, is linked without it") or diag($err);
        ($code, $out, $err) = sh('./mixed');
        my ($kernel) = $err =~ $not_traced;
        my $other = $plain eq 'traced.cu' ? 'inner' : 'outer';
        ok($code eq '0' && $out eq "4\n" && ($kernel // '') eq $other && $err =~ /^CPU device: 0 errors\n\z/m,
            "only the other kernel is counted, $other is said not to be") or diag("$code $out$err");
    }
    my ($code, $out, $err) = sh("'$cudacc' --trace -c traced.cu -o t.o && ar rc libtraced.a t.o && '$cudacc' calls.cu libtraced.a -o mixed");
    ok($code eq '0' && "$out$err" eq '', 'the same from an archive') or diag($err);
    ($code, $out, $err) = sh("'$cudacc' calls.cu -L. -ltraced -o mixed");
    is("$code$out$err", "1cudacc: a library was compiled with --trace: say --trace here, too\n", 'with -l: one line');
    is((sh("'$cudacc' --trace calls.cu -L. -ltraced -o mixed && ACCESS_TABLE=0 ./mixed"))[0], '0', 'as it says');
    local $ENV{CPU_DEVICE_SCHEDULE} = 'nonsense';
    ($code, $out, $err) = sh("'$root/tests/lib/limit' 20 ./mixed");
    is("$code$out$err", "2CPU device: CPU_DEVICE_SCHEDULE is late, stacks, reversed or shuffled:SEED, not 'nonsense'\n",
        'a wrong CPU_DEVICE_SCHEDULE ends a traced program with one line, exit code 2');
}

{
    my ($code, $out, $err) = sh("'$cudacc' --trace -Wall -Wextra '$tests/bits.cu' -o traced && ACCESS_TABLE=0 ./traced");
    is("$code$out$err", "0forms: ok\ntypes: ok\nCPU device: 0 errors\n", 'bit-fields in a traced build');
}

for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    for my $option ('', '--trace') {
        my ($code, $out, $err) = sh("'$cudacc' $option -Wall -Wextra '$tests/grammar.cu' -o grammar && ACCESS_TABLE=0 ./grammar");
        my $end = $option ? "CPU device: 0 errors\n" : '';
        is("$code$out$err", "0grammar: ok\n$end", "the grammar of C++17, $compiler->[0] $option");
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
    my ($code, $out, $err) = sh("'$cudacc' $option owner.cu -o owner && ACCESS_TABLE=0 ./owner");
    is("$code$out", "00\n", "what a function returns is destroyed once $option") or diag($err);
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
{
    local $ENV{CUDACC_CACHE} = "$scratch/own cache";
    my @before = map { s{.*/}{}r } glob("'$temporary'/cudacc-*/*");
    spew('read only/cudacc/runtime/more.c', "int cpu_device_more;\n");
    says("'$copy' hello.o -run", "hello 42 1\n", 'CUDACC_CACHE, and a new source in the runtime');
    my @entries = map { s{.*/}{}r } glob("'$scratch/own cache'/*");
    is(scalar @entries, 1, 'one entry in it');
    ok(!grep({ $_ eq $entries[0] } @before), 'a new one');
}
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
