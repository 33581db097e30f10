#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Chapter 06 says which of its kernels access memory 128 bits at a time. The compiler must agree: in
# PTX with nvcc alone, in SASS too where cuobjdump is.
use File::Temp qw(tempfile);
use lib 'tests/lib';
use Tests;

# Loads and stores of 128 bits in the code of each kernel; kernels of 0 have none.
my %expected = (
    widths    => { add_float => [0, 0], add_float2 => [0, 0], add_float4 => [2, 1], add_unrolled4 => [0, 0],
                   add_unrolled8 => [0, 0], saxpy_float => [0, 0], saxpy_float4 => [2, 1] },
    sizes     => { add_float => [0, 0], add_float4 => [2, 1], add_unrolled4 => [0, 0] },
    cause     => { add_float => [0, 0], add_float4 => [2, 1], add_in_turn4 => [0, 0], add_unrolled4 => [0, 0],
                   add_in_turn4_restrict => [0, 0], add_loop => [0, 0] },
    tails     => { add_article => [2, 1], add_head_body_tail => [2, 1] },
    alignment => { 'add_struct<four>' => [0, 0], 'add_struct<aligned_four>' => [2, 1] },
    limit     => { add_streaming => [2, 1] },
    order     => {},
);

# The filter's output: kernel => { instruction => how often }.
sub kernels {
    my ($text) = @_;
    my %kernels;
    for (split /\n/, $text) {
        next if !/^(\w\S*)  +(.*?)  +\d+  /;
        my ($kernel, $list) = ($1, $2);
        $kernels{$kernel} = { map { reverse split ' ' } grep { $_ ne '-' } split /, /, $list };
    }
    return \%kernels;
}

sub count {
    my ($kernel, $pattern) = @_;
    my $sum = 0;
    $sum += $kernel->{$_} for grep { /$pattern/ } keys %$kernel;
    return $sum;
}

sub filter {
    my ($text) = @_;
    my ($file, $name) = tempfile(UNLINK => 1);
    print $file $text;
    close $file;
    return scalar `tools/measure/sass $name`;
}

sub compare {
    my ($program, $kind, $is, $load, $store) = @_;
    for my $kernel (sort keys %{ $expected{$program} }) {
        my ($loads, $stores) = @{ $expected{$program}{$kernel} };
        ok($is->{$kernel}, "$program has $kernel in $kind") or next;
        cmp_ok(count($is->{$kernel}, $load), $loads ? '>=' : '==', $loads, "$kernel: $loads loads of 128 bits in $kind");
        cmp_ok(count($is->{$kernel}, $store), $stores ? '>=' : '==', $stores, "$kernel: $stores stores of 128 bits in $kind");
        cmp_ok(count($is->{$kernel}, qr/^ld|^LDG/), '>=', 2, 'it does load') if !$loads;
    }
}

# ---- The filter, without nvcc ----
my $sass = filter(<<'END');
arch = sm_90
        Function : _Z10add_float4PfPKfS1_m
    .headerflags    @"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;       /* 0x00000a00ff017b82 */
        /*0010*/                   LDG.E.128 R4, desc[UR4][R4.64] ;
        /*0020*/              @!P0 LDG.E.128.CONSTANT R8, desc[UR4][R8.64] ;    /* 0x000ea8000c1e1d00 */
        /*0030*/                   FFMA R4, R4, R5, R6 ;
        /*0040*/                   FFMA R5, R4, R5, R6 ;
        /*0050*/                   FFMA.FTZ R6, R4, R5, R6 ;
        /*0060*/                   ISETP.NE.AND P0, PT, R7, RZ, PT ;
        /*0070*/               @P0 BRA 0x30 ;
        /*0080*/              @P0  STG.E.128 desc[UR4][R2.64], R4 ;
        /*0090*/                   BRA 0x90;
        Function : _ZL10add_structI4fourEvPfPKfS3_m
        /*0000*/                   LDG.E R4, [R4.64] ;
        /*0010*/                   LDG.E R5, [R4.64+0x4] ;
        /*0020*/                   EXIT ;
        Function : plain_name
        /*0000*/                   EXIT ;
END
is($sass, <<'END', 'from SASS');
-- sm_90
add_float4                    1 LDG.E.128, 1 LDG.E.128.CONSTANT, 1 STG.E.128          2  5 instructions, 3 FFMA
add_struct<four>              2 LDG.E                                                 2  -
plain_name                    -                                                       0  -
END

