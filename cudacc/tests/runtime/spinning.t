#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Kernels whose threads wait for each other in loops, in cudacc/tests/runtime/spinning: right results, no false
# report and the same counts on all workers as on one, in every schedule, while other processes take
# the cores away. Which threads wait, and how long, is different each time: TEST_ALL=1 tries
# more often, and clang.
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch();
my $source  = "$root/cudacc/tests/runtime/spinning/spinning.cu";
my $rounds  = $ENV{TEST_ALL} ? 100 : 1;

# ---- Other load --------------------------------------------------------------------------------
my $parent = $$;
my @busy;
sub start_load {
    for (1 .. 2) {
        my $pid = fork // die "fork: $!\n";
        if (!$pid) { # not longer than the parent, nor than the tests may take
            my $end = time + 600;
            while (getppid == $parent && time < $end) { my $x = 0; $x += $_ for 1 .. 100_000 }
            exec 'true';
        }
        push @busy, $pid;
    }
    return;
}
sub end_load { kill 'TERM', @busy; waitpid $_, 0 for splice @busy; return }
END { end_load() if $$ == $parent }

# ---- Runs --------------------------------------------------------------------------------------
my ($CPU) = slurp('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\d+)/m;
my $one_worker = defined $CPU && system("taskset -c $CPU true 2>/dev/null") == 0 ? "taskset -c $CPU" : '';

# On four processors at most: with more, those that spin take the time of one that has lost its own.
my $few = $one_worker && system('taskset -c 0-3 true 2>/dev/null') == 0 ? 'taskset -c 0-3' : '';

# Exit code and what was printed; a run that hangs takes CPU time, and has five minutes of it.
sub run {
    my ($command) = @_;
    system "ulimit -t 300; $command >out 2>err";
    return $? == 0 && slurp('out') eq '' ? '' : "status $?: " . slurp('out') . slurp('err');
}

# What must not vary: of lines marked SAME all counts, of those marked BYTES the useful bytes.
my ($number, %mark) = 0;
for (split /\n/, slurp($source)) {
    $number++;
    $mark{$number} = $1 if m{// (SAME|BYTES)$};
}
sub counts {
    my @counts;
    for (map { slurp($_) =~ s/\A.*\n//r } 'run.csv', 'run.shared.csv') {
        for (split /\n/) {
            my ($kernel, $line, $op, $useful) = (split /,/)[1, 4, 6, 10];
            my $mark = $mark{$line} // next;
            push @counts, $mark eq 'SAME' ? $_ : "$kernel line $line: $op, $useful useful bytes";
        }
    }
    return join "\n", sort @counts;
}

sub try_all {
    my ($compiler) = @_;
    for my $build ('', '--trace') {
        my $what = join ' ', $compiler, $build || 'plain';
        ok(system("'$cudacc' $build -Wall -Wextra '$source' -o spinning") == 0, "$what: it compiles") or next;
        local $ENV{ACCESS_REPORT} = 'run.csv';
        is(run("$one_worker ./spinning"), '', "$what: on one worker");
        my $expected = $build ? counts() : '';
        cmp_ok(scalar(my @lines = split /\n/, $expected), '>', 10, "$what: counts to compare with") if $build;
        start_load();
        for my $schedule (qw(inorder reversed shuffled:1 late)) {
            local $ENV{CPU_DEVICE_SCHEDULE} = $schedule;
            my (@wrong, @different);
            for (1 .. $rounds) {
                my $said = run("$few ./spinning");
                push @wrong, $said if $said;
                push @different, counts() if !$said && $build && counts() ne $expected;
            }
            is(scalar @wrong, 0, "$what, $schedule: wrong of $rounds runs") or diag($wrong[0]);
            is($different[0] // $expected, $expected, "$what, $schedule: the same counts") if $build;
        }
        end_load();
    }
    ok(system("'$cudacc' --trace '$root/cudacc/tests/runtime/spinning/hand_over.cu' -o hand_over") == 0, "$compiler: hand_over compiles");
    is(run('./hand_over'), '', "$compiler: hand_over");
    return;
}

try_all('the usual compiler');
SKIP: {
    skip 'clang: with TEST_ALL=1', 1 if !$ENV{TEST_ALL};
    skip 'no clang++ (Debian package: clang)', 1 if system('command -v clang++ >/dev/null 2>&1') != 0;
    local @ENV{qw(CC CXX CUDACC_CACHE)} = ('clang', 'clang++', "$scratch/cache");
    try_all('clang');
}
# ---- Waits that do not end ---------------------------------------------------------------------
# What is awaited never comes, so no load can make it come too late.
{
    my $endless = slurp("$root/cudacc/tests/runtime/spinning/endless.cu");
    my $how = 'a (?:wait that does not end(?:, while blocks that have not begun wait for others to end)?|loop that does not end within 1 s of processor time) \(of the block\'s';
    my %threads = (flag => '64 threads 0 have returned, 63 wait at __syncthreads, 0 in a warp function, 1 in loops',
        watch => '64 threads 0 have returned, 63 wait at __syncthreads, 0 in a warp function, 1 in loops',
        lock => '32 threads 0 have returned, 0 wait at __syncthreads, 0 in a warp function, 32 in loops',
        crowd => '1 threads 0 have returned, 0 wait at __syncthreads, 0 in a warp function, 1 in loops',
        grid => '1 threads 0 have returned, 0 wait at __syncthreads, 0 in a warp function, 1 in loops');
    my %loops = (overflow => '1 threads 0 have returned, 0 wait at __syncthreads, 0 in a warp function, 1 in loops');
    local $ENV{CPU_DEVICE_PATIENCE} = 0.3;
    local $ENV{ACCESS_TABLE} = 0;
    for my $trace ('', '--trace') {
        is((sh("'$cudacc' $trace '$root/cudacc/tests/runtime/spinning/endless.cu' -o endless"))[2], '', "endless.cu compiles, $trace");
        if (!$trace) { # not ended, since it may be slow, but named
            my ($code, $out, $err) = sh('ulimit -t 8; ./endless overflow');
            ok($code ne '0' && $err =~ /\ACPU device: kernel overflow has run for \S+ s of processor time; /, 'a plain loop without an end: a line') or diag("$code $out$err");
        }
        my %seen = (%threads, $trace ? %loops : ()); # a plain program has no end, either, where none waits
        for my $kernel (sort keys %seen) {
            # Of a loop that waits for nothing, 60 times that; and before the crowd gets more workers, after 0.02 s.
            local $ENV{CPU_DEVICE_PATIENCE} = 0.02 if $loops{$kernel};
            local $ENV{CPU_DEVICE_PATIENCE} = 0.001 if $kernel eq 'crowd';
            my ($line) = map { scalar(() = $_ =~ /\n/g) + 1 } $endless =~ m{\A(.*?)// $kernel\n}s;
            my ($code, $out, $err) = sh("ulimit -t 60; ./endless $kernel");
            my $where = $trace ? "kernel died: $how $seen{$kernel}\\) near course/cudacc/tests/runtime/spinning/endless\\.cu:$line" : "kernel $kernel, block .*: $how $seen{$kernel}\\)";
            like($err, qr/^CPU device: kernel overflow, block .*: for 0\.02 s of processor time no thread /, 'a line soon') if $loops{$kernel};
            is($err =~ /wait for others to end/ ? 'crowd' : $kernel, $kernel, "$kernel $trace: who cannot begin");
            ok($out eq "cudaErrorLaunchTimeout\n" && $code eq ($trace ? '4' : '0') && $err =~ /^CPU device: $where/m, "$kernel $trace") or diag("$code $out$err");
        }
    }
    local $ENV{CPU_DEVICE_PATIENCE} = 'long';
    is((sh('./endless flag'))[0], '2', 'CPU_DEVICE_PATIENCE that is no number');
}
done_testing();
