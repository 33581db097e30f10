# SPDX-License-Identifier: MIT
# Runs what a learner has written, and what works on it, under limits; for an instructor in a box:
#
#     bwrap     a box of its own: no network, no other process, of the machine's files /usr and what
#               the job names, all read-only; writable is a /tmp that goes with the box
#     setpriv   as a separate user, all of whose processes are ended afterwards: where a container
#               refuses namespaces, and one is root
#     none      limits of time, output and file size alone: a learner's own machine (make check)
#
# Started as root, what runs in a box or without one is a separate user, from 64000 on.
package Sandbox;
use strict;
use warnings;
use Exporter qw(import);
use Fcntl qw(:flock O_CREAT O_WRONLY);
use File::Path qw(remove_tree);
use File::Temp qw(tempdir);
use POSIX qw(:sys_wait_h dup2 setpgid);
use Socket qw(AF_UNIX PF_UNSPEC SOCK_STREAM);
use Time::HiRes qw(time);
use Course;

our @EXPORT = qw(isolate isolation run_job end_running);

our $isolation = 'none';
my $patience = 3;    # how many times its processor time a job may last by the clock, at a learner's own desk
our $cage;       # what puts a job into a control group, for an instructor (tools/teach/Cage.pm)
my %running;    # process groups to end when the checker is
my $first_user = 64000;

sub isolation { return $isolation }
sub end_running { kill 'KILL', map { -$_ } keys %running; return }

# Sets how jobs run from now on, "best" is the best there is. Dies with one line that says what is missing.
sub isolate {
    my ($wanted) = @_;
    my @missing;
    $patience = 10;    # a busy grader is no reason to fail
    for my $kind ($wanted eq 'best' ? qw(bwrap setpriv) : $wanted) {
        $isolation = $kind;
        return $kind if $kind eq 'none';
        my $why = why_not($kind);
        return $kind if !defined $why;
        push @missing, "$kind: $why";
    }
    $isolation = 'none';
    die join('; ', @missing), ". Install the package bubblewrap, or grade as root in a container, or say ISOLATION=none\n";
}

sub why_not {
    my ($kind) = @_;
    return 'there is no such isolation (bwrap, setpriv, none)' if $kind !~ /^(?:bwrap|setpriv)$/;
    my @tools = $kind eq 'bwrap' ? qw(bwrap prlimit) : qw(setpriv prlimit);
    push @tools, 'setpriv' if !$>;
    my ($missing) = grep { !found($_) } @tools;
    return "$missing is not installed (Debian: " . ($missing eq 'bwrap' ? 'bubblewrap' : 'util-linux') . ')' if $missing;
    return 'only root can become another user' if $kind eq 'setpriv' && $>;
    my $run = run_job(command => ['true'], seconds => 20);
    return $run->{code} == 0 ? undef : 'it is refused here: ' . ($run->{err} =~ /^(.{1,120})/ ? $1 : "exit code $run->{code}");
}

# A user that no other grader on this machine has now: this one holds the lock of its number.
my ($user, $lock, $holder);

sub user {
    return $user if defined $user && $holder == $$;
    my $folder = '/tmp/grade-users';
    mkdir $folder, 0700;
    my @stat = lstat $folder;
    die "$folder: it is not root's alone\n" if !@stat || !-d _ || $stat[4] || $stat[2] & 077;
    for my $number ($first_user .. $first_user + 999) {
        sysopen my $file, "$folder/$number", O_CREAT | O_WRONLY, 0600 or next;
        next if !flock $file, LOCK_EX | LOCK_NB;
        ($user, $lock, $holder) = ($number, $file, $$);
        return $user;
    }
    die "all users of the grader are taken\n";
}

# ---- The command, wrapped ------------------------------------------------------------------------
# What is inside runs the command, then hands out the files that are asked for, on descriptor 4. A command
# of `reports` leaves no files: it has descriptor 5 for what it reports.
my $inside = <<'END';
[ -z "$REPORTS" ] || exec "$@" 4>&-
"$@" 4>&- 5>&-
code=$?
for name in $FETCH; do
    [ -f "$name" ] && [ ! -L "$name" ] && printf '%s %s\n' "$name" "$(wc -c <"$name")" >&4 && cat "$name" >&4
done
exit $code
END

