#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# A lesson can be read in one sitting: it is short, mostly sentences, and says what its terms mean before
# it uses them. What is folded (<details>) is for who opens it, and is not counted; nor is the program, which
# has its own limit (tests/programs/chapters.t).
use strict;
use warnings;
use Test::More;
use FindBin;
require "$FindBin::Bin/../lib/lib.pl";

my ($MOST_LINES, $MOST_RAW, $MOST_COLUMNS) = (285, 0.20, 100);

# ---- What is read --------------------------------------------------------------------------------
# A lesson as a reader sees it who opens nothing.
sub unfolded {
    my ($text) = @_;
    $text =~ s{^<details>.*?^</details>\n}{}msg;
    $text =~ s{^<!-- numbers:.*?-->\n}{}msg;
    $text =~ s{^<!-- table:.*?-->\n}{}msg;
    return $text;
}

# Its sentences: no blocks, no headings, no pictures, no code, no comments.
sub prose {
    my ($text) = @_;
    $text =~ s{^<!-- (?:results|snippet|numbers|table):.*?-->\n}{}msg;
    $text =~ s{^(?: *)```.*?^(?: *)```$}{}msg;
    $text =~ s{<!--.*?-->}{}sg;
    $text =~ s{^\#.*$}{}mg;
    $text =~ s{!\[.*?\]\([^)]*\)}{}sg;
    $text =~ s{`[^`\n]*`}{`}g;
    $text =~ s{</?(?:details|summary)>}{}g;
    return $text;
}

sub shape {
    my ($text) = @_;
    my $read = unfolded($text);
    my $text_alone = $read =~ s{^(<!-- snippet: \S+ whole -->\n)```\w*\n.*?^```\n}{$1}msgr;
    my $lines = () = $text_alone =~ /^/mg;
    my ($raw, $widest) = (0, '');
    while ($read =~ /^(<!-- results:[^\n]*-->\n)?```\w*\n(.*?)^```$/msg) {
        my ($quoted, $block) = ($1, $2);
        my @block = split /\n/, $block;
        $raw += @block if defined $quoted;
        for (@block) {
            utf8::decode(my $line = $_);
            $widest = $line if length $line > length $widest;
        }
    }
    return ($lines, $raw / $lines, $widest);
}

# ---- Words that we replace -----------------------------------------------------------------------
# From our guide to style: each of them had a plainer one.
my @WORDS = (
    qr/\bbehind\b/, qr/\bround (?:a|an|the|it|each|this|that)\b/, qr/\bgo(?:es)? on\b/, qr/\bis told\b/,
    qr/\bhas not\b(?! (?:been|yet))/, qr/\bnobody\b/i, qr/\bwhoever\b/i, qr/\bof (?:its|their) own\b/, qr/\band its relatives\b/,
    qr/\bworks off\b/, qr/\bnot to be had\b/, qr/\bgravest\b/, qr/\bworth a word\b/, qr/\bbe it\b/, qr/\bgo(?:es)? apart\b/,
    qr/\bplain loop\b/, qr/\btimer floor\b/, qr/\bawkward\b/, qr/\bwrong kernels?\b/, qr/\bfor ever\b/,
    qr/\bsome (?:micro|milli)seconds\b/, qr/\b0\.\d+ times (?:slower|faster)\b/, qr/\bsynchronis/i, qr/\bserialis/i,
    qr/\binitialis/i, qr/\boptimis/i, qr/\bneighbour/i, qr/\bbehaviour/i, qr/\bcolour/i, qr/\bshall\b/, qr/\basks? of memory\b/,
    qr/\blicen[c]e/i, qr/\brecognis/i, qr/\borganis/i, qr/\banalys[ei]/i, qr/\bcentre/i, qr/\bafterwards\b/, qr/\bsome(?:body|one)\b/i,
    qr/\banybody\b/i, qr/\bfavour/i, qr/\bnone of its business\b/,
);

sub replaced_words {
    my ($text) = @_;
    my $prose = prose($text);
    return map { my $word = $_; map { "'$_'" } $prose =~ /($word)/g } @WORDS;
}

