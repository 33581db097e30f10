# SPDX-License-Identifier: MIT
# What is typed: single keys and lines, at a terminal and in a pipe. Nothing is read ahead, so that one who
# asks next finds what was typed for him.
package Keys;
use strict;
use warnings;
use Exporter qw(import);
use POSIX ();

our @EXPORT = qw(raw_keys has_raw_keys ctrl_c_is give_back key read_line);

use constant CTRL_C => "\x03";

my ($terminal, $before);    # keys are watched for; the terminal as it was
my $takes_lines;            # and each ends with Enter

sub terminal_now {
    my $termios = POSIX::Termios->new;
    return $termios->getattr(0) ? $termios : undef;
}

# Keys one by one from now on; $lines: seen, and each followed by Enter.
sub raw_keys {
    ($takes_lines) = @_;
    $before = terminal_now();
    $terminal = terminal_now();
    if ($takes_lines) {
        $terminal->setcc(POSIX::VEOL, ord CTRL_C);    # Ctrl-C ends a line, too
    } else {
        $terminal->setlflag($terminal->getlflag & ~(POSIX::ICANON | POSIX::ECHO));
        $terminal->setcc(POSIX::VMIN, 1);
    }
    ctrl_c_is('a key');
    return;
}

sub has_raw_keys { return defined $terminal && !$takes_lines }

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

sub is_readable {
    my ($seconds) = @_;
    my $bits = '';
    vec($bits, 0, 1) = 1;
    return select($bits, undef, undef, $seconds) > 0;
}

# The next byte that was typed; nothing at the end.
sub next_byte {
    while (1) {
        my $read = POSIX::read(0, my $byte, 1);
        return $read + 0 ? $byte : undef if defined $read;
        return if !$!{EINTR};
    }
}

# The next key, or nothing after a third of a second; q at the end of the input. $lines: where keys are not
# read one by one, the letter of a line, a newline for an empty one, ? for more than a letter.
sub key {
    my ($lines) = @_;
    if (!$terminal && !$lines) {
        select undef, undef, undef, 0.3;
        return;
    }
    return if !is_readable(0.3);
    return next_byte() // 'q' if has_raw_keys();
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