# Processors for one job: more than four threads of the CPU device would mostly wait for each other, which is
# processor time, too.
sub few_processors {
    my ($list) = (slurp('/proc/self/status') // '') =~ /^Cpus_allowed_list:\s*([\d,-]+)/m;
    my @all = map { my ($first, $last) = split /-/; $first .. $last // $first } split /,/, $list // '';
    return if @all <= 4 || !found('taskset');
    return ('taskset', '-c', join ',', map { $all[(4 * $$ + $_) % @all] } 0 .. 3);
}

sub limited {
    my ($job) = @_;
    my $seconds = $job->{seconds} // 20;
    my @few = $job->{gpu} ? () : few_processors();
    if ($isolation eq 'none') {
        my $limits = "ulimit -S -t $seconds; ulimit -H -t @{[$seconds + 2]}; ulimit -f 400000; ulimit -c 0";
        return (@few, 'sh', '-c', "$limits; exec \"\$@\"", 'sh');
    }
    my ($bytes, $processes) = most_of($job);
    return (@few, 'prlimit', "--cpu=$seconds:@{[$seconds + 2]}", '--fsize=200000000', '--core=0', '--nofile=256',
        "--data=$bytes", "--nproc=$processes", '--');
}

# Memory and processes. A driver reserves much; the CPU device, stacks and tables for each core.
sub most_of {
    my ($job) = @_;
    my $cores = () = (slurp('/proc/cpuinfo') // '') =~ /^processor/mg;
    return (($job->{megabytes} // ($job->{gpu} ? 65536 : 2048 + 512 * $cores)) << 20, 64 + 4 * $cores);
}

sub as_user {
    my @keep = @_;
    my $user = user();
    return ('setpriv', "--reuid=$user", "--regid=$user", '--clear-groups', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', @keep);
}

# The folders above a path, each.
sub parents {
    my ($path) = @_;
    my @above;
    push @above, substr $path, 0, $-[0] while $path =~ m{(?<=.)/}g;
    return @above;
}

# A box with /usr and the job's files, all read-only, each where it is outside.
sub bwrap {
    my ($job, $environment) = @_;
    my @names = $> ? '--unshare-all' : qw(--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try
        --cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP);
    my @box = ('bwrap', @names, qw(--die-with-parent --new-session), $> ? qw(--cap-drop ALL) : (), qw(--clearenv --ro-bind /usr /usr --proc /proc --dev /dev));
    push @box, map { -l $_ ? ('--symlink', readlink $_, $_) : -d $_ ? ('--ro-bind', $_, $_) : () } qw(/bin /lib /lib64 /lib32 /libx32 /sbin);
    push @box, qw(--perms 0755 --dir /etc), map { ('--ro-bind-try', $_, $_) } qw(/etc/alternatives /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d);
    push @box, qw(--size 400000000 --perms 1777 --tmpfs /tmp);
    my @read = grep { -e } @{ $job->{read} // [] };
    my %above = map { $_ => 1 } map { parents($_) } @read, map { "$_/" } @{ $job->{folders} // [] };
    push @box, map { ('--perms', '0755', '--dir', $_) } sort grep { !m{^/(?:usr|tmp|proc|dev)?$|^/usr/} } keys %above;
    push @box, map { ('--ro-bind', $_, $_) } @read;
    push @box, '--ro-bind-try', '/sys', '/sys', map { ('--dev-bind-try', $_, $_) } glob '/dev/nvidia*' if $job->{gpu};
    push @box, map { ('--setenv', $_, $environment->{$_}) } sort keys %$environment;
    return (@box, '--chdir', '/tmp', '--');
}

# Starts one; returns its process. $ends: descriptors of the child, from 0 on.
sub start {
    my ($job, $ends) = @_;
    my %environment = (PATH => '/usr/local/bin:/usr/bin:/bin', LC_ALL => 'C', HOME => '/tmp', TMPDIR => '/tmp',
        FETCH => join(' ', @{ $job->{fetch} // [] }), REPORTS => $job->{reports} ? 1 : '', %{ $job->{environment} // {} });
    my $folder;
    if ($isolation ne 'bwrap') {
        $folder = tempdir(CLEANUP => 0);
        chmod 0700, $folder;
        chown user(), user(), $folder if $isolation eq 'setpriv';
        $environment{TMPDIR} = $environment{HOME} = $folder;
    }
    my @kept = ($isolation eq 'none' ? qw(PATH CC CXX NVCC) : (), $isolation eq 'none' || $job->{gpu} ? qw(LD_LIBRARY_PATH CUDA_VISIBLE_DEVICES) : ());
    $environment{$_} = $ENV{$_} for grep { defined $ENV{$_} } @kept;
    my @command = (limited($job), 'sh', '-c', $inside, 'sh', @{ $job->{command} });
    @command = (as_user(), @command) if $isolation eq 'setpriv' || ($isolation eq 'bwrap' && !$>);
    @command = (bwrap($job, \%environment), @command) if $isolation eq 'bwrap';
    my %most;
    @most{qw(bytes processes)} = most_of($job);
    my $group = $cage && $cage->(\%most);
    @command = (@{ $group->{command} // [] }, @command) if $group;
    my $pid = fork // die "fork: $!\n";
    return ($pid, $folder, $group) if $pid;
    setpgid(0, 0);
    $group->{enter}->() if $group && $group->{enter};
    umask 077 if $isolation eq 'setpriv';
    chdir($folder // '/') or POSIX::_exit(126);
    my @for_systemd = $group ? grep { defined $ENV{$_} } qw(XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS) : ();
    %ENV = ($isolation eq 'bwrap' ? (PATH => $ENV{PATH}) : %environment, map { ($_ => $ENV{$_}) } @for_systemd);
    dup2($ends->[$_], 60 + $_) for 0 .. $#$ends;    # out of the way first: a pipe may have the number 3
    dup2(60 + $_, $_) for 0 .. $#$ends;
    POSIX::close($_) for @$ends .. 80;
    exec @command or POSIX::_exit(127);
}

# Ends all that a job has left; of a separate user also files where everybody may write, and shared memory.
sub end {
    my ($pid, $group) = @_;
    kill 'KILL', -$pid;
    $group->{end}->($pid) if $group;
    return if $isolation ne 'setpriv';
    my $user = user();
    for (1 .. 100) {
        my @left = grep { ((stat "/proc/$_")[4] // -1) == $user } map { m{(\d+)$} } glob '/proc/[0-9]*';
        last if !@left;
        kill 'KILL', @left;
        select undef, undef, undef, 0.01;
    }
    my @files = grep { ((lstat)[4] // -1) == $user } map { glob "$_/{,.}*" } qw(/tmp /var/tmp /dev/shm /dev/mqueue);
    remove_tree($_, { keep_root => 0, safe => 0 }) for @files;
    shmctl $_, 0, 0 for (slurp('/proc/sysvipc/shm') // '') =~ /^\s*-?\d+\s+(\d+)\s+\d+\s+\d+\s+\d+\s+\d+\s+\d+\s+$user\s/mg;    # 0: IPC_RMID
    return;
}

# ---- Running -------------------------------------------------------------------------------------
# A job: command; read (files and folders that the box shows), folders (empty ones), environment, fetch
# (names of files that it leaves), or reports (of those that its tracer writes to descriptor 5, each after a seal that
# the program's own code cannot read: cudacc/trace/report/csv.c), seconds (of processor time, what a busy machine adds
# does not count; one that neither works nor lets the judge work for as long is at its end, too), output (bytes at
# most), judge (a command of ours, that its records go to and its seeds come from).
# Returns out, err, files, code or signal; limit, 'time', 'idle' or 'output', when that ended it; forged: something
# without the seal stands among the reports; judge: what the judge said; judge_failed: why it ended before it could judge.
sub run_job {
    my (%job) = @_;
    my $most = $job{output} // 65536;
    my (%read, %write);
    pipe $read{$_}, $write{$_} or die "pipe: $!\n" for qw(out err records seeds judge);
    my $reports = $job{reports} // [];
    my $seal = @$reports ? random_word() : '';
    if (@$reports) { socketpair $read{files}, $write{files}, AF_UNIX, SOCK_STREAM, PF_UNSPEC and length $seal == syswrite $read{files}, $seal or die "a socket: $!\n" }
    else { pipe $read{files}, $write{files} or die "pipe: $!\n" }
    open my $null, '<', '/dev/null' or die "/dev/null: $!\n";
    open my $nowhere, '>', '/dev/null' or die "/dev/null: $!\n";
    open my $judge_err, '+>', undef or die "a temporary file: $!\n";
    my $judge = $job{judge} && judge($job{judge}, [map { fileno $_ } $read{records}, $write{judge}, $judge_err, $write{seeds}], $job{judge_environment});
    my ($pid, $folder, $group) = start(\%job, [map { fileno $_ } $job{judge} ? $read{seeds} : $null, $write{out}, $write{err},
        $job{judge} ? $write{records} : $nowhere, @$reports ? ($nowhere, $write{files}) : ($write{files}, $nowhere)]);
    $running{$pid} = 1;
    close $_ for values %write, @read{qw(records seeds)};
    my %result = map { $_ => '' } qw(out err files judge);
    my %most = (out => $most, err => $most, files => $job{files_output} // 64 << 20, judge => 8 << 20);
    my %open = map { fileno $read{$_} => $_ } qw(out err files), $job{judge} ? 'judge' : ();
    my $deadline = time() + $patience * ($job{seconds} // 20);
    my ($status, $after, $work, $look, $worked) = (undef, undef, '', 0, time());
    while (1) {
        my $bits = '';
        vec($bits, $_, 1) = 1 for keys %open;
        my $ready = select $bits, undef, undef, 0.05;
        for my $number ($ready > 0 ? grep { vec $bits, $_, 1 } keys %open : ()) {
            my $name = $open{$number};
            my $got = sysread $read{$name}, $result{$name}, 65536, length $result{$name};
            delete $open{$number} if !$got;
            $result{limit} = 'output' if length $result{$name} > $most{$name};
        }
        if (!defined $status && waitpid($pid, WNOHANG) == $pid) {
            $status = $?;
            end($pid, $group);    # what it has started goes with it
            $after = time() + 0.5;
        }
        $result{limit} //= 'time' if !defined $status && (time() > $deadline || ($group && $group->{seconds}->($pid) > 2 + ($job{seconds} // 20)));
        if (!defined $status && !$job{gpu} && time() > $look) {
            my $now = work_of($pid, $judge // ());
            ($work, $worked) = ($now, time()) if $now ne $work || $now eq 'now';
            $result{limit} //= 'idle' if time() - $worked > ($job{seconds} // 20);
            $look = time() + 1;
        }
        last if $result{limit} || (defined $status && (!%open || time() > $after + (grep({ $_ eq 'judge' } values %open) && 60)));
    }
    end($pid, $group);
    if (!defined $status) { waitpid $pid, 0; $status = $? }
    if ($judge) {
        kill 'KILL', $judge if $result{limit};
        waitpid $judge, 0;
        # 4: the tracer has found what the judge, at its end, had not yet freed.
        $result{judge_failed} = ended_how($?, $judge_err) if $? && $? != 4 << 8 && !$result{limit};
    }
    delete $running{$pid};
    remove_tree($folder) if defined $folder;
    ending(\%result, $status);
    @result{qw(files forged)} = files_of($result{files}, $seal, @$reports, @{ $job{fetch} // [] });
    return \%result;
}

# 32 bytes that no one can guess.
sub random_word {
    open my $random, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
    16 == read $random, my $bytes, 16 or die "/dev/urandom: $!\n";
    return unpack 'H*', $bytes;
}

# The processor time of processes and of all that they have started; 'now' where one runs, is about to, or waits for a disk.
sub work_of {
    my (@left) = @_;
    my (%children, %ticks);
    for (map { slurp($_) // () } glob '/proc/[0-9]*/stat') {
        my ($process, $parent, $user, $system) = /^(\d+) \(.*\) \S (\d+)(?: \S+){9} (\d+) (\d+)/s or next;
        push @{ $children{$parent} }, $process;
        $ticks{$process} = $user + $system;
    }
    my $sum = 0;
    while (defined(my $process = shift @left)) {
        return 'now' if grep { (slurp($_) // '') =~ /^\d+ \(.*\) [RD]/s } glob "/proc/$process/task/*/stat";
        $sum += $ticks{$process} // 0;
        push @left, @{ $children{$process} // [] };
    }
    return $sum;
}

# In a line: an exit status, and what was said on the way.
sub ended_how {
    my ($status, $file) = @_;
    seek $file, 0, 0;
    read $file, my $said, 4096;
    my ($line) = ($said // '') =~ /(\S.{0,200})/;
    return ($status & 127 ? 'signal ' . ($status & 127) : 'exit code ' . ($status >> 8)) . (defined $line ? ": $line" : '');
}

# What the shell inside, and bwrap, make of a signal: 128 + its number.
sub ending {
    my ($result, $status) = @_;
    my $code = $status & 127 ? 128 + ($status & 127) : $status >> 8;
    $result->{limit} //= 'time' if $code == 128 + 24;    # SIGXCPU
    $result->{code} = $code;
    $result->{signal} = $code - 128 if $code > 128 && $code <= 128 + 64;
    return;
}

# Files of these names, each once, after the seal; the last one may be cut. And whether there is anything else.
sub files_of {
    my ($text, $seal, @names) = @_;
    my (%files, %may);
    @may{@names} = ();
    while ($text =~ /\G\Q$seal\E(\S+) +(\d+)\n/gc) {
        my ($name, $size) = ($1, $2);
        return ({}, 1) if !exists $may{$name} || exists $files{$name};
        return (\%files, 0) if pos($text) + $size > length $text;
        $files{$name} = substr $text, pos $text, $size;
        pos($text) += $size;
    }
    my $rest = substr $text, pos($text) // 0, length $seal;
    my $is_forged = $rest ne substr $seal, 0, length $rest;
    return ($is_forged ? {} : \%files, $is_forged);
}

sub judge {
    my ($command, $ends, $environment) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    my %keep = map { $_ => $ENV{$_} } grep { defined $ENV{$_} } qw(PATH TMPDIR LD_LIBRARY_PATH CUDA_VISIBLE_DEVICES);
    %ENV = (%keep, LC_ALL => 'C', %{ $environment // {} });
    dup2($ends->[$_], 60 + $_) for 0 .. $#$ends;
    dup2(60 + $_, $_) for 0 .. $#$ends;
    POSIX::close($_) for @$ends .. 80;
    exec @$command or POSIX::_exit(127);
}

1;
