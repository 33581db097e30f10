# SPDX-License-Identifier: MIT
# What is made of grades.json: the table on the screen, grades.csv, totals.csv, feedback/ID.md, results/ID.json
# (Gradescope's), a column in an LMS's own table.
package Report;
use strict;
use warnings;
use Encode qw(encode);
use Exporter qw(import);
use JSON::PP;
use Course;
use Collect;
use Roster;

our @EXPORT = qw(table write_reports into);

sub number { my ($x) = @_; return sprintf('%.2f', $x) =~ s/\.?0+\z//r }

# A cell that no spreadsheet takes for a formula.
sub cell {
    my ($text) = @_;
    $text = plain_name($text // '');
    $text = "'$text" if $text =~ /^[=+\-@]/;
    $text = substr($text, 0, 1996) . ' ...' if length $text > 2000;
    return '"' . $text =~ s/"/""/gr . '"';
}

sub line { return join(',', map { cell($_) } @_) . "\n" }

sub save { my ($name, $text) = @_; return spew($name, encode('UTF-8', $text)) }    # the text is of characters

# ---- Table, CSV ------------------------------------------------------------------------------------
# A student's points, for the screen.
sub table {
    my ($s) = @_;
    my $flags = join ', ', @{ $s->{flags} };
    my $text = $s->{id} . (length $flags ? " ($flags)" : '') . "\n";
    $text .= sprintf "  %-5s %3s of %-3s %s\n", $_->{id}, number($_->{points}), $_->{of}, substr $_->{line}, 0, 100 for @{ $s->{exercises} };
    $text .= sprintf "  total %3s of %s%s\n", number($s->{points}), $s->{of}, $s->{late_hours} ? sprintf(', %.1f hours late', $s->{late_hours}) : '';
    return encode('UTF-8', $text);
}

# Who reads a table or a page of points made without a box is told so in capitals.
sub unsafe { my ($grades) = @_; return $grades->{isolation} eq 'none' ? ' (GRADED WITHOUT ISOLATION)' : '' }

sub grades_csv {
    my ($grades) = @_;
    my $text = "student,exercise,points,of,verdict" . unsafe($grades) . "\n";
    for my $s (@{ $grades->{students} }) {
        $text .= line($s->{id}, $_->{id}, number($_->{points}), $_->{of}, $_->{line}) for @{ $s->{exercises} };
    }
    return $text;
}

sub totals_csv {
    my ($grades) = @_;
    my $text = line('student', 'name', 'points', 'of', 'late hours', 'flags' . unsafe($grades), 'matched by', map { $_->{id} } @{ $grades->{exercises} });
    for my $s (@{ $grades->{students} }) {
        my %points = map { $_->{id} => number($_->{points}) } @{ $s->{exercises} };
        $text .= line($s->{id}, $s->{name}, number($s->{points}), $s->{of}, number($s->{late_hours}), join(', ', @{ $s->{flags} }), $s->{match},
            map { $points{ $_->{id} } // '' } @{ $grades->{exercises} });
    }
    return $text;
}

# A text of a student's, or of his program's, in a page: no HTML, no link or picture, nothing that begins as a heading.
sub inert { my ($text) = @_; return $text =~ s/</&lt;/gr =~ s/\](?=\()/\\]/gr =~ s/^(?=[#>`~=-])/\\/gmr }

# ---- Feedback --------------------------------------------------------------------------------------
# What make check would say, in at most 60 lines: where all of it is more, less of each exercise.
use constant { ALL => 2, VERDICT => 1, LINE => 0, LINES => 60 };

sub code_block {    # the first lines of a text
    my ($text, $most) = @_;
    my @lines = split /\n/, $text;
    splice @lines, $most, @lines, '...' if defined $most && @lines > $most;
    my ($longest) = sort { $b <=> $a } 2, map { length } $text =~ /(`+)/g;
    my $fence = '`' x ($longest + 1);
    return join '', map { "$_\n" } $fence, @lines, $fence;
}

# The facts of a verdict; what explains it, one reason at a time.
sub facts_text {
    my ($r) = @_;
    my ($text, $explained) = ('', 0);
    for my $f (@{ $r->{facts} }) {
        next if $f->{kind} eq 'explain' && $r->{status} ne 'done' && $explained++;
        $text .= '- ' . ($f->{kind} eq 'explain' ? $r->{status} eq 'done' ? 'note: ' : 'why: ' : $f->{ok} ? 'right: ' : 'WRONG: ') . inert($f->{text})
            . (defined $f->{of} ? ': ' . number($f->{points}) . " of $f->{of} points" : '') . "\n";
    }
    return $text;
}

# The verdict, where the facts do not say all of it.
sub verdict_text {
    my ($r) = @_;
    my $line = inert($r->{line}) . "\n";
    return $line if $r->{line} =~ /^by hand/ || $r->{status} eq 'done';
    return "It does not compile.\n" . code_block($r->{text}, 12) if $r->{reason} eq 'compile';
    return @{ $r->{facts} } && $r->{reason} =~ /^(?:goal|facts|prediction)$/ ? '' : $line;
}

sub exercise_text {
    my ($r) = @_;
    my $text = verdict_text($r) . facts_text($r);
    $text .= 'Repaired: ' . join(', ', @{ $r->{repaired} }) . ".\n" if @{ $r->{repaired} };
    $text .= "Only what stands between the marks counts. These lines outside of them were changed, and were not used:\n"
        . code_block($r->{outside}, 6) if length $r->{outside};
    $text .= "It printed:\n" . code_block($r->{output}, 6) if length $r->{output};
    return $text;
}

# The page is a link where SITE=address says where students read the course.
sub next_text {
    my ($r) = @_;
    my $site = ($ENV{SITE} // '') =~ s{/\z}{}r;
    return length $r->{next} ? "Next: $r->{next} Read " . (length $site ? "[$r->{page}]($site/$r->{page})" : $r->{page}) . ".\n" : '';
}

sub exercises_text {
    my ($exercises, $title, $detail) = @_;
    my %none;
    my $text = '';
    for my $r (@$exercises) {
        my $points = number($r->{points}) . " of $r->{of}";
        if ($r->{status} eq 'none' && $r->{points} == 0) { push @{ $none{ $r->{line} =~ s/^none: //r } }, $r->{id} }
        elsif ($detail == LINE) { $text .= "- $r->{id} $title->{ $r->{id} }: $points: " . inert(substr $r->{line}, 0, 160) . "\n" }
        else { $text .= "## $r->{id} $title->{ $r->{id} }: $points\n" . ($detail == ALL ? exercise_text($r) : $r->{line} eq 'done' ? '' : inert($r->{line}) . "\n") . next_text($r) . "\n" }
    }
    return $text . join '', map { '- ' . inert($_) . ': ' . join(', ', @{ $none{$_} }) . "\n" } sort keys %none;
}

sub feedback {
    my ($s, $grades) = @_;
    my %title = map { $_->{id} => $_->{title} } @{ $grades->{exercises} };
    my $head = "# $s->{id}: " . number($s->{points}) . " of $s->{of} points\n";
    $head .= sprintf "%.1f hours late.\n", $s->{late_hours} if $s->{late_hours};
    $head .= "Decided by the instructor: $_->{what}: $_->{value}: $_->{reason}\n" for @{ $s->{overrides} };
    $head .= 'How far to trust it:' . unsafe($grades) . "\n" if unsafe($grades);
    my @left_out = map { "- not used: " . inert("$_->{file}: $_->{why}") . "\n" } @{ $s->{left_out} };
    splice @left_out, 8, @left_out, '- and ' . (@left_out - 8) . " more that were not used\n" if @left_out > 9;
    $head .= join('', @left_out) . "\n";
    my ($text) = grep { tr/\n// <= LINES } map { $head . exercises_text($s->{exercises}, \%title, $_) } ALL, VERDICT, LINE;
    return $text // $head . exercises_text($s->{exercises}, \%title, LINE);
}

# ---- Gradescope ------------------------------------------------------------------------------------
# A test for an exercise's results, with the points that no goal has, and one for each fact: a goal has its score,
# a limit or a prediction has passed or failed.
sub tests_of {
    my ($r, $title) = @_;
    my ($points, $of) = @$r{qw(points of)};
    my ($number, @tests) = (0);
    for my $f (grep { $_->{kind} ne 'explain' } @{ $r->{facts} }) {
        my ($got, $most) = map { $_ // 0 } @$f{qw(points of)};
        my %test = (name => substr($f->{text}, 0, 200), number => "$r->{id}." . ++$number, visibility => 'visible');
        $test{status} = $f->{ok} && $got >= $most ? 'passed' : 'failed';
        $test{output} = 'A goal counts as far as those before it are reached.' if $f->{ok} && $got < $most;
        @test{qw(score max_score)} = ($got, $most) if defined $f->{of};
        push @tests, \%test;
        $points -= $got;
        $of -= $most;
    }
    my $right = $r->{status} eq 'done' || $r->{reason} =~ /^(?:goal|facts|prediction)$/;
    unshift @tests, { name => $title, number => $r->{id}, visibility => 'visible', status => $right ? 'passed' : 'failed',
        output => exercise_text($r) . next_text($r), $of > 0.005 ? (score => rounded($points), max_score => rounded($of)) : () };
    return @tests;
}

sub rounded { my ($x) = @_; return 0 + sprintf '%.2f', $x }

sub gradescope {
    my ($s, $grades) = @_;
    my %title = map { $_->{id} => "$_->{id} $_->{title}" } @{ $grades->{exercises} };
    my %first = map { $_->{id} => $_->{first_answers} } grep { defined $_->{first_answers} } @{ $s->{exercises} };
    return {
        score => $s->{points} + 0, visibility => 'visible', stdout_visibility => 'hidden',
        tests => [map { tests_of($_, $title{ $_->{id} }) } @{ $s->{exercises} }], %first ? (extra_data => { first_answers => \%first }) : (),
        output => "isolation: $grades->{isolation}" . unsafe($grades) . ", seed $grades->{seed}, $grades->{compiler}",
    };
}

sub write_reports {
    my ($grades, $out) = @_;
    make_path("$out/$_") for qw(feedback results);
    save("$out/grades.csv", grades_csv($grades));
    save("$out/totals.csv", totals_csv($grades));
    for my $s (@{ $grades->{students} }) {
        save("$out/feedback/$s->{id}.md", feedback($s, $grades));
        spew("$out/results/$s->{id}.json", json()->encode(gradescope($s, $grades)));
    }
    return;
}

# ---- A column of an LMS's table --------------------------------------------------------------------
# A row whose student was not graded loses what stood there: it is of another time. Returns the text, who was not
# found in the table, and whose points went.
sub into {
    my ($grades, $file, $column) = @_;
    my ($head, $rows, $people) = read_people($file);
    my ($at) = grep { $head->[$_] eq $column || $head->[$_] =~ /^\Q$column\E \(\d+\)$/ } 0 .. $#$head;
    die "$file: there is no column '$column'; there are: " . join(', ', @$head) . "\n" if !defined $at;
    my (%row_of, @gone);
    for my $n (0 .. $#$rows) {
        my ($row, $p) = ($rows->[$n], $people->[$n]);
        my @names = grep { length } map { $_ // '' } @$p{qw(id login email canvas moodle)};
        next if !@names;    # "Points Possible"
        my @are = grep { is_in_row($_, $p) } @{ $grades->{students} };
        die encode('UTF-8', "$file: $names[0] may be " . join(' or ', map { $_->{id} } @are) . "\n") if @are > 1;
        die encode('UTF-8', "$file: both $row_of{ $are[0]{id} } and $names[0] may be $are[0]{id}\n") if @are && $row_of{ $are[0]{id} };
        $row_of{ $are[0]{id} } = $names[0] if @are;
        push @gone, "$names[0]: $row->[$at]" if !@are && length($row->[$at] // '');
        $row->[$at] = @are ? number($are[0]{points}) : '';
    }
    # A number may begin with a sign; what else a spreadsheet would calculate does not stay a formula.
    my $new = join '', map { csv_line(map { ($_ // '') =~ /^[=+\-@](?![\d.]+$)/ ? "'$_" : $_ } @$_[0 .. $#$head]) } $head, @$rows;
    return (encode('UTF-8', $new), [grep { !$row_of{$_} } map { $_->{id} } @{ $grades->{students} }], [map { encode('UTF-8', $_) } @gone]);
}

# Without a roster a student's ID is what the hand-in was called.
sub is_in_row {
    my ($s, $p) = @_;
    return same_person($s->{roster}, $p) if $s->{roster};
    return scalar grep { folded($p->{$_} // '') eq folded($s->{id}) } qw(id login email);
}

1;