# ---- The kernels ----
my $nvcc = $ENV{NVCC} // '';
SKIP: {
    if (!$nvcc) {
        BAIL_OUT('REQUIRE_GPU is set: no nvcc on the PATH') if $ENV{REQUIRE_GPU};
        skip 'no nvcc on the PATH: no PTX', 1;
    }
    for my $program (sort keys %expected) {
        my ($source) = glob "06_vectorized/experiments/?_$program.cu";
        # bulk copies need 9.0, which nvcc knows from 11.8 on
        my ($bulk, $ptx) = (1, scalar `'$nvcc' -O3 -arch=compute_90 -ptx $source -o - 2>&1`);
        ($bulk, $ptx) = (0, scalar `'$nvcc' -O3 -ptx $source -o - 2>&1`) if $?;
        ok($? == 0, "nvcc -ptx $program.cu") or diag($ptx);
        my $is = kernels(filter($ptx));
        compare($program, 'PTX', $is, qr/^ld\.global\S*\.v4\.[fbu]32/, qr/^st\.global\S*\.v4\.[fbu]32/);
        next if $program !~ /^(limit|order)$/ || !$bulk;
        my @bulk = grep { /^add_(bulk|ring)/ } sort keys %$is;
        ok(@bulk > 0, "$program has kernels with bulk copies");
        for my $kernel (@bulk) {
            cmp_ok(count($is->{$kernel}, qr/^cp\.async\.bulk/), '>=', 2, "$kernel: bulk copies");
            is(count($is->{$kernel}, qr/^ld\.global\S*\.v4/), 0, "$kernel: no load of its own for the body");
        }
    }

}
SKIP: {
    my ($cuobjdump) = grep { -x } map { "$_/cuobjdump" } split(/:/, $ENV{PATH}), $nvcc =~ s{/[^/]*$}{}r;
    my $folder = ($ENV{BUILD} // 'build') . '/gpu/06_vectorized/experiments';
    skip 'no cuobjdump (it comes with the CUDA Toolkit): no SASS', 1 if !$cuobjdump;

    # What is stored was made by one nvcc: another one may choose other instructions.
    my ($made_by) = slurp('06_vectorized/results/sm_90_sass.txt') =~ /^# nvcc: (\S+);/m;
    if ($nvcc && $made_by && index(scalar `'$nvcc' --version`, "V$made_by") >= 0) {
        for my $case (['03_bandwidth', 'roofline'], ['06_vectorized', 'cause']) {
            my ($chapter, $program) = @$case;
            my ($source) = glob "$chapter/experiments/?_$program.cu";
            my (undef, $cubin) = tempfile(UNLINK => 1);
            system($nvcc, qw(-O3 -arch=sm_90 -cubin -o), $cubin, $source);
            my %stored = map { $_ => 1 } split /\n/, slurp("$chapter/results/sm_90_sass.txt");
            my @lines = grep { /^\w/ } split /\n/, filter(scalar `'$cuobjdump' -sass $cubin 2>&1`);
            ok(@lines > 2, "$program has kernels");
            is(join('', map { "$_\n" } grep { !$stored{$_} } @lines), '', "$program: each line as it is stored");
        }
    }

    skip 'no build for the GPU', 1 if !-d $folder;
    for my $program (sort keys %expected) {
        my $is = kernels(filter(scalar `'$cuobjdump' -sass '$folder'/?_$program 2>&1`));
        compare($program, 'SASS', $is, qr/^LDG\.\S*\b128\b/, qr/^STG\.\S*\b128\b/);
    }
}

# ---- What is stored, when a part of store_sass fails: nothing ----
{
    my ($folder) = scratch_and_root();
    my %works = map { $_ => "#!/bin/sh\necho x\n" } qw(nvcc cuobjdump tools/measure/sass tools/measure/commit tools/measure/checksums);
    my $stored = "$folder/01_x/results/sm_90_sass.txt";
    for my $failing ('', sort keys %works) {
        spew("$folder/$_", $_ eq $failing ? "#!/bin/sh\necho y\nexit 1\n" : $works{$_}, 0755) for keys %works;
        spew("$folder/01_x/experiments/1_y.cu", '');
        spew($stored, "old\n");
        my $root = root();
        my ($code) = output_of("cd '$folder' && NVCC=./nvcc CUOBJDUMP=./cuobjdump sh '$root/tools/measure/store_sass' 01_x");
        my $new = slurp($stored) ne "old\n";
        ok($failing eq '' ? $code == 0 && $new : $code != 0 && ($failing =~ /checksums/ || !$new), $failing eq '' ? 'store_sass stores' : "but not when $failing fails");
    }
}
done_testing();
