#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make snippet: each chapter's program and some experiments (with make test-all each) as one file,
# away from the course: it has what it uses and no more, is as short as promised, compiles without a
# warning, and passes; with a mistake in a kernel it does not.
# So does what README.md shows of the error check.
use strict;
use warnings;
use Test::More;
use FindBin;
require "$FindBin::Bin/../lib/lib.pl";

my ($away, $root) = scratch_and_root();
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";
my $nvcc = $ENV{NVCC} || 'nvcc';
my $has_nvcc = system("command -v '$nvcc' >/dev/null 2>&1") == 0;
my $gpu = $has_nvcc && system('nvidia-smi -L 2>/dev/null | grep -q "^GPU 0"') == 0;

# Runs a command away from the course; what it prints, if it fails.
sub failure {
    my ($command) = @_;
    my $output = `cd '$away' && { $command; } 2>&1`;
    return $? == 0 ? '' : "$command: " . ($? >> 8) . "\n$output";
}

# The chapters' programs, and a sample of the experiments; with make test-all every one of them.
my @experiments = map { [m{^(.*)/experiments/(.*)\.cu$}] } glob '[0-9][0-9]_*/experiments/*.cu';
my $step = $ENV{TEST_ALL} ? 1 : 8;
my @wanted = map { [$_] } grep { -d } glob '[0-9][0-9]_*';
push @wanted, map { $experiments[$step * $_ + $step - 1] } 0 .. @experiments / $step - 1;
my $compile = "'$root/common/cpu_device/cudacc' -O1 -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-function";
my ($plain, @long) = (0);
for (@wanted) {
    my ($chapter, $program) = @$_;
    my $name = join '/', @$_;
    my $make = "make -s snippet CHAPTER=$chapter" . ($program ? " PROGRAM=$program" : '');
    is(failure("make -s -C '$root' snippet CHAPTER=$chapter " . ($program ? "PROGRAM=$program" : '') . ' >one.cu'), '',
        "$name: $make");
    my $snippet = slurp("$away/one.cu");
    my @unused = grep { (() = $snippet =~ /\b$_\b/g) < 2 } $snippet =~ /^static (?:inline|__global__|__device__).*?(\w+)\(/mg;
    ok($snippet =~ /\bmain\(/ && $snippet !~ /#include "/ && !@unused, "$name: one file, with what it uses and no more")
        or diag("unused: @unused");
    like($snippet, qr/^\/\/ SPDX-License-Identifier: MIT$/m, "$name: its license");
    my $lines = () = $snippet =~ /\n/g;
    my $is_plain = !$program || $snippet =~ /^int main\(void\)/m;
    cmp_ok($lines, '<=', $is_plain ? 150 : 750, "$name: lines");
    is(failure("$compile one.cu -o one"), '', "$name: cudacc compiles it");
    is(failure('./one ' . ($program ? '' : 10007)), '', "$name: and it passes");
  SKIP: {
        skip "no nvcc: $name is not compiled with it", 1 if !$has_nvcc || ($program && !$ENV{TEST_ALL} && $plain++);
        is(failure("'$nvcc' one.cu " . ($gpu ? '-o one_gpu' : '-ptx')), '', "$name: nvcc compiles it");
    }
  SKIP: {
        skip "no GPU: $name is not run on one", 1 if !$gpu || !-e "$away/one_gpu";
        is(failure('./one_gpu ' . ($program ? '' : 10007)), '', "$name: and it passes on the GPU");
    }
    unlink "$away/one_gpu";
}

# A kernel that is wrong does not pass, with either main.
for (['05_coalescing stride', 's/(__global__ void stride.*?a\[i\] \+ )1/${1}2/s'], ['01_sync_timing launch_queue', 's/-a\[i\]/a[i]/']) {
    my ($program, $mistake) = @$_;
    open my $file, '>', "$away/wrong.cu" or die;
    my $code = `tools/documents/snippet $program`;
    my $right = $code;
    eval "\$code =~ $mistake; 1" or die $@;
    isnt($code, $right, "$program: a mistake");
    print $file $code;
    close $file;
    is(failure("$compile wrong.cu -o wrong"), '', "$program, with a mistake: compiles");
    like(failure('./wrong'), qr/^\.\/wrong: 1\n.*^FAIL/ms, "$program, with a mistake: FAIL, exit code 1");
}

# One variant, and every variant of a table if all are to be tested.
my $stride = `tools/documents/snippet 05_coalescing stride`;
like($stride, qr/\Q{"stride 32", launch_stride<float>\E/, 'as many variants as fit');
my $chosen = `tools/documents/snippet 05_coalescing stride 'one phase of 7'`;
like($chosen, qr/launch_phase<float>/, 'a variant that is asked for');
unlike($chosen, qr/launch_stride/, '...alone');
like($chosen, qr/"stride 32"/, '...names the others');
for (grep { $ENV{TEST_ALL} } @experiments) {
    my ($chapter, $program) = @$_;
    my ($others) = `tools/documents/snippet $chapter $program` =~ /^((?:\/\/ .*\n)+)/;
    for my $variant (join(' ', split m{\n// }, $others) =~ /"(.*?)"/g) {
        is(failure("cd '$root' && tools/documents/snippet $chapter $program '$variant' >'$away/one.cu' && cd '$away' && $compile one.cu -o one && ./one"),
            '', "$program: $variant");
    }
}
like(`tools/documents/snippet 05_coalescing stride 'stride 7' 2>&1`, qr/has no variant 'stride 7'; it has: stride 1, stride 2/, 'no such variant');
is($? >> 8, 2, 'and its exit code');
like(`tools/documents/snippet 01_sync_timing copy_waits 'late negate' 2>&1`, qr/^snippet: .* has no variants to choose from/, 'no variants');
my ($too_much) = `tools/documents/snippet 01_sync_timing sync_timing` =~ /\b(peak_gb_per_s|measure_free|close_gate|guarded_malloc|fit_table)\b/;
is($too_much, undef, 'what an experiment does not use is left out');
like(`tools/documents/snippet 09_none 2>&1`, qr/^snippet: 09_none: no such chapter; there are: 01_sync_timing /, 'no such chapter');
is($? >> 8, 2, 'and its exit code');
like(`tools/documents/snippet 02_events steams 2>&1`, qr/^snippet: 02_events has no program 'steams'; it has: 1_events /, 'no such program');

# ---- README.md: just the error check -----------------------------------------------------------
my ($check) = slurp('README.md') =~ /^## Just the error check\n.*?^```c\n(.*?)^```$/ms;
ok($check, 'README.md shows the error check') or done_testing(), exit;
my ($head, $calls) = $check =~ /\A(.*?\n)\n(.*)\z/s;
for my $block (256, 2048) {
    open my $file, '>', "$away/check.cu" or die;
    print $file <<"END";
$head
__global__ void kernel(float *x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 1;
}
int main(void) {
    size_t n = 1000, bytes = n * sizeof(float);
    unsigned block = $block, grid = 4;
    float *d_x;
$calls
    CUDA_CHECK(cudaFree(d_x));
    return 0;
}
END
    close $file;
    is(failure("cp -f '$root/common/common.h' . && '$root/common/cpu_device/cudacc' check.cu -o check"), '',
        "README.md's error check compiles with common/common.h alone");
    my $said = failure('./check');
    $block == 256 ? is($said, '', 'and lets a right program pass')
                  : like($said, qr/^\.\/check: 3\ncheck\.cu:\d+: cudaGetLastError\(\) failed: cudaErrorInvalidValue/,
                        'and stops one whose launch is refused');
}
done_testing();
