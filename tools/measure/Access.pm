# SPDX-License-Identifier: MIT
# What a program's launches ask of memory, from the CPU device's trace or from Nsight Compute, in one
# form: a list of launches, in order, each a hash of
#
#     kernel, k         its plain name, and that it is the k-th launch of that kernel, from 0
#     grid, block       as XxYxZ
#     ld_requests ld_sectors st_requests st_sectors              global memory, without atomics
#     shared_ld_wavefronts shared_st_wavefronts                  shared memory
#     ld_useful_bytes st_useful_bytes                            only the CPU device knows them
#
# Launches of two devices belong together when kernel and k are the same: a program may launch more
# on one device than on the other, but never in another order.
package Access;
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/..';
use Course;

our @EXPORT = qw(@GLOBAL @SHARED $MOST $SIZE experiments source_of program_of arguments with_size
    all_runs number trace ncu_missing ncu_forbidden run_ncu ncu_table read_ncu write_results read_results read_allowed allowed_for
    is_comparable is_wrong compare build);

our @GLOBAL = qw(ld_requests ld_sectors st_requests st_sectors);
our @SHARED = qw(shared_ld_wavefronts shared_st_wavefronts);
my @USEFUL = qw(ld_useful_bytes st_useful_bytes);

# Enough for the longest sweep, and no more of a kernel that is launched hundreds of times.
our $MOST = 40;

# Elements: what fills all warps, for what is shown; and an odd number, for what is only compared.
# Both so small that no grid depends on the number of multiprocessors.
our $SIZE = 1024;
my $ODD_SIZE = 2001;

my %METRIC = (
    'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum'       => 'ld_requests',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum'        => 'ld_sectors',
    'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum'       => 'st_requests',
    'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum'        => 'st_sectors',
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum'  => 'shared_ld_wavefronts',
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum'  => 'shared_st_wavefronts',
);

# Programs are named without their number, which follows the lesson: 05_coalescing/stride.
sub experiments { return map { s{experiments/\d+_(\w+)\.cu$}{$1}r } sort glob '[0-9][0-9]_*/experiments/*.cu' }

sub source_of {
    my ($program) = @_;
    my ($folder, $name) = $program =~ m{^(.*)/(.*)$};
    return (glob "$folder/experiments/[0-9]*_$name.cu")[0] // "$program.cu";
}

# Does a program take --size? Then it tells run_begin what that counts. undef: it takes no options at
# all, as those of cudacc/tests/trace.
sub has_size {
    my ($program) = @_;
    my $source = source_of($program);
    my $text = slurp($source) // die "$source: $!\n";
    my ($folder) = $source =~ m{^(.*/)};
    $text .= join '', map { slurp("$folder$_") // '' } $text =~ /^#include "(\w+\.h)"/mg; # a main that two share
    return if $text !~ m{\brun_(?:begin|declare)\((.*?)\);}s;
    return $1 =~ /"[^"\n]+",\s*(?:NO|HAS)_ERRORS\z/ ? 1 : 0;
}

