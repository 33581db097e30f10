#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# tests/where: what it calls a system, and what it counts of a test's words. And that README says no more
# of where the course runs than the log of tests/where does.
use lib 'tests/lib';
use Tests;
require './tests/where';    # and with it lib.pl

my $scratch = tempdir(CLEANUP => 1);

sub called {
    my ($release, %files) = @_;
    my $folder = tempdir(DIR => $scratch);
    spew("$folder/etc/os-release", $release);
    spew("$folder/etc/$_", $files{$_}) for keys %files;
    return system_name($folder);
}
my $forky = qq(PRETTY_NAME="Debian GNU/Linux forky/sid"\nNAME="Debian GNU/Linux"\nVERSION_CODENAME=forky\nID=debian\n);
my $archive = 'http://deb.debian.org/debian';
is(called(qq(PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\n)), 'Debian 12', 'a stable Debian');
is(called(qq(NAME="Ubuntu"\nVERSION_ID="24.04"\n)), 'Ubuntu 24.04', 'Ubuntu');
is(called($forky, 'debian_version' => "forky/sid\n", 'apt/sources.list' => "# testing\ndeb $archive sid main\n"), 'Debian sid', 'unstable');
is(called($forky, 'debian_version' => "forky/sid\n", 'apt/sources.list' => "deb [arch=amd64] $archive forky main\n"), 'Debian testing', 'testing');
is(called($forky, 'apt/sources.list.d/debian.sources' => "Types: deb\nURIs: $archive\nSuites: unstable\n"), 'Debian sid', 'unstable, the newer list');
is(called($forky), 'Debian GNU/Linux forky/sid', 'no list: what it calls itself, and no guess');

is(join(' ', count_tap("ok 1 - a\nok 2 # SKIP no b\nnot ok 3 - c\n1..3\nexit 1\n")), '1 1', 'passed and failed');
is(join(' ', count_tap("ok 1 - a\nSegmentation fault\nexit 139\n")), '1 1', 'one that dies has failed');
is(join(' ', count_tap("1..0 # SKIP no device\nexit 0\n")), '0 0', 'one that is skipped has not passed');

is(join(' ', count_prove("a.t .. ok\nAll tests successful.\nFiles=2, Tests=9,  1 wallclock secs\nResult: PASS\n")), '9 0', 'prove: all passed');
is(join(' ', count_prove("Files=2, Tests=9,  1 wallclock secs\nResult: FAIL\nFailed 1/2 test programs. 2/9 subtests failed.\n")), '7 2', 'two did not');
is(join(' ', count_prove("Files=2, Tests=9,  1 wallclock secs\nResult: FAIL\nFailed 1/2 test programs. 0/9 subtests failed.\n")), '8 1', 'one died');
is(join(' ', count_prove("make: *** Error 2\n")), '0 1', 'nothing was run');

# ---- README ------------------------------------------------------------------------------------
my ($copy, $root) = ("$scratch/course", root());
mkdir $copy;
chdir $root or die;
copy_into($copy, map { "$root/$_" } 'tools', glob('[0-9]*_*')) or die;
chdir $copy or die;
my $head = "date,commit,system,compiler,arch,what,passed,failed,seconds\n";
my $page = "| where | tested |\n|---|---|\n| here | <!--=where x86-64-->x<!--/--> |\n| nvcc | <!--=where nvcc-->x<!--/--> |\n";
spew('docs/where_it_runs.csv', join '', $head, map { "2026-01-01,abc,$_,9\n" } 'Debian 12,GCC 12.2.0,x86-64,counts,7,2',
    (map { "Debian 12,GCC 12.2.0,x86-64,$_,9,0" } qw(run counts errors runtime)), 'Debian 13,GCC 14.2.0,x86-64,test,9,0', 'Debian sid,GCC 16.2.0,x86-64,run counts,7,2', 'Debian sid,GCC 9.1.0,arm64 (qemu),run,5,0',
    'Debian 12,Clang 14.0.6,x86-64,run,3,0', 'Debian 12,Clang 14.0.6,x86-64,counts,1,1', 'Debian 12,nvcc 11.8.89,x86-64,nvcc,50,0');
spew('page.md', $page);
sub checked { spew('page.md', "$page$_[0]\n"); `tools/documents/quote page.md`; return `tools/documents/quote --check page.md 2>&1` }
is(checked(''), '', 'a page that claims nothing else');
like(slurp('page.md'), qr{here \| <!--=where x86-64-->Debian 12: GCC 12, Clang 14\xe2\x80\xa0 \(4/5\); Debian 13: GCC 14\xe2\x80\xa0; Debian sid: GCC 16\xe2\x80\xa0 \(7/9\)<!}, 'of each place the newest rows; what failed is said, and where not all ran');
like(slurp('page.md'), qr{nvcc \| <!--=where nvcc-->CUDA 11\.8<!}, 'nvcc');
is(checked("GCC (12 or later), Debian 12, g++-12 and CUDA 11, nvcc 11.8; gcc's (12 or later)"), '', 'claims that have a row');
like(checked($_), qr/^page\.md:\d+: no place in docs\/where_it_runs\.csv has /m, "one that has none: $_")
    for 'Debian 11', 'Debian 12, GCC 16', 'GCC 12 and 13', 'clang 14', "gcc's (11 or later)", 'the CUDA Toolkit 11 or 12.4', 'CUDA 10 to 13', 'nvcc 11.7', 'GCC 2';
$page = '';
like(checked('It runs in Debian 11.'), qr/^page\.md:1: no place /, 'a page without a list of places');
mkdir '05_lesson';
spew('05_lesson/README.md', "CUDA 12.3 changed this.\n");
is(`tools/documents/quote --check 05_lesson/README.md 2>&1`, '', 'a lesson tells what CUDA was, not where the course runs');
chdir $root;
done_testing();
