#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# tools/measure/day_to_day: which rows two recordings have in common, and how far they are apart.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no git' if !found('git');
my ($scratch, $root) = scratch_and_root();
# A course of its own, whose second recording is not committed.
sub rows { join '', "program,variant,n,value,samples,median_ms,flag\n", map { "copy,$_\n" } @_ }
my $stored = "$scratch/another/03_copy/results/nvidia_x.csv";
spew($stored =~ s{csv$}{txt}r, "# make results, 2026-01-02\n");
spew($stored, rows('a,1,7,21,1.00,', 'a,2,7,21,1.00,', 'b,1,7,21,2.00,', 'c,1,7,21,1.00,clock moved', 'd,1,7,7,1.00,', 'e,1,7,21,1.00,', 'same,1,7,21,1.00,', 'same,1,8,21,4.00,'));
spew("$scratch/another/tools/$_", slurp("tools/$_"), 0755) for qw(Course.pm measure/day_to_day measure/commit);
my $git = "cd '$scratch/another' && git -c user.name=n -c user.email=e -c commit.gpgsign=false";
tells("$git init -q && $git add -A && $git commit -q -m first", 0, 'a first recording');
spew($stored, rows('a,1,9,21,1.01,', 'a,2,9,21,0.50,', 'b,1,9,21,2.05,', 'c,1,9,21,9.00,', 'd,1,9,21,9.00,', 'new,1,9,21,9.00,', 'same,1,9,21,1.04,', 'same,1,9,21,4.00,'));
spew($stored =~ s{csv$}{txt}r, "# make results, 2026-01-03\n");
my $tool = "cd '$scratch/another' && tools/measure/day_to_day";
is(tells("$tool nvidia_x HEAD", 0, 'compares it with a second') =~ s{\A# commit: \w+\n\n# tools/measure/day_to_day\n\n}{}r, <<'END', 'rows of both without a flag, whatever a measured column says; one that comes twice, by its turn');
program,commit,before,after,rows,half_pct,nine_in_ten_pct,greatest_pct,greatest
copy,HEAD,2026-01-02,2026-01-03,5,2.50,100.00,100.00,"a, 2"
03_copy,HEAD,2026-01-02,2026-01-03,5,2.50,100.00,100.00,"copy: a, 2"
END
spew($stored, rows('new,1,9,21,9.00,'));
tells("$tool nvidia_x HEAD", 1, 'nothing in common: exit code 1');
tells("$tool nvidia_x HEAD abcd123", 2, "day_to_day: git knows no commit abcd123\n", 'a commit that is not there: exit code 2');
tells("$tool nvidia_x", 2, 'no commit: exit code 2');
done_testing();
