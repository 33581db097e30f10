#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Each term of the glossary has an anchor, and a link to the glossary leads to its term: the anchor exists, and
# fits the words of the link.
use lib 'tests/lib';
use Tests;

my (%anchor, @without);
for (grep { /^\|/ } split /\n/, slurp('docs/glossary.md') =~ s/\A.*^\|---[^\n]*\n//msr) {
    my ($terms) = /^\| (.*?) \|/;
    for my $term (split /, /, $terms) {
        $term =~ /^<a id="([a-z0-9-]+)"><\/a>/ ? $anchor{$1}++ : push @without, $term;
    }
}
is("@without", '', 'each term has an anchor');
is(join(' ', grep { $anchor{$_} > 1 } sort keys %anchor), '', 'of its own');

# Each word of the shorter of link and anchor begins a word of the longer, or the other way about: [Sectors] fits
# sector, [pinned] fits pinned-memory.
sub fits {
    my ($text, $anchor) = @_;
    my @text = map { s/[^\w]//gr } split ' ', lc $text =~ s/-/ /gr;
    my @anchor = split /-/, $anchor;
    my ($few, $many) = @text < @anchor ? (\@text, \@anchor) : (\@anchor, \@text);
    return !grep { my $word = $_; !grep { index($_, $word) == 0 || index($word, $_) == 0 } @$many } @$few;
}

# The links to the glossary that lead to no term, or to another one.
sub astray {
    my ($page) = @_;
    my @astray;
    while ($page =~ /\[([^\]]*)\]\([^()\s]*glossary\.md(?:#([^()\s]*))?\)/g) {
        my ($text, $to) = ($1, $2 // '');
        next if $text =~ /glossary|词汇表/i && $to eq q();    # the whole page
        push @astray, "[$text] to '$to'" if !$anchor{$to} || !fits($text, $to);
    }
    return @astray;
}

my $links = 0;
for my $page (glob '*.md [0-9][0-9]_*/*.md [0-9][0-9]_*/exercises/*/README.md docs/*.md docs/*/*.md cudacc/*.md cudacc/extra/*.md cudacc/docs/*.md tests/README.md') {
    my $text = slurp($page);
    $links += () = $text =~ /glossary\.md#/g;
    is(join(', ', astray($text)), '', "$page: links to the glossary lead to their terms") if $text =~ /glossary\.md/ && $page !~ /zh-CN/;
}
cmp_ok($links, '>=', 40, 'there are such links');

# ---- Each check can fail -------------------------------------------------------------------------
is(join(', ', astray("[sectors](docs/glossary.md#sector) [Pinned](docs/glossary.md#pinned-memory) [glossary](glossary.md)\n")), '', 'links that fit');
is(join(', ', astray('[warp](docs/glossary.md)')), "[warp] to ''", 'a link to the head of the glossary is found');
is(join(', ', astray('[warp](docs/glossary.md#wrap)')), "[warp] to 'wrap'", 'one to an anchor that does not exist');
is(join(', ', astray('[warp](docs/glossary.md#sector)')), "[warp] to 'sector'", 'one to another term');
done_testing();
