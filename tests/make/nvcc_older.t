#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# With an nvcc of CUDA 11 or 12 beside the one on the PATH: what depends on the architecture or on CUDA's
# version, and the snippets, compile without a warning, with no -arch and for sm_90; with TEST_ALL=1 all
# that the course has, for sm_60 too. NVCC_OLDER names one; else those in the usual places are taken.
use lib 'tests/lib';
use Tests;
use File::Glob qw(bsd_glob);

my @plain   = qw(-O3 -lineinfo -Wno-deprecated-gpu-targets);
my @strict  = (@plain, '-Werror', 'all-warnings', '-Xcompiler', '-Wall,-Wextra');
my @usual   = ('/usr/local/cuda-1[12]*/bin/nvcc', '/usr/lib/nvidia-cuda-toolkit/bin/nvcc', '/usr/bin/nvcc');
my $scratch = tempdir(CLEANUP => 1);
my $cores   = `nproc 2>/dev/null` || 1;

# Starts a command; finish() gives what it printed, and whether it succeeded without a word.
sub start {
    my (@command) = @_;
    my $pid = open(my $pipe, '-|') // die "fork: $!";
    if ($pid == 0) {
        open STDERR, '>&', \*STDOUT;
        exec { $command[0] } @command or exit 127;
    }
    return $pipe;
}

sub finish {
    my ($pipe) = @_;
    local $/;
    my $output = <$pipe> // '';
    close $pipe;
    return ($output, $? == 0 && $output eq '');
}

# The command for an nvcc, with a g++ that it takes; or undef and why.
sub command_of {
    my ($nvcc) = @_;
    spew("$scratch/empty.cu", "#include <string>\n__global__ void nothing(void) {}\n");
    my $first;
    for my $ccbin ('', map { "g++-$_" } reverse 9 .. 14) {
        next if $ccbin && system("command -v $ccbin >/dev/null 2>&1");
        my @command = ($nvcc, $ccbin ? ('-ccbin', $ccbin) : ());
        my ($output, $works) = finish(start(@command, @plain, '-c', "$scratch/empty.cu", '-o', "$scratch/empty.o"));
        return (\@command) if $works;
        $first //= $output;
    }
    return (undef, $first =~ /^(.*error.*)$/m ? $1 : 'it does not run');
}

# [name, options and file] of all that is compiled: programs, tests, exercises.
sub everything {
    my @work;
    for my $source (bsd_glob('[0-9][0-9]_*/{,experiments/}*.cu')) {
        push @work, [$source, @strict, $source];
    }
    push @work, map { [$_, @strict, $_] } map { bsd_glob("$_/*.cu") } qw(docs/snippets cudacc/tests/runtime tests/programs);
    for my $exercise (bsd_glob('[0-9][0-9]_*/exercises/*')) {
        push @work, map { [$_, @plain, $_] } grep { -f } map { "$exercise/$_.cu" } qw(check exercise solution);
    }
    return @work;
}

sub compile_all {
    my ($version, $command, @jobs) = @_;
    my @pipes;
    for my $i (0 .. $#jobs + $cores) {
        if ($i < @jobs) {
            my ($name, @options) = @{ $jobs[$i] };
            push @pipes, start(@$command, '-c', @options, '-o', "$scratch/$i.o");
        }
        next if $i < $cores;
        my ($output, $works) = finish(shift @pipes);
        ok($works, "nvcc $version: $jobs[$i - $cores][0]") or diag($output);
        unlink "$scratch/" . ($i - $cores) . '.o';
    }
    return;
}

my %nvcc;    # by version
for my $nvcc ($ENV{NVCC_OLDER} // map { grep { -x } bsd_glob($_) } @usual) {
    my ($version) = (finish(start($nvcc, '--version')))[0] =~ /release (\d+\.\d+)/;
    die "NVCC_OLDER=$nvcc does not run\n" if !defined $version && defined $ENV{NVCC_OLDER};
    $nvcc{$version} //= $nvcc if defined $version && ($version < 13 || defined $ENV{NVCC_OLDER});
}
plan skip_all => 'no nvcc of CUDA 11 or 12 (NVCC_OLDER=path names one)' if !%nvcc;

my @all    = everything();
my @sample = grep { $_->[0] =~ m{^docs/snippets/} || $_->[0] !~ /exercises/ && slurp($_->[-1]) =~ /CUDA_ARCH|CUDART_VERSION/ } @all;
cmp_ok(scalar(grep { $_->[0] !~ /snippets/ } @sample), '>', 3, 'there are sources that depend on architecture or version');
for my $version (sort keys %nvcc) {
  SKIP: {
        my ($command, $why) = command_of($nvcc{$version});
        skip "nvcc $version: $why", 1 if !$command;
        diag("nvcc $version: @$command");
        my @newest = $version >= 11.8 ? 90 : 80;
        my @jobs = map { my ($name, @options) = @$_; [$name, @options], ["$name, sm_@newest", "-arch=sm_@newest", @options] } @sample;
        # One call for several: the host's part of it is the same.
        my @oldest = $version < 13 ? (52, 60) : 75;
        my @several = map { ('-gencode', "arch=compute_$_,code=sm_$_") } @oldest, @newest;
        push @jobs, map { my ($name, @options) = @$_; ["$name, sm_@oldest, sm_@newest", @several, @options] } @all if $ENV{TEST_ALL};
        compile_all($version, $command, @jobs);
    }
}
done_testing();
