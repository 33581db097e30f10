#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Whatever text comes in, the translator ends by itself: with a translation, or with exit code 1 and a
# message, within its limit of processor time, and without a word of AddressSanitizer or
# UndefinedBehaviorSanitizer. Programs of the course and of the tests are broken at random, from seeds that a
# failure names: a hundred mutants, with TEST_ALL=1 five thousand. `cudacc/tests/translate/mutants.t 17` makes that one.
use lib 'tests/lib';
use Tests;

my ($scratch, $root) = scratch_and_root();
my $cc = $ENV{CC} // 'gcc';
my $translate = "$scratch/translate";
my $checked = '-fsanitize=address,undefined -fno-sanitize-recover=all';
spew("$scratch/small.c", "int main(void) { return 0; }\n");
$ENV{ASAN_OPTIONS} = 'detect_leaks=0';    # it keeps what it has until it ends
$ENV{UBSAN_OPTIONS} = 'halt_on_error=1:print_stacktrace=1';
plan skip_all => "$cc has no $checked that works here"
    if (output_of("$cc $checked $scratch/small.c -o $scratch/small && $scratch/small"))[0] ne '0';
my ($code, $said) = output_of("$cc -std=gnu11 -g -O1 $checked -I$root/cudacc $root/cudacc/translate/*.c $root/cudacc/extra/translate/*.c -o $translate");
is($code, 0, 'the translator compiles, with sanitizers') or diag($said), done_testing(), exit;

my @sources = sort map { glob "$root/$_" } qw(cudacc/tests/translate/cudacc/*.cu cudacc/tests/trace/*.cu cudacc/tests/runtime/*.cu [0-9]*/*.cu [0-9]*/experiments/*.cu);
my @pieces = ('<<<', '>>>', '<', '>', '(', ')', '{', '}', '[', ']', '"', "'", '/*', '//', '\\', "\n", '#', '# 1 "', '##', 'R"(', 'template <', 'typename',
    '__global__', '__shared__', '__device__', '__launch_bounds__(', 'extern "C"', 'struct', 'union', 'typedef', 'operator', 'namespace x {', 'for (', 'do', 'while',
    'switch', 'case', 'goto x;', 'asm(', '__syncthreads()', '...', '::', ';', ',', '=', '0x', '1e', "\x00", "\xff", '__attribute__((', 'constexpr', 'auto', '~', '&&');

# The text after some changes: a piece is lost, doubled, moved, put in, or the end is.
sub mutant {
    my ($seed) = @_;
    srand $seed;
    my $source = $sources[rand @sources];
    my @text = slurp($source) =~ /\w+|\s+|<<<|>>>|[^\w\s]/g;
    for (0 .. rand 6) {
        my ($at, $length) = (int rand @text, 1 + int rand(rand() < 0.3 ? 60 : 3));
        my $what = rand;
        if ($what < 0.25)    { splice @text, $at, $length }
        elsif ($what < 0.4)  { splice @text, $at, 0, @text[$at .. ($at + $length < @text ? $at + $length : $#text)] }
        elsif ($what < 0.55) { my @moved = splice @text, $at, $length; splice @text, int rand @text, 0, @moved }
        elsif ($what < 0.9)  { splice @text, $at, 0, map { $pieces[rand @pieces] } 0 .. rand 3 }
        elsif ($what < 0.95) { splice @text, $at, 0, ($pieces[rand @pieces]) x 3000 }
        else                 { splice @text, $at }
        @text or last;
    }
    return ($source =~ s{.*/course/}{}r, join '', @text);
}

my @seeds = @ARGV ? @ARGV : 1 .. ($ENV{TEST_ALL} ? 5000 : 100);
my @options = ('', '--trace --copies --no-hoist=no-move-loop-stores --loop-free=x', '--trace --latches', '--rdc --calls');
my (@wrong, %ended);
for my $seed (@seeds) {
    my ($source, $text) = mutant($seed);
    spew("$scratch/mutant.cu", $text);
    my $options = $options[$seed % @options];
    my ($code, undef, $err) = sh("$root/tests/lib/limit 60 $translate $options $scratch/mutant.cu");
    $ended{$code}++;
    next if $code =~ /^[01]$/ && $err !~ /Sanitizer|runtime error/ && ($code == 0 || $err ne '');
    push @wrong, "seed $seed, $source, translate $options: exit code $code\n" . substr($err, 0, 2000) . "\n";
}
ok(!@wrong, scalar(@seeds) . ' mutants') or diag(scalar(@wrong), " of them, the first:\n", @wrong[0 .. (@wrong > 3 ? 2 : $#wrong)]);
note("exit codes: @{[map { qq($_: $ended{$_}) } sort keys %ended]}");
cmp_ok($ended{0} // 0, '>', @seeds / 10, 'some of them are translated') if !@ARGV;
done_testing();
