#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make watch, as at a terminal: what it shows, its keys, that it checks at each save, moves on and ends.
use lib 'tests/lib';
use Tests qw(exercises terminal);
use File::Path qw(remove_tree);
use IO::Handle;
use Time::HiRes qw(sleep time);

needs_solutions();
delete @ENV{qw(BUILD NO_COLOR)};
my $root = getcwd();
my $copy = tempdir(CLEANUP => 1) . '/students';
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";
$ENV{TERM} = 'xterm';
my ($code, $text) = output_of("make -s strip OUT='$copy'");
$code == 0 or BAIL_OUT("make strip: $text");
my $folder = '03_bandwidth/exercises/1_units';
my ($unsolved, $solution) = (slurp("$copy/$folder/exercise.cu"), slurp("$root/$folder/solution.cu"));

# A later time than that of the last save, whatever the clock of the file system resolves.
sub save {
    my ($text, $future) = @_;
    spew("$copy/$folder/exercise.cu", $text);
    utime time() + $future, time() + $future, "$copy/$folder/exercise.cu";
    return;
}

my @make = ('make', '-s', '-C', $copy, 'DEVICE=cpu');
start(@make, 'watch', 'EX=3.1') or plan skip_all => 'no /dev/ptmx';

# ---- A sitting ---------------------------------------------------------------------------------
my $all = screen_shows(qr/^Watching: 3\.1 .*exercise\.cu\r?\n.*save/ms, 'make watch says what to read and what to edit');
$all .= screen_shows(qr/\[-{10}\] 0 of \d+ done  3\.1: h hint  s skip  Enter check now  q leave/, 'progress and keys');
press("h\n");
$all .= screen_shows(qr/3\.1 .*hint 1 of 3.*leave/s, 'h: a hint');
press("xyz\n");
$all .= screen_shows(qr/There is h, s, q, or Enter alone.*q leave/s, 'another word runs no check');
{    # an editor that takes a while: half of the file, then all of it
    my $name = "$copy/$folder/exercise.cu";
    open my $file, '>', $name or die "$name: $!";
    $file->autoflush(1);
    my $half = int length($unsolved) / 2;
    print $file substr $unsolved, 0, $half;
    for my $at ($half .. $half + 9) {
        sleep 0.15;
        print $file substr $unsolved, $at, 1;
    }
    print $file substr $unsolved, $half + 10;
}
$all .= screen_shows(qr/checking 3\.1 \.\.\..*result.*it returned 8, right is 12.*NOT YET.*q leave/s, 'a save is checked');
like($all, qr/\e\[31mNOT YET\e\[0m/, 'in color');
save($solution, 20);
$all .= screen_shows(qr/DONE.*: 5 of 5 points.*Next: 3\.2 /s, 'done: on to the next of the chapter');
unlike($all, qr/lost one of its two marks/, 'a file that was still being written was not checked');
$all .= screen_shows(qr/ 1 of \d+ done  3\.2: .*leave/, 'and the progress follows');
press("s\n");
$all .= screen_shows(qr/Next: 3\.3 .*leave/s, 's: the next open one');
press("q\n");
$all .= screen_shows(qr/1 of \d+ exercises are done \(1 finished in this sitting, \d+ minutes?\)\. make watch\s+continues\s+with 0\.1\./,
    'q: a sentence at the end');
$all .= ends('and exit code 0');
ok(takes_lines(), 'the terminal is as it was');
unlike($all, qr/make: /, 'no word of make');
my @long = grep { length s/\e\[[\d;]*[mK]//gr > 80 } split /[\r\n]+/, $all;
is("@long", '', 'no line of more than 80 columns');

# ---- The end, without color; Ctrl-C -------------------------------------------------------------
remove_tree($_) for grep { $_ ne "$copy/$folder" } glob "$copy/[0-9][0-9]_*/exercises/*";
save($unsolved, 30);
system("rm -rf '$copy/build/exercises'");
$ENV{NO_COLOR} = 1;
start(@make, 'watch');
$all = screen_shows(qr/leave/, 'make watch alone takes the first open exercise');
press("\x03");
$all .= screen_shows(qr/0 of 1 exercises are done/, 'Ctrl-C: the sentence, too');
$all .= ends('and exit code 0');
start(@make, 'watch');
$all .= screen_shows(qr/leave/, 'again');
save($solution, 40);
$all .= screen_shows(qr/DONE: 5 of 5.*All 1 exercises are done .*worked through the course/s, 'the last one done: it ends with a sentence');
$all .= ends('and exit code 0');
unlike($all, qr/\e\[\d+m/, 'NO_COLOR: none');
unlike($all, qr/make: /, 'no word of make');
tells(join(' ', map { quoted($_) } @make, 'watch') . ' </dev/null', 0, qr/^All 1 exercises are done/, 'where all is done it says so');
done_testing();
