#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Writes a program of random kernels with barriers that are right: they have no races. It prints what
# comes of each; where ON_STACKS is defined none is split.
#
#     perl tests/translate/split/random_kernels.pl SEED COUNT >random.cu
use strict;
use warnings;

my ($seed, $count) = @ARGV;
my (@scopes, $loops, $next, $budget, $atomics);
srand $seed;

sub one_of { return $_[rand @_] }
sub chance { return rand() < $_[0] }

sub names {    # of a kind, visible and not hidden
    my ($kind) = @_;
    my %seen;
    for my $scope (@scopes) { $seen{$_} = $scope->{$_} for keys %$scope }
    return sort grep { $seen{$_} eq $kind } keys %seen;
}
sub fresh {    # a name that may hide another one
    my ($kind) = @_;
    my $name = chance(0.25) ? 'v' . int rand 6 : 'x' . $next++;
    $name = 'x' . $next++ if exists $scopes[-1]{$name};
    return $name;
}
sub uniform {
    my ($deep) = @_;
    my @u = names('uniform');
    return one_of(1 + int rand 5, 'm', 'blockIdx.x', 'blockDim.x', 'LIMIT', 'gridDim.x', @u, @u) if !$deep || chance(0.4);
    my ($a, $b) = (uniform($deep - 1), uniform($deep - 1));
    return one_of("($a + $b)", "($a - $b)", "($a * $b)", "($a % 5 + 1)", "(unsigned)($a) % 3", "min((int)($a), (int)($b))", "($a < $b ? 2 : $a)") if chance(0.9);
    return "(int)sizeof(float) * $a";
}
sub small { my $u = uniform(1); return "(int)((unsigned)($u) % 3u)" }

sub value {
    my ($deep) = @_;
    my @own = (names('own'), names('const'), names('float'));
    my $leaf = one_of('t', 'm', 'n', 'threadIdx.x', 'in[t]', 's[t]', 'in[(t * 3 + m) & 255]', int rand 9, @own, @own, uniform(0));
    my @arrays = names('array');
    $leaf = one_of(@arrays) . '[' . int(rand 3) . ']' if @arrays && chance(0.2);
    my @vectors = names('vector');
    $leaf = one_of(@vectors) . '.' . one_of(qw(x y z w)) if @vectors && chance(0.2);
    my @pointers = names('pointer');
    $leaf = '*' . one_of(@pointers) if @pointers && chance(0.15);
    return "(int)$leaf" if !$deep || chance(0.3);
    my ($a, $b) = (value($deep - 1), value($deep - 1));
    return one_of("($a + $b)", "($a ^ $b)", "($a * 3 - $b)", "mix($a, $b)", "($a < $b ? $a : $b)", "max($a, $b)");
}

sub declare {
    my ($pad) = @_;
    my $kind = one_of(qw(uniform uniform own own own const const array vector pointer two float));
    if ($kind eq 'two') {
        my ($a, $b) = (fresh(), fresh());
        $b .= 'b' if $a eq $b;
        $scopes[-1]{$_} = 'itself' for $a, $b;
        my $text = "${pad}int $a = " . value(1) . ", $b = " . uniform(1) . ";\n";
        $scopes[-1]{$a} = 'own';
        $scopes[-1]{$b} = 'uniform';
        return $text;
    }
    my $name = fresh();
    $scopes[-1]{$name} = 'itself';
    my $text =
          $kind eq 'uniform' ? one_of('int', 'unsigned', 'int') . " $name = " . uniform(2)
        : $kind eq 'own'     ? one_of("int $name = " . value(2), "int $name(" . value(1) . ')', "int ${name}{" . value(1) . '}')
        : $kind eq 'float'   ? "float $name = 0.5f * (float)" . value(1)
        : $kind eq 'const'   ? one_of('const int', 'int', 'const unsigned') . " $name = " . one_of('t * 3 + m', 'threadIdx.x ^ 5u', 'blockIdx.x * blockDim.x + threadIdx.x', value(1))
        : $kind eq 'array'   ? "int $name\[3] = {" . value(0) . ', ' . value(1) . '}'
        : $kind eq 'vector'  ? "int4 $name = make_int4(" . join(', ', map { value(0) } 1 .. 4) . ')'
        :                      "const int *$name = in + (t & 63)";
    $scopes[-1]{$name} = $kind;
    return "$pad$text;\n";
}

