# SPDX-License-Identifier: MIT
# make class: downloads as an LMS hands them out, of N students who have solved some exercises, a roster, and
# the points that each should get (expected.csv). To try the grader on what is known.
package Class;
use strict;
use warnings;
use Exporter qw(import);
use File::Temp qw(tempdir);
use Course;
use Exercises;
use Mutants;
use Variant;

our @EXPORT = qw(make_class);

my @first = qw(Anna Ben Chloe Dan Eva Finn Grace Hugo Ida Jan Kim Lea Max Nora Omar Pia Quinn Rosa Sam Tara);
my @last = qw(Adams Baker Clark Davis Evans Fisher Green Hall Irwin Jones King Lewis Moore Nolan O'Brien Park Quist Reed Stone Turner);

# The same for the same seed, on every machine.
my $state = 1;
sub chance { my ($below) = @_; $state = ($state * 1103515245 + 12345) & 0x7fffffff; return int(($state >> 8) % $below) }

# Text, and points. Each program is its student's own, so that none is graded for another; predictions are numbers
# alone, and there a comment says whose.
sub answer {
    my ($e, $who, $n) = @_;
    my $dice = chance(100);
    return if $dice < 10;
    return ($e->{start}, 0) if $dice < 20;
    my ($before, undef, $after) = parts($e->{start});
    my @wrong = grep { $_->{rejected} !~ /goal|prediction|time/ } @{ $e->{mutants} };
    my $wrong = $dice >= 75 && @wrong;
    my $region = $wrong ? $wrong[chance(scalar @wrong)]{text} : with_numbers($e, (parts(slurp("$e->{folder}/solution.cu")))[1]);
    my $own = $e->{kind} eq 'measure' ? '' : "static const int hand_in = $n;\n";
    my $text = "$before// $who\n$own$region$after";
    $text =~ s/\n/\r\n/g if chance(10) == 0;
    return ($text, $wrong ? 0 : $e->{kind} eq 'measure' ? $e->{points} / 2 : $e->{points});    # of predictions a second try: no first answers are with it
}

sub make_class {
    my ($count, $seed, $to) = @_;
    die "$to exists already\n" if -e $to;
    die "a third of a class hands in archives: install libarchive-tools (bsdtar)\n" if !found('bsdtar');
    $state = $seed * 7919 + 17;
    my @exercises = all_exercises();
    $_->{mutants} = [mutants($_)] for @exercises;
    die "no solutions here: this is the student edition\n" if !-f "$exercises[0]{folder}/solution.cu";
    make_path("$to/downloads");
    my ($roster, $expected) = ("ID,Canvas ID,Name,Email\n", "student,points\n");
    for my $n (1 .. $count) {
        my ($first, $last) = ($first[chance(scalar @first)], $last[chance(scalar @last)]);
        my ($id, $total) = (sprintf('s%04d', $n), 0);
        my $how = $n % 3;
        my $folder = $how == 2 ? tempdir(CLEANUP => 1) : "$to/downloads/$id";
        for my $e (@exercises) {
            my ($text, $points) = answer($e, "$first $last", $n) or next;
            my $name = "$folder/" . short($e->{folder}) . '/exercise.cu';
            $name = "$to/downloads/" . lc("$last$first" =~ s/\W//gr) . "_1000${n}_2000${n}_exercise-$e->{number}-$e->{chapter}.cu" if $how == 1;    # as Canvas names it
            make_path($name =~ s{/[^/]*$}{}r);
            spew($name, $text);
            $total += $points;
        }
        if ($how == 2 && files($folder, '*')) {
            system('sh', '-c', 'cd "$1" && bsdtar -a -cf "$2" *', 'sh', $folder, "$to/downloads/$id.zip") == 0 or die "$id.zip is not made\n";
        }
        $roster .= "$id,1000$n,\"$last, $first\",$id\@example.org\n";
        $expected .= "\"$id\",\"$total\"\n";
    }
    spew("$to/roster.csv", $roster);
    spew("$to/expected.csv", $expected);
    return;
}

1;
