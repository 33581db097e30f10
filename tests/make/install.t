#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make install: cudacc works from any folder, without the course, a home or leave to write; one that is
# installed stays until the next is whole; make uninstall takes away what install made, and nothing else.
use lib 'tests/lib';
use Tests;
use File::Find;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my $root = root();
my $scratch = tempdir(CLEANUP => 1);
my $prefix = "$scratch/o'wn place/some where";
my ($gcc) = grep { -x } map { "$_/gcc" } split /:/, $ENV{PATH};
plan skip_all => 'no gcc on the PATH (Debian package: gcc)' if !$gcc;

# All files and folders below, with size and date.
sub listing {
    my ($folder) = @_;
    my @found;
    find({ no_chdir => 1, wanted => sub { push @found, join ' ', $_, (lstat)[2, 7, 9] } }, $folder) if -e $folder;
    return join "\n", sort @found;
}

# A bare environment. The runtime is compiled here as fast as can be.
mkdir "$scratch/$_" for 'bin', 'home', 'temporary', 'away', "o'wn place";
spew("$scratch/bin/gcc", "#!/bin/sh\nexec '$gcc' \"\$@\" -O0\n");
chmod 0755, "$scratch/bin/gcc";
chmod 0555, "$scratch/home";
my %bare = (PATH => "$scratch/bin:$ENV{PATH}", HOME => "$scratch/home", TMPDIR => "$scratch/temporary");

# Runs a command in a folder: exit code, stdout and stderr together.
sub run {
    my ($folder, $more, @command) = @_;
    local %ENV = (%bare, %$more);
    return output_of(join ' ', 'cd', quoted($folder), '&& exec', map { quoted($_) } @command);
}
sub make { my (@arguments) = @_; return run($root, {}, 'make', '-s', @arguments) }

my $hello = <<'END';
#include <stdio.h>
__global__ void write(int *p) { p[threadIdx.x] = 42; }
int main() {
    int *d_p, p;
    cudaMalloc(&d_p, 32 * sizeof p);
    write<<<1, 32>>>(d_p);
    cudaMemcpy(&p, d_p, sizeof p, cudaMemcpyDeviceToHost);
    cudaFree(d_p);
    printf("%d\n", p);
}
END
spew("$scratch/away/hello.cu", $hello);
sub works { # NAME, PATH OF CUDACC, ENVIRONMENT
    my ($name, $cudacc, %more) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    tells([run("$scratch/away", \%more, $cudacc, 'hello.cu', '-o', 'hello', '-run')], 0, "42\n", "$name: a program");
    return;
}
sub traces {
    my ($name, $cudacc) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($code, $text) = run("$scratch/away", {}, $cudacc, '--trace', 'hello.cu', '-o', 'hello', '-run');
    like("$code $text", qr/\A0 (?=.*\b42$).*^ +2  __global__ void write.*^ +d_p +st +4 +1 +4 .*^CPU device: 0 errors$/ms, "$name: traced");
    return;
}

# ---- Install -----------------------------------------------------------------------------------
my $text = tells([make('install', "PREFIX=$prefix")], 0, 'make install');
like($text, qr/^\Q$prefix\E\/bin\/cudacc$/m, 'it says where');
my $page = slurp("$prefix/share/man/man1/cudacc.1");
SKIP: {
    if ($text =~ /no pandoc/) {
        is($page, '', 'no pandoc, no page for man');
        skip 'no pandoc (Debian package: pandoc)', 1;
    }
    like($page, qr/^\.SH NAME\n.*^cudacc - .*^\.SH .*--trace/ms, 'the page for man');
}
my $installed = listing($prefix);
works('installed', "$prefix/bin/cudacc");
traces('installed', "$prefix/bin/cudacc");
symlink "$prefix/bin/cudacc", "$scratch/away/compile";
works('through a link', './compile', PATH => "$scratch/bin:/usr/bin:/bin");
tells([run("$scratch/away", {}, "$prefix/bin/cudacc", '-v', 'hello.cu', '-c')], undef, not => qr/\Q$root\E/, 'nothing of the course is used');
is(listing("$scratch/temporary"), join(' ', "$scratch/temporary", (lstat "$scratch/temporary")[2, 7, 9]),
    'nothing is kept elsewhere: the runtime is there, plain and traced');
is(listing($prefix), $installed, 'nothing is written where it was installed');
is(listing("$scratch/home"), join(' ', "$scratch/home", (lstat "$scratch/home")[2, 7, 9]), 'nor in the home');

# Its messages lead to a file that is there.
spew("$scratch/away/wrong.cu", "int main() { cudaMaloc(0, 0); }\n");
(my $code, $text) = run("$scratch/away", {}, "$prefix/bin/cudacc", 'wrong.cu');
my ($readme) = $text =~ /: error: cudaMaloc .*: (.*)$/m;
ok($code == 1 && defined $readme && -f $readme, 'what is supported stands there, too') or diag($text);

