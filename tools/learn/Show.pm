# SPDX-License-Identifier: MIT
# What the learner sees of an exercise and of a verdict.
package Show;
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use List::Util qw(max sum);
use Build;
use Chinese;
use Course;
use Exercises;
use Facts;
use Progress;
use Screen;
use Variant;

our @EXPORT = qw(next_step show show_exercise show_hint forget_hints readable verdicts);

# The reasons that a verdict may have: each has a sentence.
sub verdicts { return sort map { $_->[0] =~ /^\^(\w+):$/ } mistakes_in("$root/docs") }

# ---- Text --------------------------------------------------------------------------------------
# A Markdown table: its columns side by side; where they do not fit, a paragraph for each row.
sub table {
    my ($head, @rows) = map { [split /\s*\|\s*/, s/^\|\s*//r] } grep { !/^[-:| ]+$/ } split /\n/, $_[0];
    my @widths = map { my $k = $_; max(map { width($_->[$k] // '') } $head, @rows) } 0 .. $#$head;
    if (sum(@widths) + 2 * @widths > columns()) {
        return join '', map { my $row = $_; wrapped('  - ', join '; ', map { ($_ && length $head->[$_] ? "$head->[$_]: " : '') . ($row->[$_] // '') } 0 .. $#$head) } @rows;
    }
    return join '', map {
        my $row = $_;
        join('  ', '', map { ($row->[$_] // '') . ' ' x ($widths[$_] - width($row->[$_] // '')) } 0 .. $#widths) =~ s/ *$/\n/r;
    } $head, [map { '-' x $_ } @widths], @rows;
}

# Lines of Markdown as they are read: paragraphs and lists in lines that fit, code as it is.
sub plain_text {
    my ($text) = @_;
    my ($shown, $is_code) = ('', 0);
    for my $part (split /^(```\w*\n)/m, $text) {
        $is_code = !$is_code, next if $part =~ /^```/;
        $shown .= $is_code ? ($shown =~ /\n\n\z|\A\z/ ? '' : "\n") . ($part =~ s/^(?=.)/    /mgr) . "\n" : join "\n", map {
            /^\|/ ? table($_) : /^ {4}/ ? "$_\n"
                : join '', map { wrapped(s/^((?:[-*]|\d+\.) )// ? $1 : '', $_) } split /\n(?=(?:[-*]|\d+\.) )/
        } split /\n\n/, $part;
    }
    return $shown;
}

# Markdown of a lesson as it is read in a terminal: no pictures with their captions, no folds, no comments, no links.
sub readable {
    my ($text) = @_;
    $text =~ s{^<!--(?:(?!-->).)*-->\n|<details>.*?</details>\n?}{}smg;
    $text =~ s{<!--.*?-->}{}sg;
    my @codes;
    $text =~ s{(^```.*?^```$|`[^`\n]+`)}{push @codes, $1; "\0$#codes\0"}smge;    # stars are stars there
    $text =~ s{^!\[[^\]]*\]\([^)]*\)\n+(?:\*[^*\n].*?\n\n)?}{}smg;
    $text =~ s{\[([^\]]*)\]\([^)]*\)}{$1}g;
    $text =~ s{\*\*(.+?)\*\*}{$1}sg;
    $text =~ s{(?<![\w*])\*(\w[^*]*?)\*(?![\w*])}{$1}sg;
    $text =~ s{\0(\d+)\0}{$codes[$1]}g;
    $text =~ s{^\s+|\s+$}{}g;
    return plain_text("$text\n\n") =~ s/\n{3,}/\n\n/gr =~ s/\s+\z/\n/r;
}

# A text of an exercise's README.md.
sub of_readme { my ($e, $english) = @_; return of_page($english, ($e->{folder} =~ m{(\w+)/exercises/[^/]+$})[0]) }

sub paragraph {
    my ($style, $front, $text) = @_;
    $front = said($front);
    my $lines = wrapped('  ' . padded($front, 9) . ' ', $text);
    print $style ? $lines =~ s/^(\s*)\Q$front\E/$1 . paint($style, $front)/er : $lines;
    return;
}

sub excerpt {    # the first of some lines
    my ($title, $limit, @lines) = @_;
    splice @lines, $limit, @lines, '...' if @lines > $limit;
    print said("  $title\n"), map { "    $_\n" } @lines if @lines;
    return;
}

# The lines of exercise.cu that a text names.
sub source_lines {
    my ($e, $text) = @_;
    my @source = split /\n/, slurp("$e->{folder}/exercise.cu") // '';
    for my $number (grep { $_ <= @source } unique($text =~ /exercise\.cu:(\d+)/g)) {
        printf "%11d | %s\n", $number, $source[$number - 1];
    }
    return;
}

# ---- Hints -------------------------------------------------------------------------------------
sub hints_shown { my ($e) = @_; return "$build/exercises/$e->{id}/hints" }    # a file: how many

our $has_keys = 0;    # is a key enough to get one?
sub hint_by { my ($e) = @_; return $has_keys ? 'h' : "make hint EX=$e->{id}" }

sub show_hint {    # the next one
    my ($e) = @_;
    my @hints = @{ $e->{hints} };
    my $shown = slurp(hints_shown($e)) // 0;
    if ($shown >= @hints) {
        print wrapped('', "You have seen all $shown hints for $e->{id}. They are at the end of " . short("$e->{folder}/README.md") . '.');
        return;
    }
    my $text = plain_text(of_readme($e, $hints[$shown++]) . "\n");
    print name_of($e), said(", hint $shown of " . @hints), "\n\n$text\n";
    print said($shown < @hints ? hint_by($e) . " shows the next one.\n" : "That was the last hint.\n");
    make_path(dirname(hints_shown($e)));
    spew(hints_shown($e), $shown);
    return;
}

# The title as README.md has it, with the number in front.
sub name_of { my ($e) = @_; return of_readme($e, "# $e->{id} $e->{title}\n") =~ s/^# |\n\z//gr }

sub forget_hints { my ($e) = @_; unlink hints_shown($e); return }

# ---- An exercise, a verdict --------------------------------------------------------------------
sub size_of { my ($e) = @_; return ' ' x !in_chinese() . said("($e->{kind}, $e->{points} points, $e->{minutes} minutes)") }

# What there is to do; $after: comes after this one, whose page of the lesson was read.
sub show_exercise {
    my ($front, $e, $after) = @_;
    my $folder = short($e->{folder});
    print wrapped("$front ", name_of($e) . size_of($e));
    my $line = sub { print ' ' x width(said("$front ")), padded(said($_[0]), 5), " $_[1]\n" };
    # In Chinese the pages are read here.
    $line->('first', in_chinese() ? sprintf 'make read CH=%02d', $e->{chapter} : page_of($e)) if !$after || page_of($e) ne page_of($after);
    $line->('read', in_chinese() ? "make read EX=$e->{id}" : "$folder/README.md");
    $line->('given', "$folder/given.h") if $e->{readme} =~ /\(given\.h\)/;
    $line->('edit', "$folder/exercise.cu");
    return;
}

sub show_answer {
    my ($f) = @_;
    my $answer = $f->{ok} ? Facts::figure($f->{actual}) : "you said $f->{yours}, it is " . Facts::figure($f->{actual});
    my ($colon, $stop, $end) = in_chinese() ? ('：', '。', '。') : (': ', '. ', '.');
    paragraph($f->{ok} ? 'good' : 'bad', $f->{ok} ? 'right' : 'WRONG', said($f->{label}) . $colon . said($answer) . $stop . "\u$f->{why}" . $end);
    return;
}

sub show_facts {
    my ($e, $v) = @_;
    my @asked = grep { $_->{what} eq 'predict' } @{ $v->{facts} };
    my ($explained, $missing) = (0, scalar grep { $_->{none} } @asked);    # one reason at a time
    if ($missing) {
        paragraph('bad', 'missing', "$missing of " . @asked . ' answers: ' . join in_chinese() ? '；' : '; ', map { said($_->{label}) } grep { $_->{none} } @asked);
    }
    for my $f (@{ $v->{facts} }) {
        if ($f->{what} eq 'predict') {
            show_answer($f) if !$missing;
        } elsif ($f->{what} eq 'explain') {
            next if $v->{reason} && $explained++;
            paragraph('strong', $v->{reason} ? 'why' : 'note', $f->{text});
        } elsif (defined $f->{way}) {
            paragraph('', bar($f->{way}), fact_text($f));
        } else {
            paragraph($f->{ok} ? 'good' : 'bad', $f->{ok} ? 'right' : 'WRONG', fact_text($f));
        }
    }
    return;
}

sub show_reason {
    my ($e, $v) = @_;
    my ($reason, $text, $cases) = ($v->{reason} // '', $v->{text} // '', $v->{cases});
    if ($reason eq 'compile') {
        excerpt('It does not compile:', 12, said_of_compiler(split /\n/, $text));
    } elsif ($reason =~ /^(?:goal|facts|prediction|)$/) {
        paragraph('good', 'right', $cases > 1 ? "results in all $cases cases" : 'result') if $cases && $e->{kind} ne 'measure';
        show_facts($e, $v);
        paragraph('bad', 'WRONG', $text) if $reason && !@{ $v->{facts} };
    } else {
        paragraph('good', 'right', 'results in the first ' . ($cases > 1 ? "$cases cases" : 'case')) if $cases;
        paragraph('bad', { values => 'result', guard => 'memory' }->{$reason} // $reason, $text);
        source_lines($e, $text);
    }
    # What the CPU device says of accesses is in the verdict; of a kernel that fails, it is not.
    (my $stderr = $v->{errors}) =~ s{^CPU device: (?:note: leak:|\d+ errors?).*\n(?: {4}.*\n)*}{}mg;
    $stderr =~ s{^CPU device: .*\n(?: {4}.*\n)*}{}mg if $reason ne 'error' && $reason ne 'crash';
    excerpt('The compiler warns:', 4, said_of_compiler(split /\n/, $v->{warnings} // '')) if $reason;
    excerpt('It printed:', 8, split /\n/, $v->{output});
    excerpt('On stderr:', 6, grep { /\S/ && index($text, s/^CPU device: //r) < 0 } split /\n/, $stderr) if $reason;
    return;
}

sub show_next {    # of this chapter; then of the course
    my ($e) = @_;
    if (my $here = next_open($e)) {
        show_exercise('Next:', $here, $e);
    } elsif (my $there = next_open($e, 1)) {
        print said("Chapter $e->{chapter} is done.\n");
        show_exercise('Next:', $there, $e);
    } else {
        print said("That was the last one: the course is done.\n");
    }
    return;
}

# What to do after a verdict that is not "done".
sub next_step {
    my ($e, $v) = @_;
    my ($fits) = grep { "$v->{reason}: $v->{text}" =~ /$_->[0]/s } map { mistakes_in($_) } $e->{folder}, "$root/docs";
    my $step = ($fits ? $fits->[1] : 'what does README.md ask for?') =~ s/ID/$e->{id}/r;
    return $v->{reason} eq 'prediction' && defined points_before($e) ? $step =~ s/The first .*/Your $v->{points} of $e->{points} points stay./r : $step;
}

# $next: with what comes after it.
sub show {
    my ($e, $v, $next) = @_;
    my $reason = $v->{reason} // '';
    my $name = name_of($e);
    print wrapped('', $name . size_of($e)) =~ s/^\Q$name\E/paint('strong', $name)/er;
    show_reason($e, $v);
    if ($reason) {
        print said("  (Counted with clang, a float4 is four floats: install g++.)\n") if !$Build::gcc && $reason =~ /^(?:facts|goal|prediction)$/;
        print paint('bad', said('NOT YET')), said(": $v->{points} of $e->{points} points\n");
        print wrapped('Next: ', next_step($e, $v)), '      ', short("$e->{folder}/exercise.cu"), "\n", said('      ' . hint_by($e) . " gives a hint\n");
        return;
    }
    my $answers = $v->{answers};
    print paint('good', said('DONE')), said(": $v->{points} of $e->{points} points"),
        said($answers ? "; $answers->{right} of $answers->{of} " . ($answers->{again} ? 'answers' : 'first answers') . ' are right' : ''), "\n";
    my $asked = of_readme($e, "**Predict first.** $e->{asked}\n") =~ s/^\*\*.*?\*\* |\n\z//gr =~ tr/\n/ /r if $e->{answered};
    print "\n", map({ plain_text("$_\n\n") } said('Predict first: ') . $asked, said('Answer: ') . of_readme($e, $e->{answered})), "\n" if $e->{answered};
    print said('      compare with ' . short("$e->{folder}/solution.cu")), "\n" if -f "$e->{folder}/solution.cu" && !$answers;
    print said("      make again EX=$e->{id} asks " . (constants($e) ? 'for other numbers: a second chance' : 'once more, for practice')), "\n"
        if $answers && $answers->{right} < $answers->{of};
    show_next($e) if $next;
    return;
}

1;
