# SPDX-License-Identifier: MIT
# What is typed: lines, at a terminal and in a pipe. Nothing is read ahead, so that one who asks next finds what
# was typed for him.
package Keys;
use strict;
use warnings;
use Exporter qw(import);
use POSIX ();

our @EXPORT = qw(watch_keys ctrl_c_is give_back key read_line);

my $before;    # the terminal as it was, while keys are watched for

# At a terminal: Ctrl-C is a key that ends a line: as a signal it would end make, too, which complains.
sub watch_keys { chomp($before = `stty -g`); ctrl_c_is('a key'); return }

# A signal in a check, which may take long.
sub ctrl_c_is { my ($what) = @_; system 'stty', $what eq 'a key' ? qw(intr undef eol ^C) : qw(eol undef intr ^C) if $before; return }

sub give_back { local $?; system 'stty', $before if $before; undef $before; return }
END { give_back() }

# The letter of a line, a newline for an empty one, ? for more than a letter; nothing after a third of a second, q
# at the end of the input.
sub key {
    my $bits = '';
    vec($bits, 0, 1) = 1;
    return if select($bits, undef, undef, 0.3) <= 0;
    my $line = read_line('') // return 'q';
    return $line =~ /^\s*$/ ? "\n" : $line =~ /^\s*(\S)\s*$/ ? lc $1 : '?';
}

# Asks for a line: without its end; nothing at the end of the input, and at a terminal after Ctrl-C.
sub read_line {
    my ($prompt) = @_;
    my $is_alone = -t STDIN && !$before;
    watch_keys() if $is_alone;
    print $prompt;
    my ($line, $byte) = ('', '');
    while (1) {
        my $read = POSIX::read(0, $byte, 1);    # a signal may come between
        last if defined $read ? !($read + 0) || $byte =~ /[\n\cC]/ : !$!{EINTR};
        $line .= $byte if $read;
    }
    give_back() if $is_alone;
    return $byte eq "\n" || $byte eq '' && $line ne '' ? $line : undef;
}

1;
