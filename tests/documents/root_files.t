#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What an editor, a container, the code host and a contributor find at the root. Its files
# parse, the paths and commands in them exist, clangd's options read every .cu file of the course, and
# the recorded rows are what docs/results.schema.json says.
use lib 'tests/lib';
use Tests;
use CPAN::Meta::YAML;

# ---- JSON ----
my %json;
for my $file (sort(glob('.vscode/*.json')), '.devcontainer/devcontainer.json', 'docs/results.schema.json', 'docs/notebook.ipynb') {
    $json{$file} = eval { decode_json(slurp($file)) };
    ok($json{$file}, "$file is JSON") or diag($@);
}
my %task = map { $_->{label} => $_ } @{ $json{'.vscode/tasks.json'}{tasks} };
is_deeply([grep { !$task{$_} } qw(run build check watch)], [], 'tasks run, build, check, watch');
my ($debugger) = @{ $json{'.vscode/launch.json'}{configurations} };
ok($task{ $debugger->{preLaunchTask} }, 'the debugger builds with a task that exists');
my ($program) = $debugger->{program} =~ m{^\$\{workspaceFolder\}/(.*)};
like($_->{command}, qr/-o \Q$program\E(?: |$)/, "task $_->{label} builds what the debugger starts") for @task{qw(build run)};

