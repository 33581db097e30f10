#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# A kernel that is broken on purpose, in a copy of the tree, turns `make test` and `make run` red.
use lib 'tests/lib';
use Tests;
use File::Copy qw(copy);

my $root = getcwd();
my $copy = tempdir(CLEANUP => 1);

# The copy holds one program, the shortest with the usual guard, and the one test that looks into it.
my ($program) = sort { -s $a <=> -s $b } grep { slurp($_) =~ /if \(i < n\)/ } glob '[0-9][0-9]_*/experiments/*.cu';
ok($program, 'there is a kernel to break') or BAIL_OUT('no kernel to break');
my ($chapter) = split m{/}, $program;
for my $file ('Makefile', $program, glob("tools/*.mk $chapter/experiments/*.h common/*.h common/experiment/*.h"),
    qw(tests/programs/sizes.t tests/lib/Tests.pm tests/lib/lib.pl tools/Course.pm tools/Chinese.pm tools/measure/run tools/measure/step tools/measure/Steps.pm tests/lib/limit)) {
    my ($folder) = "$copy/$file" =~ m{(.*)/};
    make_path($folder);
    copy($file, "$copy/$file") or die "$file: $!";
    chmod((stat $file)[2] & 07777, "$copy/$file");
}
copy_into($copy, 'cudacc') && system('rm', '-rf', "$copy/cudacc/tests") == 0 or BAIL_OUT('cannot copy the CPU device');

delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS BUILD DEVICES TEST_ALL)};
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";
my $make = "cd '$copy' && make DEVICE=cpu";

tells("$make test", 0, qr/^Result: PASS\n\z/m, "make test passes with $program as it is");

my $source = slurp($program);
my $seeds = $source =~ s/if \(i < n\)/if (i + 1 < n)/g;
chmod 0644, "$copy/$program";
spew("$copy/$program", $source);

tells("$make test", 'not 0', qr/^Result: FAIL$/m, "make test fails when $seeds kernels skip the last element");
tells("$make run", 'not 0', qr/^FAIL: /m, 'and so does make run');
done_testing();
