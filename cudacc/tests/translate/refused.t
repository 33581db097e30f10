#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What cudacc and its translator say when they refuse, and where: wrong usage, wrong programs, what nvcc refuses
# and what is not part of the CPU device. With g++ and, for some of it, clang++.
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch(qw(CC CXX MAKEFLAGS));
my $tests = "$root/cudacc/tests/translate/cudacc";
my @compilers = compilers();
mkdir 'a folder';
spew('expand.cu', '');
spew('hello.cu', "__global__ void k(int *p) { *p = 42; }\nint main() { k<<<1, 1>>>(0); }\n");

# Wrong usage: exit code 2, one line on stderr that matches, nothing on stdout.
sub refuses {
    my ($arguments, $expected) = @_;
    my ($code, $out, $err) = sh("'$cudacc' $arguments");
    ok($code eq '2' && $out eq '' && $err =~ /\Acudacc: [^\n]+\n\z/ && $err =~ $expected,
        "cudacc $arguments: one line, exit code 2") or diag("exit code $code\n$out$err");
}

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
# gcc says so only when it links; since gcc 14 when it compiles, and where.
shows("'$cudacc' wrong.c", '1', undef, qr/^(?:cudacc|wrong\.c:2:\d+: error): cudaFreeMipmappedArray $list$/m, 'an unknown function in C');
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
spew('cut.cu', "__global__ void k(int n = 1) {}\nint main() { k<<<1, 1>>>(); }\nusing foo");
tells([(sh("'$cudacc' cut.cu"))[0, 2]], 1, qr/^cut\.cu:3:\d+: error: /, 'a file that ends within a declaration');
tells([(sh("'$cudacc' plain.cpp"))[0, 2]], 1, qr/^plain\.cpp:1:\d+: error: cudaFree needs #include <cuda_runtime\.h>, as this is no \.cu file$/m,
    qr/^plain\.cpp:1:\d+: error: __syncthreads is known in \.cu files alone: /m, not => qr/is not part/, 'CUDA in a file of C++');
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
    shows("'$cudacc' -c wrong.cu", '1', undef, qr/\Awrong\.cu:$place: error: \Q$message\E/, "refused: $name");
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
    is(join('', sh("'$cudacc' -O0 accepted.cu -run")), '0', "not refused, $compiler->[0]");
}
spew('groesse.cu', "__global__ void gr\xc3\xb6\xc3\x9fe(int *p) { *p = fehl\xc3\xbcber; }\nint main() { gr\xc3\xb6\xc3\x9fe<<<1, 1>>>(0); }\n");
for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    shows("'$cudacc' groesse.cu", '1', undef, qr/^groesse\.cu:1:\d+: error: .*'fehl\xc3\xbcber'/m, "names in UTF-8 as written, $compiler->[0]");
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
    shows("'$cudacc' -Wall -c warned.cu", '0', undef, qr/^warned\.cu:2:9: warning: .*unused/m, 'a warning, exit code 0');
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
    shows("'$cudacc' -run assert.cu", '0', undef, qr/assert\.cu:[45]\b.*fifth line/, 'assert in a kernel names its line');
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
    shows("ulimit -S -t 2; '$cudacc' --trace -c mesh.cu", '1', undef, qr/^mesh\.cu:\d+:8: error: the CPU time is used up, the translator was at this struct$/m,
        'one of which there is no end');
}
done_testing();
