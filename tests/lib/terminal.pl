# A terminal for tests: start() runs a command at it, press() types, screen_shows() and ends() wait. A test begins with
#
#     use lib 'tests/lib';
#     use Tests qw(terminal);
#
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use Fcntl qw(O_RDWR O_NOCTTY);
use POSIX ();
use Time::HiRes qw(time);

my ($pid, $terminal, $seen);

sub unlocked_terminal {    # Linux: a new one, and the name of its other end; nothing elsewhere
    sysopen my $side, '/dev/ptmx', O_RDWR | O_NOCTTY or return;
    my $number = pack 'i', 0;
    ioctl $side, 0x40045431, $number or return;    # TIOCSPTLCK: unlock
    ioctl $side, 0x80045430, $number or return;    # TIOCGPTN
    return ($side, '/dev/pts/' . unpack 'i', $number);
}

sub start {
    my (@command) = @_;
    ($terminal, my $name) = unlocked_terminal() or return;
    $seen = '';
    $pid = fork // die "fork: $!";
    return 1 if $pid;
    POSIX::setsid();
    open STDIN, '+<', $name or POSIX::_exit(126);    # the first one opened is the one that controls
    open STDOUT, '>&', \*STDIN;
    open STDERR, '>&', \*STDIN;
    exec @command or POSIX::_exit(127);
}

# Reads until the pattern is there, in what came since the last one. Minutes pass on a busy machine. Where it
# does not come, the command is ended: what follows fails at once.
sub screen_shows {
    my ($pattern, $what) = @_;
    my $end = time() + 240;
    while ($seen !~ $pattern && time() < $end) {
        my $bits = '';
        vec($bits, fileno $terminal, 1) = 1;
        next if select($bits, undef, undef, 1) <= 0;
        last if !sysread $terminal, $seen, 65536, length $seen;
    }
    my $found = $seen =~ $pattern;
    ok($found, $what) or diag("expected $pattern in:\n$seen");
    kill 'KILL', -$pid if !$found;
    my ($before, $rest) = $found ? (substr($seen, 0, $+[0]), substr($seen, $+[0])) : ($seen, '');
    $seen = $rest;
    return $before;
}

sub press { syswrite $terminal, $_[0]; return }

# The status whole: death by a signal is no end.
sub ends {
    my ($what) = @_;
    while (sysread $terminal, $seen, 65536, length $seen) { }
    waitpid $pid, 0;
    is($?, 0, $what);
    return $seen;
}

# Does the terminal take whole lines, as before?
sub takes_lines {
    my $attributes = POSIX::Termios->new;
    $attributes->getattr(fileno $terminal);
    return $attributes->getlflag & POSIX::ICANON;
}

1;
