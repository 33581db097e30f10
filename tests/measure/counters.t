#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# tools/measure/counters: what a profiler says is stored with its command. A row of a program
# and a launch that ncu counted belong together, one to one. ncu is a script here that counts what it is
# told to.
use lib 'tests/lib';
use Tests;

my $root = getcwd();
my $folder = tempdir(CLEANUP => 1);
make_path("$folder/$_") for qw(bin docs 05_x/experiments build/05_x/experiments);
symlink "$root/tools", "$folder/tools" or die $!;

sub script {
    my ($name, $text) = @_;
    spew("$folder/$name", "#!/bin/sh\n$text");
    chmod 0755, "$folder/$name" or die $!;
}

sub ncu {
    my (@launches) = @_;
    script('bin/ncu', <<'END' . join('', map { "echo '$_' >>\"\$log\"\n" } '"ID","Kernel Name","dram.sum"', '"","","byte"', @launches));
while [ "$1" != --log-file ]; do shift; done
log=$2; shift 2
"$@" || exit
echo '==PROF== Connected' >"$log"
END
}

sub counters {
    my ($list) = @_;
    spew("$folder/05_x/experiments/counters", "# a comment\n$list\n");
    my $code = system("cd '$folder' && PATH='$folder/bin':\$PATH tools/measure/counters 05_x build >out 2>err") >> 8;
    return ($code, slurp("$folder/out") . slurp("$folder/err"));
}

script('build/05_x/experiments/1_p', <<'END');
echo "Device 0: NVIDIA X1, 2 multiprocessors" >&2
printf 'variant,n\n"a, b",5\nc,6\nfinding,\n'
END

ncu('"0","k","9"', '"1","k","1,000"', '"2","k","7"');
tells([counters('p --quick : k +1 : dram_read=dram.sum')], 0, "05_x/results/nvidia_x1_counters.txt\n", 'a table is stored by the name of the device');
my $table = slurp("$folder/05_x/results/nvidia_x1_counters.txt");
like($table, qr/^\$ p --quick\nDevice 0: NVIDIA X1.*\nncu .*--metrics dram\.sum p --quick\nvariant /m, 'with the command');
like($table, qr/\A# make counters, \d{4}-\d\d-\d\d\n# commit: \w+\n\n\$ p/, 'with date and commit');
like($table, qr/^a, b +5 +1000\nc +6 +7\n\z/m, 'each row has its launch, the first is passed over');
like(slurp("$folder/docs/results.sha256"), qr{^\w{64}  05_x/results/nvidia_x1_counters\.txt\n\z}, 'and its checksum is noted');

my $stored = $table;
for my $case (
    ['p : k : d=dram.sum', 1, qr/2 rows, but 3 launches of k/, 'a launch without a row'],
    ['p : k +1 : d=l2.sum', 1, qr/ncu has no l2\.sum/, 'a metric that ncu does not have'],
    ['q : k : d=dram.sum', 2, qr/05_x has no program 'q'/, 'a program that is none'],
    ['p : k', 2, qr/counters: 'p : k'/, 'a line without metrics'],
) {
    my ($list, $expected, $message, $what) = @$case;
    my ($code, $said) = counters($list);
    is($code, $expected, "$what: exit code $expected");
    like($said, $message, "$what: said");
    is(slurp("$folder/05_x/results/nvidia_x1_counters.txt"), $stored, "$what: the old table stays");
}

script('bin/ncu', 'echo "==ERROR== ERR_NVGPUCTRPERM - no permission"; exit 1');
my $said = tells([counters('p : k : d=dram.sum')], 77, 'counters that may not be read: exit code 77');
like($said, qr/may not read the GPU's counters/, 'and why');

# ---- What a profiler prints ----------------------------------------------------------------------
script('bin/ncu', 'echo "==PROF== of $*"; shift; "$@"');
tells([counters('ncu -c1 1_p --quick')], 0, "05_x/results/nvidia_x1_ncu.txt\n", 'a command: stored by the name of the device');
$stored = slurp("$folder/05_x/results/nvidia_x1_ncu.txt");
like($stored, qr/^\$ ncu\nncu -c1 1_p --quick\n==PROF== of -c1 1_p --quick\nDevice 0: NVIDIA X1.*\nvariant,n$/m, 'the command and what it printed');
like(slurp("$folder/docs/results.sha256"), qr{^\w{64}  05_x/results/nvidia_x1_ncu\.txt$}m, 'and its checksum is noted');
for my $case (['echo "==ERROR== ERR_NVGPUCTRPERM"; exit 1', 77], ['exit 3', 1], ['echo counted', 1]) {
    script('bin/ncu', $case->[0]);
    my ($code, $said) = counters('ncu -c1 1_p --quick');
    is("$code " . slurp("$folder/05_x/results/nvidia_x1_ncu.txt"), "$case->[1] $stored", "'$case->[0]': exit code $case->[1], the old file stays");
}
done_testing();
