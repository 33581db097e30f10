# What a test begins with: strict, warnings, Test::More, what tests repeat, and where modules are. Tests run in the
# root of the repository. With names: files of this folder, too (exercises, page, terminal).
#
#     use lib 'tests/lib';
#     use Tests qw(exercises);
#
# SPDX-License-Identifier: MIT
package main;
use strict;
use warnings;
use Cwd qw(abs_path getcwd);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
use lib map { abs_path(dirname(__FILE__) . "/../../tools$_") } '', qw(/documents /learn /measure /teach);
require(abs_path(dirname(__FILE__)) . '/lib.pl');

# Not in a package of its own: what it loads are functions of the test.
sub Tests::import {
    my (undef, @more) = @_;
    strict->import;
    warnings->import;
    require(abs_path(dirname(__FILE__)) . "/$_.pl") for @more;
    return;
}

1;
