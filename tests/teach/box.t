#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The box: in each isolation that this machine has, what a job may take, together with all that it starts, and what
# stays of it; what a compiler may say of files outside of the exercise.
use lib 'tests/lib';
use Tests qw(exercises);
use Time::HiRes qw(time);
use Cage;
use Check;
use Exercises;
use Sandbox;

needs_solutions('g++');
my $scratch = tempdir(CLEANUP => 1);
chmod 0755, $scratch;

# Takes 200 MiB of memory, of one kind, page after page.
spew("$scratch/takes.c", <<'END');
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>
int main(int argc, char **argv) {
    size_t size = 200 << 20;
    char *p = 0, kind = argc > 1 ? argv[1][0] : 'm';
    if (kind == 'm') /* MAP_SHARED */
        p = (char *)mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (kind == 's') /* System V */
        p = (char *)shmat(shmget(IPC_PRIVATE, size, IPC_CREAT | 0600), 0, 0);
    if (kind == 'd') { /* /dev/shm, and it stays */
        int f = shm_open("/grade_takes", O_CREAT | O_RDWR, 0600);
        if (f < 0 || ftruncate(f, size))
            return 9; /* nothing can be put there */
        p = (char *)mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    }
    if (kind == 'c') { /* 20 children, of 10 MiB each */
        size = 10 << 20;
        for (int i = 0; i < 20 && fork(); i++)
            ;
        p = (char *)malloc(size);
    }
    for (size_t i = 0; i < size; i += 4096)
        p[i] = 1;
    puts("took all");
    sleep(1);
    return 0;
}
END
system("gcc -w -o $scratch/takes $scratch/takes.c -lrt") == 0 or die;
my %takes = (m => 'MAP_SHARED', s => 'a System V segment', d => '/dev/shm', c => 'twenty children together');

