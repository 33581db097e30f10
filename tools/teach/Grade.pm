# SPDX-License-Identifier: MIT
# make grade: checks what students returned, several at a time, and writes OUT/grades.json.
#
# Each student's result is a separate file, OUT/students/ID.json, written by rename when that student is
# done: a run that was ended continues where it was.
# grades.json is these files put together at the end; every other format is made from it alone (Report.pm).
package Grade;
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Exporter qw(import);
use File::Basename qw(basename);
use File::Path qw(remove_tree);
use File::Spec;
use File::Temp qw(tempdir);
use JSON::PP;
use Storable qw(retrieve store);
use Time::Local qw(timegm);
use Answers;
use Build;
use Cage;
use Check;
use Collect;
use Course;
use Exercises;
use Facts;
use Language;
use Report;
use Sandbox;
use Show;
use Variant;

our @EXPORT = qw(grade read_json);

$Course::when_ended = \&end_running;

sub read_json { my ($file) = @_; my $text = slurp($file); return defined $text ? eval { JSON::PP->new->utf8->decode($text) } : undef }

# A text of a student's run as it may be kept: no control characters, at most 2,000 bytes.
sub cleaned {
    my ($text, $most) = @_;
    $most //= 2000;
    my $plain = join "\n", map { plain_name(s/\t/ /gr) } split /\n/, $text // '';
    return length $plain > $most ? substr($plain, 0, $most - 4) . ' ...' : $plain;
}

