#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The rules of the house: lengths, licence lines, format, what a chapter holds.
use lib 'tests/lib';
use Tests;
use File::Find;

my (@files, %seen);
find({ no_chdir => 1, wanted => sub {
    my $name = $File::Find::name =~ s{^\./}{}r;
    $File::Find::prune = 1, return if $name =~ m{^(?:\.git|build)$};
    push @files, $name if -f;
} }, '.');
@files = sort @files;
my @sources = grep { /\.(?:cu|c|h|t|awk|pl|pm|mk)$/ || m{^(?:Makefile|\.ci/\w+(?:\.sh)?|cudacc/(?:cudacc|driver/\w+\.sh|trace/probe)|(?:cudacc/)?tests/(?:lib|make|runtime|trace|trace/errors)/(?!differences)\w+|tools/\w+(?:/\w+){0,2})$} }
    grep { !m{/results/} } @files;
my @programs = grep { m{^\d\d_\w+/(?:experiments/)?[^/]+\.cu$} } @files;
my @documents = grep { /\.md$/ } @files;

# ---- Sources ----
none('every source has its licence line', grep { slurp($_) !~ /SPDX-License-Identifier: MIT/ } @sources);
my @long;
for my $source (grep { /\.(?:cu|c|h)$/ } @sources) {
    my $line = 0;
    for (split /\n/, slurp($source)) {
        $line++;
        push @long, "$source:$line" if length(s{[\x80-\xBF]}{}gr) > 100 && !m{^// EXPECT};
    }
}
none('no line of C is longer than 100 columns', @long);
none('no spaces at the end of a line, no carriage returns, a newline at the end',
    grep { slurp($_) =~ /[ \t]+$/m || slurp($_) =~ /\r/ || slurp($_) !~ /\n\z/ } @sources, @documents);
none('no tabs', grep { slurp($_) =~ /\t/ } grep { /\.(?:cu|c|h|t)$/ } @sources);

# Each program can be started from its own header comment.
for my $program (@programs) {
    my ($head) = slurp($program) =~ m{\A((?://[^\n]*\n)+|/\*.*?\*/)}s;
    my ($name) = $program =~ m{([^/]+)\.cu$};
    like($head // '', qr/nvcc.*\b\Q$name\E\.cu/, "$program says how to build it");
}

none("what starts with #! is executable", grep { !-x } grep { slurp($_) =~ m{\A#!} } grep { !/\.sbatch$/ } @sources);

# Nothing that belongs to one machine, and no other language.
my $places = join '|', map { quotemeta } '/ho' . 'me/', '/ro' . 'ot/', '/wo' . 'rk/', 'TO' . 'DO', 'FIX' . 'ME';
none('no machine paths, nothing left to do', grep { slurp($_) =~ /$places/ } @sources, @documents);
none('no Python but the configuration of the site and the notebook', grep { /\.(?:py|ipynb)$/ && !m{^docs/(?:site/conf\.py|notebook\.ipynb)$} } @files);

# ---- History ----
my ($scratch) = scratch_and_root();
for my $case (
    ['', "Add a kernel\n\nIt was missing.\n"], ['', "cudacc: say what is missing\n"], ['', 'x' x 72 . "\n"], [' has 73 characters', 'x' x 73 . "\n"],
    [' is a merge', "Merge branch 'a'\n"], [' is empty', "\nBody.\n"], [' ends with', "Add a kernel.\n"], [' has a path', "Mend /a/b.c\n"],
    [' is not ASCII', "Add \xc2\xb5s\n"], [' is followed', "Add a kernel\nand another\n"],
) {
    my ($why, $message) = @$case;
    spew("$scratch/message", $message);
    my ($code, $said) = output_of("tools/hooks/commit-msg '$scratch/message'");
    ok($why eq '' ? $code eq '0' && $said eq '' : $code eq '1' && $said =~ /\Acommit-msg: the subject\Q$why\E[^\n]*\n\z/,
        "the hook on '" . $message =~ s/\n.*//sr . "'") or diag("$code: $said");
}

# ---- Format ----
SKIP: {
    skip 'no clang-format (Debian package: clang-format)', 1 if system('command -v clang-format >/dev/null 2>&1');
    my ($version) = `clang-format --version` =~ /version (\d+)/;
    skip "clang-format $version: the sources are formatted by 14", 1 if $version != 14;
    my @formatted = grep { /\.(?:cu|c|h)$/ && !m{^cudacc/tests/translate/cudacc/} } @sources;
    my %unformatted = map { $_ => 1 } `clang-format --dry-run -Werror @formatted 2>&1` =~ /^([^:\s]+):\d+:/mg;
    none('the sources are formatted as .clang-format says', sort keys %unformatted);
}
SKIP: {
    skip 'no shellcheck (Debian package: shellcheck)', 1 if system('command -v shellcheck >/dev/null 2>&1');
    my @scripts = grep { slurp($_) =~ m{\A#!/bin/sh} } @sources;
    is(`shellcheck -x -a -P SCRIPTDIR @scripts 2>&1`, '', "shellcheck finds nothing in @scripts");
}

# ---- Chapters ----
for my $chapter (grep { -d } glob '[0-9][0-9]_*') {
    ok(-f "$chapter/README.md", "$chapter has a lesson");
    ok((grep { m{^$chapter/} } @programs), "$chapter has a program");
    ok(index(slurp("README.md"), "($chapter/README.md)") >= 0, "README.md leads to it");
}

done_testing();
