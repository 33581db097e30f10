# SPDX-License-Identifier: MIT
# random_cpp.txt, for random_cpp.pl: the ways to say something, by what it is and by its kind.
package Ways;
use strict;
use warnings;
use FindBin;
use parent 'Exporter';
our @EXPORT = qw(slurp one_of chance fill ways operations %MEANS);

sub slurp { open my $in, '<', "$FindBin::Bin/$_[0]" or die "$_[0]: $!\n"; return <$in> }
sub one_of { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub fill {
    my ($text, %by) = @_;
    return $text =~ s/\b([XLOCKABETS])(?=_?\b)/$by{$1} \/\/ die "$1 in $text"/ger;
}

# A class that gives operators, conversions, or the end of a scope a meaning.
my $CLASSES = qr/operator|\b(?:Number|Sum|sum_of|Pack|Pointer|Add|Cached|touch|List|Level|Derived|[Bb]ase|Lane|Odd|Limit|Constant|Later|Restore
    |Twice|defer|Count|Holder|Range|Step|Once|Down|View|Fence|Index|numbers?|adder|lane|odd)\b/x;

sub ways {    # {what}{kind}: texts; `plain`: without such a class
    my ($plain) = @_;
    my (%ways, $what);
    for (slurp('random_cpp.txt')) {
        $what = $1 if /^== (\w+)/;
        next if !$what || !/^(\w+): (.*)/;
        my @texts = grep { !$plain || "$1 $_" !~ $CLASSES } split / \| /, $2;
        push @{ $ways{$what}{$1} }, @texts if @texts;
    }
    return %ways;
}
our %MEANS = (    # of a value, and another one
    odd   => sub { $_[0] & 1 },
    even  => sub { !($_[0] & 1) },
    rest1 => sub { ($_[0] & 3) == 1 },
    rest2 => sub { ($_[0] & 3) == 2 },
    two   => sub { $_[0] == 2 },
    three => sub { $_[0] == 3 },
    four  => sub { $_[0] == 4 },
    any   => sub { $_[0] != 0 },
    none  => sub { $_[0] == 0 },
    below => sub { $_[0] < $_[1] },
);

# "TEXT => PERL" with A, B and T for arguments: the text, and a function.
sub operations {
    my @operations = map { [split / => /] } @_;
    for (@operations) {
        my $perl = $_->[1] =~ s/([ABT])/'$_[' . index('ABT', $1) . ']'/ger;
        $_->[1] = eval "use integer; sub { $perl }" or die $@;    ## no critic
    }
    return @operations;
}
1;
