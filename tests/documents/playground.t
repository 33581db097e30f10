#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# docs/site/playground.html: what it counts and finds is what cudacc --trace does, for the course's kernels,
# for faulty ones and for random ones.
#
#     prove tests/documents/playground.t :: SEED      other random kernels than the usual ones
use lib 'tests/lib';
use Tests qw(page);
my ($scratch, $root, @where) = playground();
delete @ENV{ grep { /^(?:ACCESS|CPU_DEVICE)_/ } keys %ENV };
srand($ARGV[0] // 7);
sub pick { return $_[rand @_] }

# ---- Cases: source, launch, and for each parameter a number, or [type, length, contents] -------------
my @cases;

# The text of functions of a file, after a few lines that they need.
sub from {
    my ($file, $before, @names) = @_;
    my $text = slurp("$root/$file");
    return join "\n", $before, map {
        $text =~ /^((?:static )?(?:inline )?__(?:global|device)__[^;{]*?\b$_\([^;{]*\{(?:[^\n]*\}|.*?^\})$)/ms ? $1 : die "$file has no $_\n"
    } @names;
}

sub case {
    my ($name, $source, $grid, $block, @values) = @_;
    my ($kernel) = $source =~ /.*__global__\s+(?:static )?void (?:__launch_bounds__\(\d+\) )?(\w+)/s;
    push @cases, { name => $name, source => "$source\n", kernel => $kernel, grid => $grid, block => $block, values => \@values };
    return;
}
my $F = sub { return ['float', $_[0], $_[1] // 'index'] };
my $n = 1000;

# The six programs.
case('00 add', from('00_first_kernel/first_kernel.cu', '', 'add'), [3], [256], $F->($n), $F->($n, 'random'), $n);
case("01 $_", from('01_sync_timing/sync_timing.cu', '', $_), [4], [256], $F->($n), $F->($n), $_ eq 'saxpy' ? 2.5 : $F->($n, 'random'), $n) for qw(sum_arrays saxpy);
case("0$_->[0] saxpy", from($_->[1], '', 'saxpy'), [4], [256], $F->($n), $F->($n, 'random'), 2, $n) for [2, '02_events/events.cu'], [3, '03_bandwidth/bandwidth.cu'];
case('04 add', from('04_unified_memory/unified_memory.cu', '', 'add'), [2], [128], $F->($n), $F->($n), $n);
case('04 init', from('04_unified_memory/unified_memory.cu', '', 'init'), [2], [128], $F->($n, 'unwritten'), $F->($n, 'unwritten'), $n);
case("05 offset $_", from('05_coalescing/coalescing.cu', '', 'offset'), [4], [256], $F->($n), $_, $n) for 0, 1, 8;
case("05 stride $_", from('05_coalescing/coalescing.cu', '', 'stride'), [1, $_], [256], $F->($n), $_, $n) for 1, 2, 8, 16;
my $float4 = "#define FLOAT4(x) (*(float4 *)&(x))\n#define CONST_FLOAT4(x) (*(const float4 *)&(x))";
case("06 $_", from('06_vectorized/vectorized.cu', $float4, $_), [4], [256], $F->(1003), $F->(1003), $F->(1003, 'random'), 1003) for qw(add_float add_float4);

# Experiments.
my $vector = "__device__ static float4 sum4(float4 p, float4 q) { return make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w); }";
my $sizes = "enum { TILE = 32, ROWS = 8 };";
case("03/$_", from("03_bandwidth/experiments/by_four.h", 'static const float LOW = 5000;', $_), [2], [128], $F->(1003), $F->(1003, 'random'), ($_ eq 'saxpy_by_four') x !!($_ eq 'saxpy_by_four') ? 3 : (), 1003)
    for qw(saxpy_by_four read_by_four);
case('01/count_down', from('01_sync_timing/experiments/6_clocks.cu', 'enum { TURN = 1000 };', 'count_down'), [2], [64], $F->(128), $F->(128), 128, 50);
case('01/add', from('01_sync_timing/experiments/7_dependent_launch.cu', '', 'add'), [2], [64], $F->(128), $F->(128), 128);
case('02/rotate', from('02_events/experiments/rotate.h', 'enum { BITS = 24, MASK = (1 << BITS) - 1 };', 'rotate') =~ s/__global__ static/static __global__/r, [2], [64], $F->(128), $F->(128), 128, 30);
case("02/$_", from('02_events/experiments/6_event_order.cu', '', $_), [2], [64], $F->(128), ($F->(128)) x (2 * ($_ eq 'sum')), 128) for qw(sum twice);
case('03/number_lines', from('03_bandwidth/experiments/10_l2_halves.cu', 'enum { STRIDE = 8 };', 'number_lines'), [5], [64], ['unsigned', 64, 'index']);
case('03/copy_by_four', from('03_bandwidth/experiments/8_crashes.cu', '', 'copy_by_four'), [2], [64], $F->(203), $F->(203), 203);
case('03/add_hot', from('03_bandwidth/experiments/9_l2_persistence.cu', '', 'add_hot'), [1, 3], [64], $F->(803), $F->(803), $F->(256), 803, 256);
case('04/touch', from('04_unified_memory/experiments/4_sparse_access.cu', 'enum { PAGE = 16 };', 'touch'), [2], [64], $F->(4000), 4000, 2);
case('05/add_named', from('05_coalescing/experiments/1_global_memory.cu', "enum { TABLE = 64 };\n__device__ int globalArray[TABLE];", 'add_named'), [2], [64], $F->(128), $F->(128), 128);
case('05/add_handed_on', from('05_coalescing/experiments/1_global_memory.cu', "enum { TABLE = 64 };", 'add_handed_on'), [2], [64], $F->(128), $F->(128), ['int', 64, 'random'], 128);
case("05/$_", from('05_coalescing/experiments/6_scattered.cu', "enum { LANES = 32 };\n__device__ static float added(size_t i) { return (float)(i % 1000) + 1; }", $_), [4, 3], [64], $F->(700), 700, 3)
    for qw(write_strided write_sectors read_write);
my $particle = "struct particle {\n    float x, y, z, vx, vy, vz, mass, charge;\n};\nenum { X, Y, Z, VX, VY, VZ };";
case("05/$_", from('05_coalescing/experiments/7_layouts.cu', $particle, $_), [2], [64], [/aos/ ? 'struct particle' : 'float', /aos/ ? 100 : 800, 'index'], 100) for qw(aos_x aos_xyz soa_x soa_xyz);
case("05/$_", from('05_coalescing/experiments/8_sums.cu', 'enum { SUMMANDS = 32, BLOCK = 64 };', $_), [2], [64], $F->(100), $F->(3200, 'random'), 100) for qw(sum_rows sum_columns sum_rows_staged);
case("05/$_", from('05_coalescing/experiments/9_transpose.cu', $sizes, $_), [2, 2], [32, 8], $F->(50 * 40), $F->(50 * 40), 50, 40) for qw(copy naive);
case('06/number_sectors', from('06_vectorized/experiments/10_random_reads.cu', 'enum { SECTOR = 32 };', 'number_sectors'), [2], [64], ['unsigned', 1024, 'zero'], 100);
case("06/$_", from('06_vectorized/experiments/1_widths.cu', '', $_), [2], [64], $F->(203), $F->(203), ($F->(203)) x /add/, 203) for qw(add_float2 saxpy_float saxpy_float4);
case("06/$_", from('06_vectorized/experiments/3_cause.cu', '', $_), [2], [64], $F->(500), $F->(500), $F->(500), 500) for qw(add_in_turn4 add_in_turn4_restrict add_loop);
case('06/add_article', from('06_vectorized/experiments/5_tails.cu', "$float4\n$vector", 'add_article'), [2], [64], $F->(512), $F->(512), $F->(512), 510);

# Exercises, as handed out.
my $of = sub { my ($path) = glob "$root/$_[0]*/exercise.cu"; return substr $path, 1 + length $root };
case('0.1 saxpy', from($of->('00_first_kernel/exercises/1'), '', 'saxpy'), [1], [96], $F->(96), $F->(96), 2, 96);
case('1.2 fill', from($of->('01_sync_timing/exercises/2'), '', 'fill'), [2], [64], $F->(100), 7.5, 100);
case('1.4 grow', from($of->('01_sync_timing/exercises/4'), '', 'grow'), [2], [64], $F->(100), $F->(100, 'random'), 100);
case('2.3 sum', from($of->('02_events/exercises/3'), '', 'sum'), [2], [64], $F->(100), $F->(100), $F->(100), 100);
case('2.5 twice', from($of->('02_events/exercises/5'), '', 'twice'), [2], [64], $F->(100), $F->(100), 100);
case('3.2 twice', from($of->('03_bandwidth/exercises/2'), '', 'twice'), [2], [64], $F->(100), 100);
case('3.4 square', from($of->('03_bandwidth/exercises/4'), '', 'square'), [2], [64], $F->(100), $F->(100), 100);
case('4.4 halve', from($of->('04_unified_memory/exercises/4'), '', 'halve'), [2], [64], $F->(100), 100);
case('5.1 add_one', from($of->('05_coalescing/exercises/1'), '', 'add_one'), [4, 2], [32, 8], $F->(2400), $F->(2400), 24, 100);
case('5.3 transpose', from($of->('05_coalescing/exercises/3'), 'enum { COLUMNS = 32, ROWS = 8 };', 'transpose'), [2, 5], [32, 8], $F->(2400), $F->(2400), 60, 40);
case('5.4 turn_round', from($of->('05_coalescing/exercises/4'), 'enum { BLOCK = 64, PIECES = 4 };', 'turn_round'), [2], [64], $F->(512), $F->(512));
case('6.1 add', from($of->('06_vectorized/exercises/1'), '', 'add'), [2], [64], $F->(503), $F->(503), $F->(503), 503);
case('6.2 scale', from($of->('06_vectorized/exercises/2'), '', 'scale'), [2], [64], $F->(403), 403, 3);
case('6.4 saxpy', from($of->('06_vectorized/exercises/4'), '', 'saxpy'), [2], [64], $F->(100), $F->(100), 2, 100);
my $index = '#define INDEX ((size_t)blockIdx.x * blockDim.x + threadIdx.x)';
my $given = '05_coalescing/exercises/2_count_the_sectors/given.h';
case("5.2 $_", from($given, "$index\nenum { SHIFT = 1, NEAR = 2, FAR = 10, GROUP = 2, READERS = 16, FIELDS = 3 };\nstruct point {\n    float field[FIELDS];\n};", $_), [2], [64],
    $F->(128), [/doubles/ ? 'double' : /field/ ? 'struct point' : 'float', 1300, 'index']) for qw(plain shifted backwards spread far_apart all_the_same shared_by_some doubles one_field some_read);
case("3.3 $_", from('03_bandwidth/exercises/3_count_the_bytes/given.h', "$index\n#define REAL double\n#define PLACE int\n#define PIXEL unsigned char\nenum { EVERY = 4 };", $_), [2], [64],
    @{ { copy => [$F->(128), $F->(128)], saxpy => [$F->(128), $F->(128), 2], scale => [$F->(128), 3], add => [(['double', 128, 'index']) x 3], gather => [$F->(128), $F->(128), ['int', 128, 'random']],
         threshold => [(['unsigned char', 128, 'random']) x 2, 60], clear_some => [$F->(128)] }->{$_} }) for qw(copy saxpy scale add gather threshold clear_some);

case('5.3 transpose, solved', from('05_coalescing/exercises/3_transpose/solution.cu', 'enum { COLUMNS = 32, ROWS = 16 };', 'transpose'), [2, 3], [32, 16], $F->(2400), $F->(2400), 60, 40);
case('5.4 turn_round, solved', from('05_coalescing/exercises/4_two_barriers/solution.cu', 'enum { BLOCK = 64, PIECES = 4 };', 'turn_round'), [2], [64], $F->(512), $F->(512));

# What one pastes: tiles, reductions, atomics, warp functions; and mistakes.
sub value { my ($text) = @_; return $text =~ /^(?:const )?(.*):(\d+):(\w+)$/ ? [$1, $2 + 0, $3] : $text + 0 }

sub written {
    my ($file) = @_;
    for (split /^==== /m, slurp("tests/documents/$file")) {
        my ($head, $source) = split /\n/, $_, 2;
        my ($name, $grid, $block, $values, $shared, $template) = split / *\| */, $head;
        next if !$values;
        my @values = map { /^(\w+)\{(.*)\}$/ ? { type => $1, fields => [map { my ($field, $v) = split /=/; [$field, value($v)] } split /; /, $2] } : value($_) } split /, /, $values;
        case($name, $source, [map { $_ + 0 } split /[ ,]/, $grid], [map { $_ + 0 } split /[ ,]/, $block], @values);
        @{ $cases[-1] }{qw(shared template)} = (($shared // 0) + 0, $template // '');
    }
    return;
}
written('playground.txt');
my $pasted = @cases;
written('playground_pasted.txt');

# ---- Random kernels ----------------------------------------------------------------------------------
my $id;
sub number {    # an expression without an access
    my ($depth) = @_;
    return pick('t', 'x', 't', int rand 20) if $depth == 0 || rand() < 0.2;
    return '(' . number($depth - 1) . pick(' + ', ' - ', ' * ', ' ^ ', ' & ', ' | ') . number($depth - 1) . ')';
}
# Where lanes go depends on what no compiler knows: else it makes other loops of these.
sub hashed { my ($modulus) = @_; return 'h(t + ' . number(1) . ', x, ' . ++$id . ") % $modulus" }
sub condition { return hashed(2 + int rand 4) . pick(' == 0', ' != 1', ' > 0') }

sub statements {
    my ($depth, $in_loop) = @_;
    return join '', map { statement($depth, $in_loop) } 1 .. 1 + rand 3;
}

sub statement {
    my ($depth, $in_loop) = @_;
    my $what = $depth > 0 ? rand 100 : 50 + rand 50;
    my $inner = sub { return "{\n" . statements($depth - 1, $_[0] // $in_loop) . "}" };
    my $v = 'k' . ++$id;
    return 'if (' . condition() . ') ' . $inner->() . (rand() < 0.5 ? ' else ' . $inner->() : '') . "\n" if $what < 20;
    return "for (unsigned $v = 0; $v < " . hashed(5) . '; ' . "$v++) " . $inner->(1) . "\n" if $what < 35;
    return "{\nunsigned $v = " . hashed(4) . ";\ndo " . $inner->(0) . " while ($v-- > 0);\n}\n" if $what < 42;
    return "{\nunsigned $v = " . hashed(6) . ";\nwhile ($v > 0) {\n$v--;\n" . statements($depth - 1, 1) . "}\n}\n" if $what < 50;
    return 'if (' . condition() . ")\n" . pick('break', 'continue') . ";\n" if $in_loop && $what < 58;
    return 'switch (' . hashed(4) . ") {\ncase 0: " . $inner->(0) . pick('break;', '') . "\ncase 1: case 3: " . $inner->(0) . "break;\n" . pick('', 'default: ') . $inner->(0) . "\n}\n" if $depth > 0 && $what < 62;
    return pick('x = f(x, t + ' . int(rand 9) . ');', 'turn(x, t);', 'x += mixed<' . int(rand 9) . '>(t);', "{ const auto v = static_cast<unsigned short>(x); x = widened(v) + 1; }", 'x = other(x, t);', 'x = mine::Mix{' . int(rand 9) . 'u}.of(t, x);', 'x = (mine::Mix{x} + t).of(2, 3);',
        'x ^= (unsigned)__half2float(__hadd(__float2half((float)(x % 1000)), __int2half_rn((int)(t % 50))) * __float2half(0.3f));', 'x += static_cast<unsigned>(Kind::HIGH);') . "\n" if $what < 70;
    return 'x += in[(unsigned)(' . number(2) . ") % 512];\n" if $what < 78;
    return 'out[(unsigned)(' . number(1) . ') % 8 * 512 + t] = ' . number(1) . ";\n" if $what < 86;
    return 'atomicAdd(&sum[(unsigned)(' . number(2) . ') % 64], ' . number(1) . ");\n" if $what < 90;
    return 'x ^= ' . pick('(unsigned)(1.5f * (float)(x % 100))', '(t < 9 && x % 2 ? in[t % 7] : x)', 'in[x % 512] + (unsigned)((long long)t << 33 >> 30)') . ";\n" if $what < 94;
    return 'x += (unsigned)s[(unsigned)(' . number(1) . ') % 256' . "];\n" if $what < 97;
    return 'x = x * 5 + ' . int(rand 7) . ";\n";
}
for my $k (1 .. 20) {
    $id = 0;
    my @block = @{ pick([32], [64], [20], [45], [96], [16, 5], [7, 9], [33]) };
    case("random $k", <<"END", [1 + int rand 2], \@block, ['unsigned', 4096, 'zero'], ['unsigned', 512, 'random'], ['unsigned', 64, 'zero']);
__device__ unsigned h(unsigned t, unsigned x, unsigned s) {
unsigned v = t * 2654435761u + x * 65599u + s * 97531u;
v ^= v >> 15;
v *= 2246822519u;
return v ^ v >> 13;
}
__device__ unsigned f(unsigned a, unsigned t) {
if (a % 3 == 1)
return t * 7;
for (unsigned i = 0; i < a % 4; i++)
a += t ^ i;
return a;
}
__device__ void turn(unsigned &a, unsigned by) { a = a << by % 31 | a >> (32 - by % 31) % 32; }
template <int N> __device__ unsigned mixed(unsigned t) { return t * N + (N > 4 ? t >> N : N); }
template <typename T> __device__ T widened(T v) { return v + T(65000); }
enum class Kind : unsigned char { LOW = 3, HIGH };
namespace mine {
struct Mix {
unsigned by;
__device__ unsigned of(unsigned a, unsigned b) const { return (a ^ by) * 3 + b; }
__device__ Mix operator+(unsigned b) const { Mix m = *this; m.by += b; return m; }
};
}
__global__ void k(volatile unsigned *out, const volatile unsigned *in, unsigned *sum) {
auto other = [] __device__ (unsigned a, unsigned b) { return a > b ? a - b : unsigned{b ^ 5}; };
volatile __shared__ int s[256];
unsigned t = blockIdx.x * 128 + threadIdx.y * blockDim.x + threadIdx.x, x = t;
for (unsigned i = threadIdx.y * blockDim.x + threadIdx.x; i < 256; i += blockDim.x * blockDim.y)
s[i] = 3 * i;
__syncthreads();
@{[ statements(3, 0) ]}
@{[ statements(3, 0) ]}
out[t] = x;
}
END
}

# ---- With cudacc -------------------------------------------------------------------------------------
my $main = '';
sub make { my ($name, $scalar, undef, $n, $how) = @_; return "    CUDA_CHECK(cudaMalloc(&$name, $n * sizeof *$name));\n    fill_array<$scalar>($name, $n * sizeof *$name, '" . substr($how, 0, 1) . "');\n" }
my %scalar_of = ('struct particle' => 'float', 'struct point' => 'float', Point => 'float', Vec3 => 'float', half2 => 'half', Pixel => 'unsigned char');    # of a struct
sub prints { my ($name, $n) = @_; return "    print_hash($name, $n * sizeof *$name);\n" }
for my $i (0 .. $#cases) {
    my $c = $cases[$i];
    spew("$scratch/case$i.h", $c->{source} =~ s/^#include.*$//gmr);
    my ($makes, $prints, @arguments) = ('', '');
    my ($head) = $c->{source} =~ /\b$c->{kernel}\(([^{]*)\)\s*\{/s;
    my @names = map { /(\w+)(?:\[\d*\])?\s*$/ } split /,/, $head;
    for my $k (0 .. $#{ $c->{values} }) {
        my ($name, $v) = ($names[$k], $c->{values}[$k]);
        if (ref $v eq 'HASH') {
            $makes .= "    $v->{type} $name = {};\n";
            for (@{ $v->{fields} }) {
                my ($field, $of) = @$_;
                $makes .= ref $of ? make("$name.$field", $scalar_of{ $of->[0] } // $of->[0], @$of) : "    $name.$field = $of;\n";
                $prints .= prints("$name.$field", $of->[1]) if ref $of;
            }
            push @arguments, $name;
        } elsif (ref $v) {
            my $t = $v->[0] =~ s/^struct (\w+)/case${i}::$1/r;
            my $scalar = $scalar_of{ $v->[0] } // ($v->[0] =~ /^(float|int|double)[234]$/ ? $1 : $v->[0]);
            $makes .= "    $t *$name;\n" . make($name, $scalar, @$v);
            $prints .= prints($name, $v->[1]);
            push @arguments, $name;
        } else {
            push @arguments, $v;
        }
    }
    my ($grid, $block) = map { 'dim3(' . join(', ', @$_) . ')' } @$c{qw(grid block)};
    my @macros = $c->{source} =~ /^#define (\w+)/mg;
    $main .= "namespace case$i {\n#include \"case$i.h\"\nstatic void run() {\n$makes    $c->{kernel}@{[ $c->{template} // '' ]}<<<$grid, $block, @{[ $c->{shared} // 0 ]}>>>(" . join(', ', @arguments) . ");\n    if (cudaDeviceSynchronize() != cudaSuccess) return;\n$prints}\n}\n"
        . join('', map { "#undef $_\n" } @macros);
}
my $runs = join ', ', map { "case${_}::run" } 0 .. $#cases;
spew("$scratch/cases.cu", <<"END");
#include "$root/common/common.h"
#include <cuda_fp16.h>
#include <float.h>
#include <string.h>
#include <vector>
template <typename T> void fill_array(void *to, size_t bytes, char how) {
    static T h[1 << 20];
    unsigned random = 1;
    size_t n = bytes / sizeof(T);
    for (size_t i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        h[i] = how == 'i' ? (T)i : how == 'r' ? (T)((random >> 8) % (float(T(0.5)) > 0 ? 1000 : n)) : (T)0;
    }
    if (how != 'u')
        CUDA_CHECK(cudaMemcpy(to, h, bytes, cudaMemcpyHostToDevice));
}
static void print_hash(const void *from, size_t bytes) {
    static unsigned char h[1 << 24];
    unsigned hash = 2166136261u;
    CUDA_CHECK(cudaMemcpy(h, from, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ h[i]) * 16777619u;
    printf("#%u\\n", hash);
}
$main
int main(int, char **argv) {
    static void (*const all[])() = {$runs};
    all[atoi(argv[1])]();
    return 0;
}
END
my ($code, undef, $error) = sh("$root/cudacc/cudacc -w --trace $scratch/cases.cu -o $scratch/cases");
is($code, 0, 'cudacc compiles ' . @cases . ' kernels') or diag(substr $error, 0, 3000), done_testing(), exit;

sub csv { return map { [/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g] } grep { /./ } split /\n/, $_[0] =~ s/^.*\n//r }

sub traced {
    my ($i) = @_;
    unlink glob "$scratch/a.*csv";
    local @ENV{qw(ACCESS_REPORT ACCESS_ERRORS ACCESS_TABLE)} = ("$scratch/a.csv", "$scratch/a.errors.csv", 1);
    my ($status, $said, $more) = sh("$root/tests/lib/limit 60 $scratch/cases $i");
    my %answer = (rows => {}, results => [$said =~ /^#(\d+)$/mg], mistakes => {}, hints => [sort $more =~ /^ +-> (.*)$/mg], texts => {});
    for (csv(slurp("$scratch/a.csv")), csv(slurp("$scratch/a.shared.csv"))) {
        my ($line, $name, $op, $bytes, $requests, $cost, $useful) = @$_[4 .. 10];
        $line =~ s/^.*://;
        my $row = $answer{rows}{"line $line $name $op $bytes"} //= [0, 0, 0];
        $row->[0] += $requests;
        $row->[1] += $cost;
        $row->[2] += $useful;    # or conflicts
    }
    delete @{ $answer{rows} }{ grep { !$answer{rows}{$_}[0] } keys %{ $answer{rows} } };
    for (csv(slurp("$scratch/a.errors.csv"))) {
        my ($kind, undef, $block, $thread, undef, $line, $name, $detail) = map { s/^"(.*)"$/$1/r } @$_;
        next if $kind eq 'leak' || $block eq '';    # of the host
        $answer{texts}{ $detail =~ s/case\d+\.h:/line /gr =~ s/, allocated at [^,;]*:\d+//r } = 1;
        $answer{mistakes}{ mistake($kind, $block, $thread, $line, $name, $detail =~ /case\d+\.h:(\d+).*?case\d+\.h:(\d+)/ ? ($1, $2) : ()) } = 1;
    }
    return \%answer;
}

# A race is the same when its lines are, in their order: which of its threads are named depends on the order they ran in.
sub mistake {
    my ($kind, $block, $thread, $line, $name, @lines) = @_;
    return "data race, $name, lines @lines" if $kind eq 'data race';
    return "$kind, line $line, $name, block $block, thread $thread";
}

# ---- With the page's interpreter ------------------------------------------------------------------------
my $script = <<'END';
const answers = cases.map(c => {
    try {
        const given = v => v.fields ? v.fields.flatMap(([, of]) => given(of)) : [Array.isArray(v) ? { length: v[1], fill: v[2] } : { value: v }], values = c.values.flatMap(given);
        if (c.template) c.source += `void launch() { ${c.kernel}${c.template}<<<1, 1>>>(); }`;
        const r = Cuda.run(c.source, { kernel: c.kernel, grid: c.grid, block: c.block, shared: c.shared, values, events: 0 }), rows = {};
        for (const row of r.rows) {
            const sum = rows[`line ${row.line} ${row.name} ${row.op} ${row.bytes}`] ||= [0, 0, 0];
            sum[0] += row.requests;
            sum[1] += row.sectors;
            sum[2] += row.space === 'shared' ? row.sectors - row.ideal : row.useful;
        }
        const hash = a => { let h = 2166136261; for (let i = 0; i < a.bytes; i++) h = Math.imul(h ^ a.Uint8[i], 16777619); return String(h >>> 0); };
        const triple = (i, n) => [i % n[0], Math.floor(i / n[0]) % n[1], Math.floor(i / n[0] / n[1])].join('x');
        return { hints: r.rows.map(row => row.hint).filter(h => h).sort(), texts: r.mistakes.map(m => m.text.slice(m.kind.length + 2)), rows, results: r.ended ? [] : r.arrays.map(hash), mistakes: r.mistakes.map(m => [m.kind, triple(m.block, r.grid), triple(m.thread, r.block), m.line, m.name, m.line, m.other]) };
    } catch (problem) { return { refused: problem.line ? `${problem.line}:${problem.column}: ${problem.message}` : problem.stack }; }
});
END

my @traced = map { traced($_) } 0 .. $#cases;
my $of_case = sub { my $a = $_[0]; return { %$a, mistakes => { map { (mistake(@$_[0 .. 4], @$_[5, 6]) => 1) } @{ $a->{mistakes} } } } };

# But for the threads and the element that a race is told of.
sub said { my ($text) = @_; return $text =~ s/^((?:load|store|atomic) of .*(?: and|, then) .*?); block .*? byte \d+ of (?:shared \w+, )?\d+(?: bytes)?/$1/r }

sub differences {
    my ($is, $expected) = @_;
    return "refused: $is->{refused}" if $is->{refused};
    my @all;
    my $ends = grep { /out of bounds|misaligned|barrier|too long/ } keys %{ $is->{mistakes} };
    for my $key ($ends ? () : sort keys %{ { %{ $is->{rows} }, %{ $expected->{rows} } } }) {
        my ($x, $y) = map { join ' ', @{ $_->{rows}{$key} // [0, 0, 0] } } $is, $expected;
        push @all, "$key: $x, cudacc $y" if $x ne $y;
    }
    push @all, map { "hints: $_->[0]; cudacc $_->[1]" } grep { $_->[0] ne $_->[1] } [map { join ' | ', @{ $_->{hints} } } $is, $expected] if !$ends;
    push @all, map { "says $_; cudacc @{[ keys %{ $expected->{texts} } ]}" } grep { my $text = $_; !grep { said($_) eq said($text) } keys %{ $expected->{texts} } } grep { !/^__syncthreads| and \d+ more of its warp/ } @{ $is->{texts} };
    push @all, map { "$_: here alone" } grep { !$expected->{mistakes}{$_} } sort keys %{ $is->{mistakes} };
    push @all, map { "$_: cudacc alone" } grep { !$is->{mistakes}{$_} } sort keys %{ $expected->{mistakes} };
    push @all, 'results' if !$ends && !%{ $expected->{mistakes} } && "@{ $is->{results} }" ne "@{ $expected->{results} }";
    return join "\n", @all;
}
for my $in (@where) {
    my $all = answers($in, 'const cases = ' . encode_json(\@cases) . ";\n$script");
    is(scalar @$all, scalar @cases, "$in: answers") or diag(substr "@$all", 0, 2000), next;
    for my $i (0 .. $#cases) {
        my $is = $all->[$i]{refused} ? $all->[$i] : $of_case->($all->[$i]);
        is(differences($is, $traced[$i]), '', "$in: $cases[$i]{name}");
    }
}

# ---- Planted mistakes, with the launch that the page guesses -------------------------------------------------
my @planted = map { my ($kind, $text) = split /\|/, $_, 2; [$kind, $text =~ s/\\n/\n/gr] } split /\n/, slurp("tests/documents/playground_planted.txt");
my @right = map { $_->{source} } grep { $_->{name} =~ /^(?:softmax|mandelbrot|bitonic|matrix product|game of life|color to gray|printf|sum by)/ } @cases;
my $guessed = <<'END';
const launched = text => {
    const kernel = Cuda.parse(text).kernels.at(-1), [grid, block] = kernel.launches[0].map(one => one.split(',').map(Number));
    const values = kernel.fields.map(f => f.isPointer ? { length: parseInt(f.text), fill: f.text.split(':')[1] } : { value: f.text });
    return Cuda.run(text, { kernel: kernel.name, grid, block, values, limit: 60000, steps: 3e5, events: 0 });
};
END
for my $in (@where) {
    my $all = answers($in, 'const texts = ' . encode_json([(map { $_->[1] } @planted), @right]) . ";\n$guessed\nconst answers = texts.map(text => launched(text).mistakes.map(m => m.text));");
    my @missed = grep { my $k = $_; !grep { index($_, $planted[$k][0]) == 0 } @{ $all->[$k] } } 0 .. $#planted;
    is(join("\n", map { "$planted[$_][0]: $planted[$_][1]" } @missed), '', "$in: of " . @planted . ' planted mistakes each is found');
    is(join("\n", map { @$_ } @$all[@planted .. $#$all]), '', "$in: with its guesses it accuses none of " . @right . ' right kernels');
}

# ---- What it refuses ----------------------------------------------------------------------------------------
my %refused = (
    'template <typename T> struct S { T x; };' => '1:10: a template of a struct is not understood here: write a struct with the type itself', 'template <typename... T> __global__ void k(T... a) {}' => '1:10: a template of any number of parameters is not understood here: write the types themselves',
    "__global__ void k(int *a) {\n  goto end;\n}" => '2:3: goto is not understood here: write a loop with break', "__global__ void k(int *a) {\n  a[0] = b;\n}" => '2:10: b is not known here',
    '__global__ void k(int &a) {}' => '1:17: a reference as a parameter of a kernel is not understood here: write the value, or a pointer', "__global__ void k(int *a) {\n  int n = 1;\n  auto f = [=](int i) { return i + n; };\n}" => '3:12: a lambda that captures is not understood here: write its values as parameters',
    "__device__ int f(int n) {\n  return n ? f(n - 1) : 0;\n}\n__global__ void k(int *a) {\n  a[0] = f(3);\n}" => '2:14: f calls itself: recursion is not understood here: write a loop',
    "struct s {\n  int x;\n  static __device__ int f() { return 1; }\n};\n__global__ void k(int *a) {}" => '3:25: a static function in a struct is not understood here: write a __device__ function beside it',
    "__global__ void k(int *a) {\n  __nv_bfloat16 x;\n}" => '2:3: bfloat16 is not understood here: write half or float', "#define F(a) \\\n  a + \\\n  1\n__global__ void k(int *a) {\n  a[0] = F(c);\n}" => '5:12: c is not known here',
    "__global__ void k(int *a) {\n  a[0] = 1\n}" => '3:1: ; expected before }', "__global__ void k(int *a) {\n  a[0] = 1.5 % 2;\n}" => '2:14: % between double and int',
    "__global__ void k(int *a) {\n  if (a[0]) {\n" => '3:1: the } of line 2 is missing', 'void f() {}' => '1:1: there is no kernel: a function with __global__', "#if A ? x\n__global__ void k() {}" => '1:1: #if A ? x is not understood here',
    "__global__ void k(int *a) {\n  for (;;)\n    ;\n}" => 'too long', "__global__ void k(float *a) {\n  float x = a;\n}" => '2:9: float * where float is needed', "__global__ void k(int *a) {\n  a.x = 1;\n}" => '2:3: int * has no x',
    "__global__ void k(int *a) {\n  a[0] = " . '(' x 3000 . '1' . ')' x 3000 . ";\n}" => '2:409: too deep', "__global__ void k(int *a) {\n  a[0] = 1" . ' + 1' x 30000 . ";\n}" => '1:1: too deep: this text has too many brackets in brackets',
);
for my $in (@where) {
    is("@{ answers($in, 'const answers = [Cuda.percent(2, 3), Cuda.percent(1, 2), Cuda.percent(9996, 10000), Cuda.decimals(25, 8), Cuda.average(8, 2)];') }", '66.6 % 50 % 99.9 % 3.12 4', "$in: percentages and averages are printed as cudacc does");
}
my $texts = encode_json([sort keys %refused]);
for my $in (@where) {
    my $all = answers($in, <<"END");
const answers = $texts.map(text => {
    try { return Cuda.run(text, { grid: [1], block: [32], values: [{ length: 64 }], steps: 100 }).mistakes.map(m => m.kind).join(); }
    catch (problem) { return problem instanceof Cuda.Refusal ? `\${problem.line}:\${problem.column}: \${problem.message}` : problem.stack; }
});
END
    is(join("\n", @$all), join("\n", map { $refused{$_} } sort keys %refused), "$in: what it lacks is refused, with line, column and the word for it");
}
# A text that is being typed is cut short somewhere, and may use any name: that is refused with a line, too.
my @cut = map { my $text = $_; map { substr $text, 0, 13 * $_ } 0 .. length($text) / 13 } map { $_->{source} } @cases[$pasted .. $pasted + 20];
push @cut, map { "__global__ void k(int *a) { int toString = 1; a[0] = toString + $_; }" } 'constructor(1)', '__proto__', 'valueOf', 'hasOwnProperty(2)', 'x', '"text"';
for my $in (@where) {
    my $all = answers($in, 'const texts = ' . encode_json(\@cut) . ";\n" . <<'END');
const answers = texts.map(text => {
    try { for (const k of Cuda.parse(text).kernels) Cuda.run(text, { kernel: k.name, grid: [1], block: [1], values: k.fields.map(() => ({ value: 1, length: 4096 })), steps: 100, events: 0 }); return ''; }
    catch (problem) { return problem instanceof Cuda.Refusal && problem.line > 0 ? '' : `${text.slice(-40)}: ${problem.stack}`; }
}).filter(said => said);
END
    is(join("\n", @$all[0 .. ($#$all > 3 ? 3 : $#$all)]), '', "$in: of " . @cut . ' texts that are cut short none is more than refused');
}
my $one = `$root/tools/documents/playground`;
unlike($one, qr/\beval\b|\bimport\b|<script src|(?:src|href)="(?:https?:)?\/\/|url\(["']?http|\bfetch\(|XMLHttpRequest/, 'it is one file, and loads nothing from elsewhere');
cmp_ok(length($one), '<=', 200 * 1024, 'it is small');
done_testing();
