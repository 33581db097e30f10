# SPDX-License-Identifier: MIT
# Checks an exercise at each save: watch() moves on to the next when it is done, watch_one() ends. Files are
# polled: notification does not work on every kind of mounted folder.
package Watch;
use strict;
use warnings;
use Exporter qw(import);
use Time::HiRes qw(time);
use Chinese;
use Exercises;
use Keys;
use Progress;
use Sandbox;
use Screen;
use Show;

our @EXPORT = qw(watch watch_one);

# A line that stays below what was printed: progress, keys.
sub footer {
    my ($w) = @_;
    return if $w->{footer};
    my $front = $w->{is_one} ? '' : bar($w->{done} / $w->{all}) . ' ' . said("$w->{done} of $w->{all} done") . '  ';
    my $text = $front . said("$w->{exercise}{id}: h hint  s skip  Enter check now  q leave > ");
    print -t STDOUT ? paint('faint', $text) : "$text\n";
    $w->{footer} = 1;
    return;
}

sub below_footer {
    my ($w) = @_;
    print -t STDOUT && $w->{footer} ? "\n\n" : "\n";
    $w->{footer} = 0;
    return;
}

sub saved { my ($e) = @_; return join ' ', (Time::HiRes::stat("$e->{folder}/exercise.cu"))[7, 9] }

# The file as it is when nothing has changed it for 0.3 s: an editor may be between two files, or in the
# middle of one. Until then, as it was checked last.
sub settled {
    my ($w) = @_;
    my $now = saved($w->{exercise});
    @$w{qw(seen seen_at)} = ($now, time()) if $now ne ($w->{seen} // '');
    return $now ne '' && time() - $w->{seen_at} >= 0.3 ? $now : $w->{saved};
}

sub begin {
    my ($w, $e, $front) = @_;
    my $before = $w->{exercise};
    @$w{qw(exercise saved)} = ($e, saved($e));
    show_exercise($front, $e, $before);
    print said("It is checked whenever you save exercise.cu.\n");
    return;
}

sub check {
    my ($w) = @_;
    my $e = $w->{exercise};
    $w->{saved} = saved($e);
    below_footer($w);
    print said("checking $e->{id} ...\n");
    ctrl_c_is('a signal');
    my $v = check_exercise($e);
    ctrl_c_is('a key');
    show($e, $v);
    $w->{done} = count_done();
    return 1 if $v->{reason};
    $w->{finished}++;
    return 0 if $w->{is_one};
    my $next = next_open($e) // next_open($e, 1) // return 0;
    print "\n";
    begin($w, $next, 'Next:');
    return 1;
}

# 0: it is the end.
sub act {
    my ($w, $key) = @_;
    my $e = $w->{exercise};
    return check($w) if $key eq "\n";
    return 0 if $key eq 'q' || $w->{is_one} && ($w->{is_skipped} = $key eq 's');
    if ($key !~ /^[hs]$/) {
        print said("There is h, s, q, or Enter alone.\n");
        $w->{footer} = 0;
        return 1;
    }
    below_footer($w);
    if ($key eq 'h') {
        show_hint($e);
    } elsif (my $next = next_open($e, 1)) {
        begin($w, $next, 'Next:');
    } else {
        print said("$e->{id} is the only one that is open.\n");
    }
    return 1;
}

sub farewell {
    my ($w, $e) = @_;
    my ($minutes, $finished) = (int((time() - $w->{began}) / 60), $w->{finished});
    my $sitting = ($finished ? "$finished finished" : 'none finished') . ' in this sitting, '
        . ($minutes == 1 ? '1 minute' : "$minutes minutes");
    return wrapped('', $e ? "$w->{done} of $w->{all} exercises are done ($sitting). make watch continues with $e->{id}."
        : "All $w->{all} exercises are done ($sitting). You have worked through the course.");
}

# Until it is the end: keys, each followed by Enter, and a check at each save.
sub sit {
    my ($w) = @_;
    local $Show::has_keys = 1;
    watch_keys() if -t STDIN && -t STDOUT;
    while (1) {
        footer($w);
        my $key = key();
        last if defined $key && !act($w, $key);
        next if settled($w) eq $w->{saved};
        last if !check($w);
    }
    return;
}

# One exercise alone, until it is done or skipped: 1; or one leaves: 0.
sub watch_one {
    my ($e) = @_;
    my %w = (is_one => 1, exercise => $e, saved => saved($e), footer => 0, finished => 0);
    sit(\%w);
    give_back();
    print "\n" if -t STDOUT && $w{footer};
    return $w{finished} || $w{is_skipped} ? 1 : 0;
}

# $e: the first one to watch; else the first that is open.
sub watch {
    my ($e) = @_;
    check_changed();
    my %w = (began => time(), finished => 0, done => count_done(), all => scalar(() = all_exercises()), footer => 0);
    $e //= next_open();
    if (!$e) {
        print farewell(\%w);
        return;
    }
    my $ended = 0;
    local @SIG{qw(INT TERM HUP)} = (sub { end_running(); $ended = 1; die "ended\n" }) x 3;
    my $finished = eval {
        begin(\%w, $e, 'Watching:');
        sit(\%w);
        1;
    };
    give_back();
    die $@ if !$finished && !$ended;
    below_footer(\%w);
    print farewell(\%w, next_open());
    return;
}

1;
