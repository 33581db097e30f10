#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# A lesson can be read in one sitting. It has at most 2,000 words, few numbers in them, the sections of every
# lesson in their order, says how long it and its exercises take, and what its terms mean before it uses
# them. What is folded (<details>) is for who opens it, and is not counted; nor is the program, which
# has its own limit (tests/programs/chapters.t).
use lib 'tests/lib';
use Tests;

my ($MOST_WORDS, $MOST_RAW, $MOST_COLUMNS, $MOST_NUMBERS) = (2000, 0.25, 100, 5);

# ---- What is read --------------------------------------------------------------------------------
# A lesson as a reader sees it who opens nothing.
sub unfolded {
    my ($text) = @_;
    $text =~ s{^<details>.*?^</details>\n}{}msg;
    $text =~ s{^<!-- (?:numbers|given):.*?-->\n}{}msg;
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
    my $words = () = prose($read =~ s/^\|.*\n//mgr) =~ /\S*[A-Za-z0-9`]\S*/g;
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
    return ($words, $raw / $lines, $widest);
}

# Numbers in 100 words of its unfolded sentences: not those of code, formulas and tables, nor those that name
# something (chapter 03, exercise 3.1, CUDA 13, a date).
sub numbers_in_100_words {
    my ($text) = @_;
    my $prose = prose(unfolded($text) =~ s{^(?:    |\|).*\n}{}mgr);
    $prose =~ s/\]\([^)]*\)/]/g;
    $prose =~ s/\[\d\.\d[^\]]*\]|\S*\d_\S*|\d{4}-\d\d-\d\d//g;
    my $words = () = $prose =~ /\S*[A-Za-z]\S*/g;
    $prose =~ s/^\s*\d+\.\s//mg;
    $prose =~ s/\b(?:chapters?|CUDA|capability|exercise|lesson|prediction) \[?\d[\d.]*//gi;
    my $numbers = () = $prose =~ /(?<![\w.-])\d[\d.,]*/g;
    return 100 * $numbers / $words;
}

# ---- Sections ------------------------------------------------------------------------------------
# Those of every lesson and of every page that goes deeper (NN_name/deeper.md), in this order. Between "The idea"
# and "What you can do now" a lesson has one section for each prediction, whose title is the question or its
# answer; a page that goes deeper begins with sections like these. The first steps and the second page of 05 have some.
my @LESSON = ('The question', 'Predict', 'The program', 'What it printed', 'The idea', 'What you can do now', 'Exercises', 'Going deeper');
my @DEEPER = ('What changed since the articles', 'Pitfalls', 'In a profiler', 'Try', 'Open questions', 'Further reading');

# The sections that are missing, twice there, or before one that they should follow.
sub misplaced {
    my ($text, $some, @sections) = @_;
    my %place = map { $sections[$_] => $_ } 0 .. $#sections;
    my @common = grep { defined $place{$_} } $text =~ /^## (.*)$/mg;
    my @missing = grep { my $section = $_; !grep { $_ eq $section } @common } @sections;
    my @behind = map { $place{ $common[$_] } <= $place{ $common[$_ - 1] } ? "$common[$_] after $common[$_ - 1]" : () } 1 .. $#common;
    return (@behind, map { "no $_" } $some ? () : @missing);
}

# ---- Minutes -------------------------------------------------------------------------------------
# What a page says of itself and of its exercises, and what these say.
sub minutes {
    my ($text) = @_;
    return $text =~ /^(?:.*\. )?\*\*Time:\*\* (\d+)\s+minutes,\s+and\s+(\d+)\s+for\s+the\s+exercises/m;
}

sub minutes_of_exercises {
    my ($lesson, $text) = @_;
    my ($chapter, $sum) = ($lesson =~ m{^(\w+)/}, 0);
    while ($text =~ m{^\| \[\d\.\d [^\]]*\]\((exercises/\w+/README\.md)\) \|.*\| (\d+) \|$}mg) {
        my ($exercise, $here) = ($1, $2);
        like(slurp("$chapter/$exercise"), qr/\*\*Minutes:\*\* $here\b/, "$lesson: the minutes of $exercise");
        $sum += $here;
    }
    return $sum;
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
    split /\n/, slurp('docs/glossary.md') =~ s/<a id=.*?<\/a>//gr;
