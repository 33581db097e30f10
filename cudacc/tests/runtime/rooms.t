#!/usr/bin/perl
# The CPU device's rooms: between its files no cycle, between its folders arrows that point down only,
# and no name that a program's own could collide with, but for those that are documented.
#
# SPDX-License-Identifier: MIT
use File::Find;
use lib 'tests/lib';
use Tests;

delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
my ($scratch, $root) = scratch_and_root();
my $device = "$root/cudacc";
my $cudacc = $ENV{CUDACC} // "$device/cudacc";
my $cc     = $ENV{CC} // 'gcc';
plan skip_all => 'no nm: install binutils' if system 'nm --version >/dev/null 2>&1';

# A room may use those that stand before it in its line. Of extra/, which holds what no chapter uses, the rest
# knows nothing: only headers include its headers, and the translator calls it where it puts its steps together.
my @lines = (
    [qw(include runtime api extra/api)],
    [qw(include runtime extra/include extra/runtime extra/api)],
    [qw(include runtime trace/names trace trace/check trace/record trace/report)],
    [qw(include runtime trace/names trace trace/count trace/record trace/report)],
    [qw(include runtime extra/include extra/runtime extra/trace)],
    [qw(include runtime trace/names trace trace/check trace/count trace/record extra/trace)],
    [qw(translate extra/translate)],
);
my $steps = 'translate/main.c';
my %may;
for my $line (@lines) {
    for my $i (0 .. $#$line) { $may{ $line->[$i] }{$_} = 1 for @$line[0 .. $i] }
}

sub room { return $_[0] =~ s{/[^/]+$}{}r =~ s{^((?:extra/)?include)/.*}{$1}r }

my @files;
find({ no_chdir => 1, wanted => sub { push @files, $File::Find::name =~ s{^\Q$device\E/}{}r if /\.[ch]$/ && !m{^\Q$device\E/tests/} } }, $device);
@files = sort @files;
is_deeply([grep { !$may{ room($_) } } @files], [], 'every file lies in a room');

# ---- What a file includes ----
my @wrong;
for my $file (@files) {
    for my $included (slurp("$device/$file") =~ /^#include "([^"]+)"/mg) {
        my $to = -f "$device/$included" ? $included : room($file) . "/$included";
        next if $may{ room($file) }{ room($to) } || room($file) eq 'include' || $file eq $steps;
        push @wrong, "$file includes $included";
    }
}
is_deeply(\@wrong, [], 'no file includes one of a room above its own');

# ---- What an object calls ----
my @sources = grep { /\.c$/ } @files;
my %object = map { $_ => "$scratch/" . tr{/}{-}r . '.o' } @sources;
spew("$scratch/make", join '', "all: @{[ map { $object{$_} } @sources ]}\n",
    map { "$object{$_}:\n\t$cc -std=gnu11 -O0 -w -fvisibility=hidden -I'$device' -c '$device/$_' -o \$@\n" } @sources);
chomp(my $jobs = `nproc 2>/dev/null` || 1);
is(scalar `make -s -j$jobs -f '$scratch/make' 2>&1`, '', 'all objects compile');

my (%home, %needs, %arrow);
sub program { return $_[0] =~ m{^(?:extra/)?translate/} ? 'translate' : 'runtime' } # each with names of its own
for my $file (@sources) {
    for (`nm -g '$object{$file}'`) {
        my ($kind, $name) = /(\w) (\S+)$/ or next;
        if ($kind =~ /[Uvw]/) { $needs{$file}{$name} = 1 }
        else                  { $home{ program($file) }{$name} = $file }
    }
}
for my $file (@sources) {
    for my $name (sort keys %{ $needs{$file} }) {
        my $to = $home{ program($file) }{$name} // next;
        push @{ $arrow{$file}{$to} }, $name if $to ne $file;
    }
}
@wrong = ();
for my $file (@sources) {
    push @wrong, map { "$file -> $_: @{ $arrow{$file}{$_} }" }
        grep { !$may{ room($file) }{ room($_) } && $file ne $steps } sort keys %{ $arrow{$file} };
}
is_deeply(\@wrong, [], 'no object calls one of a room above its own');

# Files that reach each other: Tarjan's strongly connected components.
my (%index, %low, @stack, %on, @cycles);
sub visit {
    my ($file) = @_;
    $index{$file} = $low{$file} = keys %index;
    push @stack, $file;
    $on{$file} = 1;
    for my $to (sort keys %{ $arrow{$file} }) {
        visit($to) if !exists $index{$to};
        $low{$file} = $low{$to} if $on{$to} && $low{$to} < $low{$file};
    }
    return if $low{$file} != $index{$file};
    my @together;
    do { push @together, pop @stack; delete $on{ $together[-1] } } until $together[-1] eq $file;
    push @cycles, join ' ', scalar(@together), 'files:', sort @together if @together > 1;
    return;
}
for (@sources) { visit($_) if !exists $index{$_} }
is_deeply(\@cycles, [], 'no files that reach each other') or diag(map {
    my $file = $_;
    map { "$file -> $_: @{ $arrow{$file}{$_} }\n" } sort keys %{ $arrow{$file} }
} grep { my $file = $_; grep { /\b\Q$file\E\b/ } @cycles } @sources);

# ---- What a program sees ----
spew("$scratch/user.cu", "#include <cuda_runtime.h>\n#include <cpu_device/pages.h>\n#include <cpu_device/stores.h>\n#include <cooperative_groups.h>\n#include <curand_kernel.h>\nint main() { return 0; }\n");
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";
my %documented = map { $_ => 1 } slurp("$device/README.md") =~ /`(\w+)`/g;
for my $option ('', '--trace') {
    my $said = `'$cudacc' $option -v '$scratch/user.cu' -o '$scratch/user' 2>&1`;
    my ($runtime) = $said =~ /'([^']*\/runtime(?:-trace)?\.o)'/ or do { fail("no runtime in: $said"); next };
    my %declared = map { $_ => 1 } map { `'$cudacc' $option $_ -E '$scratch/user.cu' 2>&1` =~ s/"\s*"//gr =~ /\b([A-Za-z_]\w*)\b/g } '', '--cudart=12', '--cudart=11';
    my @visible = `nm -g --defined-only '$runtime'` =~ /^\S+ \S (\S+)$/mg or fail("nm $runtime");
    my @leaks = grep { !$declared{$_} && !$documented{$_} && !/^__tsan_/ } @visible;
    is_deeply(\@leaks, [], "every visible name is declared in include/ or documented, cudacc $option");
    next if !$option;
    like(scalar `nm '$runtime'`, qr/^0+ [bB] cpu_device_behind_shared$/m,
        "the runtime's variables of a thread begin with the room behind those of the program");
}

# ---- A program with names of its own that are ours, too ----
spew("$scratch/runtime.h", "enum { OF_THE_USER = 7 };\n");
spew("$scratch/names.cu", <<'END');
#include <stdio.h>
#include <runtime.h>
int lanes = 1, request = 1, find = 1, memory = 1, observer = 1, self = 1, hash = 1, say = 1, stop = 1;
extern "C" int trace_call(int x) { return x + OF_THE_USER; }
__global__ void count(int *x) { x[threadIdx.x] = threadIdx.x; }
int main() {
    int *d, h[64];
    cudaMalloc(&d, sizeof h);
    count<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%d\n", trace_call(h[63]) + lanes + request + find + memory + observer + self + hash + say + stop);
    return 0;
}
END
for my $option ('', '--trace') {
    my $said = `'$cudacc' $option -I '$scratch' '$scratch/names.cu' -o '$scratch/names' 2>&1 && ACCESS_TABLE=0 '$scratch/names' 2>/dev/null`;
    is($said, "79\n", "a program's own runtime.h, trace_call, lanes, request, find, memory ..., cudacc $option");
}
done_testing();
