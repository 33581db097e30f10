# What a test begins with: strict, warnings, Test::More, what tests repeat, and where modules are.
#
#     use FindBin;
#     use lib "$FindBin::Bin/../lib";
#     use Tests;
#
# SPDX-License-Identifier: MIT
package main;
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
use lib map { dirname(__FILE__) . "/../../tools$_" } '', qw(/documents /learn /measure /teach);
require __FILE__ =~ s{[^/]*$}{lib.pl}r;

package Tests;
use strict;
use warnings;

sub import { strict->import; warnings->import; return }

1;
