#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Every command in the documents runs. (tests/documents/docs.t sees that one which does not is found.)
use lib 'tests/lib';
use Tests;

plan skip_all => 'takes minutes: with TEST_ALL=1, or make docs-check' if !$ENV{TEST_ALL};
my @documents = grep { -f } 'README.md', glob('[0-9][0-9]_*/*.md docs/*.md cudacc/docs/*.md {cudacc,cudacc/extra,cudacc/tests/trace/errors,docs/snippets,tests}/README.md'),
    glob('[0-9][0-9]_*/exercises/*/README.md');
# Said as it comes: a failure shows though the test is stopped.
my $said = '';
open my $commands, '-|', "tools/documents/commands @documents 2>&1" or die "tools/documents/commands: $!";
while (my $line = <$commands>) {
    $said .= $line;
    chomp $line;
    $line =~ /^\S+: page |^ +[\d.]+ s  |^documents: / ? note($line) : diag($line);
}
close $commands;
ok($? == 0 && $said =~ /^documents: [1-9]\d* commands ran/m, 'every command of the documents runs');
done_testing();
