# SPDX-License-Identifier: MIT
# Text for a terminal: as wide as that is, and colored there alone. Texts are bytes, as files hold them.
package Screen;
use strict;
use warnings;
use Exporter qw(import);
use Chinese;

our @EXPORT = qw(columns padded paint width wrapped);

use constant { NARROWEST => 40, WIDEST => 80 };    # longer lines are hard to read

# The columns of a line: those of $COLUMNS or of the terminal; 80 where there is neither.
my $columns;
sub columns {
    return $columns if $columns;
    my $width = ($ENV{COLUMNS} // '') =~ /^(\d+)$/ ? $1 : 0;
    $width = $1 if !$width && -t STDIN && -t STDOUT && `stty size 2>/dev/null` =~ /^\d+ (\d+)/;
    return $columns = $width <= 0 || $width > WIDEST ? WIDEST : $width < NARROWEST ? NARROWEST : $width;
}

my %colors = (good => 32, bad => 31, strong => 1, faint => 2);

sub paint {
    my ($style, $text) = @_;
    my $plain = !-t STDOUT || length($ENV{NO_COLOR} // '') || ($ENV{TERM} // '') eq 'dumb';
    return $plain ? $text : "\e[$colors{$style}m$text\e[0m";
}

# A Chinese letter or mark, which takes two columns, in UTF-8; marks that begin no line, and that end none.
my $wide = qr/[\xE3-\xE9][\x80-\xBF]{2}|\xEF[\xBC\xBD][\x80-\xBF]/;
my $closing = qr/\xE3\x80[\x81\x82\x8B\x8D]|\xEF\xBC[\x81\x89\x8C\x9A\x9B\x9F]|\xE2\x80\x9D/;
my $opening = qr/\xE3\x80[\x8A\x8C]|\xEF\xBC\x88/;

# How many columns a text takes: any other letter beyond ASCII is one, whatever its bytes.
sub width { return length($_[0] =~ s/[\x80-\xBF]//gr) + (() = $_[0] =~ /$wide/g) }

# A text, and blanks up to so many columns.
sub padded { my ($text, $columns) = @_; my $more = $columns - width($text); return $text . ' ' x ($more > 0 ? $more : 0) }

# A formula stays in one line if it is short: blanks in `code`, and around = * / + between two words, become \x01.
sub glued {
    my ($text) = @_;
    $text =~ s/(`[^`]{1,40}`)/$1 =~ tr{ \n}{\x01}sr/ge;
    $text =~ s{(\S)\s+([=*/+])\s+(?=\S)}{$1\x01$2\x01}g;
    return map { length > 40 && !/$wide/ ? split(/\x01/) : $_ } split ' ', $text;
}

# What of a word may stand in separate lines: a line may end after any Chinese letter. \x02 begins those without a blank before.
sub pieces { return $_[0] =~ /$wide/ ? split /(?=\x02)/, $_[0] =~ s/(?!$opening)$wide\K(?!$closing|\z)/\x02/gr : $_[0] }

# A word in front, text after it, in lines that fit; those after the first are indented as far.
sub wrapped {
    my ($front, $text, $indent) = (said($_[0]), in_chinese() ? said($_[1] =~ s/\s+/ /gr) : $_[1], $_[2]);
    my ($lines, $line) = ('', $front);
    my $is_empty = 1;    # has the line a word of the text?
    for my $word (map { pieces($_) } glued($text)) {
        my $blank = $word =~ s/^\x02// || $is_empty ? '' : ' ';
        if (!$is_empty && width($line) + width($word) > columns() - 2) {
            $lines .= "$line\n";
            $line = ' ' x ($indent // width($front));
            $blank = '';
        }
        $line .= $blank . ($word =~ tr/\x01/ /r);
        $is_empty = 0;
    }
    return "$lines$line\n";
}

1;
