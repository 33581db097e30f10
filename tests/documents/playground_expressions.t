#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# docs/site/playground.html: its arithmetic is gcc's.
#
#     prove tests/documents/playground_expressions.t :: SEED      other random expressions than the usual ones
use lib 'tests/lib';
use Tests qw(page);
my ($scratch, undef, @where) = playground();
srand($ARGV[0] // 7);
sub pick { return $_[rand @_] }

# Variables of each type, and what C makes of them: bits of the value, computed by gcc and here.
my %value = (a => ['int', '-1234567'], b => ['unsigned', '4000000123u'], c => ['long long', '-123456789012345LL'], d => ['unsigned long long', '18446744073709551000ull'],
    s => ['short', '-321'], h => ['unsigned char', '250'], f => ['float', '3.7f'], g => ['double', '-0.1'], e => ['float', '16777217.0f'], i => ['int', '2147483647'], u => ['unsigned', '3u'],
    m => ['long long', '(-9223372036854775807LL - 1)'], z => ['int', '0']);

sub integer {
    my ($depth) = @_;
    return pick(qw(a b c d s h i u m z), int rand 100, '0x7fffffff', '0xffffffffu', '5000000000', '1ull', '077') if $depth == 0;
    my $part = sub { return integer($depth - 1 - int rand 1.5 > 0 ? $depth - 1 : 0) };
    my @kinds = (
        sub { return $part->() . pick(' + ', ' - ', ' * ', ' & ', ' | ', ' ^ ', ' < ', ' >= ', ' == ', ' != ', ' && ', ' || ') . $part->() },
        sub { return '(' . $part->() . ')' . pick(' + ', ' - ', ' * ', ' ^ ') . '(' . $part->() . ')' },
        sub { return '(' . $part->() . ')' . pick(' / ', ' % ') . (2 + int rand 40) . pick('', 'u', 'll') },
        sub { return '(' . $part->() . ')' . pick(' / ', ' % ') . '((' . $part->() . ') % 1000 * 2 + 5001)' },
        sub { return '((' . $part->() . ')' . pick(' << ', ' >> ') . int(rand 31) . ')' },
        sub { return pick('-', '~', '!') . '(' . $part->() . ')' },
        sub { return '(' . pick('int', 'unsigned', 'long long', 'size_t', 'short', 'unsigned char', 'char', 'bool') . ')(' . $part->() . ')' },
        sub { return '(' . $part->() . ' ? ' . $part->() . ' : ' . $part->() . ')' },
        sub { return '(int)' . pick('f', 'g', '(f * 3)', '(g * 1000)') },
    );
    return pick(@kinds)->();
}

sub real {
    my ($depth) = @_;
    return pick(qw(f g e f e), '0.1f', '0.1', '2.5f', '1e10f', '3', pick('(float)', '(double)') . '(' . integer(1) . ')') if $depth == 0;
    my $part = sub { return real($depth - 1) };
    my @kinds = (
        sub { return '(' . $part->() . pick(' + ', ' - ', ' * ', ' / ') . $part->() . ')' },
        sub { return $part->() . pick(' + ', ' - ', ' * ') . $part->() },
        sub { return '-(' . $part->() . ')' },
        sub { return '(' . pick('float', 'double') . ')(' . $part->() . ')' },
        sub { return '(' . $part->() . pick(' < ', ' > ') . $part->() . ' ? ' . $part->() . ' : ' . $part->() . ')' },
        sub { return pick('sqrtf(fabsf(', 'fabsf((') . $part->() . '))' },
    );
    return pick(@kinds)->();
}
my @expressions = ((map { [0, integer(1 + $_ % 4)] } 1 .. 600), map { [1, real(1 + $_ % 3)] } 1 .. 400);
my $variables = join '', map { "    $value{$_}[0] $_ = $value{$_}[1];\n" } sort keys %value;
my $stores = join '', map { my ($is_real, $text) = @{ $expressions[$_] }; $is_real ? "    y[$_] = (double)($text);\n" : "    x[$_] = (unsigned long long)($text);\n" } 0 .. $#expressions;
spew("$scratch/expressions.cc", <<"END");
#include <math.h>
#include <stdio.h>
#include <float.h>
#include <string.h>
#include <vector>
static unsigned long long x[1000];
static double y[1000];
static void compute() {
@{[ $variables =~ s/^    /    volatile /gmr ]}
$stores
}
int main() {
    compute();
    for (int k = 0; k < 1000; k++) {
        unsigned long long bits;
        memcpy(&bits, &y[k], 8);
        printf("%llx\\n", y[k] != y[k] ? ~0ull : k < 600 ? x[k] : bits);
    }
    return 0;
}
END
my ($code, undef, $error) = sh("g++ -w -O1 -fwrapv -ffp-contract=off $scratch/expressions.cc -o $scratch/expressions");
is($code, 0, 'gcc compiles 1,000 expressions') or diag(substr $error, 0, 2000);
my @gcc = split ' ', (sh("$scratch/expressions"))[1];
my $kernel = encode_json(["__global__ void k(unsigned long long *x, double *y) {\n$variables$stores}\n"]);
for my $in (@where) {
    my $all = answers($in, <<"END");
const r = Cuda.run($kernel\[0], { grid: [1], block: [1], values: [{ length: 1000, fill: 'zero' }, { length: 1000, fill: 'zero' }], fuses: false, events: 0 });
const answers = Array.from({ length: 1000 }, (_, k) => { const v = r.arrays[1].Float64[k]; return v !== v ? 'f'.repeat(16) : r.arrays[k < 600 ? 0 : 1].BigUint64[k].toString(16); });
END
    my @wrong = map { "$expressions[$_][1]: $all->[$_], gcc $gcc[$_]" } grep { ($all->[$_] // '') ne $gcc[$_] } 0 .. $#expressions;
    note("$in: 1,000 expressions");
    is(@$all == 1000 ? join("\n", @wrong[0 .. ($#wrong > 9 ? 9 : $#wrong)]) : "@$all", '', "$in: 1,000 expressions have gcc's values");
}
done_testing();
