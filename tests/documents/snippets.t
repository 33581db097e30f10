#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# docs/snippets: each is short, needs no other file, may be pasted; away from the course it compiles without a
# warning and passes at edge sizes, traced without an error, too; with a mistake in it, it does not. On a GPU
# where one is. (tests/make/nvcc.t and nvcc_older.t compile them with every nvcc.)
use lib 'tests/lib';
use Tests;

my ($away, $root) = scratch_and_root();
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";
my %device = map { $_ => 1 } split ' ', $ENV{DEVICES} // 'cpu';
my $nvcc = quoted($ENV{NVCC} || 'nvcc');
my $cudacc = "course/cudacc/cudacc -O2 -Wall -Wextra -Werror";
my @names = map { m{(\w+)\.cu$} } sort glob 'docs/snippets/*.cu';
my %text = map { $_ => slurp("docs/snippets/$_.cu") } @names;
chdir $away or die;

# One mistake in each, which the snippet itself must find.
my %mistake = (
    block_reduction     => ['offset = 16; offset > 0; offset /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffff, value, offset), operation);
    if', 'offset = 8; offset > 0; offset /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffff, value, offset), operation);
    if'],
    check_errors        => ['n + 255) / 256), 256', 'n + 255) / 256), 2048'],
    effective_bandwidth => ['i < LAUNCHES; i++)', 'i < LAUNCHES - 1; i++)'],
    float4_any_length   => ['% 32 / sizeof(float);', '% 32 / 8;'],
    grid_stride_loop    => ['i < n; i += stride', 'i < n - 1; i += stride'],
    matrix_product      => ['j < inner &&', 'j < inner - 1 &&'],
    pinned_overlap      => ['x + first, d_x + first', 'x + first, d_x'],
    prefetch_managed    => ['x[i] = x[i] + 1', 'x[i] = x[i] + 2'],
    time_with_events    => ['i < LAUNCHES; i++)', 'i <= LAUNCHES; i++)'],
    time_with_graph     => ['cudaGraphLaunch(ready, stream));
    CUDA_CHECK(cudaEventRecord(stop', 'cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(stop'],
    transpose           => ['y + j < width', 'y + j < width - 1'],
    warp_reduction      => ['offset = 16', 'offset = 8'],
);
# For each file what it is tried with: nothing, one element, around a warp, a tile and a block, many.
my @SIZES = ('', 1, 2, 3, 7, 31, 32, 33, 255, 257, 100003, 1000001, $ENV{TEST_ALL} ? 10000000 : ());
my %MATRICES = (
    transpose => ['', '1 1', '1 31', '33 1', '31 33', '32 32', '33 31', '64 65', '1000001 1', '1 1000001', $ENV{TEST_ALL} ? '5000 2000' : ()],
    matrix_product => ['', '1 1 1', '31 1 1', '1 33 3', '31 33 32', '33 31 1', '16 16 16', '1000001 1 3', $ENV{TEST_ALL} ? '5000 2000 3' : ()],
);

sub sizes { my ($name) = @_; return @{ $MATRICES{$name} // \@SIZES } }

# What a program printed where it did not pass, at any of the sizes; the report of the tracer where it names an error.
sub failures {
    my ($program, @sizes) = @_;
    my @failures;
    for my $size (@sizes) {
        my ($code, $out, $err) = sh("course/tests/lib/limit 120 ./$program $size");
        push @failures, "$program $size: exit code $code\n$out$err"
            if $code ne '0' || $out !~ /^PASS\n\z/m || $err =~ /^CPU device: (?!0 errors$)/m;
    }
    return join '', @failures;
}

is(join(' ', sort keys %mistake), "@names", 'a mistake is known for each snippet');
for my $name (@names) {
    my $text = $text{$name};
    my $some = $MATRICES{$name} ? '1000 33' : 1000;
    cmp_ok(scalar(() = $text =~ /\n/g), '<=', 90, "$name: lines");
    like($text, qr{\A(?:// [^\n]+\n){1,2}// SPDX-License-Identifier: MIT-0\n#include}, "$name: its first lines say what it is, and the license");
    unlike($text, qr/#include "/, "$name: nothing of the course");
    my @unchecked = grep { !/CUDA_CHECK\(/ } $text =~ /^.*\bcuda[A-Z]\w+\(.*$/mg;
    is(join("\n", grep { !/cudaGetError|return cudaMemPrefetchAsync/ } @unchecked), '', "$name: every call is checked");
    is(scalar(() = $text =~ /<<</g) - scalar(() = $text =~ /CUDA_CHECK\(cudaGetLastError\(\)\)/g) <= ($text =~ /LAUNCHES/ ? 1 : 0), 1, "$name: and every launch");

    spew("$name.cu", $text);
    is(join('|', output_of("$cudacc $name.cu -o $name")), '0|', "$name: cudacc compiles it");
    is(failures($name, grep { $_ ne '' } sizes($name)), '', "$name: it passes at every size");
    is(join('|', output_of("$cudacc -g --trace $name.cu -o traced")), '0|', "$name: cudacc --trace");
    is(failures('traced', grep { $_ ne '' } sizes($name)), '', "$name: traced, no error is reported");
    unlike((sh("./$name $some"))[1], qr/\d (?:[num]?s|GB)\b/, "$name: no time, no rate on the CPU device");
    is(join('|', output_of("$cudacc --cudart=$_ $name.cu -o older && ./older $some")), "0|PASS\n", "$name: with CUDA $_\'s signatures") for 11, 12;

    my ($right, $wrong) = @{ $mistake{$name} };
    my $broken = $text =~ s/\Q$right\E/$wrong/r;
    isnt($broken, $text, "$name: a mistake");
    spew('broken.cu', $broken);
    is(join('|', output_of("$cudacc broken.cu -o broken")), '0|', "$name, with a mistake: compiles");
    my ($code, $out, $err) = sh("./broken $some");
    ok($code eq '1' && ($out =~ /^FAIL\n\z/m || $err =~ /^\w+\.cu:\d+: cuda.* failed: cudaError/m), "$name, with a mistake: FAIL, exit code 1") or diag("$code\n$out$err");
  SKIP: {
        skip 'no GPU', 2 if !$device{gpu};
        is(join('|', output_of("$nvcc -O3 -arch=native $name.cu -o on_gpu")), '0|', "$name: nvcc compiles it");
        is(failures('on_gpu', sizes($name)), '', "$name: it passes on the GPU");
    }
}

# What goes wrong in a call is said with its file and line, in the same words everywhere; and a size that is none.
is(scalar(unique(map { /^(#define CUDA_CHECK.*?while \(0\)\n)/ms ? $1 : "none in $_" } values %text)), 1, 'one CUDA_CHECK for all');
for my $name (@names) {
    for my $wrong (qw(0 abc -5), $MATRICES{$name} ? '1 1 1 1' : ('1e6', '12 13', 99999999999)) {
        shows("./$name $wrong", '2', '', qr/\Ausage: \S+ \[\w+.*\]\n\z/, "$name $wrong: a sentence");
    }
}

# The pages list each.
for my $page ('docs/snippets/README.md', 'README.md') {
    my $list = slurp("$root/$page");
    is(join(' ', grep { $list !~ /\]\([\w\/]*\b$_\.cu\)/ } @names), '', "$page lists every snippet");
}
done_testing();