# A run is a program, or PROGRAM@SIZE. The program, and what it is called with.
sub program_of { return $_[0] =~ s/@.*//r }

sub arguments {
    my ($run) = @_;
    my ($program, $size) = split /@/, $run;
    return (defined has_size($program) ? '--quick' : (), defined $size ? ('--size', $size) : ());
}

sub with_size { return has_size($_[0]) ? "$_[0]\@$_[1]" : $_[0] }

# All that is compared; a second time those that a lesson shows, with the size that it shows.
sub all_runs {
    my @programs = ((map { s/\.cu$//r } glob('cudacc/tests/trace/*.cu'), glob('cudacc/tests/trace/samples/*.cu')), experiments());
    my @shown = map { slurp($_) =~ /^<!-- counts: (\S+)/mg } glob '[0-9][0-9]_*/*.md';
    return unique((map { with_size($_, $ODD_SIZE) } @programs), map { with_size($_, $SIZE) } @shown);
}

# ---- CSV ---------------------------------------------------------------------------------------
# A file whose first row is exactly $header: its rows, each a hash.
sub read_csv {
    my ($file, $header) = @_;
    my ($head, @rows) = eval { csv_rows(slurp($file) // die "no such file\n") };
    die "$file: $@" if $@;
    join(',', @{ $head // [] }) eq $header or die "$file: the header is not $header\n";
    for my $row (@rows) {
        @$row == @$head or die "$file: " . @$row . ' fields, not ' . @$head . ": @$row\n";
        my %row;
        @row{@$head} = @$row;
        $row = \%row;
    }
    return @rows;
}

# Numbers the launches of each kernel.
sub number {
    my (@launches) = @_;
    my %count;
    $_->{k} = $count{ $_->{kernel} }++ for @launches;
    return \@launches;
}

sub launch {
    my ($row) = @_;
    return { kernel => $row->{kernel}, grid => $row->{grid}, block => $row->{block},
             map { $_ => 0 } @GLOBAL, @SHARED, @USEFUL };
}

# ---- The CPU device ----------------------------------------------------------------------------
# Runs a program that `cudacc --trace` has made and leaves its report in build/access, by the name
# of the program. Its launches, in a list also its table line by line; dies with a reason.
sub trace {
    my ($run, $path) = @_;
    my $report = ($ENV{BUILD} || 'build') . "/access/" . program_of($run);
    make_path(dirname($report));
    unlink map { "$report$_" } qw(.csv .launches.csv .shared.csv);
    local @ENV{qw(ACCESS_REPORT ACCESS_TABLE)} = ("$report.csv", 1);
    my ($code, $out, $err) = run($path, arguments($run));
    $code == 0 or die "$run: exit code $code\n$out$err";
    my @launches = map { launch($_) }
        read_csv("$report.launches.csv", 'launch,kernel,grid,block,blocks_traced');
    for my $row (read_csv("$report.csv",
            'launch,kernel,grid,block,line,allocation,op,bytes_per_thread,requests,sectors,useful_bytes,moved_bytes')) {
        my $launch = $launches[ $row->{launch} ] // die "$run: no launch $row->{launch}\n";
        next if $row->{op} eq 'atomic';
        $launch->{"$row->{op}_requests"}     += $row->{requests};
        $launch->{"$row->{op}_sectors"}      += $row->{sectors};
        $launch->{"$row->{op}_useful_bytes"} += $row->{useful_bytes};
    }
    if (-f "$report.shared.csv") {
        for my $row (read_csv("$report.shared.csv",
                'launch,kernel,grid,block,line,variable,op,bytes_per_thread,requests,wavefronts,conflicts')) {
            $launches[ $row->{launch} ]{"shared_$row->{op}_wavefronts"} += $row->{wavefronts} if $row->{op} ne 'atomic';
        }
    }
    my $launches = number(@launches);
    return $launches if !wantarray;
    # The table without its introduction.
    my ($lines) = $err =~ /^Access report: .*\n.*\n\n?((?:.*\n)*?)\n?(?=^(?:ACCESS_REPORT=|CPU device: ))/m;
    return ($launches, $lines);
}

# ---- Nsight Compute ----------------------------------------------------------------------------
# Why ncu cannot be used, in one line with the remedy; nothing when it can.
sub ncu_missing {
    return if found('ncu');
    return 'no ncu on the PATH: it comes with the CUDA Toolkit (package cuda-nsight-compute)';
}

sub ncu_forbidden {
    my ($text) = @_;
    return if $text !~ /ERR_NVGPUCTRPERM/;
    return 'this user may not read the GPU\'s counters (ERR_NVGPUCTRPERM): run it as root, or have the'
        . ' driver loaded with NVreg_RestrictProfilingToAdminUsers=0';
}

# The same under ncu; what ncu writes goes to $log. The program's exit code and what it said when it
# failed, or 77 and why.
sub run_ncu {
    my ($run, $path, $log) = @_;
    my ($code, $out, $err);
    for my $some (['--kernel-id', ':::' . join('|', 1 .. $MOST)], ['--launch-count', 100]) {
        unlink $log;
        ($code, $out, $err) = run('ncu', '--csv', '--page', 'raw', '--print-units', 'base',
            '--print-kernel-base', 'function', '--clock-control', 'none', '--cache-control', 'none', @$some,
            '--metrics', join(',', sort keys %METRIC), '--log-file', $log, $path, arguments($run));
        last if (slurp($log) // '') =~ /^"ID"/m;
    }
    my $text = (slurp($log) // '') . $out . $err;
    my $why = ncu_forbidden($text);
    return (77, $why) if $why;
    return (77, "$run: no usable GPU") if $err =~ /no usable CUDA device/;
    $text =~ /^"ID"/m or $text =~ /No kernels were profiled/ or die "$run: ncu measured nothing:\n$text";
    return ($code, $code ? $out . $err : '');
}

# A whole number, with commas between thousands or without.
sub whole {
    my ($text) = @_;
    $text =~ /^(?:\d+|\d{1,3}(?:,\d{3})+)$/ or die "not a whole number: '$text'\n";
    return $text =~ tr/,//dr;
}

# What `ncu --csv --page raw` has written, among lines of its own ("==PROF== ..."): names, units, and a
# row for each launch. Returns the units and the launches, each a hash by name.
sub ncu_table {
    my ($text) = @_;
    return csv_table(join '', $text =~ /^(".*(?:\n|\z))/mg);
}

sub read_ncu {
    my ($log) = @_;
    my $text = slurp($log) // die "$log: $!\n";
    return [] if $text !~ /^"/m;    # no kernel ran
    my ($units, @rows) = eval { ncu_table($text) };
    die "$log: $@" if $@;
    $units or die "$log: no line of units\n";
    exists $units->{$_} or die "$log: no column $_\n" for 'ID', 'Kernel Name', 'Block Size', 'Grid Size', keys %METRIC;
    $units->{ID} eq '' or die "$log: no line of units\n";
    $units->{$_} =~ /^(?:request|sector|)$/ or die "$log: $_ in units of '$units->{$_}'\n" for keys %METRIC;
    my @launches;
    for my $row (@rows) {
        my $launch = launch({ kernel => $row->{'Kernel Name'},
            map { lc =~ s/ .*//r => ($row->{$_} // '') =~ /^\((\d+), (\d+), (\d+)\)$/ ? "$1x$2x$3" : die "$log: no $_\n" }
                'Grid Size', 'Block Size' });
        $launch->{kernel} =~ /^\w+$/ or die "$log: the kernel is called '$launch->{kernel}'\n";
        $launch->{ $METRIC{$_} } = eval { whole($row->{$_} // '') } // die "$log: $_: $@" for keys %METRIC;
        delete @$launch{@USEFUL};
        push @launches, $launch;
    }
    return number(@launches);
}

# ---- Results -----------------------------------------------------------------------------------
# A file of results: comments (device, date, versions), then a row for each launch of each program; launches 3..7
# of a kernel, one after another with the same counts, are one row.
sub results_header { return join ',', qw(program kernel launch grid block), @GLOBAL, @SHARED, @_ }

sub write_results {
    my ($file, $comment, $programs, $of_program, @more) = @_;
    my $text = join '', map({ "# $_\n" } @$comment), results_header(@more), "\n";
    for my $program (@$programs) {
        my ($first, $before) = (0, '');
        for my $launch (@{ $of_program->{$program} }) {
            my $row = join ',', @$launch{ qw(grid block), @GLOBAL, @SHARED, @more };
            my $again = "$launch->{kernel}," . ($launch->{k} - 1) . ",$row" eq $before;
            $again ? $text =~ s/[^\n]*\n\z// : ($first = $launch->{k});
            $text .= join(',', $program, $launch->{kernel}, $again ? "$first..$launch->{k}" : $first, $row) . "\n";
            $before = "$launch->{kernel},$launch->{k},$row";
        }
    }
    spew($file, $text);
    return;
}

# The comments of such a file by their names, and { program => launches }.
sub read_results {
    my ($file, @more) = @_;
    my (%comment, %of_program);
    my $text = slurp($file) // die "$file: $!\n";
    $comment{$1} = $2 while $text =~ /^# (\w+): (.*)$/mg;
    for my $row (read_csv($file, results_header(@more))) {
        my ($first, $last) = split /\.\./, $row->{launch};
        push @{ $of_program{ $row->{program} } }, map { +{ %$row, k => $_ } } $first .. $last // $first;
    }
    return (\%comment, \%of_program);
}

# ---- Comparison --------------------------------------------------------------------------------
# Rows that may differ, each with its reason. A line:  PROGRAM KERNEL LAUNCHES WHAT: reason
# LAUNCHES: * or 0,3,5..7; WHAT: global, shared, both, or never (no comparison makes sense).
sub read_allowed {
    my ($file) = @_;
    my ($line, @allowed) = 0;
    for (split /\n/, slurp($file) // die "$file: $!\n") {
        $line++;
        next if /^\s*(?:#|$)/;
        my ($program, $kernel, $launches, $what, $reason) = /^(\S+)\s+(\w+)\s+(\S+)\s+(global|shared|both|never):\s+(\S.*)$/
            or die "$file:$line: not PROGRAM KERNEL LAUNCHES WHAT: reason\n";
        my %k;
        if ($launches ne '*') {
            for (split /,/, $launches) {
                /^(\d+)(?:\.\.(\d+))?$/ or die "$file:$line: launches '$launches'\n";
                $k{$_} = 1 for $1 .. $2 // $1;
            }
        }
        push @allowed, { program => $program, kernel => $kernel, k => $launches eq '*' ? undef : \%k, what => $what,
                         reason => $reason, place => "$file:$line" };
    }
    return \@allowed;
}

sub allowed_for {
    my ($allowed, $program, $launch) = @_;
    return grep {
        ($_->{program} eq '*' || $_->{program} eq program_of($program)) && $_->{kernel} eq $launch->{kernel}
            && (!$_->{k} || $_->{k}{ $launch->{k} })
    } @$allowed;
}

# Not those of a kernel that counts something else each time.
sub is_comparable {
    my ($allowed, $run, $launch) = @_;
    return !grep { $_->{what} eq 'never' } allowed_for($allowed, $run, $launch);
}

# Sets launch by launch side by side: for each of the CPU device's a hash of cpu, gpu, differs (""
# or "global", "shared", "both"), reason (why it may), verdict: equal, differs, "allowed", "equal,
# though listed", "not on the GPU" (no launch of that kernel); those not comparable are left out. is_wrong: is it one that there must not be?
sub is_wrong { return $_[0]{verdict} =~ /^(?:differs|equal,|not on)/ }

sub compare {
    my ($program, $cpu, $gpu, $allowed) = @_;
    my %of_gpu = map { ("$_->{kernel} $_->{k}" => $_) } @$gpu;
    my @pairs;
    for my $launch (grep { is_comparable($allowed, $program, $_) } @$cpu) {
        my $other = $of_gpu{"$launch->{kernel} $launch->{k}"};
        if (!$other) {
            push @pairs, { cpu => $launch, differs => '', reason => '', verdict => 'not on the GPU' }
                if !$of_gpu{"$launch->{kernel} 0"};
            next;
        }
        my %pair = (cpu => $launch, gpu => $other, differs => '', reason => '');
        my ($rule) = allowed_for($allowed, $program, $launch);
        my $shape  = $launch->{grid} ne $other->{grid} || $launch->{block} ne $other->{block};
        my $global = $shape || grep { $launch->{$_} != $other->{$_} } @GLOBAL;
        my $shared = grep { $launch->{$_} != $other->{$_} } @SHARED;
        $pair{differs} = $global && $shared ? 'both' : $global ? 'global' : $shared ? 'shared' : '';
        if ($rule) {
            $rule->{used} = 1;
            $pair{reason} = $rule->{reason};
        }
        my $expected = $rule ? $rule->{what} : '';
        $pair{verdict} = $pair{differs} eq $expected ? ($expected ? 'allowed' : 'equal')
                       : $pair{differs}              ? 'differs'
                       :                               'equal, though listed';
        push @pairs, \%pair;
    }
    return \@pairs;
}

# ---- Building ----------------------------------------------------------------------------------
# Builds programs for the CPU device, with tracing, or for the GPU, on all cores; returns their
# paths by name, but for those that do not compile. What is newer than its source and the headers stays.
sub build {
    my ($device, @programs) = @_;
    my $folder = ($ENV{BUILD} || 'build') . ($device eq 'cpu' ? '/trace' : '/ncu');
    my @command = $device eq 'cpu' ? ('cudacc/cudacc', '--trace', split ' ', $ENV{CUDACCFLAGS} // '-O2 -g')
                                   : ($ENV{NVCC} || 'nvcc', split ' ', $ENV{NVCCFLAGS} // '-O3 -lineinfo -arch=native');
    my @common = (glob('common/*.h common/experiment/*.h cudacc/tests/trace/*.h'), grep { !/(?:\.md|~)$/ } split /\n/, `find cudacc -path cudacc/tests -prune -o -type f -print`);
    my (%path, @left);
    my $cores = () = (slurp('/proc/cpuinfo') // "processor\n") =~ /^processor/mg;
    for my $program (@programs) {
        my $path = $path{$program} = "$folder/$program";
        my $source = source_of($program);
        my $age = -e $path ? -M _ : undef;
        next if defined $age && (slurp("$path.flags") // '') eq "@command"
            && !grep { -M $_ < $age } $source, glob($source =~ s{[^/]+$}{*.h}r), @common;
        make_path(dirname($path));
        unlink $path;
        spew("$path.flags", "@command");
        push @left, $program;
    }
    in_parallel($cores, \@left, sub { exec { $command[0] } @command, source_of($_[0]), '-o', $path{ $_[0] } or die "$command[0]: $!\n" }, sub {
        my ($program, $status) = @_;
        return if !$status;
        print STDERR source_of($program), " does not compile for the $device\n";
        delete $path{$program};
    });
    return \%path;
}

1;
