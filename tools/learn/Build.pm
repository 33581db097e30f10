# SPDX-License-Identifier: MIT
# Builds the programs of a check: the judge, from check.cu alone; the worker, from check.cu and a
# learner's exercise.cu, whose language is narrowed to what an exercise needs (Language.pm).
package Build;
use strict;
use warnings;
use Cwd qw(realpath);
use Digest::MD5 qw(md5_hex);
use Exporter qw(import);
use Fcntl qw(:flock);
use File::Find qw(find);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use POSIX ();
use Course;
use Exercises;
use Language;
use Sandbox;

our @EXPORT = qw($gcc preprocess build_program judge_of is_traced stages_of);

# GCC, where it is: it keeps float4 in one access as nvcc does, which clang does not.
our $gcc = found('g++') && found('gcc');
delete @ENV{qw(CC CXX)} if $gcc;

# What a command of ours said, or nothing when it succeeded.
sub quietly {
    my (@command) = @_;
    my ($code, $out, $err) = run(@command);
    return $code ? $out . $err || "@command failed\n" : '';
}

# ---- Ours: the check, the judge ------------------------------------------------------------------
my $cudacc = $ENV{CUDACC} || "$root/cudacc/cudacc";

sub is_traced { my ($e, $stage) = @_; return $stage eq 'traced' || ($stage eq 'cpu' && $e->{build} ne 'plain') }

# Of those asked for, cpu and gpu, with the one that its facts come from, where its cases run plain.
sub stages_of {
    my ($e, @asked) = @_;
    return map { ($_, $_ eq 'cpu' && !is_traced($e, $_) && $e->{runs} =~ /\bfacts\b/ ? 'traced' : ()) } @asked;
}

# nvcc where it really is: in a box its name may lead nowhere.
sub nvcc {
    my $name = $ENV{NVCC} || 'nvcc';
    my ($path) = $name =~ m{/} ? $name : grep { -x && !-d } map { "$_/$name" } split /:/, $ENV{PATH};
    return defined $path && realpath($path) || $name;
}

sub compiler {
    my ($e, $stage) = @_;
    return (nvcc(), '-O3', '-lineinfo', $ENV{CUDA_ARCH} ? "-arch=$ENV{CUDA_ARCH}" : ()) if $stage eq 'gpu';
    return ($cudacc, '-O2', is_traced($e, $stage) ? qw(--trace -g) : ());
}

# What the CPU device is made of.
sub cpu_device_files {
    my @files;
    find({ no_chdir => 1, wanted => sub { $File::Find::prune = $_ eq "$root/cudacc/tests"; push @files, $_ if -f && !/(?:\.md|~)$/ } }, "$root/cudacc");
    return sort @files;
}

