#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Writes a program of random kernels with barriers and warp functions that are right: they have no races. It prints what
# comes of each.
#
#     perl cudacc/tests/translate/split/random_kernels.pl SEED COUNT >random.cu
use strict;
use warnings;

my ($seed, $count) = @ARGV;
my (@scopes, $next, $budget, $atomics, $mask, $warps);
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
    $body .= plain("$pad    ", 0);
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

# A warp function of all lanes that come there; $mask names them.
sub warp_value {
    my $v = value(1);
    my $lane = one_of(int rand 32, value(0), uniform(0), 't');
    my $width = chance(0.2) ? ', ' . one_of(16, 8, 32, 4) : '';
    return one_of("__shfl_sync($mask, $v, $lane$width)", "__shfl_up_sync($mask, $v, $lane$width)", "__shfl_down_sync($mask, $v, $lane$width)", "__shfl_xor_sync($mask, $v, $lane$width)") if chance(0.6);
    return '(int)' . one_of("__ballot_sync($mask, $v & 1)", "__any_sync($mask, $v % 7 == 3)", "__all_sync($mask, $v != 5)", "__match_any_sync($mask, $v & 3)",
        map { "__reduce_${_}_sync($mask, $v)" } qw(add min max));
}
sub warp {
    my ($pad) = @_;
    return "${pad}__syncwarp($mask);\n" if chance(0.1);
    my ($w, @own) = (warp_value(), names('own'));
    return "${pad}f += __shfl_down_sync($mask, 0.5f * f + (float)" . value(0) . ", 1);\n" if chance(0.15);
    return $pad . one_of('s[t] = ', 's[t] += ', map { ("$_ = ", "$_ += ", "$_ ^= ") } @own) . one_of($w, "$w * 3", "mix($w, 4)", "max($w, " . warp_value() . ')', "($w + " . value(0) . ')') . ";\n" if chance(0.6);
    my $name = "x" . $next++;
    $scopes[-1]{$name} = 'own';
    return "${pad}int $name = $w;\n";
}
# What the lanes of a warp do together: under conditions that all of them or those of a mask have.
sub of_warps {
    my ($pad, $deep) = @_;
    my $text = '';
    for (0 .. 1 + int rand 3) {
        $budget--;
        if (!$deep || chance(0.6)) { $text .= chance(0.6) ? warp($pad) : plain($pad, 1); next }
        my ($outer, $i, $limit) = ($mask, 'w' . $next++, small());
        my $kind = one_of(qw(if if else some loop own while any return));
        $kind = 'if' if $kind =~ /some|else/ && $mask ne '0xffffffff';
        push @scopes, {};
        if ($kind eq 'some') {
            my $odd = value(1) . ' % 3 == 1';
            $text .= "${pad}int c$i = $odd;\n${pad}unsigned m$i = __ballot_sync($mask, c$i);\n";
            $mask = "m$i";
            $text .= "${pad}if (c$i) {\n" . of_warps("$pad    ", 0) . "$pad}\n";
        } elsif ($kind eq 'loop') {
            $text .= "${pad}for (int $i = 0; $i < $limit; $i++) {\n" . of_warps("$pad    ", $deep - 1) . "$pad}\n";
        } elsif ($kind eq 'own') {
            $scopes[-1]{$i} = 'const';
            $text .= "${pad}for (int $i = t / 32; $i < 5; $i += 3) {\n" . of_warps("$pad    ", $deep - 1);
            $text .= "$pad    if (__any_sync($mask, " . value(1) . " % 5 == 2))\n$pad        " . one_of('break', 'continue') . ";\n" if chance(0.6);
            $text .= of_warps("$pad    ", 0) . "$pad}\n";
        } elsif ($kind eq 'while') {
            $text .= "${pad}int $i = t / 32 % 3;\n${pad}" . one_of("while ($i-- > 0) {\n", "while ($i > 0) {\n$pad    $i--;\n") . of_warps("$pad    ", $deep - 1) . "$pad}\n";
        } elsif ($kind eq 'any') {
            $text .= "${pad}if (" . one_of("__any_sync($mask, $limit == " . value(1) . ' % 3)', "__ballot_sync($mask, t & 1) & 4") . ") {\n" . of_warps("$pad    ", $deep - 1) . "$pad}\n";
        } elsif ($kind eq 'return') {
            $text .= "${pad}if (" . one_of('t / 32 == 7', "in[t / 32] == 3", 't == 40') . ")\n$pad    return;\n";
        } elsif ($kind eq 'else') {
            $text .= "${pad}if (t / 32 % 2) {\n" . of_warps("$pad    ", $deep - 1);
            $scopes[-1] = {};
            $text .= "$pad} else {\n" . plain("$pad    ", 1) . "$pad}\n";
        } else {
            $text .= "${pad}if (" . one_of('t < 32', 't / 32 == ' . int(rand 4), 'threadIdx.x >> 5 & 1 && blockDim.y == 1', "in[t / 32] & 1", $limit) . ") {\n" . of_warps("$pad    ", $deep - 1) . "$pad}\n";
        }
        pop @scopes;
        $mask = $outer;
    }
    return $text;
}