# What the matchers make of the lines that are printed.
sub matched {
    my ($label, $owner, $line) = @_;
    my ($matcher) = grep { ref && $_->{owner} eq $owner } @{ $task{$label}{problemMatcher} };
    my $pattern = $matcher->{pattern};
    my @groups = $line =~ /($pattern->{regexp})/ or return;
    return join '|', map { defined $pattern->{$_} ? $groups[$pattern->{$_}] // '' : () } qw(file line);
}
for my $line (grep { /^CPU device: .* at \S+:\d/ } split /\n/, slurp('cudacc/docs/errors.md')) {
    my ($place) = $line =~ / at (\S+?:\d+)/;
    is(matched('run', 'cudacc', $line), $place =~ s/:/|/r, "a report leads to $place");
}
is(matched('check', 'check', '      01_sync_timing/exercises/1_stop_the_clock/exercise.cu'),
    '01_sync_timing/exercises/1_stop_the_clock/exercise.cu', 'a verdict leads to its exercise');

# ---- Paths and commands ----
my @commands = join('', map { slurp($_) } 'Makefile', glob 'tools/*.mk') =~ /^([a-z-]+):.*## /mg;
my %command = map { $_ => 1 } @commands;
my @files = ('CONTRIBUTING.md', 'CHANGELOG.md', 'docs/add_a_device.md', '.vscode/tasks.json', glob('.github/*/*.yml'), '.github/SECURITY.md',
    'docs/profilers.md', 'docs/notebook.ipynb');
for my $file (@files) {
    my $text = slurp($file);
    is_deeply([grep { !$command{$_} } $text =~ /\bmake ([a-z-]+)(?=[ `"\n])/g], [], "$file: make has its commands");
    my ($folder) = $file =~ m{^(.*/)?[^/]+$};
    my @paths = $file =~ /\.md$/ ? map { ($folder // '') . $_ } $text =~ /\]\(([^):#]+)/g
        : $text =~ m{(?<![\w./])((?:\.ci|common|cudacc|tests|tools|docs)/[\w./-]+)}g;
    is_deeply([grep { !-e } @paths], [], "$file: its paths exist");
}
like(slurp('.dockerignore'), qr/^build$/m, 'an image takes nothing of what was built here');
my %cited = %{ CPAN::Meta::YAML->read('CITATION.cff')->[0] };
like(slurp('CHANGELOG.md'), qr/^## \Q$cited{version}\E, \Q$cited{'date-released'}\E$/m, 'CHANGELOG.md has the version of CITATION.cff, and its day');
is_deeply([grep { !length($cited{$_} // '') } qw(cff-version message title abstract type authors keywords license)], [], 'CITATION.cff is complete');

# ---- The code host's forms ----
my @forms = glob '.github/ISSUE_TEMPLATE/*.yml';
is(scalar @forms, 2, 'two forms: a count, a device');
for my $file (@forms) {
    my %form = %{ CPAN::Meta::YAML->read($file)->[0] };
    is_deeply([grep { !length($form{$_} // '') } qw(name description title body)], [], "$file says what it is for");
    my @questions = grep { $_->{type} ne 'markdown' } @{ $form{body} };
    my %ids = map { ($_->{id} // '') => 1 } @questions;
    is_deeply([scalar keys %ids, grep { $_->{type} !~ /^(?:input|textarea)$/ || !$_->{attributes}{label} } @questions],
        [scalar @questions], 'each question has a name of its own, a kind and a label');
    ok(!(grep { $_->{type} eq 'markdown' && !$_->{attributes}{value} } @{ $form{body} }), 'and each text is one');
}

# ---- Rows ----
my $schema = $json{'docs/results.schema.json'};
my %is = (integer => qr/^-?\d+$/, number => qr/^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/, string => qr/^/, null => qr/^$/);

# What is wrong with a field, if anything.
sub wrong {
    my ($rule, $text) = @_;
    my @types = ref $rule->{type} ? @{ $rule->{type} } : $rule->{type};
    return (grep { $_ eq 'null' } @types) ? () : 'is empty' if $text eq '';
    my ($type) = grep { $_ ne 'null' } @types;
    return "is no $type" if $text !~ $is{$type};
    return 'has the wrong form' if defined $rule->{pattern} && $text !~ /$rule->{pattern}/;
    return 'is too small' if defined $rule->{minimum} && $text < $rule->{minimum};
    return 'is too large' if defined $rule->{maximum} && $text > $rule->{maximum};
    return;
}
my @columns = @{ $schema->{required} };
is_deeply([sort @columns], [sort keys %{ $schema->{properties} }], 'the schema describes each column');
for my $file (sort glob '[0-9][0-9]_*/results/*.csv') {
    my ($head, @lines) = split /\n/, slurp($file);
    is($head, join(',', @columns), "$file has the columns");
    my @problems;
    for my $i (0 .. $#lines) {
        my %row;
        @row{@columns} = my @values = fields($lines[$i]);
        push @problems, "$file:" . ($i + 2) . ': ' . @values . ' fields' if @values != @columns;
        push @problems, map { my $what = wrong($schema->{properties}{$_}, $row{$_} // '');
            $what ? "$file:" . ($i + 2) . ": $_ '$row{$_}' $what" : () } @columns;
    }
    is_deeply(\@problems, [], 'and its rows are right');
}

# ---- The head of results ----
# A chapter of nothing but shells; an nvidia-smi that lacks a field.
my ($scratch, $course) = scratch_and_root();
spew("$scratch/$_", "#!/bin/sh\necho 'Device 0: NVIDIA T4, 40 multiprocessors'\necho PASS\n", 0755) for 'gpu/01_a/a';
spew("$scratch/gpu/01_a/experiments/1_b", "#!/bin/sh\necho schema,chapter,program\necho 1,01_a,b,\n", 0755);
spew("$scratch/01_a/experiments/1_b.cu", '');
spew("$scratch/bin/nvidia-smi", "#!/bin/sh\ncase \$* in *pcie*) echo 'not a field'; exit 2 ;; *compute_cap*) echo 7.5 ;; *) echo x ;; esac\n", 0755);
symlink "$course/tools", "$scratch/tools";
spew("$scratch/docs/results.sha256", join '', map { "$_\n" } grep { m{  tools/} } split /\n/, slurp('docs/results.sha256'));    # of the benches
for my $label ('', 'lab2') {
    tells("cd $scratch && PATH=$scratch/bin:\$PATH LABEL=$label tools/measure/results 01_a gpu", 0, "results with LABEL=$label");
    my $text = slurp("$scratch/01_a/results/nvidia_t4" . ($label && "_at_$label") . '.txt');
    like($text, qr/^# commit:.*\n# name: x\n# compute_cap: 7\.5\n(?:# .*\n)*# pcie\.link\.gen\.max:\n/m, 'what the machine was; a field that is unknown is empty');
}
is(join(' ', map { s{.*/}{}r } sort glob "$scratch/01_a/results/*.txt"), 'nvidia_t4.txt nvidia_t4_at_lab2.txt', 'two hosts with the same device');
is((output_of("cd $scratch && tools/measure/checksums --check"))[1], '', 'and their checksums');
is((output_of("cd $scratch && LABEL='a b' tools/measure/results 01_a gpu"))[0], 2, 'a label is a part of a name');

# ---- clangd ----
# clangd reads a few files, from whatever folder it is started in; clang takes its options. All files take minutes.
my @all = sort glob '[0-9][0-9]_*/{*,experiments/*,exercises/*/*}.cu';
SKIP: {
    skip 'no clangd (Debian package: clangd)', 1 if !found('clangd');
    my @wrong = map { my $said = (output_of("cd / && clangd --check=@{[ root() ]}/$_ --check-lines=1-1 --log=verbose"))[1];
        $said =~ /^(E\[.*|.*file not found.*)/m ? "$_: $1" : () } $ENV{TEST_ALL} ? @all : grep { m{/experiments/8_} } @all;
    is(join("\n", @wrong), '', 'clangd finds no error and all headers');
}
SKIP: {
    skip 'no clang (Debian package: clang)', 1 if !found('clang');
    my @options = (split(' ', slurp('compile_flags.txt')), slurp('.clangd') =~ /^ +- (\S+)$/mg);
    my @some = $ENV{TEST_ALL} ? @all : grep { m{/experiments/3_} } @all;
    cmp_ok(scalar @some, '>', 5, scalar(@some) . ' of ' . @all . ' files');
    tells("clang -fsyntax-only @options @some", 0, 'clang reads them with the options of .clangd');
}
done_testing();