# A text that includes given.h, with a student's own in its place (Variant.pm); so it may lie anywhere.
sub with_given {
    my ($e, $name, $text) = @_;
    my $here = short($e->{folder});
    my $given = $e->{given} // return "#line 1 \"$here/$name\"\n$text";
    my $line = ($text =~ /\A(.*?^)#include "given\.h"\n/ms ? $1 : $text) =~ tr/\n//;
    $text =~ s{^#include "given\.h"\n}{"#line 1 \"$here/given.h\"\n$given#line " . ($line + 2) . " \"$here/$name\"\n"}me;
    return "#line 1 \"$here/$name\"\n" . $text =~ s{^#include "(?=\.\./)}{#include "$e->{folder}/}mgr;
}

# A folder for each compiler, its options and constants of an exercise: two commands at a time may have different ones.
sub harness_folder {
    my ($e, $stage) = @_;
    return "$build/exercises/$e->{id}/$stage." . substr md5_hex(join "\0", compiler($e, $stage), $e->{given} // ()), 0, 8;
}
sub judge_of { my ($e, $stage) = @_; return harness_folder($e, $stage) . '/judge' }

# Calls that go by way of the check (api_calls.h).
sub watched {
    my ($e, $stage) = @_;
    return if $e->{check} !~ m{/api_calls\.h"};
    my $text = slurp("$root/tools/learn/api_calls.h");
    my $only = $stage eq 'gpu' ? 'THERE' : 'HERE';
    return map { ('-Xlinker', "--wrap=$_") } $text =~ /^(?:WATCHED|\w+_$only)\((\w+)/mg;
}

our $harnesses_stand = 0;    # none of them is looked at any more

# The object of check.cu, and the judge. They are made again when they, a header or the compiler have changed.
sub harness {
    my ($e, $stage) = @_;
    my $folder = harness_folder($e, $stage);
    my @compiler = compiler($e, $stage);
    my $object = "$folder/check.o";
    return $object if $harnesses_stand;
    make_path($folder);
    open my $lock, '>', "$folder/lock" or die "$folder/lock: $!\n";
    flock $lock, LOCK_EX;    # another command may be making them
    my @sources = (files($root, qw(common/*.h common/experiment/*.h tools/learn/*.h)), files($e->{folder}, '*.h'), cpu_device_files(),
        "$e->{folder}/check.cu");
    my $key = md5_hex(join "\0", @compiler, $e->{given} // '', map { slurp($_) // '' } @sources);
    return $object if (slurp("$folder/key") // '') eq $key && !grep { !-f } $object, "$folder/names", judge_of($e, $stage);
    unlink "$folder/key";
    my $check = defined $e->{given} ? "$folder/check.cu" : short("$e->{folder}/check.cu");
    spew($check, with_given($e, 'check.cu', $e->{check})) if defined $e->{given};
    my $messages = quietly(@compiler, '-c', $check, '-o', $object);
    # The learner's functions are not there, and never called: any address will do for them. (nm would take
    # a tenth of a second to look for plugins.)
    my $names = $messages ? '' : (run(qw(readelf -s -W), $object))[1];
    spew("$folder/names", $names);
    my @nowhere = map { ('-Xlinker', "--defsym=$_=main") } Language::wanted($names);
    $messages ||= quietly(@compiler, watched($e, $stage), @nowhere, $object, '-o', judge_of($e, $stage));
    die "the check of $e->{id} does not compile:\n$messages" if $messages;
    spew("$folder/key", $key);
    return $object;
}

sub have_harnesses {
    my ($stages, @exercises) = @_;
    for my $e (@exercises) { return 0 if grep { !-f harness_folder($e, $_) . '/key' } stages_of($e, @$stages) }
    return 1;
}

# cudacc keeps what it has built of itself; a box only reads that.
sub warm_cudacc {
    my $folder = tempdir(CLEANUP => 1);
    spew("$folder/empty.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
    for my $trace ([], ['--trace']) {
        my $messages = quietly($cudacc, @$trace, '-O2', '-g', "$folder/empty.cu", '-o', "$folder/empty");
        die "cudacc cannot compile: $messages" if $messages;
    }
    return;
}

# ---- The learner's -------------------------------------------------------------------------------
# In the box, beside a copy of the source by a name that is the same for all.
my $preprocess = <<'END';
folder=$1 source=$2 begin=$3 end=$4 asked=$5 answered=$6
shift 6
if [ -n "$asked" ]; then
    LINT answers "$asked" "$answered" >language || exit
    [ ! -s language ] || exit
fi
cp "$source" exercise.cu || exit
"$@" -E -fno-working-directory exercise.cu -o preprocessed
code=$?
[ ! -f preprocessed ] || LINT source "$folder" preprocessed "$begin" "$end" >language || exit
exit $code
END

# On a GPU all names stay visible (nvcc's registration has names of its own), and the lint has spoken already.
my $compile = <<'END';
language=$1 source=$2 names=$3 check=$4
shift 4
"$@" -x "$language" -c "$source" -o exercise.o && readelf -s -W exercise.o >symbols && objdump -h exercise.o >sections && LINT object symbols sections "$names" >language || exit
[ "$language" = cu ] || { [ ! -s language ] && objcopy --keep-global-symbols=globals exercise.o; } || exit
eval "\"\$@\" exercise.o $check -o check"
END

# A script of these with the lint's command in it.
sub linted { my ($script) = @_; return $script =~ s{LINT (\w+)}{join ' ', map { quoted($_) } Language::command($1)}ger }

# A command in a box that has what compiling needs.
sub job {
    my ($e, $stage, $read, $fetch, @command) = @_;
    my $gpu = $stage eq 'gpu';
    my $cache = $ENV{CUDACC_CACHE} || "$root/build/cudacc";
    $cache = "$root/$cache" if $cache !~ m{^/};
    my %job = (
        command     => ['sh', '-c', @command],
        read        => [@$read, "$root/common", "$root/cudacc", files($e->{folder}, '*.h'), files(dirname(dirname($e->{folder})), 'experiments'), $cache,
            $gpu ? grep { m{^/.} && !m{^/usr(?:/|$)} } dirname(dirname(nvcc())) : ()],
        folders     => [$e->{folder}],
        fetch       => $fetch,
        environment => { CUDACC_CACHE => $cache, defined $ENV{GRADE_ANY_LANGUAGE} ? (GRADE_ANY_LANGUAGE => 1) : (), $gpu ? (PATH => $ENV{PATH}) : () },
        gpu         => $gpu,
        seconds     => 120,
    );
    my $run = run_job(%job);
    # A compiler that ends without a word was ended by somebody else.
    $run = run_job(%job) if $run->{signal} && !$run->{limit} && $run->{out} . $run->{err} eq '';
    return $run;
}

# Dies where in the box nothing compiles, runs or can be linted: that is no learner's mistake.
sub try_box {
    my ($e, $stage) = @_;
    my $folder = tempdir(CLEANUP => 1);
    chmod 0755, $folder;
    spew("$folder/empty.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n");
    my $run = job($e, $stage, ["$folder/empty.cu", Language::files_of_it()], [], '"$@" -o empty && ./empty && ' . join(' ', map { quoted($_) } Language::command('nothing')), 'sh', compiler($e, $stage), "$folder/empty.cu");
    return if $run->{code} == 0;
    my ($why) = ($run->{err} . $run->{out}) =~ /(\S.{0,200})/;
    die "an empty kernel does not compile, run and pass the lint on the $stage (ISOLATION=" . isolation() . '): ' . ($why // "exit code $run->{code}") . "\n";
}

# Of what a compiler says what is about exercise.cu: not the notes that follow on headers, nor names that cudacc has put in; nor
# warnings beside an error, of which most are its consequences.
sub yours {
    my ($e, $text) = @_;
    my @said = $text =~ s{\Q@{[short($e->{folder})]}\E/}{}gr =~ /^(exercise\.cu:.*\n(?:[ ].*\n)*)/mg;
    my $failed = grep { /^\S+ (?:fatal )?error: /m } @said;
    return join('', map { s/^exercise\.cu:\d+\K:\d+(?=:)//mgr } grep { !/\bcpu_\w+_\d+\b/ && !($failed && /^\S+ warning: /m) } @said)
        =~ s/^exercise\.cu: [^\n]*:\n(?=exercise\.cu: |\z)//mgr;    # columns are cudacc's
}

# What a compiler says, and why it ended. It shows lines, and words, of any file that was included; the linker ($links) does not.
sub compile_error {
    my ($e, $run, $folder, $links) = @_;
    my $text = substr($run->{out} . $run->{err}, 0, 16384) =~ s{\Q$root\E/}{}gr =~ s{\Q$folder\E/}{}gr;
    my @wrong = $links ? () : Language::include_wrong($e, 'exercise.cu', $text =~ m{^(?:In file included from |\s+from )?(/[^:(\n]+|[^\s:(][^:(\n]*/[^:(\n]+)[:(]\d+}mg);
    return @wrong if @wrong;
    return wrong('compile', 'the compiler did not end') if ($run->{limit} // '') eq 'time';
    my @missing = $text =~ /undefined reference to [`'](.+?)'/g;
    return wrong('compile', join '', map { "$_ is missing: the check calls it\n" } unique(@missing)) if @missing;
    return wrong('compile', yours($e, $text) || $text || 'the compiler failed');
}

# What the preprocessor makes of a learner's text, if that is in the language of exercises: of two alike the same program
# comes. Or undef and a verdict.
sub preprocess {
    my ($e, $stage, $text, $folder) = @_;
    make_path($folder);
    my $source = "$folder/exercise.cu";
    my ($marked, @sentinels) = Language::marked($text);
    spew($source, Language::headers($text) . with_given($e, 'exercise.cu', $marked));
    my @answers = $e->{kind} eq 'measure' ? ("$folder/asked", "$folder/answered") : ();
    if (@answers) {
        spew($answers[0], $e->{start});
        spew($answers[1], $text);
    }
    my $run = job($e, $stage, [$source, @answers, Language::files_of_it()], [qw(preprocessed language)], linted($preprocess),
        'sh', $e->{folder}, $source, @sentinels, @answers ? @answers : ('', ''), compiler($e, $stage), '-I', $e->{folder});
    my ($preprocessed, $said) = @{ $run->{files} }{qw(preprocessed language)};
    my @wrong = Language::verdict($said // '');
    return (undef, @wrong ? @wrong : compile_error($e, $run, $folder)) if @wrong || $run->{code} || !defined $said;
    $preprocessed =~ s/\Q$_\E// for @sentinels;
    return ($preprocessed);
}

# Compiles a text, preprocessed for the CPU device, a learner's for a GPU, and links it with the check. Returns the program,
# or undef and a verdict.
sub build_program {
    my ($e, $stage, $text, $folder) = @_;
    make_path($folder);
    my ($source, $program) = map { "$folder/$_" } qw(exercise.cu check);
    my $gpu = $stage eq 'gpu';
    my $check = harness($e, $stage);
    spew($source, $gpu ? with_given($e, 'exercise.cu', $text) : $text);
    my $names = harness_folder($e, $stage) . '/names';
    my $run = job($e, $stage, [$source, $names, $check, Language::files_of_it()], [qw(language check)], linted($compile),
        'sh', $gpu ? 'cu' : 'cu-cpp-output', $source, $names, join(' ', map { quoted($_) } watched($e, $stage), $check), compiler($e, $stage), $gpu ? ('-I', $e->{folder}) : qw(-Wall -Wextra));
    my $said = $run->{files}{language};
    my @wrong = $gpu ? () : Language::verdict($said // '');
    return (undef, @wrong) if @wrong;
    return (undef, compile_error($e, $run, $folder, defined $said)) if $run->{code} || !defined $run->{files}{check};
    my $warnings = yours($e, $run->{err});
    spew($program, $run->{files}{check});
    chmod 0755, $program;
    die "what is built in $folder may not be run; BUILD=dir builds in another place\n" if !POSIX::access($program, POSIX::X_OK());
    return ($program, warnings => $warnings);
}

1;
