#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# docs/terminal.svg is what tools/documents/terminal draws of the transcript in docs/commands.md, which is what
# the commands print: all its text, narrow, for light and dark pages.
use strict;
use warnings;
use Test::More;
use FindBin;
require "$FindBin::Bin/../lib/lib.pl";

chdir root() or die;
my ($scratch) = scratch_and_root();
my $page = 'docs/commands.md';
my ($transcript) = slurp($page) =~ /^<!-- terminal: docs\/naive_transpose\.cu -->\n```console\n(.*?)^```$/ms;
my $svg = slurp('docs/terminal.svg');

# The words of a text, those of an SVG's lines.
sub words { return join ' ', split ' ', $_[0] }
sub shown { return words(join ' ', $_[0] =~ m{<text [^>]*>([^<]*)</text>}g) =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr }

is((output_of('tools/documents/quote --check docs/commands.md'))[1], '', 'the transcript is what the commands print');
is((output_of('tools/documents/terminal docs/commands.md'))[1], $svg, 'the picture is what its script draws; else make docs draws it');
is(shown($svg), words($transcript), 'it shows the whole transcript');
like(shown($svg), qr/^\$ \S*cudacc --trace .* \$ \.\/naive_transpose .*-> stride 1000 in x: 31\.25 sectors where 3\.91 would do.* CPU device: 0 errors$/, 'with its advice');

# ---- Its form ----------------------------------------------------------------------------------
my ($width) = $svg =~ /<svg width="(\d+)" viewBox="0 0 \1 /;
my @ends = map { /x="([\d.]+)" y="\d+" textLength="([\d.]+)"/ ? $1 + $2 : () } $svg =~ /^<text.*/mg;
is(scalar(grep { $_ > $width - 8 } @ends), 0, 'no line is wider than the window');
like($svg, qr{<title id="title">[^<]+</title>\n<desc id="description">[^<]{100,}</desc>}, 'title and description');
my %class = map { ($_ => 1) } $svg =~ /class="(\w+)"/g;
my ($light, $dark) = $svg =~ /<style>(.*?)\@media screen and \(prefers-color-scheme: dark\)\{(.*)\}<\/style>/;
is(join(' ', grep { $light !~ /\.$_\{fill:#/ || $dark !~ /\.$_\{fill:#/ } sort keys %class), '', 'each part has a color for light and for dark pages');

# ---- Other transcripts -------------------------------------------------------------------------
sub drawn {
    my ($text) = @_;
    spew("$scratch/page.md", "# A page\n\n<!-- terminal: x.cu -->\n```console\n$text```\n");
    return (output_of("tools/documents/terminal $scratch/page.md"))[1];
}
my $odd = "\$ a <b> && c\n\n  -> " . 'word ' x 40 . "\n" . 'x' x 200 . "\n\xc2\xb5s\n";
my $drawn = drawn($odd);
is(shown($drawn) =~ s/(?<=x) (?=x)//gr, words($odd), 'signs, long lines and long words are shown');
cmp_ok(length($_), '<=', 67, 'in 67 columns') for map { s/&\w+;/x/gr } $drawn =~ m{<text [^>]*>([^<]*)</text>}g;
my $table = "   a  b       c      d  e\n   text  of   a line\n   1  22    333      4  5\n";
is(join('|', drawn($table) =~ m{<text [^>]*>([^<]*)</text>}g), 'a  b     c  d  e|text  of   a line|1  22  333  4  5', "a table's columns lie two blanks apart");
isnt(drawn($transcript =~ s/31\.25/31.26/r), $svg, 'another number is another picture');
spew("$scratch/none.md", "# A page\n");
is((output_of("tools/documents/terminal $scratch/none.md"))[0], '1', 'a page without a transcript');
done_testing();
