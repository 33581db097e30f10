#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# A full disk: a program says what it could not write and does not pass, a file keeps what it has until
# all that is to take its place is there, and cudacc does not end without a word.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
plan skip_all => 'no /dev/full'                if !-c '/dev/full';
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
my ($scratch, $root) = scratch_and_root();
$SIG{XFSZ} = 'IGNORE';    # then a write beyond `ulimit -f` fails, as on a full disk
my $program = ($ENV{BUILD} // 'build') . '/cpu/05_coalescing/experiments/4_stride';
plan skip_all => "no $program" if !-x $program;
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";

# ---- Programs ----------------------------------------------------------------------------------
for my $form ('', '--csv', '--help') {
    tells([(sh("$program --quick $form >/dev/full"))[0, 2]], 2, qr/^stride: cannot write its output: (?:No space left on device|is the disk full\?)$/m,
        not => qr/^PASS/m, "stride --quick $form >/dev/full: exit code 2, and why");
}
for my $short (sort map { s/\.cu$//r } glob '[0-9][0-9]_*/*.cu') {
    for my $where ('>/dev/full', '>&-') {
        shows(($ENV{BUILD} // 'build') . "/cpu/$short 1000 $where", '2', undef, "cannot write the output: is the disk full?\n", "$short $where: exit code 2, and why");
    }
}
shows("$program --quick --" . 'x' x 9000, '2', undef, qr/\A.{0,199}\z/s, 'a word of 9000 letters is not repeated');

# ---- Tools -------------------------------------------------------------------------------------
for my $tool ('tools/measure/access cpu 05_coalescing sums', 'cudacc/cudacc --help',
    'cudacc/cudacc -E 05_coalescing/coalescing.cu', 'tools/learn/exercises check', "tools/measure/run $program") {
    tells([(sh("BUILD=$scratch/build $tool >/dev/full"))[0, 2]], 'not 0', qr/No space left|write|I\/O error/, "$tool >/dev/full fails and says why");
}
{
    my ($list, $rows) = ('docs/results.sha256', '05_coalescing/results/nvidia_h200.csv');
    my ($noted) = slurp($list) =~ m{^(.* \Q$rows\E\n)}m;
    my $old = "0  $rows\n1  other.csv\n";
    spew("$scratch/$_", slurp($_)) for $rows;
    spew("$scratch/$list", $old);
    my ($code) = sh("cd $scratch && ulimit -f 0 && $root/tools/measure/checksums $rows");
    ok($code ne '0' && slurp("$scratch/$list") eq $old, 'checksums on a full disk fails, and leaves what is there');
    ($code) = sh("cd $scratch && $root/tools/measure/checksums $rows");
    is("$code " . slurp("$scratch/$list"), "0 ${noted}1  other.csv\n", 'with room the file is noted anew');
}
{
    # The list of memory errors is not there: then what it lacks must not count as right.
    my ($code, $out, $err) = sh("perl -Itools -Itools/learn -MCheck -e 'my %run = (judge => qq(case\\tx\\nend\\n), code => 0, err => qq());"
        . " print join q( ), map { my %v = Check::verdict_of_run(\\%run, \$_, 20); \$v{reason} // q(right) } undef, []'");
    is($out, 'record right', 'a check without the list of memory errors fails') or diag("$code\n$err");
}

# ---- cudacc, with little room for temporary files ----------------------------------------------
# A disk of so many KiB, for one command.
sub on_small_disk {
    my ($size, $command) = @_;
    my ($namespace) = grep { (sh("$_ true"))[0] eq '0' } 'unshare -m', 'unshare -rm' or return;
    mkdir "$scratch/small";
    return sh("$namespace sh -c 'mount -t tmpfs -o size=${size}k none $scratch/small || exit 99; $command'");
}
SKIP: {
    my ($may) = on_small_disk(64, 'true');
    skip 'no tmpfs can be mounted here', 1 if ($may // 99) ne '0';
    spew("$scratch/small.cu", "__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(0); }\n");
    sh("$root/cudacc/cudacc $scratch/small.cu -o $scratch/with_room");    # the runtime is built, then
    my %codes;
    for my $size (4, 256, 1024, 2048, 65536) {
        my ($code, $out, $err) = on_small_disk($size, "TMPDIR=$scratch/small $root/cudacc/cudacc $scratch/small.cu -o $scratch/x; "
            . "code=\$?; ls $scratch/small | grep -F cudacc. >&2; exit \$code");
        $codes{$size} = $code;
        ok($code eq '0' ? $err eq '' && -x "$scratch/x" : $err =~ m{full\?|No space left} && $err !~ /^cudacc\./m,
            "TMPDIR of $size KiB: exit code $code" . ($code ? ', and why' : '')) or diag($err);
    }
    ok($codes{4} && !$codes{65536}, 'the smallest is too small, the largest is not');
}
done_testing();
