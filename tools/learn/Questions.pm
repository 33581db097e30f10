# SPDX-License-Identifier: MIT
# What a lesson asks before anything runs: asks it, keeps the answers as BUILD/predict/NN_x, and shows them
# beside what an H200 measured (the results stored with the course) and what this machine does. How the file NN_x/questions
# is written, says the head of tools/learn/predict. Texts are bytes.
package Questions;
use strict;
use warnings;
use Exporter qw(import);
use List::Util qw(sum);
use Time::HiRes qw(stat);
use Chinese;
use Course;
use Keys;
use Screen;
use Values;

our @EXPORT = qw(chapter_named lesson open_questions answered programs_wanted ask_all show_all keep_said);

use constant { TRIES => 3, REFERENCE => 'nvidia_h200', MARGIN => 17 };

# The chapter of these that is meant by 05, 5, 05_coalescing or 05_coalescing/.
sub chapter_named {
    my ($asked, @chapters) = @_;
    $asked =~ s{/$}{};
    return (grep { $_ eq $asked || /^0*(\d+)_/ && $asked =~ /^0*$1$/ } @chapters)[0];
}

# ---- The questions -----------------------------------------------------------------------------
sub text_of { my ($file) = @_; return slurp($file) // '' }

sub questions {
    my ($file) = @_;
    my (@questions, $line);
    for (split /\n/, text_of($file)) {
        $line++;
        my $question = $questions[-1];
        if (/^#|^\s*$/)           { next }
        elsif (/^ask (\w+)$/)     { push @questions, { name => "$1", place => 1 + @questions, folder => $file =~ s{/[^/]*$}{}r =~ s{^.*/}{}r, text => '', choices => [], near => 1.25 } }
        elsif (!$question)        { die "$file:$line: 'ask NAME' first\n" }
        elsif (/^ {4}(\S.*)$/)    { $question->{text} .= ($question->{text} && ' ') . $1 }
        elsif (/^choice (.*?)(?: ([<>=]) ([\d.]+))?$/) { push @{ $question->{choices} }, [$1, $2, $3] }
        elsif (/^(unit|answer|near|read) (.+)$/)       { $question->{$1} = $2 }
        elsif (/^cpu ([^|]+?)(?: \| (.+))?$/)          { @$question{ 'cpu', 'cpu_words' } = ($1, $2) }
        else                      { die "$file:$line: cannot read '$_'\n" }
    }
    return @questions;
}

# A chapter's questions and the answers to them, where programs are built, and for which device.
sub lesson {
    my ($chapter, $build, $device) = @_;
    my $stored = "$build/predict/$chapter";
    my %answers = map { /^(\w+)\t(.*)$/ ? ($1 => $2) : () } split /\n/, text_of($stored);
    return {
        chapter => $chapter, number => substr($chapter, 0, 2), build => $build, device => $device, stored => $stored,
        answers => \%answers, questions => [questions("$chapter/questions")],
    };
}

sub is_answered { my ($lesson, $question) = @_; return exists $lesson->{answers}{ $question->{name} } }
sub answered { my ($lesson) = @_; return grep { is_answered($lesson, $_) } @{ $lesson->{questions} } }
# Those that are shown: what was answered, or in make learn all.
sub to_show { my ($lesson) = @_; return $lesson->{shows_all} ? @{ $lesson->{questions} } : answered($lesson) }
sub open_questions { my ($lesson) = @_; return grep { !is_answered($lesson, $_) } @{ $lesson->{questions} } }

# ---- What was measured -------------------------------------------------------------------------
# An expression's number in a device's results; nothing where they lack something.
sub value_of { my ($expression, $from) = @_; return eval { (values_of($expression, $from))[0] } }

# What a chapter's programs found and printed, for expressions.
sub results_from {
    my ($name, $said, @rows) = @_;
    return { name => $name, rows => sub { my ($program) = @_; grep { $_->{program} eq $program } @rows },
        said => sub { (section($said, $_[0]))[0] } };
}

sub results_of {
    my ($lesson, $device) = @_;
    my $file = "$lesson->{chapter}/results/$device";
    return results_from($device, text_of("$file.txt"), csv_table(text_of("$file.csv")));
}

# What this machine answers a question with: an expression, or nothing.
sub expression_here {
    my ($lesson, $question) = @_;
    return $lesson->{device} eq 'cpu' ? $question->{cpu} : $question->{answer};
}

# The programs of all that is shown.
sub programs_here { my ($lesson) = @_; return unique(map { programs_in($_) } grep { defined } map { expression_here($lesson, $_) } to_show($lesson)) }

# What a program of an expression is built from, without .cu: ./name, or an experiment by its name.
sub source_of {
    my ($lesson, $program) = @_;
    return "$lesson->{chapter}/$1" if $program =~ m{^\./(.*)};
    return (map { s/\.cu$//r } glob "$lesson->{chapter}/experiments/[0-9]*_$program.cu")[0];
}

# What has to be built to answer on this machine what was answered.
sub programs_wanted {
    my ($lesson) = @_;
    return grep { defined } map { source_of($lesson, $_) } programs_here($lesson);
}

# What a program said is kept: a file, newer than the program.
sub kept_said { my ($lesson, $source) = @_; return "$lesson->{build}/predict/$lesson->{device}/" . $source =~ tr{/}{-}r }

sub keep_said {
    my ($lesson, $source, $said) = @_;
    my $kept = kept_said($lesson, $source);
    make_path($kept =~ s{/[^/]*$}{}r);
    spew($kept, $said);
    return;
}

# Runs a program that make has built, unless what it said is here and newer; nothing where it is not built.
# On the CPU device times do not count: so one sample is enough.
sub run_here {
    my ($lesson, $program) = @_;
    my $source = source_of($lesson, $program) // return;
    my $binary = shown_build("$lesson->{build}/$lesson->{device}/$source");
    return if !-x $binary;
    my $kept = kept_said($lesson, $source);
    return text_of($kept) if -f $kept && (stat $kept)[9] >= (stat $binary)[9];
    my @options = $program =~ m{^\./} ? () : '--csv';
    push @options, '--samples', 1 if @options && $lesson->{device} eq 'cpu' && `'$binary' --help 2>&1` =~ /--samples/;
    print STDERR said("running $source.cu ...\n") if -t STDERR;
    local %ENV = (%ENV, report_of("$lesson->{build}/predict/counted"));
    my $said = `'$binary' @options 2>/dev/null`;
    return if $?;
    keep_said($lesson, $source, $said);
    return $said;
}

sub measured_here {
    my ($lesson) = @_;
    my ($said, %built, @rows) = ('');
    for my $program (programs_here($lesson)) {
        my $printed = run_here($lesson, $program) // next;
        $built{$program} = 1;
        if ($program =~ m{^\./}) { $said .= "\$ $program\n$printed\n" }
        else                     { push @rows, grep { $_->{program} eq $program } csv_table($printed) }
    }
    return { %{ results_from('this machine', $said, @rows) }, built => \%built };
}

# ---- Answers -----------------------------------------------------------------------------------
my @sizes = ({ 'ns' => 1e-3, 'us' => 1, 'µs' => 1, 'ms' => 1e3, 's' => 1e6 }, { B => 1 / 1024, KiB => 1, KB => 1, MiB => 1024, MB => 1024, GiB => 1024**2 });

# A number in the question's unit, "8", "about 1/8", "50 %", "launch 64"; nothing if it is none.
sub number_of {
    my ($typed, $unit) = @_;
    my ($number, $over, $rest) = lc($typed) =~ m{^\s*(?:[a-z]+\s+)?(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+|\^\d+)?)(?:\s*/\s*(\d+))?\s*(.*?)\s*$} or return;
    $number = $number =~ /(.*)\^(.*)/ ? $1**$2 : 0 + $number;
    return if defined $over && $over == 0;
    $number *= ($unit eq '%' ? 100 : 1) / $over if defined $over;
    return $number * ($unit eq '%' ? 1 : 0.01) if $rest =~ /^(?:%|percent)$/ && $unit =~ /^(?:%|times)$/;
    return $number if $rest eq '' || $rest eq lc $unit || $unit eq 'times' && $rest =~ /^(?:x|times.*)$/ || $rest =~ /^\Q$unit\E?\b/i;
    for my $size (@sizes) {
        my ($typed_unit) = grep { lc $_ eq $rest } keys %$size;
        return $number * $size->{$typed_unit} / $size->{$unit} if defined $typed_unit && $size->{$unit};
    }
    return;
}

# One of the choices, by its letter or the beginning of its words.
sub choice_of {
    my ($typed, @choices) = @_;
    my $said = lc $typed =~ s/^\s+|[\s.)]+$//gr;
    return $choices[ord($said) - ord 'a'] if $said =~ /^[a-z]$/ && ord($said) - ord('a') < @choices;
    my @fit = grep { index(lc s/^(?:an?|the) //r, $said =~ s/^(?:an?|the) //r) == 0 } @choices;
    return @fit == 1 ? $fit[0] : undef;
}

sub understood {
    my ($question, $typed) = @_;
    my @choices = map { $_->[0] } @{ $question->{choices} };
    return @choices ? choice_of($typed, @choices) : number_of($typed, $question->{unit});
}

# ---- Asking ------------------------------------------------------------------------------------
sub store {
    my ($lesson) = @_;
    make_path("$lesson->{build}/predict");
    spew($lesson->{stored}, join '', map { "$_->{name}\t$lesson->{answers}{ $_->{name} }\n" } answered($lesson));
    return;
}

# A text of NN_x/questions, in the learner's language.
sub in_words { my ($question, $english) = @_; return of_page($english, $question->{folder}) }

# Asks one question until it understands the answer. Returns the answer; '' where it is left open; nothing
# at the end of the input, and after q.
sub ask {
    my ($question) = @_;
    my @choices = @{ $question->{choices} };
    print "\n", wrapped("$question->{place}. ", in_words($question, $question->{text}), 3);
    print map { '   ' . chr(ord('a') + $_) . ') ' . in_words($question, $choices[$_][0]) . "\n" } 0 .. $#choices;
    my $kind = @choices ? (@choices == 2 ? 'a or ' : 'a to ') . chr(ord('a') + $#choices)
        : $question->{unit} =~ /^(?:times$|number of )/ ? $question->{unit} : "in $question->{unit}";
    for my $try (1 .. TRIES) {
        my $typed = read_line(said("   your answer ($kind): "));
        print "\n" if !-t STDIN || !defined $typed;
        return if !defined $typed || $typed =~ /^\s*q\s*$/i;
        return '' if $typed =~ /^\s*$/;
        return $typed =~ s/\t/ /gr if defined understood($question, $typed);
        print said(@choices ? '   That is none of the letters.' : '   That is no number. "8", "1/8" and "50 %" are.'), "\n" if $try < TRIES;
    }
    print said("   Left open.\n");
    return '';
}

# Asks what is open. Returns how many answers were given, and whether the input ended before the questions did.
sub ask_all {
    my ($lesson) = @_;
    my $given = 0;
    for my $question (open_questions($lesson)) {
        my $answer = ask($question) // return ($given, 1);
        next if $answer eq '';
        $lesson->{answers}{ $question->{name} } = $answer;
        store($lesson);
        $given++;
    }
    return ($given, 0);
}

# ---- Showing -----------------------------------------------------------------------------------
sub shown {
    my ($question, $value) = @_;
    return fulfilled($question, $value) if @{ $question->{choices} };
    my ($digits, $unit) = (abs $value >= 100 ? sprintf('%.0f', $value) : sprintf('%.3g', $value), $question->{unit});
    return "$1 $digits" if $unit =~ /^number of the (\w+)$/;
    return $unit eq 'times' ? '1.0 times' : "1 " . singular($unit) if $digits eq '1';
    return "$digits $unit";
}

sub shown_here {
    my ($question, $value) = @_;
    return @{ $question->{choices} } ? in_words($question, shown($question, $value)) : said(shown($question, $value));
}

# The page and the section that a question names.
sub read_of {
    my ($question) = @_;
    my ($page, $title) = $question->{read} =~ /^(?:(\w+\.md): )?(.*)$/;
    return ($page // 'README.md') . ': ' . in_words($question, "# $title\n") =~ s/^# |\n\z//gr;
}

# The unit of one: launch of launches, sector of sectors; ms and µs stay.
sub singular { my ($unit) = @_; return $unit =~ s/(?<=[a-z]{3})(?:(?<=ch|sh)es|s)$//r }

# The choice that a measured number means.
sub fulfilled {
    my ($question, $value) = @_;
    for (@{ $question->{choices} }) {
        my ($words, $sign, $limit) = @$_;
        return $words if !defined $sign || ($sign eq '<' ? $value < $limit : $sign eq '>' ? $value > $limit : $value == $limit);
    }
    return 'none of these';
}

# Is the answer right? And in words how far off it is.
sub verdict {
    my ($question, $answer, $value) = @_;
    my $guess = understood($question, $answer) // return (0, 'Not understood any more.');
    if (@{ $question->{choices} }) {
        my $right = $guess eq fulfilled($question, $value);
        return ($right, $right ? 'Right.' : 'Not so.');
    }
    return (1, 'Right.') if $guess == $value;
    return (0, $guess > $value ? 'Too high.' : 'Too low.') if $guess <= 0 || $value <= 0;
    my $factor = $guess > $value ? $guess / $value : $value / $guess;
    return (1, 'Right.') if $factor <= $question->{near};
    return (0, sprintf 'Too %s, by a factor of %s.', $guess > $value ? 'high' : 'low', $factor >= 100 ? sprintf '%.0f', $factor : sprintf '%.2g', $factor);
}

sub here_words {
    my ($lesson, $question, $here) = @_;
    my $expression = expression_here($lesson, $question) // return 'no time: there is no GPU here';
    return "not built yet: make $lesson->{chapter} builds and runs it" if grep { !$here->{built}{$_} } programs_in($expression);
    my $value = value_of($expression, $here) // return 'nothing: its programs did not measure that';
    return sprintf in_words($question, $question->{cpu_words}), $value if $lesson->{device} eq 'cpu' && defined $question->{cpu_words};
    return shown_here($question, $value);
}

sub line { my ($front, $text) = @_; return wrapped('   ' . padded(said($front), MARGIN - 3), $text) }

# What one was asked, what one said, what was measured. Returns whether that was right on the H200.
sub show_one {
    my ($lesson, $question, $reference, $here) = @_;
    my $is_open = !is_answered($lesson, $question);
    my $answer = $is_open ? 'no guess' : $lesson->{answers}{ $question->{name} };
    my $guess = $is_open ? undef : understood($question, $answer);
    my $right = 0;
    print "\n", wrapped("$question->{place}. ", in_words($question, $question->{text}), 3);
    print line('you', defined $guess ? @{ $question->{choices} } ? in_words($question, $guess) : shown($question, $guess) : $answer);
    if (defined(my $value = value_of($question->{answer}, $reference))) {
        ($right, my $words) = $is_open ? (0, '') : verdict($question, $answer, $value);
        print line('NVIDIA H200', shown_here($question, $value) . ($is_open ? '' : said('.') . said(" $words")));
    } else {
        print line('NVIDIA H200', 'no such row in its results');
    }
    print line('this machine', here_words($lesson, $question, $here));
    print line('read', "$lesson->{chapter}/" . read_of($question)) if defined $question->{read};
    return $right;
}

sub show_all {
    my ($lesson) = @_;
    my ($reference, $here) = (results_of($lesson, REFERENCE), measured_here($lesson));
    print wrapped('', "Lesson $lesson->{number}: what you predicted, what an H200 measured (stored with the course), and what this machine says");
    my $rights = sum(0, map { show_one($lesson, $_, $reference, $here) } to_show($lesson));
    my $guesses = answered($lesson);
    print "\n", $guesses ? said("$rights of $guesses right on the H200. ") : '', said("$lesson->{chapter}/README.md says why.\n");
    return;
}

1;
