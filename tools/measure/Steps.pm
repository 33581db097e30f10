# SPDX-License-Identifier: MIT
# A long command as a few lines: one for each program that it runs.
#
#     [12/57] 03_bandwidth/2_roofline                ok       4.1 s
#
#     my $steps = 57;                                       # how many there will be; 0: without numbers
#     my $code = step($steps, { name => '03_bandwidth/2_roofline', command => [$path, '--csv'], out => $file });
#
# What a step prints goes to its file; of one that fails it is shown whole, with the command that repeats
# it. On a terminal the step at work is shown with its time so far, and verdicts have a color, unless
# NO_COLOR is set. With V=1 in the environment, steps print as they always would.
package Steps;
use strict;
use warnings;
use Exporter qw(import);
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);
use Course;

our @EXPORT = qw(step working);

use constant NAME => 38;    # the longest name; with all else on its line that makes 60 columns
my %COLOR = (ok => 32, skip => 33, FAIL => 31);
my ($number, $running) = (0, 0);

$| = 1;
my $is_terminal = -t STDOUT;
my $has_colors = $is_terminal && ($ENV{NO_COLOR} // '') eq '' && ($ENV{TERM} // 'dumb') ne 'dumb';

# Interrupted: the step at work ends, too.
sub stop {
    kill 'TERM', $running if $running;
    print "\n" if $is_terminal;
    exit 130;
}

sub say_or_die { print @_ or die "cannot write: $!\n" }

# How a command ended, in words, and whether that is a failure.
sub verdict {
    my ($code) = @_;
    return 'ok' if $code == 0;
    return ('skip', 'no usable device') if $code == 77;
    return ('FAIL', 'it may not be run there: BUILD=dir builds in another place') if $code == 126;
    return ('FAIL', $code > 128 ? 'signal ' . ($code - 128) : "exit code $code");
}

sub start {
    my ($step, $is_shown) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    open STDIN, '<', '/dev/null' or POSIX::_exit(126);
    if (!$is_shown) {
        open STDOUT, '>', $step->{out} or POSIX::_exit(126);
        ($step->{err} ? open STDERR, '>', $step->{err} : open STDERR, '>&', \*STDOUT) or POSIX::_exit(126);
    }
    { no warnings 'exec'; exec { $step->{command}[0] } @{ $step->{command} } }
    POSIX::_exit(126);
}

# Runs one step of `count`: {name, command, out: its file, err: another file for what goes to stderr,
# is_shown: it prints as it always would}. Returns its exit code, 128 + N after signal N.
sub step {
    my ($count, $step) = @_;
    my $is_shown = $step->{is_shown} || ($ENV{V} // '') ne '' && !$step->{err};
    my $place = $count ? sprintf '[%*d/%d]', length $count, ++$number, $count : '';
    my $line = sprintf '%-7s %-*s', $place, NAME, $step->{name};
    make_path($step->{out} =~ m{^(.*)/}) if !$is_shown;
    say_or_die("\n$place $step->{name}\n") if $is_shown;
    my $from = time;
    local @SIG{qw(HUP INT TERM)} = (\&stop) x 3;
    local $SIG{CHLD} = sub { };    # ends the sleep below: no step waits for the clock
    $running = start($step, $is_shown);
    for (my $tenths = 0; waitpid($running, WNOHANG) == 0; $tenths++) {
        printf "\r%s %8d s", $line, time - $from if $is_terminal && !$is_shown && $tenths % 10 == 5;
        sleep($tenths < 10 ? 0.01 : 0.1);
    }
    $running = 0;
    my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my ($verdict, $why) = verdict($code);
    my $colored = $has_colors ? "\e[$COLOR{$verdict}m$verdict\e[0m" : $verdict;
    say_or_die("\r") if $is_terminal && !$is_shown;
    say_or_die(sprintf "%s %s%s %5.1f s%s\n", $line, $colored, ' ' x (4 - length $verdict), time - $from, $why ? "  $why" : '')
        if !$is_shown || $code;
    return $code if !$code || $code == 77;
    say_or_die(map { slurp($_) // '' } grep { defined } @$step{qw(out err)}) if !$is_shown;
    say_or_die('Again: ' . join(' ', map { m{^[\w./=+-]+$} ? $_ : quoted($_) } @{ $step->{command} }) . "\n");
    return $code;
}

# For a tool whose output is the result: says on a terminal, on stderr, what it is at; '' takes that away.
my $shown = 0;

sub working {
    my ($what) = @_;
    return if !-t STDERR;
    my $text = $what eq '' ? '' : "$what ...";
    printf STDERR "\r%-*s%s", $shown, $text, $text eq '' ? "\r" : '';
    $shown = length $text;
}

1;