sub statements {
    my ($pad, $deep) = @_;
    my $text = '';
    for (0 .. 2 + int rand 4) {
        last if $budget < 0;
        my $what = rand;
        $budget--;
        if (chance($warps)) { $text .= of_warps($pad, 2) }
        elsif ($what < 0.35 || !$deep) { $text .= chance(0.3) ? exchange($pad) : plain($pad, 2) }
        elsif ($what < 0.5) { $text .= exchange($pad) }
        elsif ($what < 0.58) { $text .= once($pad) }
        elsif ($what < 0.61) { $text .= "${pad}if (" . one_of('t % 7 == 3', 't > 40', uniform(1) . ' == 77', 'in[t] == 5') . ")\n$pad    return;\n" }
        elsif ($what < 0.612) { $text .= "${pad}if (in[0] > 3)\n$pad    __syncthreads();\n" }
        else {
            push @scopes, {};
            my ($i, $limit) = ('u' . $next++, small());
            my $kind = one_of(qw(for for while do if else braces));
            my $before = $kind =~ /while|do/ ? "${pad}int $i = 0;\n" : '';
            $scopes[-1]{$i} = 'uniform' if $kind =~ /for|while|do/;
            my $body = statements("$pad    ", $deep - 1);
            $body .= exchange("$pad    ") if chance(0.5);
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
struct buffers { int out[1024 * 3], sums[8]; float fsum; };
__device__ static int mix(int a, int b) { return (int)((unsigned)a * 2654435761u ^ (unsigned)b >> 3) + (int)threadIdx.x; }
__device__ static void bump(int &x) { x += 3; }
__device__ static void change(int *x) { *x ^= 9; }
PROGRAM

my @kernels;
for my $number (1 .. $count) {
    ($next, $budget, $atomics, $mask, $warps) = (0, 12 + int rand 25, chance(0.4), '0xffffffff', one_of(0, 0.25, 0.5));
    @scopes = ({});
    my $template = chance(0.2) ? 'template <int TILE> ' : '';
    my $text = statements('    ', 3) . exchange('    ');
    my $result = join ' + ', 's[t]', 'n', '(int)f', map({ "(int)$_" } names('own'), names('const'), names('uniform'), names('float')), map({ "$_\[0] + $_\[2]" } names('array')), map({ "$_.y" } names('vector')), map({ "*$_" } names('pointer'));
    my $head = chance(0.5) ? "__shared__ int s[1024];" : "extern __shared__ int s[];";
    print "${template}__global__ void k$number(int *out, const int *in, int *sums, int n, int m) {\n    $head\n",
        "    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n    float f = 0.25f * t;\n    for (int i = t; i < 1024; i += blockDim.x * blockDim.y * blockDim.z)\n        s[i] = i * 7;\n$text    out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = $result;\n}\n";
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
#define RUN(name, k) \\
    for (int i = 0; i < 9; i += 1 + (__LINE__ + i) % 3) { \\
        unsigned long long hash = 0; \\
        memset(b, 0, sizeof *b); \\
        k<<<3, blocks[i], 4096>>>(b->out, in, b->sums, i, 3); \\
        cudaError_t error = cudaDeviceSynchronize(); \\
        for (unsigned n = 0; n < sizeof *b / 4; n++) \\
            hash = (hash ^ ((unsigned *)b)[n]) * 1099511628211u; \\
        printf("%s, block %u,%u,%u: %s, %016llx\\n", name, blocks[i].x, blocks[i].y, blocks[i].z, cudaGetErrorName(error), hash); \\
    }
PROGRAM
print "    RUN(\"$_\", ($_))\n" for @kernels;
print "}\n";
