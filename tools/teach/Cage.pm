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

# Files of limits, by the version, and what is written there.
my %file = (
    v2 => { memory => [['memory.max', 'bytes'], ['memory.swap.max', 'zero']], pids => [['pids.max', 'processes']], cpu => [] },
    v1 => { memory => [['memory.limit_in_bytes', 'bytes'], ['memory.memsw.limit_in_bytes', 'bytes']], pids => [['pids.max', 'processes']], cpuacct => [] },
);

sub write_to { my ($file, $text) = @_; open my $out, '+<', $file or return 0; return print($out "$text\n") && close $out }    # makes none

# Controllers of a process, and the folder of each.
sub groups_of {
    my ($pid) = @_;
    my %group = map { my (undef, $names, $path) = split /:/, $_, 3; map { ($_ => $path) } length $names ? split /,/, $names : 'v2' } split /\n/, slurp("/proc/$pid/cgroup") // '';
    return %group;
}

# Seconds of processor time that the processes of a group have used.
sub seconds_in {
    my ($folder) = @_;
    return $1 / 1e6 if (slurp("$folder/cpu.stat") // '') =~ /^usage_usec (\d+)/m;
    return (slurp("$folder/cpuacct.usage") // 0) / 1e9;
}

sub by_systemd {
    my ($job) = @_;
    my @own = groups_of('self');
    my $folder = sub { my ($pid) = @_; my ($path, %own) = ({ groups_of($pid) }->{v2}, @own); return defined $path && $path ne $own{v2} && $path =~ /\.scope$/ ? "/sys/fs/cgroup$path" : undef };
    my $is;
    return {
        command => ['systemd-run', $> ? '--user' : (), qw(--scope --quiet --collect), map({ ('-p', $_) } "MemoryMax=$job->{bytes}", 'MemorySwapMax=0', "TasksMax=$job->{processes}", 'CPUAccounting=yes'), '--'],
        seconds => sub { $is //= $folder->(@_); return defined $is ? seconds_in($is) : 0 },
        end     => sub { $is //= $folder->(@_); write_to("$is/cgroup.kill", 1) if defined $is },
    };
}

sub by_folders {
    my ($job, $version) = @_;
    my %own = groups_of('self');
    my @folders;
    my $ended = sub {
        for (1 .. 100) { my @left = grep { $_ > 0 } unique(map { split /\n/, slurp("$_/cgroup.procs") // '' } @_); last if !@left; kill 'KILL', @left; select undef, undef, undef, 0.01 }
        rmdir $_ for @_;
    };
    for my $controller (sort keys %{ $file{$version} }) {
        my $above = $version eq 'v2' ? "/sys/fs/cgroup$own{v2}" : "/sys/fs/cgroup/$controller" . ($own{$controller} // '');
        next if !-f "$above/cgroup.procs";
        write_to("$above/cgroup.subtree_control", "+$controller") if $version eq 'v2';
        $ended->($_) for grep { /grade-(\d+)-/ && !kill 0, $1 } glob "$above/grade-*";    # of a grader that was killed
        my $folder = "$above/grade-$$-" . ($version eq 'v2' ? 'job' : $controller);
        push @folders, $folder if !grep { $_ eq $folder } @folders;
        mkdir $folder;
        write_to("$folder/$_->[0]", $job->{ $_->[1] } // 0) for @{ $file{$version}{$controller} };
    }
    return if !@folders;
    return {
        enter   => sub { write_to("$_/cgroup.procs", 0) for @folders },
        seconds => sub { my ($most) = sort { $b <=> $a } map { seconds_in($_) } @folders; return $most },
        end     => sub { $ended->(@folders) },
    };
}

# From now on a job runs in a group, if this machine has any that works: one that ends a program that takes 96 MiB of
# shared memory where 48 are allowed. Returns what there is, or undef.
sub cage {
    my $takes = 'my $s = shmget(0, 96 << 20, 01600); print $s // "", "\n"; $| = 1; shmwrite($s, "x", $_ << 12, 1) for 0 .. (96 << 8) - 1; shmctl($s, 0, 0); print "all\n"';
    for my $kind (['systemd', \&by_systemd], ['cgroup v2', sub { by_folders(@_, 'v2') }], ['cgroup v1', sub { by_folders(@_, 'v1') }]) {
        next if $kind->[0] eq 'systemd' && !found('systemd-run');
        $Sandbox::cage = $kind->[1];
        my $lives = run_job(command => ['true'], seconds => 20)->{code} == 0;
        my $run = $lives && run_job(command => ['perl', '-e', $takes], seconds => 20, megabytes => 48);
        shmctl $1, 0, 0 if $run && isolation() ne 'bwrap' && $run->{out} =~ /^(\d+)\n/;    # 0: IPC_RMID
        return $kind->[0] if $run && ($run->{signal} // 0) == 9;
    }
    undef $Sandbox::cage;
    return;
}

1;
