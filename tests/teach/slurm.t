#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# tools/teach/slurm/grade.sbatch and results.sbatch on a Slurm of one node, which this test starts on 127.0.0.1 and ends.
# Its daemons have their files, key and ports to themselves.
use strict;
use warnings;
use Test::More;
use FindBin;
use Cwd qw(getcwd);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use JSON::PP;
use POSIX ();
use Sys::Hostname;
use Time::HiRes qw(sleep time);
require "$FindBin::Bin/../lib/exercises.pl";

$ENV{PATH} .= ':/usr/sbin';
needs_solutions(qw(g++ bwrap slurmctld slurmd sbatch munged));
my $root = getcwd();
my $scratch = tempdir(CLEANUP => 1);
chmod 0755, $scratch;
my ($units) = glob '03_*/exercises/1_units';

# ---- A Slurm of one node ---------------------------------------------------------------------------
my @daemons;
END { kill 'TERM', @daemons; waitpid $_, 0 for @daemons }

sub free_port { return IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport }

sub daemon {
    my ($log, @command) = @_;
    my $pid = fork // die "fork: $!";
    if ($pid) { push @daemons, $pid; return }
    open STDOUT, '>', "$scratch/$log" or die;
    open STDERR, '>&', \*STDOUT;
    exec @command or POSIX::_exit(127);
}

sub until_true {
    my ($true) = @_;
    for (my $end = time() + 120; time() < $end; sleep 0.1) { return 1 if $true->() }
    return 0;
}

my ($user, $node) = (scalar getpwuid($>), (split /\./, hostname())[0]);
my ($ctl_port, $d_port) = (free_port(), free_port());
mkdir "$scratch/$_" for qw(munge state spool);
chmod 0755, "$scratch/munge";
open my $random, '<', '/dev/urandom' or die;
read $random, my $key, 1024;
spew("$scratch/munge/key", $key, 0600);
spew("$scratch/slurm.conf", <<"END_CONF");
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$ctl_port
SlurmdPort=$d_port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 RealMemory=8192 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END_CONF
$ENV{SLURM_CONF} = "$scratch/slurm.conf";
daemon('munged.txt', 'munged', '-F', '--force', "--socket=$scratch/munge/socket", "--key-file=$scratch/munge/key",
    (map { "--$_-file=$scratch/munge/$_" } qw(pid log seed)), '--num-threads=1');
ok(until_true(sub { -S "$scratch/munge/socket" }), 'munged') or diag(slurp("$scratch/munged.txt"));
daemon('slurmctld.txt', 'slurmctld', '-D');
daemon('slurmd.txt', 'slurmd', '-D', '-N', $node);
if (!ok(until_true(sub { (output_of('sinfo -h -o %T'))[1] =~ /^idle/ }), 'a node is idle')) {
    diag(map { slurp("$scratch/$_.txt") } qw(munged slurmctld slurmd));
    done_testing();
    exit;
}

# ---- A class -----------------------------------------------------------------------------------------
my $returned = "$scratch/returned";
spew("$returned/$_/$units/exercise.cu", slurp("$units/" . ($_ eq 'ben' ? 'exercise.cu' : 'solution.cu'))) for qw(anna ben carl);
my $build = $ENV{BUILD} // 'build';
local %ENV = (%ENV, FROM => $returned, OUT => "$scratch/grades", SEED => 7, EX => '3.1', BUILD => $build, CUDACC_CACHE => $ENV{CUDACC_CACHE} // "$root/build/cudacc");
my ($code, $text) = output_of("sbatch --wait --cpus-per-task=2 --mem=4G --output='$scratch/task.txt' --export=ALL tools/teach/slurm/grade.sbatch");
is($code, 0, 'sbatch') or diag($text, slurp("$scratch/task.txt"));
my $grades = eval { decode_json(slurp("$scratch/grades/grades.json")) } // { students => [] };
is_deeply({ map { $_->{id} => $_->{points} } @{ $grades->{students} } }, { anna => 5, ben => 0, carl => 5 }, 'everybody has points');

# ---- Results of a device -----------------------------------------------------------------------------
# The job of a course whose `make results` says what it was given.
spew("$scratch/course/Makefile", "results:\n\t\@echo device \$(DEVICE), label \$\$LABEL, in \$(BUILD)\n");
delete $ENV{BUILD};
($code, $text) = output_of("cd '$scratch/course' && sbatch --wait --output='$scratch/results.txt' --export=ALL,DEVICE=cpu,LABEL=lab2 $root/tools/measure/results.sbatch");
is($code, 0, 'sbatch: results') or diag($text);
like(slurp("$scratch/results.txt"), qr{^device cpu, label lab2, in build/slurm-\d+$}m, 'with its device, its label and a build folder of its own');
done_testing();