# ---- Terms ---------------------------------------------------------------------------------------
# The glossary's terms. The first of them is common knowledge after the README.
my @terms = map { split /, / } map { /^\| ([^|]+?) \|/ ? $1 =~ s/ \(.*?\)//r : () } grep { !/^\| (?:English|---|host)/ }
    split /\n/, slurp('docs/glossary.md');
my %known = map { $_ => 1 } qw(kernel launch grid block thread legacy tail poison guard cache useful request bank misaligned
    cold hot race leak lane spread stride offset event stream latency fence L1 L2);

# Terms whose first use is neither linked nor set in italics (which is how a sentence that explains one
# marks it).
sub unexplained {
    my ($text) = @_;
    my $prose = prose($text) =~ s/\s+/ /gr;
    my @bare;
    for my $term (grep { !$known{$_} && length > 2 } @terms) {
        my $words = join '\s', map { quotemeta } split / /, $term;
        next if $prose !~ /(?<![\w-])$words(?:s|es|ed|d)?(?![\w-])/i;
        my ($before, $after) = (substr($prose, 0, $-[0]), substr($prose, $+[0]));
        my $linked = $before =~ /\[[^\]]*$/ && $after =~ /^[^\[\]]*\]\(/;
        my $italic = $before =~ /(?<!\*)\*{1,2}[^*]*$/ && (() = $before =~ /\*/g) % 2 == 1 || $before =~ /\*$/;
        push @bare, $term if !$linked && !$italic;
    }
    return @bare;
}

# ---- The lessons ---------------------------------------------------------------------------------
for my $lesson (glob '[0-9][0-9]_*/*.md') {
    my $text = slurp($lesson);
    my ($lines, $raw, $widest) = shape($text);
    diag(sprintf '%s: %d lines unfolded, %.0f %% output', $lesson, $lines, 100 * $raw) if $ENV{TEST_VERBOSE};
    cmp_ok($lines, '<=', $MOST_LINES, "$lesson: lines outside the program and what is folded");
    cmp_ok($raw, '<=', $MOST_RAW, "$lesson: the part of them that is output");
    cmp_ok(length $widest, '<=', $MOST_COLUMNS, "$lesson: its widest quoted line") or diag($widest);
    is(join(' ', replaced_words($text)), '', "$lesson: plain words");
    is(join(', ', unexplained($text)), '', "$lesson: terms are linked or explained where they come first");
}

# ---- The other pages ----------------------------------------------------------------------------
# Exercises with what they give to read and to edit; documents. Of access.md the tables are made of what
# programs say.
for my $page (qw(README.md CONTRIBUTING.md tests/README.md common/cpu_device/README.md docs/snippets/README.md), glob 'docs/*.md [0-9][0-9]_*/exercises/*/README.md') {
    my $text = slurp($page);
    $text =~ s/^\|.*\n//mg if $page eq 'docs/access.md';
    is(join(' ', replaced_words($text)), '', "$page: plain words");
}
for my $source (glob '[0-9][0-9]_*/exercises/*/{exercise,given}.{cu,h}') {
    is(join(' ', replaced_words(join '', slurp($source) =~ m{//(.*\n)}g)), '', "$source: plain words in comments");
}

# ---- Each check can fail -------------------------------------------------------------------------
my $folded = "<details>\n<summary>s</summary>\n\n```\n" . 'x' x 200 . "\n```\n</details>\n";
my ($lines, $raw, $widest) = shape("a\n<!-- results: f p -->\n```\nxyz\n```\n$folded");
is("$lines $widest", '5 xyz', 'what is folded is not counted');
cmp_ok(abs($raw - 1 / 5), '<', 1e-9, 'a quoted line is output');
is(join(' ', replaced_words("It goes on.\n```\nnobody\n```\nSee `whoever`.\n")), "'goes on'", 'a word is found, in sentences alone');
is(join(' ', unexplained("A warp-like thing; the warp. A [sector](x) is.\n")), 'warp', 'a bare term is found, a linked one is none');
is(join(' ', unexplained("A *warp* is 32 threads. The warp.\n")), '', 'one in italics is explained');
done_testing();
