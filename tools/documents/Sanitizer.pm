# SPDX-License-Identifier: MIT
# The tables of cudacc/docs/errors.md and of cudacc/tests/trace/errors/README.md: what the tracer finds in the
# programs there, and what compute-sanitizer said of them on a GPU, as `sanitize` there wrote it. The tracer's verdict is
# the mark `// ERROR kind` (or NOTE) in the program: cudacc/tests/trace/errors.t holds the tracer to the marks, one by one.
package Sanitizer;
use strict;
use warnings;
use Digest::SHA qw(sha1_hex);
use Exporter qw(import);
use Course;
use Programs;

our @EXPORT = qw(kinds verdicts unseen);

my $folder = 'cudacc/tests/trace/errors';
my @tools  = qw(memcheck racecheck initcheck synccheck);

# ---- Kinds -------------------------------------------------------------------------------------
# What compute-sanitizer calls the same mistake: the tool, and how its first words begin.
my $access = qr/^Invalid __/;
my %sanitizer = (
    'out of bounds'                      => ['memcheck',  $access],
    'use after free'                     => ['memcheck',  $access],
    'misaligned access'                  => ['memcheck',  $access],
    'host pointer in a kernel'           => ['memcheck',  $access],
    'read of memory never written'       => ['initcheck', qr/^Uninitialized|^Host API memory access/],
    'data race in shared memory'         => ['racecheck', qr/Race reported/],
    'data race in global memory'         => ['racecheck', qr/Race reported/],
    'barrier not reached by all threads' => ['synccheck', qr/^Barrier error/],
    'misused warp function'              => ['synccheck', qr/^Barrier error/],
    'failed call'                        => ['memcheck',  qr/^Program hit/],
    'free of a wrong pointer'            => ['memcheck',  qr/API call to cudaFree/],
    'leak'                               => ['memcheck',  qr/^Leaked/],
    'wrong argument'                     => ['memcheck',  qr/^Program hit/],
    'launch refused'                     => ['memcheck',  qr/^Program hit/],
    'kernel died'                        => ['memcheck',  qr{^Warp assert|^Stack overflow|^Trace/breakpoint trap|^Invalid PC}],
);

# The tracer's own list; races by the memory they are in.
my @kinds;

sub read_kinds {
    my ($list) = slurp('cudacc/trace/report/print_error.c') =~ /kind_name\[\] = \{(.*?)\};/s
        or die "print_error.c has no list of kinds\n";
    @kinds = map { $_ eq 'data race' ? ("$_ in shared memory", "$_ in global memory") : $_ } $list =~ /"([^"]+)"/g;
    return;
}

