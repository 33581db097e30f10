# SPDX-License-Identifier: MIT
# What is typed: lines, at a terminal and in a pipe. Nothing is read ahead, so that one who asks next finds what
# was typed for him.
package Keys;
use strict;
use warnings;
use Exporter qw(import);
use POSIX ();

our @EXPORT = qw(watch_keys ctrl_c_is give_back key read_line);

use constant CTRL_C => "\x03";

my ($terminal, $before);    # keys are watched for; the terminal as it was

sub terminal_now {
    my $termios = POSIX::Termios->new;
    return $termios->getattr(0) ? $termios : undef;
}

# At a terminal: Ctrl-C ends a line from now on, too.
sub watch_keys {
    $before = terminal_now();
    $terminal = terminal_now();
    $terminal->setcc(POSIX::VEOL, ord CTRL_C);
    ctrl_c_is('a key');
    return;
}

# A key between two checks: as a signal it would end make, too, which complains. A signal in a check,
# which may take long.
sub ctrl_c_is {
    my ($what) = @_;
    return if !$terminal;
    my $flags = $terminal->getlflag;
    $terminal->setlflag($what eq 'a key' ? $flags & ~POSIX::ISIG : $flags | POSIX::ISIG);
    $terminal->setattr(0, POSIX::TCSANOW);
    return;
}

sub give_back {
    $before->setattr(0, POSIX::TCSANOW) if $before;
    ($terminal, $before) = ();
    return;
}
END { give_back() }

# The next byte that was typed; nothing at the end.
sub next_byte {
    while (1) {
        my $read = POSIX::read(0, my $byte, 1);
        return $read + 0 ? $byte : undef if defined $read;
        return if !$!{EINTR};
    }
}

# The letter of a line, a newline for an empty one, ? for more than a letter; nothing after a third of a second, q
# at the end of the input.
sub key {
    my $bits = '';
    vec($bits, 0, 1) = 1;
    return if select($bits, undef, undef, 0.3) <= 0;
    my $line = read_line('') // return 'q';
    return $line =~ /^\s*$/ ? "\n" : $line =~ /^\s*(\S)\s*$/ ? lc $1 : '?';
}

# Asks for a line: without its end; nothing at the end of the input. At a terminal nothing after Ctrl-C, too,
# which is no signal from the prompt on: that would end make, which complains.
sub read_line {
    my ($prompt) = @_;
    my $as_it_was = -t STDIN ? terminal_now() : undef;
    if ($as_it_was) {
        my $quiet = terminal_now();
        $quiet->setcc(POSIX::VINTR, POSIX::fpathconf(0, POSIX::_PC_VDISABLE()) + 0);    # no key
        $quiet->setcc(POSIX::VEOL, ord CTRL_C);    # it ends the line
        $quiet->setattr(0, POSIX::TCSANOW);
    }
    print $prompt;
    my ($line, $byte) = '';
    while (defined($byte = next_byte()) && $byte ne "\n" && $byte ne CTRL_C) { $line .= $byte }
    $as_it_was->setattr(0, POSIX::TCSANOW) if $as_it_was;
    return if defined $byte && $byte eq CTRL_C || !defined $byte && $line eq '';
    return $line;
}

1;
