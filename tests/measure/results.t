#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The head of a chapter's results names the commit: "changed" where a source differs from it, not where
# another chapter's results have been written before.
use strict;
use warnings;
use Test::More;
use FindBin;
require "$FindBin::Bin/../lib/lib.pl";

my ($scratch, $root) = scratch_and_root();
my $copy = "$scratch/copy";
my $git = "git -C $copy -c user.name=x -c user.email=x\@example.org";
plan(skip_all => 'no git') if !found('git');
make_path("$copy/tools");
is(system("cp -R $root/tools/measure $copy/tools/ && cp $root/tools/*.pm $copy/tools/"), 0, 'a copy of the tools');
for my $chapter (qw(01_one 02_two)) {
    my $name = $chapter =~ s/^\d\d_//r;
    spew("$copy/$chapter/$name.cu", "source\n");
    spew("$copy/$chapter/results/test_device.txt", "old\n");
    spew("$copy/build/gpu/$chapter/$name", "#!/bin/sh\necho 'Test device, a device of this test'\n", 0755);
}
spew("$copy/docs/results.sha256", '');
spew("$copy/.gitignore", "build\n");
is(system("git init -q $copy && $git add . && $git commit -qm first"), 0, 'a clean clone');

# Measures a chapter; the line of the commit in what it stored.
sub commit_line {
    my ($chapter) = @_;
    my ($code, $text) = output_of("cd $copy && perl tools/measure/results $chapter build/gpu");
    is($code, 0, "$chapter is measured") or diag($text);
    return (slurp("$copy/$chapter/results/test_device.txt") =~ /^(# commit: .*)$/m)[0] // '';
}

like(commit_line('01_one'), qr/^# commit: [0-9a-f]+$/, 'the first chapter: clean');
isnt((output_of("$git status --porcelain"))[1], '', 'now a result has changed');
like(commit_line('02_two'), qr/^# commit: [0-9a-f]+$/, 'the second chapter: still clean');
spew("$copy/01_one/one.cu", "another source\n");
like(commit_line('02_two'), qr/, changed$/, 'but a source that differs is named');
done_testing();
