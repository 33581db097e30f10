#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The head of stored results names the commit: "changed" where a source differs from it, not where
# other results have been written before, a new file of them included, nor where a page quotes them.
use lib 'tests/lib';
use Tests;

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
    tells("cd $copy && perl tools/measure/results $chapter build/gpu", 0, "$chapter is measured");
    return (slurp("$copy/$chapter/results/test_device.txt") =~ /^(# commit: .*)$/m)[0] // '';
}

like(commit_line('01_one'), qr/^# commit: [0-9a-f]+$/, 'the first chapter: clean');
isnt((output_of("$git status --porcelain"))[1], '', 'now a result has changed');
like(commit_line('02_two'), qr/^# commit: [0-9a-f]+$/, 'the second chapter: still clean');
spew("$copy/$_/results/new_device.txt", "new\n") for qw(01_one tools/measure/bench);
is(system("$git add ."), 0, 'and there are new results, noted for the next commit');
spew("$copy/$_", "quotes them\n") for qw(README.md docs/page.svg);
like(commit_line('02_two'), qr/^# commit: [0-9a-f]+$/, 'still clean, with pages that differ');

# The benches: one head for all that they print.
my $bench = 'tools/measure/bench';
my $prints = "#!/bin/sh\necho 'Device 0: Test device, 2 multiprocessors'\n";
spew("$copy/build/gpu/$bench/$_", $prints, 0755) for qw(measure_check timer_check saxpy_cublas add_cub);
for my $experiment (qw(03_bandwidth/experiments/1_bandwidth 04_unified_memory/experiments/1_ladder
    05_coalescing/experiments/3_misalignment 06_vectorized/experiments/1_widths)) {
    spew("$copy/build/gpu/$experiment", "#!/bin/sh\necho variant,n,median_ms\necho add,5,0.5\n", 0755);
}
tells("cd $copy && $bench/record build/gpu/$bench", 0, 'the benches are recorded');
my $stored = slurp("$copy/$bench/results/test_device.txt");
like($stored, qr{\A# $bench/record, \d{4}-\d\d-\d\d\n# commit: [0-9a-f]+\n\n# $bench/measure_check, }, 'they name date and commit');
like(slurp("$copy/docs/results.sha256"), qr{^\w{64}  $bench/results/test_device\.txt$}m, 'and the checksum is noted');

spew("$copy/01_one/one.cu", "another source\n");
like(commit_line('02_two'), qr/, changed$/, 'but a source that differs is named');
done_testing();
