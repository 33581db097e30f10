#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Each common header compiles alone: as C11 and as C++17 and 23 (with TEST_ALL as 20, too), with every compiler
# that is here.
use lib 'tests/lib';
use Tests;

my @warnings = qw(-Wall -Wextra -Wpedantic -Werror);
my @cxx = ('c++17', $ENV{TEST_ALL} ? 'c++20' : (), 'c++2b');
my @languages = (
    ['gcc',     'c',   'gnu11'],
    (map { ['g++', 'c++', $_] } @cxx),
    ['clang',   'c',   'gnu11'],
    (map { ['clang++', 'c++', $_] } @cxx),
);

for my $language (@languages) {
    my ($compiler, $kind, $standard) = @$language;
  SKIP: {
        skip "no $compiler (Debian package: " . ($compiler =~ /clang/ ? 'clang' : $compiler) . ')', 1
            if system("command -v $compiler >/dev/null 2>&1") != 0;
        for my $header (sort glob 'common/*.h common/experiment/*.h') {
            my @command = ($compiler, '-x', $kind, "-std=$standard", @warnings, '-Icudacc/include',
                '-fsyntax-only', '-');
            my $output = `echo '#include "$header"' | @command 2>&1`;
            ok($? == 0 && $output eq '', "$header as $standard, $compiler") or diag($output);
        }
    }
}
done_testing();