# ---- What is asked for -----------------------------------------------------------------------------
# Exercises with their points: all, EX="3.1 5.3", or a file of lines "3.1", "5.3 10", "due 2026-11-30T12:00".
sub assignment {
    my ($ex, $file) = @_;
    my %by_id = map { $_->{id} => $_ } all_exercises();
    my (@chosen, $due);
    if (defined $file) {
        open my $lines, '<', $file or die "$file: it cannot be read\n";
        local $_;
        while (<$lines>) {
            next if /^\s*(?:#|$)/;
            if (/^\s*due\s+(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::\d\d)?Z?)?\s*$/) { $due = timegm(0, $5 // 59, $4 // 23, $3, $2 - 1, $1) }
            elsif (/^\s*(\d+\.\d+)(?:\s+(\d+))?\s*$/ && $by_id{$1}) { push @chosen, [$by_id{$1}, $2] }
            else { die "$file:$.: neither \"due YYYY-MM-DDTHH:MM\" nor an exercise and its points\n" }
        }
    }
    push @chosen, map { [find_exercise($_)] } split ' ', $ex // '';
    @chosen = map { [$_] } all_exercises() if !@chosen;
    return ([map { +{ e => $_->[0], of => $_->[1] // $_->[0]{points} } } @chosen], $due);
}

sub late_rate { my ($text) = @_; return $text =~ m{^(?:(\d+(?:\.\d+)?)%/day)?$} ? ($1 // 0) / 100 : die "LATE is like 10%/day, not '$text'\n" }

# ---- What a student has returned -------------------------------------------------------------------
# An exercise's text with the marked region that was returned, set into it as it was handed out.
# Or undef, status and reason.
sub submission {
    my ($folder, $e) = @_;
    my $at = $folder;
    for my $part (split m{/}, short($e->{folder})) {
        $at .= "/$part";
        return (undef, 'unreadable', "$part is a link") if -l $at;
    }
    my @there = -d $at ? files($at, '[Ee][Xx][Ee][Rr][Cc][Ii][Ss][Ee].[Cc][Uu]') : ();
    return (undef, 'none', 'not handed in') if !@there && !-l "$at/exercise.cu";
    my ($bytes, $why) = read_plain($there[0] // "$at/exercise.cu");
    return (undef, 'unreadable', "exercise.cu: $why") if !defined $bytes;
    return (undef, 'none', 'exercise.cu is empty') if $bytes !~ /\S/;
    my ($text, @repaired) = repaired($bytes);
    my $marks = () = $text =~ /^(?:\Q$begin_mark\E|\Q$end_mark\E)$/mg;
    my ($before, $region, $after) = parts($text);
    return (undef, 'marks', "exercise.cu has lost one of its two marks, $begin_mark and $end_mark") if !defined $region;
    return (undef, 'marks', 'exercise.cu has its marks more than once') if $marks > 2;
    return (undef, 'unreadable', 'exercise.cu holds a byte 0') if $region =~ /\0/;
    my ($front, $unsolved, $back) = parts($e->{start});
    return (undef, 'none', 'not begun') if $region eq $unsolved;
    my $outside = join '', difference($front, $before), difference($back, $after);
    my ($answers) = read_plain("$at/first_answers.txt", 1 << 20);
    return ($front . $region . $back, undef, undef, outside => $outside, repaired => \@repaired, answers => $answers);
}

# Lines that are in one text alone.
sub difference {
    my ($ours, $theirs) = @_;
    my %in_ours = map { $_ => 1 } split /\n/, $ours;
    my %in_theirs = map { $_ => 1 } split /\n/, $theirs;
    return join '', map({ "-$_\n" } grep { !$in_theirs{$_} } split /\n/, $ours), map({ "+$_\n" } grep { !$in_ours{$_} } split /\n/, $theirs);
}

# ---- One student -----------------------------------------------------------------------------------
# On Gradescope: who hands in, and the first answers that it has seen, by exercise. What students see of a first
# set is that it counts; the next time it is explained.
sub gradescope_says {
    my $said = read_json($ENV{METADATA} // '') or return;
    my %first;
    for my $before (sort { $a->{submission_time} cmp $b->{submission_time} } grep { defined $_->{submission_time} } @{ $said->{previous_submissions} // [] }) {
        my $kept = eval { $before->{results}{extra_data}{first_answers} } // {};
        $first{$_} //= $kept->{$_} for keys %$kept;
    }
    return { who => eval { $said->{users}[0]{email} }, first => \%first };
}

# Predictions: the first answers count. Which these are says the chain that was handed in; without one they are a
# second try, which is worth half, because the check has told by then what is right.
sub judge_answers {
    my ($e, $v, $chain, $by) = @_;
    my $seen = $by && $by->{first}{ $e->{id} };
    my $why = eval { answers_kept($e, $seen // $chain); 1 } ? '' : $@ =~ s/\n\z//r;
    my $is_kept = !length $why && defined($seen // $chain);
    my $new = first_answers($e, $v, $is_kept ? $seen // $chain : undef) // return;
    my $answers = $v->{answers};
    if ($by) {
        $answers->{kept} = $new;
        $answers->{hidden} = !$seen;
    } elsif (!$is_kept) {
        $answers->{second} = length $why ? "first_answers.txt: $why" : 'without first_answers.txt';
        $v->{points} /= 2;
    }
    return;
}

# "done", and what is to be said of answers.
sub done_line {
    my ($answers) = @_;
    return 'done' if !$answers;
    return "done: your $answers->{of} answers are kept and count; hand in once more, and each is explained" if $answers->{hidden};
    return "done: $answers->{right} of $answers->{of} answers, a second try, for half of the points: $answers->{second}" if $answers->{second};
    return $answers->{right} < $answers->{of} ? "done: $answers->{right} of $answers->{of} first answers" : 'done';
}

sub grade_exercise {
    my ($folder, $id, $asked, $scratch, $options) = @_;
    my ($e, $of) = @$asked{qw(e of)};
    my %result = (id => $e->{id}, of => $of + 0, points => 0, facts => [], repaired => [], outside => '', output => '', next => '', page => page_of($e));
    my ($text, $status, $why, %with) = submission($folder, $e);
    return { %result, status => $status, reason => $status, line => "$status: $why", text => $why } if !defined $text;
    $e = varied($e, $options->{class}, $id) if defined $options->{class};
    my $v = eval { check_text($e, $text, $scratch, undef, $options->{same_as}) } // { wrong('grader', "the grader failed: $@"), points => 0, facts => [] };
    judge_answers($e, $v, $with{answers}, $options->{gradescope});
    remove_tree($scratch);
    my $answers = $v->{answers};
    my $line = $v->{reason} ? "$v->{reason}: $v->{text}" : done_line($answers);
    $line .= "; $v->{cases} cases before it are right" if $v->{reason} && $v->{points} && $e->{kind} eq 'fix';
    return {
        %result,
        points   => 0 + sprintf('%.2f', $v->{points} * $of / $e->{points}),
        status   => $v->{reason} ? 'wrong' : 'done',
        reason   => $v->{reason} // '',
        line     => cleaned($line =~ s/\s+/ /gr, 300),
        text     => cleaned($v->{text}),
        output   => cleaned($v->{output}),
        outside  => cleaned($with{outside}),
        repaired => $with{repaired},
        next     => $v->{reason} && $v->{reason} ne 'grader' ? next_step($e, $v) : '',
        $v->{suspicious} ? (suspicious => JSON::PP::true) : (),
        $answers && $answers->{kept} ? (first_answers => $answers->{kept}) : (),
        facts    => [map { fact_record($_, $of / $e->{points}) } $answers && $answers->{hidden} ? () : @{ $v->{facts} }],
    };
}

# A fact as it is kept; points, where it has a share of them.
sub fact_record {
    my ($f, $scale) = @_;
    my %record = (kind => $f->{what}, ok => $f->{ok} ? JSON::PP::true : JSON::PP::false, text => cleaned(fact_text($f) . (defined $f->{why} ? ". \u$f->{why}." : ''), 400), yours => "$f->{yours}");
    $record{ideal} = "$f->{ideal}" if defined $f->{ideal};
    defined $f->{$_} and $record{$_} = 0 + sprintf '%.2f', $f->{$_} * $scale for qw(points of);
    return \%record;
}

# Verdicts by the program, kept in a folder: the same program, but for comments and blanks, has the same points,
# and it is built and run once. $run: what else a verdict depends on.
sub same_as {
    my ($folder, $run) = @_;
    make_path($folder);
    return sub {
        my ($program, $check) = @_;
        my $file = "$folder/" . md5_hex("$run\0$program");
        my $known = eval { retrieve($file) };
        return $known if $known;
        my $v = $check->();
        # Not what another run might end otherwise: by a limit, for want of memory, with other counts.
        return $v if $v->{suspicious} || ($v->{reason} // 'done') !~ /^(?:done|values|guard|memory|sync|waits|order|stream|events|left|leak|facts|goal|prediction)$/;
        store($v, "$file.$$") && rename "$file.$$", $file;
        return $v;
    };
}

sub grade_student {
    my ($folder, $id, $of_collect, $options) = @_;
    my $scratch = tempdir(CLEANUP => 0);
    chmod 0711, $scratch;
    my $who = $options->{gradescope} && $options->{gradescope}{who} // $id;
    my %decided = map { $_->{what} => $_ } @{ $of_collect->{overrides} // [] };
    my @results = map { by_hand($decided{"points $_->{e}{id}"}, grade_exercise($folder, $who, $_, "$scratch/$_->{e}{id}", $options)) } @{ $options->{chosen} };
    remove_tree($scratch);
    my %flags = map { $_ => 1 } @{ $of_collect->{flags} // [] };
    $flags{outside} = 1 if grep { length $_->{outside} } @results;
    $flags{suspicious} = 1 if grep { $_->{suspicious} } @results;
    $flags{unreadable} = 1 if grep { $_->{status} =~ /^(?:unreadable|marks)$/ } @results;
    my ($points, $of) = (0, 0);
    $points += $_->{points}, $of += $_->{of} for @results;
    my ($late, $time, $due) = (0, seconds_of($of_collect->{time}), seconds_of($decided{due}{value}) // $options->{due});    # the student's own, or all students'
    $late = 0 + sprintf '%.2f', ($time - $due) / 3600 if defined $due && defined $time && $time > $due;
    my $less = $late > 0 ? $options->{late} * (int($late / 24) + ($late / 24 > int($late / 24))) : 0;
    $flags{late} = 1 if $late > 0 || $of_collect->{late};
    $flags{'time unknown'} = 1 if defined $due && !$of_collect->{word} && !$flags{nothing};
    return {
        id => $id, name => $of_collect->{name} // plain_name($id), match => $of_collect->{match} // '', time => $of_collect->{time} // '', late_hours => $late, flags => [sort keys %flags],
        points => 0 + sprintf('%.2f', $points * ($less > 1 ? 0 : 1 - $less)), of => $of, exercises => \@results,
        roster => $of_collect->{roster}, left_out => $of_collect->{left_out} // [], overrides => $of_collect->{overrides} // [],
    };
}

sub seconds_of { my ($time) = @_; return ($time // '') =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)Z$/ ? timegm($6, $5, $4, $3, $2 - 1, $1) : undef }

# Points that an instructor gives, instead of the check's.
sub by_hand {
    my ($decided, $result) = @_;
    return $result if !$decided;
    my $line = "by hand: $decided->{reason} (the check: $result->{points}, $result->{line})";
    return { %$result, points => 0 + $decided->{value}, line => cleaned($line =~ s/\s+/ /gr, 300) };
}

# ---- A class ---------------------------------------------------------------------------------------
sub has_exercises { my ($folder) = @_; return scalar(() = files($folder, '[0-9][0-9]_*/exercises/*')) }

# [folder, ID, what collect.json says]
sub students {
    my ($from) = @_;
    return [$from, Collect::safe_id(basename(Cwd::abs_path($from))), {}] if has_exercises($from);    # one student's: what else is in it is theirs, too
    if (my $collected = collected($from)) { return map { ["$from/$_->{id}", $_->{id}, $_] } @$collected }
    my @names = sort map { basename($_) } grep { -d && !-l } files($from, '*');
    die "no NN_chapter/exercises/K_name/exercise.cu in $from, or in a folder in it\n" if !grep { has_exercises("$from/$_") } @names;
    my %used;
    return map { ["$from/$_", Collect::free_id(Collect::safe_id($_), \%used), { name => plain_name($_) }] } @names;
}

# What a student's result depends on.
sub key_of {
    my ($folder, $id, $of_collect, $options) = @_;
    my @chosen = @{ $options->{chosen} };
    my @folders = map { "$folder/" . short($_->{e}{folder}) } @chosen;
    my @files = map { ("$_/exercise.cu", "$_/first_answers.txt") } @folders;
    my @asked = ($id, $of_collect, @$options{qw(seed due late isolation grader class gradescope)}, map { [$_->{e}{id}, $_->{of}] } @chosen);
    return md5_hex(join "\0", JSON::PP->new->canonical->utf8->encode(\@asked), map { (read_plain($_))[0] // '' } @files);
}

sub first_line { my (@command) = @_; my ($code, $out, $err) = run(@command); return "$out$err" =~ /^(.*)/ ? $1 : '' }

sub header {
    my ($options) = @_;
    my $tools = md5_hex(join "\0", map { slurp($_) } files($root, qw(tools/*.pm tools/learn/*.pm tools/teach/*.pm tools/learn/*.h common/*.h common/experiment/*.h)),
        Build::cpu_device_files(), map { ("$_->{e}{folder}/check.cu", files($_->{e}{folder}, '*.h')) } @{ $options->{chosen} });
    my $commit = first_line('git', '-C', $root, 'rev-parse', 'HEAD');
    return (
        course => $commit =~ /^[0-9a-f]{40}$/ ? $commit : '', grader => $tools, compiler => first_line('g++', '--version'), device => "@stages",
        isolation => isolation(), seed => "$options->{seed}", container => $ENV{GRADE_CONTAINER} // '',
        exercises => [map { +{ id => $_->{e}{id}, title => $_->{e}{title}, kind => $_->{e}{kind}, of => $_->{of} + 0 } } @{ $options->{chosen} }],
    );
}

# Every check is compiled before the first student, and not looked at again. $jobs at a time.
sub compile_checks {
    my ($jobs, @exercises) = @_;
    Build::warm_cudacc();
    Build::try_box($exercises[0], $_) for @stages;
    in_parallel($jobs, \@exercises, sub { my ($e) = @_; Build::harness($e, $_) for Build::stages_of($e, @stages) });
    $Build::harnesses_stand = Build::have_harnesses(\@stages, @exercises) || die "a check does not compile\n";
    return;
}

# $o: from, out, ex, assignment, late, seed, jobs.
sub grade {
    my ($o) = @_;
    isolate($ENV{ISOLATION} || 'best');
    my $limits = cage() // 'of each process';
    my @students = students($o->{from});
    my ($chosen, $due) = assignment(@$o{qw(ex assignment)});
    my ($class) = whose();
    my $out = $o->{out};
    my $before = read_json("$out/grades.json");
    my $seed = $o->{seed} // ($before ? $before->{seed} : int rand 1e15);
    my %options = (chosen => $chosen, due => $due, late => late_rate($o->{late} // ''), seed => $seed, isolation => isolation(), class => $o->{class} // $class,
        gradescope => scalar gradescope_says());
    my @unknown = map { $_->[1] } grep { $_->[2]{late} } @students;    # says an LMS, and not by how much
    die "late, and not known by how much: @unknown. Say it to make collect, in overrides.csv: ID,handed in,2026-11-30T12:00,reason\n" if @unknown && $options{late};
    my %header = (header(\%options), limits => $limits);
    $options{grader} = $header{grader};
    @ENV{qw(GRADE_SEED GRADE_TWICE)} = ($seed, 1);
    # What a run has in /tmp goes with it, and what one had that was killed, with the next.
    remove_tree($_) for grep { /grade-(\d+)-\w+$/ && !kill(0, $1) && (lstat)[4] == $> } glob File::Spec->tmpdir . '/grade-*-*';
    $ENV{TMPDIR} = tempdir("grade-$$-XXXX", TMPDIR => 1, CLEANUP => 1);
    chmod 0711, $ENV{TMPDIR};
    make_path("$out/students");
    protect($o->{from}, $out);
    my @ids_of_class = unique(map { $options{gradescope} && $options{gradescope}{who} // $_->[1] } @students);
    my %checks = map { ("$_->{id} " . ($_->{given} // '') => $_) } map { my $e = $_->{e}; defined $options{class} ? map({ varied($e, $options{class}, $_) } @ids_of_class) : $e } @$chosen;
    compile_checks($o->{jobs}, map { $checks{$_} } sort keys %checks);
    $options{same_as} = same_as("$out/programs", join "\0", map { $_ // '' } @header{qw(grader compiler device isolation seed)}, $ENV{GRADE_SECONDS});
    my @keyed = map { [@$_, key_of(@$_, \%options)] } @students;
    my @left = grep { ((read_json("$out/students/$_->[1].json") // {})->{key} // '') ne $_->[3] } @keyed;
    unlink "$out/students/$_->[1].json" for @left;    # of something else
    my @ids = map { $_->[1] } @keyed;
    together(\%header, \@ids, $out);    # a run that is ended leaves its seed
    my $grader = $$;
    in_parallel($o->{jobs}, \@left, sub {
        my ($folder, $id, $of_collect, $key) = @{ $_[0] };
        my $result = eval { grade_student($folder, $id, $of_collect, \%options) } // die "$id: $@";
        die "$id: the grader was ended\n" if getppid != $grader;    # and may be at work again
        spew("$out/students/$id.json", json()->encode({ key => $key, student => $result }));
    }, sub {
        my ($folder, $id) = @{ $_[0] };
        my $written = read_json("$out/students/$id.json");
        print table($written->{student}) if $written;
    });
    my $grades = together(\%header, \@ids, $out);
    remove_tree("$out/programs") if $grades->{complete};
    return $grades;
}

# Where a box hides no file, permissions do.
sub protect {
    my ($from, $out) = @_;
    return if isolation() ne 'setpriv';
    chmod 0600, grep { !-l } files($root, '[0-9][0-9]_*/exercises/*/solution.cu', '[0-9][0-9]_*/exercises/*/mutants.diff');
    chmod 0700, $from, $out, "$out/students";
    return;
}

# Writes grades.json, of the students' files that there are.
sub together {
    my ($header, $ids, $out) = @_;
    my @there = grep { defined } map { (read_json("$out/students/$_.json") // {})->{student} } @$ids;
    my $grades = { %$header, complete => @there == @$ids ? JSON::PP::true : JSON::PP::false, students => [sort { $a->{id} cmp $b->{id} } @there] };
    spew("$out/grades.json", json()->encode($grades));
    return $grades;
}

1;
