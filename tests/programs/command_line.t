#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The command line of every program, on every device it was built for: help, mistakes, too much
# memory, no device, and the three forms of output.
use lib 'tests/lib';
use Tests;

my $build   = $ENV{BUILD}   // 'build';
my @devices = split ' ', $ENV{DEVICES} // 'cpu';
my @columns = qw(schema chapter program variant dtype n block parameter value bytes flops samples
    median_ms min_ms max_ms gb_per_s gflop_per_s flag check);

my $folder = tempdir(CLEANUP => 1);
open my $out, '+>', "$folder/out" or die;
open my $err, '+>', "$folder/err" or die;

# Runs a command: exit code, stdout, stderr. There are hundreds: without a process more for each.
sub run {
    my (@command) = @_;
    for my $file ($out, $err) {
        seek $file, 0, 0;
        truncate $file, 0;
    }
    my $pid = fork;
    if ($pid == 0) {
        open STDOUT, '>&', $out;
        open STDERR, '>&', $err;
        exec @command or exit 126;
    }
    waitpid $pid, 0;
    my $status = $?;
    local $/;
    seek $_, 0, 0 for $out, $err;
    return ($status & 127 ? "signal $status" : $status >> 8, <$out> // '', <$err> // '');
}

sub is_one_line { $_[0] =~ /\A[^\n]+\n\z/ }

# A usage mistake: exit code 2, one line on stderr, nothing on stdout.
sub rejects {
    my ($program, @words) = @_;
    my ($code, $out, $err) = run($program, @words);
    ok($code eq '2' && $out eq '' && is_one_line($err), "$program @words: exit code 2 and one line")
        or diag("exit code $code\nstdout: $out\nstderr: $err");
    return $err;
}

for my $device (@devices) {
    for my $program (sort grep { -x } glob "$build/$device/[0-9][0-9]_*/experiments/*") {
        my ($code, $out, $err) = run($program, '--help');
        ok($code eq '0' && $out =~ /--device N/ && $err eq '', "$program --help") or diag($out, $err);
        my $sized = $out =~ /--size N  /;
        my $errors = $out =~ /--errors/;

        like(rejects($program, '--nonsense'), qr/--nonsense/, 'the line names the option');
        # What else is wrong with words and numbers, host_helpers.c asks of the headers, once for all programs.
        rejects($program, $_, 'many') for '--device', '--samples', $sized ? '--size' : ();
        rejects($program, '--size', 1) if !$sized;
        rejects($program, '--errors') if !$errors;

        ($code, $out, $err) = run($program, '--quick');
        if ($code eq '77') {
            ok($out eq '' && is_one_line($err), "$program without a device: one line") or diag($out, $err);
          SKIP: { skip "$program: no usable device", 1 if !$ENV{REQUIRE_GPU}; fail("$program: no device"); }
            next;
        }
        ok($code eq '0' && $out =~ /^PASS\n\z/m, "$program --quick ends with PASS") or diag("$code\n$out\n$err");
        like($out, qr/\ADevice 0: \S/, 'its first line is the device') if $out !~ /\A#/;
        unlike($out, qr/\b(?:nan|inf)\b/i, 'and there is no NaN in it');
        rejects($program, '--device', 9999);

        ($code, $out, $err) = run($program, '--quick', '--csv');
        my ($header, @rows) = split /\n/, $out;
        ok($code eq '0' && $header eq join(',', @columns), "$program --csv: the header") or diag($out, $err);
        ok(@rows > 0 && !(grep { fields($_) != @columns } @rows), 'every row has ' . @columns . ' fields')
            or diag($out);
        ok(!(grep { (fields($_))[0] ne '1' } @rows), 'and is of schema 1');
        ok(!(grep { !/,(?:ok)?$/ } @rows), 'and is right') or diag($out);
        unlike($out, qr/(?:^|,)-?(?:nan|inf)/im, 'no NaN there');
        ok(!(grep { my @f = fields($_); length $f[12] } @rows), '--quick times nothing') or diag($out);

        if ($errors) {
            ($code, $out, $err) = run($program, '--quick', '--errors');
            ok($code eq '0' && $out =~ /^PASS\n\z/m, "$program --errors ends with PASS") or diag("$code\n$out\n$err");
        }
        if ($sized) {
            ($code, $out, $err) = run($program, '--size', 1, '--samples', 1);
            ok($code eq '0' && $out =~ /^PASS\n\z/m, "$program --size 1 --samples 1") or diag("$code\n$out\n$err");
            # It must not fill host memory first. Rows of a program's own small sizes may come before.
            ($code, $out, $err) = run('tests/lib/limit', 20, $program, '--size', '1024G', '--samples', 1);
            ok($code eq '3' && $out !~ /^(?:Size:|PASS|FAIL)/m && ($out eq '' || $out =~ / ok$/m)
                && $err =~ /\b\d+ bytes asked\b.*\b\d+ free\b.*--size/ && is_one_line($err),
                "$program --size 1024G: exit code 3, bytes asked and free, --size, no word about that size on stdout")
                or diag("$code\n$out\n$err");
        }
        if ($device eq 'gpu') {
            local $ENV{CUDA_VISIBLE_DEVICES} = '';
            ($code, $out, $err) = run($program, '--quick');
            ok($code eq '77' && $out eq '' && is_one_line($err), "$program without a device: exit code 77")
                or diag("$code\n$out\n$err");
        }
    }
}
done_testing();