# ---- Uninstall ---------------------------------------------------------------------------------
# The files below, without size and date.
sub names { my ($folder) = @_; return join ' ', map { s{^\Q$folder\E/?}{}r } grep { !-d || -l } map { s/(?: \d+){3}$//r } split /\n/, listing($folder) }

tells([make('uninstall', "PREFIX=$prefix")], 0, '', 'make uninstall');
is(names("$scratch/o'wn place"), '', 'nothing is left');
tells([make('uninstall', "PREFIX=$prefix")], 2, qr/^install: make install has put nothing under /m, 'a second time there is nothing');

# The rest without compiling: what cannot be built now is built at its first use.
$bare{CXX} = 'nonsense++';
spew("$prefix/bin/own", "mine\n");
($code, $text) = make('install', "PREFIX=$prefix");
ok($code == 0 && $text =~ /nonsense.*^install: cudacc cannot build its runtime now/ms && !-e "$prefix/lib/cudacc/built",
    'make install without a compiler') or diag($text);
$installed = listing($prefix);
works('its first use', "$prefix/bin/cudacc", CXX => 'g++');
is(scalar(() = glob "$scratch/temporary/cudacc-$</*/runtime.o"), 1, 'its runtime is in a private folder');
is(listing($prefix), $installed, 'nothing is written where it was installed');

# A cp that stops halfway, as when somebody interrupts it.
my $half = "#!/bin/sh\n/bin/cp \"\$@\"\nfor to; do :; done\nrm -r \"\$to/driver\"\nexit 130\n";
spew("$scratch/bin/cp", $half, 0755);
tells([make('install', "PREFIX=$prefix")], 'not 0', 'make install, interrupted');
unlink "$scratch/bin/cp";
works('the one before', "$prefix/bin/cudacc", CXX => 'g++');
# And a mv: one is told to end when the old one has gone, another is killed there. A cudacc that does not
# come to its end afterwards leaves what was there.
for my $signal ('TERM', 'KILL') {
    spew("$scratch/bin/mv", "#!/bin/sh\n/bin/mv \"\$@\"\ncase \$* in *cudacc.old) kill -$signal \$PPID ;; esac\n", 0755);
    ($code, $text) = make('install', "PREFIX=$prefix");
    is($code == 0, $signal eq 'TERM', "make install, SIG$signal between the two steps") or diag($text);
    works('then', "$prefix/bin/cudacc", CXX => 'g++') if $signal eq 'TERM';
}
unlink "$scratch/bin/mv";
spew("$scratch/bin/cp", $half, 0755);
tells([make('install', "PREFIX=$prefix")], 'not 0', 'and the next one is interrupted, too');
unlink "$scratch/bin/cp";
works('the one before', "$prefix/bin/cudacc", CXX => 'g++');
spew("$prefix/lib/cudacc/older.h", "\n");
tells([make('install', "PREFIX=$prefix")], 0, 'make install over an older one');
ok(!-e "$prefix/lib/cudacc/older.h" && names("$prefix/lib") !~ /cudacc\.(?:new|old)/, 'nothing is left of that, nor of the interrupted one');
($code, $text) = make('uninstall', "PREFIX=$prefix");
is("$code $text" . names($prefix), '0 bin/own', "somebody's file is left, nothing else");

spew("$prefix/lib/cudacc/notes", "mine\n");
for my $goal ('install', 'uninstall') {
    ($code, $text) = make($goal, "PREFIX=$prefix");
    ok($code == 2 && $text =~ /^install: \S.*lib\/cudacc is there, and not from make install$/m && names($prefix) eq 'bin/own lib/cudacc/notes',
        "make $goal leaves somebody's folder") or diag($text);
}
unlink "$prefix/lib/cudacc/notes";
rmdir "$prefix/lib/cudacc";
spew("$prefix/bin/cudacc", "mine\n");
($code, $text) = make('install', "PREFIX=$prefix");
ok($code == 2 && $text =~ /bin\/cudacc is there/ && slurp("$prefix/bin/cudacc") eq "mine\n", "and somebody's cudacc") or diag($text);
spew("$scratch/file", '');
tells([make('install', "PREFIX=$scratch/file/x")], 2, qr/^install: cannot /m, 'a place that cannot be');
for my $wrong (['PREFIX is empty', 'PREFIX='], ['write \$HOME', 'PREFIX=~/x'], ['PREFIX is a whole path', 'PREFIX=x', "DESTDIR=$scratch"]) {
    my ($why, @arguments) = @$wrong;
    tells([make('install', @arguments)], 2, qr/\A[^\n]*$why[^\n]*\n\z/, "make install @arguments: $why");
}

# ---- For packages ------------------------------------------------------------------------------
mkdir "$scratch/stage";
($code, $text) = make('install', "DESTDIR=$scratch/stage", 'PREFIX=/usr/local');
ok($code == 0 && -x "$scratch/stage/usr/local/bin/cudacc", 'DESTDIR') or diag($text);
rename "$scratch/stage/usr", "$scratch/moved";
works('moved', "$scratch/moved/local/bin/cudacc", CXX => 'g++');
rename "$scratch/moved", "$scratch/stage/usr";
($code, $text) = make('uninstall', "DESTDIR=$scratch/stage", 'PREFIX=/usr/local');
is("$code $text" . names("$scratch/stage"), '0 ', 'make uninstall with DESTDIR');
done_testing();
