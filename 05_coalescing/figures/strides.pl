# The sectors that a warp touches with a stride of 2 and of 4
# SPDX-License-Identifier: MIT
use strict;
use warnings;

our @accesses = (['`a[2 * k]`', sub { 2 * $_[0] }], ['`a[4 * k]`', sub { 4 * $_[0] }]);
our $title = 'The sectors that a warp touches with a stride';
our $description = 'a[2 * k] touches 8 sectors and wants half of each; a[4 * k] touches 16 and wants a quarter.';
require './05_coalescing/figures/sectors.pl';
