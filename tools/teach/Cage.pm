# SPDX-License-Identifier: MIT
# What limits of a process (Sandbox.pm) do not reach: memory that is shared (mmap, SysV segments, /dev/shm), and the number
# and the processor time of all processes of a job together. A control group limits these: one that systemd makes, else
# folders of cgroup v2 or v1, where we may make some. What says it is there is tried before it counts.
package Cage;
use strict;
use warnings;
use Exporter qw(import);
use Course;
use Sandbox;

our @EXPORT = qw(cage);

# Files of limits, by version and controller, and what is written there.
my %files = (
    v2 => { memory => { 'memory.max' => 'bytes', 'memory.swap.max' => 'none' }, pids => { 'pids.max' => 'processes' }, cpu => {} },
    v1 => { memory => { 'memory.limit_in_bytes' => 'bytes', 'memory.memsw.limit_in_bytes' => 'bytes' }, pids => { 'pids.max' => 'processes' }, cpuacct => {} },
);

sub write_to { my ($file, $text) = @_; open my $out, '+<', $file or return 0; return print($out "$text\n") && close $out }    # makes none

# The groups of a process, by controller; that of v2 is 'v2'.
sub groups_of {
    my ($pid) = @_;
    return map { my (undef, $names, $path) = split /:/, $_, 3; map { ($_ => $path) } length $names ? split /,/, $names : 'v2' } split /\n/, slurp("/proc/$pid/cgroup") // '';
}

# Seconds of processor time that the processes of some folders' groups have used.
sub seconds {
    my ($most) = sort { $b <=> $a } 0, map { (slurp("$_/cpu.stat") // '') =~ /^usage_usec (\d+)/m ? $1 / 1e6 : (slurp("$_/cpuacct.usage") // 0) / 1e9 } @_;
    return $most;
}

sub end {
    my @folders = @_;
    for (1 .. 100) {
        my @left = grep { $_ > 0 } map { split /\n/, slurp("$_/cgroup.procs") // '' } @folders or last;
        kill 'KILL', @left;
        select undef, undef, undef, 0.01;
    }
    rmdir $_ for @folders;
    return;
}

# A group for a job: command, what comes before the job's; enter, what its process does first; seconds and end, given that process.
sub by_systemd {
    my ($job) = @_;
    my %own = groups_of('self');
    my $folder = sub { my %is = groups_of(@_); my $path = $is{v2} // ''; return $path =~ /\.scope$/ && $path ne $own{v2} ? "/sys/fs/cgroup$path" : () };
    my @known;    # while its process lives
    my @limits = map { ('-p', $_) } "MemoryMax=$job->{bytes}", 'MemorySwapMax=0', "TasksMax=$job->{processes}", 'CPUAccounting=yes';
    return {
        command => ['systemd-run', $> ? '--user' : (), qw(--scope --quiet --collect), @limits, '--'],
        seconds => sub { @known = $folder->(@_) if !@known; return seconds(@known) },
        end     => sub { @known = $folder->(@_) if !@known; end(@known) },
    };
}

sub by_folders {
    my ($version, $job) = @_;
    my %own = groups_of('self');
    my %folder;
    for my $controller (sort keys %{ $files{$version} }) {
        my $above = $version eq 'v2' ? "/sys/fs/cgroup$own{v2}" : "/sys/fs/cgroup/$controller" . ($own{$controller} // '');
        next if !-f "$above/cgroup.procs";
        write_to("$above/cgroup.subtree_control", "+$controller") if $version eq 'v2';
        end($_) for grep { /grade-(\d+)$/ && !kill 0, $1 } glob "$above/grade-*";    # of a grader that was killed
        mkdir "$above/grade-$$";
        $folder{"$above/grade-$$"} = 1;
        my $limits = $files{$version}{$controller};
        write_to("$above/grade-$$/$_", $job->{ $limits->{$_} } // 0) for sort keys %$limits;
    }
    my @folders = sort keys %folder or return;
    return { enter => sub { write_to("$_/cgroup.procs", 0) for @folders }, seconds => sub { seconds(@folders) }, end => sub { end(@folders) } };
}

# From now on a job runs in a group, if this machine has any that works: one that ends a program that takes 96 MiB of
# shared memory where 48 are allowed. Returns what there is, or undef.
sub cage {
    my $takes = 'my $s = shmget(0, 96 << 20, 01600); print $s // "", "\n"; $| = 1; shmwrite($s, "x", $_ << 12, 1) for 0 .. (96 << 8) - 1; shmctl($s, 0, 0); print "all\n"';
    my %kind = ('systemd' => \&by_systemd, map { my $version = $_; ("cgroup $version" => sub { by_folders($version, @_) }) } qw(v1 v2));
    for my $kind (reverse sort keys %kind) {
        $Sandbox::cage = $kind{$kind};
        my $run = run_job(command => ['true'], seconds => 20)->{code} == 0 && run_job(command => ['perl', '-e', $takes], seconds => 20, megabytes => 48);
        shmctl $1, 0, 0 if $run && isolation() ne 'bwrap' && $run->{out} =~ /^(\d+)\n/;    # 0: IPC_RMID
        return $kind if $run && ($run->{signal} // 0) == 9;
    }
    return $Sandbox::cage = undef;
}

1;
