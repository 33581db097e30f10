# SPDX-License-Identifier: MIT
# Decides whether an exercise is solved: docs/architecture.md, "How an exercise is checked", has the way of a check. The
# learner's code runs in a worker that records; a judge of ours compares (judge.h). So what the learner's code prints, or
# how it ends, proves nothing.
package Check;
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Exporter qw(import);
use Fcntl qw(:flock);
use File::Path qw(remove_tree);
use File::Temp qw(tempdir);
use Answers;
use Course;
use Exercises;
use Facts;
use Language;
use Sandbox;
use Build;
use Variant;

our @EXPORT = qw(@stages check_text first_answers);

# Where exercises are checked: on the CPU device always, with a GPU on that, too.
our @stages = split ' ', ($ENV{GRADE_DEVICE} // '') eq 'gpu' ? 'cpu gpu' : 'cpu';
my $seconds = $ENV{GRADE_SECONDS} || 10;    # for one run; a right answer takes less than one

# ---- Checking ----------------------------------------------------------------------------------
my %signal_names = (4 => 'illegal instruction', 6 => 'abort', 7 => 'bus error', 8 => 'division by zero',
    9 => 'killed', 11 => 'segmentation fault', 25 => 'too large a file');

# What one run proves: nothing wrong, or reason and text. $run: of the worker, with what the judge says.
sub verdict_of_run {
    my ($run, $errors, $limit) = @_;
    my @lines = map { [split /\t/, $_, -1] } split /\n/, $run->{judge};
    my $ended = @lines ? $lines[-1][0] : 'cut';
    my ($failed) = grep { $_->[0] eq 'fail' } @lines;
    $ended = 'malformed' if $failed && $failed->[1] !~ /^[a-z]+$/;
    my ($last) = grep { $_->[0] =~ /^(?:calling|case)$/ } reverse @lines;
    my $case = $last && $last->[0] eq 'calling' ? "$last->[1]: " : '';
    my $code = $run->{code};
    return wrong('record', "${case}what the program recorded is no record of this check") if $ended eq 'malformed';
    return wrong('record', "${case}something else was written in place of the tracer's report") if $run->{forged};
    return wrong('time', "${case}it did not end; the limit is $limit seconds of processor time") if ($run->{limit} // '') eq 'time';
    return wrong('time', "${case}it waited for $limit seconds and did nothing") if ($run->{limit} // '') eq 'idle';
    return wrong('output', "${case}it printed more than 64 KiB") if $run->{limit};
    # Memory that is never freed is the learner's only if he has allocated it, and all went to the end.
    my ($first) = grep { $_->{kind} ne 'leak' || ($ended eq 'end' && !$failed && $_->{file} eq 'exercise.cu') } @{ $errors // [] };
    # A host that reads too early is a race, too; whether that is seen depends on which was faster. The check sees it always.
    undef $first if $first && $failed && $failed->[1] eq 'sync' && $first->{kind} eq 'data race';
    if ($first) {
        # The check's own arrays have no names here; and advice for any program is no advice for this exercise.
        my $detail = $first->{detail} =~ s{, allocated at (?!exercise)\S+?:\d+}{}r =~ s{\b[dhp]#\d+}{an array}r
            =~ s{; (?:nothing orders|if both|no __syncwarp|the same warp: no|on a GPU the program ends here).*}{}sr;
        return wrong('memory', $case . $first->{kind} . (length $first->{kernel} ? " in $first->{kernel}" : '') . ": $detail");
    }
    my ($cause) = $run->{err} =~ /^CPU device: .*?(\w+ was not launched: .*|argument \d+ is a host pointer)/m;
    my $why = sub { return $_[0] . (defined $cause && $_[0] =~ /cudaErrorI/ ? "; $cause" : '') };
    return wrong($failed->[1], $why->($failed->[2])) if $failed;
    return wrong('crash', "${case}it was ended by a signal: " . ($signal_names{ $run->{signal} } // $run->{signal})) if $run->{signal};
    return wrong('record', 'what the tracer found is missing') if $ended eq 'end' && !$errors;
    return if $ended eq 'end';
    my ($check) = $run->{err} =~ /^(\S+:\d+: .* failed: \w+ \(\d+\).*)$/m;    # the line of a CUDA_CHECK
    return wrong('error', $case . $why->($check)) if $code == 3 && defined $check;
    return wrong('early', "${case}the program ended (exit code $code) before the check did");
}

# The rows of a table that the tracer wrote in the learner's process; undef where it is not there, or not whole.
sub table_of { my ($csv) = @_; return defined $csv ? eval { [csv_table($csv)] } : undef }

# One run: adds to the verdict %$v; returns reason and text where something is wrong. Accesses are
# counted in the worker; of predictions in the judge, which makes the measurement.
sub run_once {
    my ($e, $program, $stage, $v, $mode, $schedule, $limit, $stores) = @_;
    my $traced = is_traced($e, $stage);
    my $facts = $mode eq 'facts';
    my $measures = $facts && $e->{kind} eq 'measure';
    my $seed = $ENV{GRADE_SEED} // int rand 1e15;
    my $folder = tempdir(CLEANUP => 0);
    my %schedule = defined $schedule ? (CPU_DEVICE_SCHEDULE => $schedule) : ();
    my %job = (
        command           => [$program, $mode],
        read              => [$program],
        gpu               => $stage eq 'gpu',
        seconds           => $limit,
        environment       => { %schedule, CHECK_WORKER => 1, ACCESS_ERRORS => 'sealed:5:errors.csv', ACCESS_TABLE => 0, $facts ? (ACCESS_REPORT => 'sealed:5:access.csv', ACCESS_STORES => $stores // 1) : () },
        reports           => [map { "$_.csv" } qw(access access.shared access.launches access.pages errors)],
        judge             => [judge_of($e, $stage), $mode, $seed],
        judge_environment => { %schedule, ACCESS_TABLE => 0, $measures ? (ACCESS_REPORT => "$folder/access.csv") : () },
    );
    my $run;
    for (1 .. 3) {    # what a busy machine or GPU does is not the learner's doing
        $run = run_job(%job);
        last if !defined $run->{judge_failed} && $run->{judge} !~ /^fail\tdevice\t/m;
    }
    my ($global, $shared) = map { table_of($measures ? slurp("$folder/$_") : $run->{files}{$_}) } qw(access.csv access.shared.csv);
    remove_tree($folder);
    my $lines = $run->{judge};
    $v->{cases} += () = $lines =~ /^case\t/mg;
    @$v{qw(output errors)} = @$run{qw(out err)};
    $v->{suspicious} = 1 if $run->{forged};
    my $errors = $traced ? table_of($run->{files}{'errors.csv'}) : [];
    return wrong('device', $run->{judge_failed} =~ /^exit code 77/ ? 'no usable device' : "the judge failed, $run->{judge_failed}") if defined $run->{judge_failed};
    my @wrong = verdict_of_run($run, $errors, $limit);
    return @wrong if @wrong;
    return wrong('disk', 'cannot write the counted accesses; is the disk full?') if $measures && !$global;
    return wrong('record', 'the counted accesses are missing') if $facts && !$global;
    my %seen = map { fact_text($_) => 1 } @{ $v->{facts} };    # two runs may report the same
    my @new = facts($lines, { global => $global // [], shared => $shared // [] });
    push @{ $v->{facts} }, grep { !$seen{ fact_text($_) } } @new;
    return;
}

# Until what it returns is let go, other checks of the exercise wait: they build in the same folder.
sub locked {
    my ($e) = @_;
    my $folder = "$build/exercises/$e->{id}";
    make_path($folder);
    open my $lock, '>', "$folder/lock" or die "$folder/lock: $!\n";
    if (!flock $lock, LOCK_EX | LOCK_NB) {
        print STDERR "another check of $e->{id} is at work: waiting for it\n";
        flock $lock, LOCK_EX;
    }
    return $lock;
}

# ---- Predictions -------------------------------------------------------------------------------
# The first answers to an exercise of predictions count: $kept is the chain that has them (Answers.pm).
# A verdict that says more than which answers are missing becomes one on them: a wrong one costs a point.
# After make again they are the first ones to other numbers, and cannot take points away. Where there
# are no other numbers, they are practice. Returns the chain with these answers; undef where none are judged.
sub first_answers {
    my ($e, $v, $kept) = @_;
    my @asked = grep { $_->{what} eq 'predict' } @{ $v->{facts} };
    my $before = points_before($e);
    my @sets = eval { answers_kept($e, $kept) };
    $v->{points} = $before if defined $before;
    return if !@asked || ($v->{reason} // 'prediction') ne 'prediction' || (!@sets && grep { $_->{none} } @asked);
    my %now = map { $_->{label} => $_->{yours} } @asked;
    my $is_new = !@sets || !(grep { $_->{none} } @asked) && grep { ($sets[-1]{answers}{$_} // '') ne $now{$_} } keys %now;
    my $chain = $is_new ? keep_answers($e, @sets ? $kept : '', undef, map { $_->{label}, $_->{yours} } @asked) : $kept;
    my %first = @sets ? %{ $sets[0]{answers} } : %now;
    for my $f (@asked) {
        $f->{yours} = $first{ $f->{label} } // $f->{yours};
        $f->{ok} = abs($f->{yours} - $f->{actual}) <= $f->{tolerance};
        $f->{none} = 0;
    }
    my %why = explanations($e);
    $_->{why} = $why{ $_->{label} } // 'explained.base64 does not say why' for @asked;
    my $wrong = grep { !$_->{ok} } @asked;
    delete @$v{qw(reason text)};
    my $points = $wrong > $e->{points} ? 0 : $e->{points} - $wrong;
    $points = $before if defined $before && ($points < $before || !constants($e));
    $v->{points} = $points;
    $v->{answers} = { right => @asked - $wrong, of => scalar @asked, again => defined $before };
    return $chain;
}

# Each goal has a like share of the points, and counts as far as those before it are reached: spoiling the
# first to reach the second gains nothing. Returns all points; the goals get theirs.
sub score_goals {
    my ($e, @goals) = @_;
    my ($way, $sum, $points, $most) = (1, 0, 0, 0);
    for my $k (1 .. @goals) {
        my $g = $goals[$k - 1];
        $way = $g->{way} if !$g->{ok} && $g->{way} < $way;
        my $so_far = int $e->{points} * ($sum += $way) / @goals + 1e-9;
        my $most_so_far = int $e->{points} * $k / @goals;
        @$g{qw(points of)} = ($so_far - $points, $most_so_far - $most);
        ($points, $most) = ($so_far, $most_so_far);
    }
    return @goals ? $points : $e->{points};
}

# A fix that is wrong in a case has a share for those before it that the exercise as handed out does not have right:
# the head of check.cu says "cases: ALL, BEFORE". None where it is wrong otherwise, by a crash or in memory, nor where its
# counts are, where they are asked for: a host that computes is right in most cases, too.
sub points_by_case {
    my ($e, $v, $reason, $count) = @_;
    my ($all, $before) = $e->{cases} =~ /^(\d+), (\d+)$/ or return 0;
    return 0 if $v->{cases} <= $before || $v->{cases} >= $all || $reason !~ /^(?:values|guard|sync|waits|order|stream|events|left|leak)$/;
    my $points = int $e->{points} * ($v->{cases} - $before) / ($all - $before);
    return $points if !$points || $e->{runs} !~ /\bfacts\b/;
    my %counted = (facts => []);
    return $count->(\%counted) || grep({ !$_->{ok} } @{ $counted{facts} }) ? 0 : $points;
}

# Checks a learner's text, for $limit seconds a run. Returns a hash: points, cases, facts, output and
# errors of the last run; reason and text where something is wrong. $same_as: called with a name of a text, or of the program
# that comes of it, and what checks it; returns a verdict, that of the same text or program perhaps.
sub check_text {
    my ($e, $text, $folder, $limit, $same_as) = @_;
    $text =~ s/\r\n/\n/g;    # from an editor on Windows
    return verdict_of(wrong('marks', "exercise.cu has lost one of its two marks, $begin_mark and $end_mark")) if !parts($text);
    my ($class, $student) = constants($e) && !defined $e->{given} ? whose() : ();
    return verdict_of(wrong('answers', "each student is asked for other numbers: make mine ID=yours writes yours into given.h")) if defined $class && !defined $student;
    my $lock = index($folder, $build) == 0 ? locked($e) : undef;    # no one else builds elsewhere
    my $known = sub { my ($check, @of) = @_; return $same_as && "@stages" eq 'cpu' ? $same_as->(md5_hex(join "\0", $e->{id}, $e->{given} // '', map { $_ // '' } @of), $check) : $check->() };
    return $known->(sub {
        my %texts = (gpu => $text);
        for my $stage (grep { $_ ne 'gpu' } stages_of($e, @stages)) {
            ($texts{$stage}, my @wrong) = preprocess($e, $stage, $text, "$folder/$stage");
            return verdict_of(@wrong) if @wrong;
        }
        return $known->(sub { return check_stages($e, \%texts, $folder, $limit) }, @texts{qw(cpu traced)});
    }, without_comment_lines($text));
}

# The same program, in the same lines: where nothing else reaches beyond a line's end, a line that begins with // is a comment.
sub without_comment_lines {
    my ($text) = @_;
    return $text =~ m{/\*|\\[ \t\f\x0b\r]*$|\?\?/|R"}m ? $text : $text =~ s{^[ \t]*//.*$}{}mgr;
}

sub verdict_of { my (@wrong) = @_; return { cases => 0, facts => [], points => 0, output => '', errors => '', @wrong } }

sub check_stages {
    my ($e, $texts, $folder, $limit) = @_;
    my %v = %{ verdict_of() };
    my $most = $limit // $seconds;
    for my $stage (@stages) {
        my %program;
        my $run_as = sub {    # built when it is first run
            my ($built, @how) = @_;
            my @wrong;
            ($program{$built}, @wrong) = build_program($e, $built, $texts->{$built}, "$folder/$built") if !$program{$built};
            return @wrong if !defined $program{$built};
            $v{warnings} = $wrong[1] if @wrong;
            return run_once($e, $program{$built}, $built, @how);
        };
        my $counted = (stages_of($e, $stage))[-1];
        # [mode, schedule]. A GPU has one schedule, and no tracer.
        my @runs = map { $_ eq 'facts' ? ['facts', undef] : ['cases', $_ eq 'in-order' ? undef : $_] } split ' ', $e->{runs};
        @runs = ['cases', undef] if $stage eq 'gpu';
        for my $run (@runs) {
            my $built = $run->[0] eq 'facts' ? $counted : $stage;
            my @wrong = $run_as->($built, \%v, @$run, $most);
            # A signal ended it, perhaps only where the processor has protection keys: traced, the cause has a name.
            my @named = @wrong && $wrong[1] eq 'crash' && $built ne $counted ? $run_as->($counted, { %{ verdict_of() } }, @$run, $most) : ();
            @wrong = @named if @named;
            $v{suspicious} = 1 if @wrong && $stage eq 'gpu' && @stages > 1;    # the CPU device has found nothing
            $wrong[-1] = "on the GPU: $wrong[-1]" if @wrong && $stage eq 'gpu';
            my $facts = sub { return $run_as->($counted, $_[0], 'facts', undef, $most) };
            return { %v, @wrong, points => $stage eq 'cpu' ? points_by_case($e, \%v, $wrong[1], $facts) : 0 } if @wrong;
            # An instructor counts twice: code that writes over the counts may not get the same again. And the
            # second time memory is wrong wherever no access is seen that reads it (trace/check/unseen.c).
            # (Not for predictions: those are counted in the judge.)
            next if $run->[0] ne 'facts' || !$ENV{GRADE_TWICE} || $e->{kind} eq 'measure';
            my $known = @{ $v{facts} };
            @wrong = $run_as->($built, \%v, @$run, 3 * $most, 'scramble');    # each access is looked up
            $v{suspicious} = 1 if @wrong || @{ $v{facts} } > $known;
            return { %v, wrong('unseen', "where memory is wrong unless an access is seen, the result is, too: $wrong[-1]") } if @wrong && $wrong[1] ne 'time';
            splice @{ $v{facts} }, $known;
        }
        my ($bad) = sort { !$a->{none} <=> !$b->{none} } grep { !$_->{ok} && !defined $_->{way} } @{ $v{facts} };
        return { %v, wrong($bad->{what} eq 'predict' ? 'prediction' : 'facts', fact_text($bad)) } if $bad;
    }
    my @facts = @{ $v{facts} };
    my ($far) = sort { $a->{way} <=> $b->{way} } grep { defined $_->{way} && !$_->{ok} } @facts;
    $v{points} = score_goals($e, grep { defined $_->{way} } @facts);
    return { %v, $far ? wrong('goal', fact_text($far)) : () };
}

1;