my %known = map { $_ => 1 } qw(kernel launch grid block thread legacy tail poison guard cache useful request bank misaligned
    cold hot race leak lane spread stride offset event stream latency fence L1 L2 HMM ATS TMA);

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
my %minutes;    # of each chapter: reading and running, exercises
for my $lesson (glob '[0-9][0-9]_*/*.md') {
    my $text = slurp($lesson);
    my ($number, $some, $deeper) = ($lesson =~ /^(\d+)/, scalar($lesson =~ /^00|layouts/), scalar($lesson =~ /deeper/));
    my ($words, $raw, $widest) = shape($text);
    diag(sprintf '%s: %d words unfolded, %.0f %% output', $lesson, $words, 100 * $raw) if $ENV{TEST_VERBOSE};
    cmp_ok($words, '<=', $MOST_WORDS, "$lesson: words outside code, tables and what is folded");
    cmp_ok($raw, '<=', $MOST_RAW, "$lesson: the part of its lines that is output");
    cmp_ok(length $widest, '<=', $MOST_COLUMNS, "$lesson: its widest quoted line") or diag($widest);
    is(join(' ', replaced_words($text)), '', "$lesson: plain words");
    is(join(', ', misplaced($text, $some, $some ? (@LESSON, @DEEPER) : $deeper ? @DEEPER : @LESSON)), '', "$lesson: the common sections, in their order");
    cmp_ok(numbers_in_100_words($text), '<=', $MOST_NUMBERS, "$lesson: numbers in 100 words");
    is(join(', ', unexplained($text)), '', "$lesson: terms are linked or explained where they come first");
    next if $number eq '00' || $deeper;    # 30 minutes, with its exercise; no minutes
    my ($here, $exercises) = minutes($text);
    is($exercises, minutes_of_exercises($lesson, $text), "$lesson: the minutes of its exercises");
    $minutes{$number}[0] += $here // 0;
    $minutes{$number}[1] += $exercises // 0;
}

my $instructors = slurp('docs/for_instructors.md');
for my $number (sort keys %minutes) {
    like($instructors, qr/^\| $number \| $minutes{$number}[0] \| $minutes{$number}[1] \|/m, "for_instructors.md: the minutes of chapter $number");
}

# ---- The other pages ----------------------------------------------------------------------------
# Exercises with what they give to read and to edit; documents. Of access.md the tables are made of what
# programs say.
for my $page (qw(README.md CONTRIBUTING.md tests/README.md cudacc/README.md cudacc/extra/README.md docs/snippets/README.md), glob 'docs/*.md cudacc/docs/*.md [0-9][0-9]_*/exercises/*/README.md') {
    my $text = slurp($page);
    $text =~ s/^\|.*\n//mg if $page eq 'cudacc/docs/access.md';
    is(join(' ', replaced_words($text)), '', "$page: plain words");
}
for my $source (glob '[0-9][0-9]_*/exercises/*/{exercise,given}.{cu,h}') {
    is(join(' ', replaced_words(join '', slurp($source) =~ m{//(.*\n)}g)), '', "$source: plain words in comments");
}

cmp_ok((shape(slurp('00_first_kernel/README.md')))[0], '<=', 1200, 'the first lesson is short');

# ---- Each check can fail -------------------------------------------------------------------------
my $folded = "<details>\n<summary>s</summary>\n\n```\n" . 'x' x 200 . "\n```\n</details>\n";
my ($counted, $raw, $widest) = shape("a\n<!-- results: f p -->\n```\nxyz\n```\n$folded");
is("$counted $widest", '1 xyz', 'what is folded, and code, is not counted');
cmp_ok(abs($raw - 1 / 5), '<', 1e-9, 'a quoted line is output');
is((shape("Two `words of` three\n| a | b |\n"))[0], 3, 'code in a sentence is a word, a table is none');
is(join(' ', replaced_words("It goes on.\n```\nnobody\n```\nSee `whoever`.\n")), "'goes on'", 'a word is found, in sentences alone');
is(join(' ', unexplained("A warp-like thing; the warp. A [sector](x) is.\n")), 'warp', 'a bare term is found, a linked one is none');
is(join(' ', unexplained("A *warp* is 32 threads. The warp.\n")), '', 'one in italics is explained');
my $sections = join "\n", map { "## $_" } @DEEPER;
is(join(', ', misplaced($sections, 0, @DEEPER)), '', 'the sections in their order');
is(join(', ', misplaced($sections =~ s/## Try\n//r, 0, @DEEPER)), 'no Try', 'a missing section is found');
is(join(', ', misplaced($sections =~ s/(## Pitfalls)\n(## In a profiler)/$2\n$1/r, 0, @DEEPER)), 'Pitfalls after In a profiler', 'and one in a wrong place');
is(join(', ', misplaced("## Try\n## Open questions", 1, @DEEPER)), '', 'a second page has some of them');
my $words = 'word ' x 97;
is(numbers_in_100_words("$words and 3 so 4 and 12.5\n| 7 |\n\n    8\n`9` chapter 03\n"), 3 * 100 / 101, 'numbers are counted in sentences alone');
is(numbers_in_100_words("word <!--=name-->7<!--/-->\n"), 100, 'measured ones, too');
done_testing();
