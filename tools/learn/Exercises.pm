# SPDX-License-Identifier: MIT
# The course's exercises. docs/add_an_exercise.md says what one is made of, and which lines "key: value" the head
# of its check.cu has.
package Exercises;
use strict;
use warnings;
use Exporter qw(import);
use Course;

our @EXPORT = qw($build $begin_mark $end_mark all_exercises find_exercise mistakes_in page_of parts repaired);

our $build = $ENV{BUILD} || 'build';
$build = "$root/$build" if $build !~ m{^/};
our ($begin_mark, $end_mark) = ('// ==== yours, from here ====', '// ==== to here ====');

sub load {
    my ($folder) = @_;
    my ($chapter, $k) = $folder =~ m{(\d\d)_\w+/exercises/(\d+)_\w+$};
    my %e = (folder => $folder, id => ($chapter + 0) . ".$k", chapter => $chapter + 0, number => $k);
    my $readme = $e{readme} = slurp("$folder/README.md") // '';
    $e{check} = slurp("$folder/check.cu") // '';
    ($e{title}) = $readme =~ /^# \S+ (.*)$/m;
    ($e{ lc s/.* //r }) = $readme =~ /\*\*$_:\*\* (\w+)/ for 'Kind', 'Points', 'Minutes', 'Needs a GPU';
    ($e{start}) = $readme =~ /^```cuda\n(\/\/ \d+\.\d+ .*?)^```$/ms;
    $e{hints} = [$readme =~ m{<details><summary>Hint \d.*?</summary>\s*(.*?)\s*</details>}sg];
    ($e{asked}) = $readme =~ m{^\*\*Predict first\.\*\*\s+(.*?)\n\n}ms;
    ($e{answered}) = $readme =~ m{<details><summary>The prediction, answered</summary>\s*(.*?)\s*</details>}s;
    $e{$_} = $e{check} =~ m{^//\s+$_:\s+(.*?)\s*$}m ? $1 : '' for qw(build runs cases unsolved);
    return \%e;
}

# Of a file `mistakes`: pairs of a pattern and what to do next where a verdict fits it.
sub mistakes_in { my ($folder) = @_; return map { [split / -> /, $_, 2] } grep { /^[^#]/ } split /\n/, slurp("$folder/mistakes") // '' }

sub all_exercises {
    return sort { $a->{chapter} <=> $b->{chapter} || $a->{number} <=> $b->{number} }
        map { load($_) } grep { -f "$_/check.cu" } files($root, '[0-9][0-9]_*/exercises/[0-9]*_*');
}

sub find_exercise {
    my ($id) = @_;
    my @all = all_exercises();
    my ($found) = grep { $_->{id} eq ($id =~ s/^0+(?=\d)//r) } @all;
    return $found if $found;
    my ($chapter) = $id =~ /^0*(\d+)/;
    my @here = grep { defined $chapter && $_->{chapter} == $chapter } @all;
    print STDERR "There is no exercise $id: ", @here ? "chapter $chapter has " . join(' ', map { $_->{id} } @here)
        : "they go from $all[0]{id} to $all[-1]{id}; make check lists them", "\n";
    exit 2;
}

# A text as the course has them; and what was wrong with it.
sub repaired {
    my ($text) = @_;
    my @done;
    if ($text =~ /^(?:\xff\xfe|\xfe\xff)/ || ($text =~ /\A(?:[\x09-\x7e]\x00){8}/ && push @done, 'no BOM')) {
        my $kind = $text =~ /^\xfe\xff/ ? 'UTF-16' : $text =~ /^\xff\xfe/ ? 'UTF-16' : 'UTF-16LE';
        require Encode;
        my $characters = eval { Encode::decode($kind, $text) };
        $text = Encode::encode('UTF-8', $characters), push @done, 'UTF-16' if defined $characters;
    }
    push @done, 'BOM' if $text =~ s/\A\xef\xbb\xbf//;
    push @done, 'CRLF' if $text =~ s/\r\n/\n/g;
    push @done, 'CR' if $text =~ s/\r/\n/g;
    push @done, 'last newline' if $text ne '' && $text !~ /\n\z/ && ($text .= "\n");
    my $blanks = 0;
    for my $mark ($begin_mark, $end_mark) {
        my $loose = join '\s*', map { quotemeta } split / /, $mark;
        $text =~ s{^[ \t]*(?:\xc2\xa0)*($loose)[ \t]*$}{$blanks ||= $& ne $mark; $mark}gmei;
    }
    push @done, 'blanks round a mark' if $blanks;
    return ($text, @done);
}

# The page of the chapter that has an exercise in its table: a page after README.md, or that.
sub page_of {
    my ($e) = @_;
    my ($chapter, $name) = $e->{folder} =~ m{^(.*)/exercises/([^/]+)$};
    my ($page) = grep { !m{/README\.md$} && slurp($_) =~ m{\(exercises/\Q$name\E/README\.md\)} } files($chapter, '*.md');
    return short($page // "$chapter/README.md");
}

# What stands before, between and behind the marks; nothing when a mark is missing.
sub parts {
    my ($text) = @_;
    my $begin = index "\n$text", "\n$begin_mark\n";
    my $from = $begin + length "$begin_mark\n";
    my $end = $begin < 0 ? -1 : index $text, "\n$end_mark\n", $from - 1;    # that newline may be the first mark's
    return $end < 0 ? () : (substr($text, 0, $from), substr($text, $from, $end + 1 - $from), substr $text, $end + 1);
}

1;