sub change {
    my ($pad, $shared) = @_;
    my @own = names('own');
    my @arrays = names('array');
    my @vectors = names('vector');
    my @pointers = names('pointer');
    my @choices = ("s[t] = " . value(2), "s[t] += " . value(1));
    push @choices, map { one_of("$_ = " . value(2), "$_ += " . value(1), "$_++", "--$_", "bump($_)", "change(&$_)") } one_of(@own) if @own;
    push @choices, map { "$_ += 0.25f * (float)" . value(0) } names('float');
    push @choices, one_of(@arrays) . '[' . int(rand 3) . '] = ' . value(1) if @arrays;
    push @choices, one_of(@vectors) . '.' . one_of(qw(x y z w)) . ' += ' . value(1) if @vectors;
    push @choices, one_of(@pointers) . ' = in + ' . int(rand 9) if @pointers;
    push @choices, 'n ' . one_of('+= ', '^= ') . value(0) if chance(0.1);
    if ($atomics && chance(0.4)) {
        push @choices, "atomicAdd(&sums[" . one_of('t & 3', 1, 'm & 3') . "], " . value(1) . ")";
        push @choices, "atomicAdd(fsum, 0.1f * (float)" . value(0) . ")";
        push @choices, one_of(@own) . " = atomicAdd(&sums[5], 1)" if @own && !$loops;
    }
    return $pad . $choices[-1 - int rand @choices] . ";\n";
}
sub plain {    # without a barrier
    my ($pad, $deep) = @_;
    $budget--;
    return declare($pad) if chance(0.3);
    return change($pad) if !$deep || chance(0.6);
    push @scopes, {};
    my $body = join '', map { plain("$pad    ", $deep - 1) } 0 .. int rand 2;
    my $kind = one_of(qw(if if else for loop braces));
    $loops++ if $kind =~ /for|loop/;
    $body .= plain("$pad    ", 0);
    $loops-- if $kind =~ /for|loop/;
    pop @scopes;
    my $condition = value(1) . one_of(' < ', ' > ', ' & ', ' % 3 == ') . int(1 + rand 4);
    return "${pad}if ($condition) {\n$body$pad}\n" if $kind eq 'if';
    return "${pad}if ($condition) {\n$body$pad} else\n" . change("$pad    ") if $kind eq 'else';
    my $i = 'i' . $next++;
    return "${pad}for (int $i = 0; $i < 3; $i++) {\n${pad}    if ($condition)\n$pad        " . one_of('continue', 'break') . ";\n$body$pad}\n" if $kind eq 'for';
    return "${pad}for (int $i = t; $i < 256; $i += 100) {\n$body$pad}\n" if $kind eq 'loop';
    return "${pad}{\n$body$pad}\n";
}

sub exchange {    # what others have stored, between two barriers
    my ($pad) = @_;
    my ($k, $name) = (int rand 99, fresh());
    $scopes[-1]{$name} = 'own';
    return "${pad}__syncthreads();\n${pad}int $name = s[(t + " . one_of($k, uniform(1)) . ") & 1023];\n${pad}__syncthreads();\n";
}

sub once {
    my ($pad) = @_;
    my @u = grep { !/^u/ } names('uniform');
    return '' if !@u;
    my $u = one_of(@u);
    return $pad . one_of("$u = " . uniform(1), "$u += " . uniform(0), "$u++", "--$u", "$u = m - $u") . ";\n";
}

