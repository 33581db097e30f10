# What the tests of the exercises repeat. A test begins with
#
#     use lib 'tests/lib';
#     use Tests qw(exercises);
#     needs_solutions(qw(g++ bwrap));
#
# SPDX-License-Identifier: MIT
use strict;
use warnings;

my %why_not = ('g++' => 'the counts are those of g++', bwrap => 'bubblewrap is not installed', bsdtar => 'libarchive-tools is not installed (bsdtar)');

# Skips the test where there is no build for the CPU device, or a tool is missing. What is set in the
# environment for other exercises does not count in the test. Returns a scratch folder, the root, and exercise_folders().
sub needs_exercises {
    my (@tools) = @_;
    plan(skip_all => 'no build for the CPU device') if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
    for my $tool (grep { !found($_) } @tools) { plan(skip_all => $why_not{$tool} // "$tool is not installed") }
    delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS EX OUT FROM CSV SEED ISOLATION ASSIGNMENT LATE INTO COLUMN ROSTER OVERRIDES ONE METADATA VARIANT)};
    delete @ENV{ grep { /^GRADE_/ } keys %ENV };
    return (tempdir(CLEANUP => 1), getcwd(), exercise_folders());
}

sub needs_solutions {
    my (@tools) = @_;
    plan(skip_all => 'no solutions here: this is the student edition') if !glob '[0-9][0-9]_*/exercises/*/solution.cu';
    return needs_exercises(@tools);
}

# The folder of each exercise, by its ID.
sub exercise_folders { return map { m{(\d+)_\w+/exercises/(\d+)_} ? (($1 + 0) . ".$2" => $_) : () } glob '[0-9][0-9]_*/exercises/*' }

1;