# ---- Programs and what was measured ------------------------------------------------------------
# A program: what its head says, and the lines of each kind that it is marked with.
sub read_program {
    my ($program) = @_;
    my ($name, $file, $text) = @$program{qw(name file text)};
    my ($head) = $text =~ m{\A((?:// .*\n)+)};
    my ($why)  = $head =~ m{^// UNSEEN: (.*)$}m;
    $head =~ s{\A// ---- \w+: }{// };
    $head =~ s{^// (?:EXPECT|LUCK|ONLY|UNSEEN|SPDX).*}{}ms;
    $head =~ s{^// }{}mg;
    $head =~ s{\s+}{ }g;
    my %program = (%$program, why => $why, head => $head =~ s/[.:] .*| \z//r, kinds => {});
    my $shared = join '|', $text =~ /__shared__ (?:volatile )?\w+ (\w+)/g;
    my $number = 0;
    for my $line (split /\n/, $text) {
        $number++;
        my ($kind) = $line =~ m{// (?:ERROR|NOTE) (\w[\w ]*\w)} or next;
        if ($kind eq 'data race') { # a line that names a shared variable may say itself that it is not meant
            my $in_shared = $shared ne '' && $line =~ /\b(?:$shared)\b.*;/ && $line !~ /\(global memory\)/;
            $kind .= $in_shared ? ' in shared memory' : ' in global memory';
        }
        grep { $_ eq $kind } @kinds or die "$file:@{[$program->{first} - 1 + $number]}: what is '$kind'?\n";
        push @{ $program{kinds}{$kind} }, $number;
        $program{copies}{$kind} = 1 if $line =~ /\bcudaMem(?:cpy|set)/;
    }
    return \%program;
}

# By kind; those without a mistake come last.
sub place {
    my ($program) = @_;
    return (grep { $program->{kinds}{ $kinds[$_] } } 0 .. $#kinds)[0] // @kinds;
}

my (@programs, @unseen);

# As cudacc/tests/trace/errors/sanitize computes it: without comments and blanks.
sub checksum { return substr sha1_hex($_[0]{text} =~ s{//.*}{}gr =~ s/[ \n]//gr), 0, 10 }

# What a file holds: device and versions, and by program and tool [count, first]. Programs that are
# not what they were when it was measured are left out.
sub measured {
    my ($text) = @_;
    if (!@programs) {
        read_kinds();
        @programs = sort { place($a) <=> place($b) || $a->{name} cmp $b->{name} } map { read_program($_) } map { programs_of($_) } glob "$folder/*.cu";
        @unseen = map { read_program($_) } map { programs_of($_) } glob "$folder/unseen/*.cu";
    }
    my %sum = map { $_->{name} => checksum($_) } @programs, @unseen;
    my %said = $text =~ /^# (\w+): (.*)$/mg;
    for (grep { $_->{source} eq ($sum{ $_->{program} } // '') } csv_table($text)) {
        $said{row}{ $_->{program} }{ $_->{tool} } = [@$_{qw(found first)}];
    }
    $said{device} && $said{row} or die "not as cudacc/tests/trace/errors/sanitize writes it\n";
    return \%said;
}

# Did the sanitizer name this mistake of this program? Only its first words are kept; where they have
# a line, it must not be that of another mistake. A wrong copy is named when memcheck says that it failed.
sub named {
    my ($said, $program, $kind) = @_;
    my $memcheck = $said->{row}{ $program->{name} }{memcheck} // ['-', ''];
    return 1 if $program->{copies}{$kind} && $memcheck->[1] =~ /^Program hit .* cudaMem(?:cpy|set)/;
    my ($tool, $words) = @{ $sanitizer{$kind} // return 0 };
    my ($count, $first) = @{ $said->{row}{ $program->{name} }{$tool} // ['-', ''] };
    return 0 if $count !~ /^[1-9]/ || $first !~ $words;
    my ($line) = $first =~ /\b\Q$program->{name}\E\.cu:(\d+)/ or return 1;
    my %marked = map { my $k = $_; map { ($_ => $k) } @{ $program->{kinds}{$k} } } keys %{ $program->{kinds} };
    return ($marked{$line} // $kind) eq $kind;
}

# ---- Tables ------------------------------------------------------------------------------------
sub code { return $_[0] =~ s/(\b\w*__\w+(?:\(\))?)/`$1`/gr =~ s/\|/\\|/gr }

# What a tool said, in two or three words.
sub in_words {
    my ($count, $first) = @_;
    return 'program died'  if $first =~ /didn't terminate/;
    return $count          if $count !~ /^\d+$/;
    return '-'             if $count == 0;
    my $what = $first =~ /^Invalid __(\w+)__ (\w+)/      ? ($1 eq 'global' ? "invalid $2" : "invalid $1 $2")
             : $first =~ /^Leaked/                       ? 'leak'
             : $first =~ /^Uninitialized|^Host API mem/  ? 'never written'
             : $first =~ /Race reported/                 ? 'race'
             : $first =~ /^Barrier error/                ? 'barrier'
             : $first =~ /^Program hit (\w+)/            ? $1
             :                                             substr $first, 0, 40;
    return "$what ($count)";
}

sub cells {
    my ($said, $program) = @_;
    my $row = $said->{row}{ $program->{name} } or return ('not measured') x @tools;
    my %bold;
    for my $kind (@kinds) {
        $bold{ $sanitizer{$kind}[0] } = 1 if $program->{kinds}{$kind} && named($said, $program, $kind);
    }
    return map { my $cell = in_words(@{ $row->{$_} // ['not measured', ''] }); $bold{$_} ? "**$cell**" : $cell } @tools;
}

sub about { return "($_[0]{device}, $_[0]{date}; $_[0]{versions})\n" }

sub row { return '| ' . join(' | ', @_) . " |\n" }

sub link_to {
    my ($program, $folders) = @_; # up to the programs' folder, from the page's
    return "[$program->{name}](" . $program->{file} =~ s{^\Q$folder\E/}{$folders}r . ')';
}

sub verdicts {
    my $said = measured($_[0]);
    my $text = about($said) . "\n" . row('program', 'what is in it', '`cudacc --trace`: lines', @tools) . '|---' x (3 + @tools) . "|\n";
    for my $program (@programs) {
        my @ours = map { my $lines = $program->{kinds}{$_}; $lines ? "$_: " . join(', ', map { $program->{first} - 1 + $_ } @$lines) : () } @kinds;
        my $right = $program->{name} =~ /^clean_/ ? 'right: ' : '';
        $text .= row(link_to($program, ''), $right . code($program->{head}), join('; ', @ours) || '-', cells($said, $program));
    }
    return $text;
}

sub unseen {
    my $said = measured($_[0]);
    my $text = row('program', 'what is wrong', 'why it is not seen', @tools) . '|---' x (3 + @tools) . "|\n";
    $text .= row(link_to($_, '../tests/trace/errors/'), code($_->{head}), code($_->{why} // die "$_->{file}: $_->{name}: no UNSEEN\n"), cells($said, $_)) for @unseen;
    return $text;
}

# In the form of a program's results, so that a list of numbers can take figures from it.
sub kinds {
    my $said = measured($_[0]);
    my (@lines, %all);
    for my $kind (@kinds) {
        my @with = grep { $_->{kinds}{$kind} } @programs;
        my @both = grep { $said->{row}{ $_->{name} } } @with;
        my $named = grep { named($said, $_, $kind) } @both;
        push @lines, [$kind, scalar @with, scalar @both, $named, $named ? $sanitizer{$kind}[0] : '-'];
        $all{with} += @with;
        $all{both} += @both;
        $all{named} += $named;
    }
    push @lines, ['all mistakes', $all{with}, $all{both}, $all{named}, '-'];
    my @clean = grep { $_->{name} =~ /^clean_/ } @programs;
    my @both  = grep { $said->{row}{ $_->{name} } } @clean;
    my $alarm = grep { my $row = $said->{row}{ $_->{name} }; grep { $row->{$_}[0] =~ /^[1-9]/ } @tools } @both;
    push @lines, ['nothing (false alarms)', scalar @clean, scalar @both, $alarm, '-'];
    my $text = "\$ kinds\n" . about($said);
    $text .= sprintf("%-36s%8s  %8s  %5s  %s\n", @$_)
        for ['variant', 'programs', 'measured', 'named', 'tool'], @lines;
    return $text;
}

1;