sub statements {
    my ($pad, $deep) = @_;
    my $text = '';
    for (0 .. 2 + int rand 4) {
        last if $budget < 0;
        my $what = rand;
        $budget--;
        if ($what < 0.35 || !$deep) { $text .= chance(0.3) ? exchange($pad) : plain($pad, 2) }
        elsif ($what < 0.5) { $text .= exchange($pad) }
        elsif ($what < 0.58) { $text .= once($pad) }
        elsif ($what < 0.61) { $text .= "${pad}if (" . one_of('t % 7 == 3', 't > 40', uniform(1) . ' == 77', 'in[t] == 5') . ")\n$pad    return;\n" }
        elsif ($what < 0.612) { $text .= "${pad}if (in[0] > 3)\n$pad    __syncthreads();\n" }
        else {
            push @scopes, {};
            my ($i, $limit) = ('u' . $next++, small());
            my $kind = one_of(qw(for for while do if else braces));
            my $before = $kind =~ /while|do/ ? "${pad}int $i = 0;\n" : '';
            $loops++ if $kind =~ /for|while|do/;
            $scopes[-1]{$i} = 'uniform' if $kind =~ /for|while|do/;
            my $body = statements("$pad    ", $deep - 1);
            $body .= exchange("$pad    ") if chance(0.5);
            $loops-- if $kind =~ /for|while|do/;
            $scopes[-1] = {};
            my $other = plain("$pad    ", 1);
            pop @scopes;
            $text .= $before;
            $text .= $kind eq 'for' ? "${pad}for (int $i = 0; $i < $limit; $i++) {\n$body$pad}\n"
                : $kind eq 'while' ? "${pad}while ($i < $limit) {\n$body$pad    $i++;\n$pad}\n"
                : $kind eq 'do'    ? "${pad}do {\n$body$pad    $i += 1;\n$pad} while ($i < $limit);\n"
                : $kind eq 'if'    ? "${pad}if (" . uniform(1) . " & 1) {\n$body$pad}\n"
                : $kind eq 'else'  ? "${pad}if (" . uniform(1) . " > 3) {\n$body$pad} else {\n$other$pad}\n"
                :                    "${pad}{\n$body$pad}\n";
        }
    }
    return $text;
}

print <<'PROGRAM';
#include <stdio.h>
#include <string.h>
#define LIMIT 7
#ifdef ON_STACKS // a call that names nothing
struct waits { __device__ void operator()() { __syncthreads(); } };
#endif
struct buffers { int out[1024 * 3], sums[8]; float fsum; };
__device__ static int mix(int a, int b) { return (int)((unsigned)a * 2654435761u ^ (unsigned)b >> 3) + (int)threadIdx.x; }
__device__ static void bump(int &x) { x += 3; }
__device__ static void change(int *x) { *x ^= 9; }
PROGRAM

my (@kernels, @grids);
for my $number (1 .. $count) {
    ($loops, $next, $budget, $atomics) = (0, 0, 12 + int rand 25, chance(0.4));
    @scopes = ({});
    my $template = chance(0.2) ? 'template <int TILE> ' : '';
    my $text = statements('    ', 3) . exchange('    ');
    my $result = join ' + ', 's[t]', 'n', map({ "(int)$_" } names('own'), names('const'), names('uniform'), names('float')), map({ "$_\[0] + $_\[2]" } names('array')), map({ "$_.y" } names('vector')), map({ "*$_" } names('pointer'));
    my $head = chance(0.5) ? "__shared__ int s[1024];" : "extern __shared__ int s[];";
    print "${template}__global__ void k$number(int *out, const int *in, int *sums, float *fsum, int n, int m) {\n    $head\n",
        "    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n    for (int i = t; i < 1024; i += blockDim.x * blockDim.y * blockDim.z)\n        s[i] = i * 7;\n$text    out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = $result;\n}\n";
    push @grids, $atomics ? 1 : 3; # whose sums are in order
    push @kernels, $template ? "k$number<" . int(rand 9) . '>' : "k$number";
}
my $blocks = join ', ', map { "dim3($_)" } '1', '31', '32', '33', '8, 8', '4, 4, 3', '100', '1000', '16, 2';
print <<"PROGRAM";
static buffers *b;
static int *in;
int main() {
    const dim3 blocks[] = {$blocks};
    cudaMallocManaged(&b, sizeof *b);
    cudaMallocManaged(&in, 2048 * sizeof *in);
    for (int i = 0; i < 2048; i++)
        in[i] = (int)(i * 2654435761u >> 28);
#define RUN(name, grid, k) \\
    for (int i = 0; i < 9; i += 1 + (__LINE__ + i) % 3) { \\
        unsigned long long hash = 0; \\
        memset(b, 0, sizeof *b); \\
        k<<<grid, blocks[i], 4096>>>(b->out, in, b->sums, &b->fsum, i, 3); \\
        cudaError_t error = cudaDeviceSynchronize(); \\
        for (unsigned n = 0; n < sizeof *b / 4; n++) \\
            hash = (hash ^ ((unsigned *)b)[n]) * 1099511628211u; \\
        printf("%s, block %u,%u,%u: %s, %016llx\\n", name, blocks[i].x, blocks[i].y, blocks[i].z, cudaGetErrorName(error), hash); \\
    }
PROGRAM
print "    RUN(\"$kernels[$_]\", $grids[$_], ($kernels[$_]))\n" for 0 .. $#kernels;
print "}\n";
