#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The API of the CPU device: what its headers declare is what its runtime defines, under every
# version of CUDA that cudacc speaks, and each function is called by a test.
use lib 'tests/lib';
use Tests;
use File::Find;

my ($folder, $root) = scratch_and_root();
my $cudacc = "$root/cudacc/cudacc";
plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
plan skip_all => 'no nm (Debian package: binutils)' if system('command -v nm >/dev/null 2>&1') != 0;

# ---- Defined: the names that the runtime gives to every program ----
spew("$folder/main.c", "int main(void) { return 0; }\n");
tells("'$cudacc' '$folder/main.c' -o '$folder/main'", 0, 'a program without a kernel is linked with the runtime');
my %symbols = map { $_ => 1 } `nm '$folder/main'` =~ /^\S+ [Tt] (\w+)$/mg;
my @defined = grep { /^cuda[A-Z]/ } keys %symbols;

# ---- Declared: for a version of CUDA in a language, each function's name, and that of the symbol
# it stands for; '' when the header itself defines it ----
sub declared {
    my ($version, $language) = @_;
    my ($source, %declared) = "$folder/header.$language";
    spew($source, "#include <cuda_runtime_api.h>\n");
    my $text = `'$cudacc' --cudart=$version -E '$source'`;
    is($?, 0, "the header of CUDA $version in a .$language file");
    $text =~ s/^#.*//mg;
    while ($text =~ /\b(?:cudaError_t|const char \*|struct cudaChannelFormatDesc)\s*(cuda[A-Z]\w*)\s*\(([^;{]*)([;{])/g) {
        my ($name, $rest, $end) = ($1, $2, $3);
        next if $rest =~ /__attribute__\(\((?:unavailable|error)/;
        my $symbol = $rest =~ /__asm__\("(\w+)"\)/ ? $1 : $name;
        $declared{$name} //= $end eq '{' ? '' : $symbol;
    }
    return %declared;
}

my %offered = map { $_ => 1 } @defined;
for my $version (11, 12, 13) {
    my %declared = declared($version, 'c');
    none("what the header of CUDA $version declares is defined",
        grep { $declared{$_} && !$symbols{$declared{$_}} } keys %declared);
    none('and all that is defined is declared there', grep { !exists $declared{$_} } @defined)
        if $version == 13;
    my %overloaded = declared($version, 'cu');
    $offered{$_} = 1 for keys %declared, keys %overloaded;
}

# ---- Tested ----
my %called;
find({ no_chdir => 1, wanted => sub {
    return if !/\.(?:cu|c)$/;
    my $text = slurp($_);
    $text =~ s{"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|/\*.*?\*/|//[^\n]*}{ }gs;
    $called{$_} = 1 for $text =~ /\b(cuda[A-Z]\w*)\s*\(/g;
} }, "$root/tests", "$root/cudacc/tests");
none(keys(%offered) . ' functions, and a test calls each', grep { !$called{$_} } keys %offered);

# The tests themselves are built for CUDA 13; what was otherwise before is tested here.
for my $source (grep { slurp($_) =~ /^#if CUDART_VERSION/m } glob "$root/cudacc/tests/runtime/semantics_*.cu") {
    my ($name) = $source =~ m{(\w+)\.cu$};
    for my $version (11, 12) {
        my $output = `'$cudacc' -O1 --cudart=$version '$source' -o '$folder/test' 2>&1 && '$folder/test' 2>&1`;
        ok($? == 0 && $output =~ /^1\.\.\d+$/m, "$name, CUDA $version")
            or diag(grep { !/^ok/ } split /^/m, $output);
    }
}

done_testing();