for my $isolation (qw(bwrap setpriv none)) {
  SKIP: {
        skip "$isolation: $@" =~ s/\n//r, 1 if !eval { isolate($isolation) };
        my $limits = cage();
        note("$isolation: limits: ", $limits // 'of each process');
        my $run = sub { my ($what, @job) = @_; return run_job(command => ["$scratch/takes", $what], read => ["$scratch/takes"], seconds => 20, @job) };
        like($run->('m', megabytes => 1024)->{out}, qr/^took all/, "$isolation: what is allowed may be taken");
      SKIP: {
            skip 'no control group of systemd, cgroup v2 or v1 can be made here', 6 if !$limits;
            for my $kind (sort keys %takes) {
                my $r = $run->($kind, megabytes => 64);
                ok($r->{out} !~ /^(?:took all\n){17}/ && ($kind eq 'c' || $r->{signal} || $r->{code} == 9), "$isolation: $takes{$kind}: more is not") or diag(explain($r));
            }
            my $r = run_job(command => ['sh', '-c', 'for i in 1 2 3 4 5 6; do (while :; do :; done) & done; wait'], seconds => 2);
            is($r->{limit}, 'time', "$isolation: the time of processes, together");
            $r = run_job(command => ['perl', '-e', '$| = 1; for (1 .. 2000) { my $pid = fork // last; sleep 9 if !$pid; print "x" } kill "KILL", 0'], seconds => 5);
            cmp_ok(length $r->{out}, '<', 1000, "$isolation: the number of processes");
        }
        is(run_job(command => ['sleep', '1000'], seconds => 2)->{limit}, 'idle', "$isolation: what only waits is ended by the clock");
        is(run_job(command => ['sh', '-c', 'while :; do :; done'], seconds => 2)->{limit}, 'time', "$isolation: what works, by its processor time");
        my %by = map { my $way = $_; ($way => run_job(command => ['sh', '-c', "s=\$(head -c 32 <&5); $way"], reports => ['a.csv'], seconds => 5)) }
            'printf "a.csv 2\\nxx" >&5', 'printf "%sa.csv 2\\nxx" $s >&5', 'printf "%sa.csv 2\\nxx\\n" $s >&5', 'printf "%sb.csv 2\\nxx" $s >&5', 'for i in 1 2; do printf "%sa.csv 2\\nxx" $s >&5; done', 'printf "%sa.csv 9\\nx" $s >&5';
        is(join(' ', map { ($by{$_}{forged} ? 'forged' : '') . ($by{$_}{files}{'a.csv'} // '-') } sort keys %by), 'forged- xx forged- - forged- forged-', "$isolation: a report after its seal, whole, once, and nothing else") or diag(explain(\%by));
        if ($isolation ne 'none') {
            run_job(command => ['sh', '-c', 'umask 000; for d in /tmp /var/tmp /dev/shm; do mkdir $d/grade_stays; echo x >$d/grade_stays/x; done; perl -e "shmget(0, 12345, 01600)"; setsid sleep 4321 & sleep 0.2']);
            is(join(' ', grep { -e } map { "$_/grade_stays" } qw(/tmp /var/tmp /dev/shm)), '', "$isolation: no file stays");
            unlike(slurp('/proc/sysvipc/shm'), qr/^\s*0 +\d+ +600 +12345 /m, "$isolation: no shared memory stays");
        } else {
            run_job(command => ['sh', '-c', 'setsid sleep 4321 & sleep 0.2']) if $limits;
        }
        is(scalar(grep { /^sleep 4321$/ } processes()), 0, "$isolation: no process stays");
        like(run_job(command => ['sh', '-c', 'echo x >"$TMPDIR/mine"; ls -l "$TMPDIR/mine"'])->{out}, qr/^-rw-------/, 'setpriv: a file is its own') if $isolation eq 'setpriv';
    }
}
is_deeply([grep { -e } glob "/sys/fs/cgroup/{,*/,*/*/,*/*/*/}grade-$$"], [], 'no control group stays');

# ---- What says that it limits, and does not, does not count ------------------------------------------
{
    spew("$scratch/bin/systemd-run", "#!/bin/sh\necho \"\$@\" >>$scratch/asked\nwhile [ \"\$1\" != -- ]; do shift; done\nshift\nexec \"\$@\"\n", 0755);
    local $ENV{PATH} = "$scratch/bin:$ENV{PATH}";
    isolate('none');
    isnt(cage() // 'none', 'systemd', 'a systemd-run that limits nothing is found out');
    like(slurp("$scratch/asked"), qr/-p MemoryMax=50331648 -p MemorySwapMax=0 -p TasksMax=\d+ /, 'what it was asked for');
    undef $Sandbox::cage;
}

# ---- Messages of a compiler have no line of another file ---------------------------------------------
my $e = find_exercise('3.1');
my ($front, $unsolved, $back) = parts($e->{start});
sub verdict_on { my ($text) = @_; my $v = check_text($e, $front . $text . $back, "$scratch/check"); return ($v->{reason}, $v->{text}) }
spew("$scratch/secret", "#secret one\n#error secret two\n'secret three\nsecret four five\n");
spew("$scratch/second", "secret four five;\n");
isolate('none');
for my $text ("#include \"$scratch/secret\"\n", "#include \"$scratch/second\"\n", "#include \"/etc/passwd\"\n", "#define X <$scratch/secret>\n#include X\n", "#include \"../../../../../../..$scratch/secret\"\n",
    "#line 5 \"exercise.cu\"\n#include \"$scratch/secret\"\n", "#if 1\n#include \"/proc/self/root$scratch/secret\"\n#endif\n") {
    my ($reason, $said) = verdict_on($text . $unsolved);
    ok($reason =~ /^(?:include|compile)$/ && $said !~ /secret (?:one|two|three|four)|root:/, "$text: $reason" =~ s/\n/ /gr) or diag($said);
}
my ($reason, $said) = verdict_on("$unsolved\n#include <vector>\nstd::vector<int> v = 3 + std::vector<int>();\n");
ok($reason eq 'compile' && $said =~ /^exercise\.cu:\d+: error.*\n(?:.*\n)*exercise\.cu:\d+: note/m, 'its own mistakes, and what a header says of them, are shown') or diag($said);
($reason, $said) = verdict_on($unsolved =~ s/saxpy_bytes/saxpy_byte/r);
ok($reason eq 'compile' && $said =~ /saxpy_bytes/, 'a function that is missing, too') or diag($said);
done_testing();
