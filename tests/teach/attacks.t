#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What students might hand in to get points for nothing or to do harm: each a student of one class, graded
# beside an honest one. A sample (*) in every run; with TEST_ALL all of them, in every kind of isolation.
use lib 'tests/lib';
use Tests qw(exercises);
use IO::Socket::INET;
use POSIX qw(mkfifo);
use Cage;
use Exercises;
use Sandbox qw(isolate);
use Variant;

my ($scratch, $root, %folder) = needs_solutions(qw(g++));
chmod 0755, $scratch;
my $decoy = "$scratch/decoy";
my $marker = "harm_$$";
my ($begin, $end) = ("// ==== yours, from here ====\n", "// ==== to here ====\n");
my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', Blocking => 0) or die "no socket: $!";
my $port = $listener->sockport;

sub region { my ($name) = @_; my $text = slurp($name); return (split /\Q$end\E/, (split /\Q$begin\E/, $text)[1])[0] }
my %unsolved = map { $_ => region("$folder{$_}/exercise.cu") } keys %folder;
my %solution = map { $_ => region("$folder{$_}/solution.cu") } keys %folder;

# The right answers of an exercise, for its constants as they stand, with a text in place of the one called $name.
sub answers {
    my ($id, $name, $text) = @_;
    my $answers = with_numbers(find_exercise($id), $solution{$id});
    $answers =~ s/^( *\w+\[\Q$name\E\] =) .*/$1 $text/m or die "$id asks for no $name\n";
    return $answers;
}

# ---- The attacks: name, exercise, region; points at most (0 where nothing is said) -----------------
my $early = '__attribute__((constructor)) static void early(void) ';
my $system_headers = join "", map { "#include <$_>\n" } qw(unistd.h signal.h sys/types.h sys/wait.h);
my @attacks;
my $n = 0;
sub attack { my ($name, $id, $text, $most) = @_; push @attacks, { name => $name, id => $id, text => $text, most => $most // 0 }; return }

# The solution, by another way.
for my $line ("/**/#include \"solution.cu\"", "#/**/include \"solution.cu\"", "\f#include \"solution.cu\"", "\x0b#include \"solution.cu\"", "#\x0binclude \"solution.cu\"",
    "#incl\\ \nude \"solution.cu\"", "%:include \"solution.cu\"", "#include_next \"solution.cu\"", "#define S \"solution.cu\"\n#include S", "#include <$root/$folder{'3.1'}/solution.cu>",
    "#import \"../1_units/solution.cu\"", "#define Q(x) #x\n#include Q(solution.cu)", "??=include \"solution.cu\"", "#if __has_include(\"solution.cu\")\n#include \"solution.cu\"\n#endif") {
    attack(($n++ % 5 ? '' : '*') . "the solution included: $line", '3.1', "$line\n");
}
attack('/dev/stdin included', '3.1', "#include \"/dev/stdin\"\n$unsolved{'3.1'}");
attack('/dev/zero included', '3.1', "#include \"/dev/zero\"\n$unsolved{'3.1'}");
attack('itself included', '3.1', "#include __FILE__\n$unsolved{'3.1'}");
attack('the same behind a marker of its own', '3.1', "$unsolved{'3.1'}\n# 1 \"/usr/include/math.h\" 1 3\n__asm__(\".incbin \\\"$decoy\\\"\");\n# 2 \"x\" 2\n");
attack('the same, its word made of two', '3.1', "$unsolved{'3.1'}\n#define J(a, b) a##b\nJ(__as, m__)(\".incbin \\\"$decoy\\\"\");\n");

# One text for the check, another one for the compiler.
attack('*a header that is read before it is included', '3.1', "#ifdef _REGEX_H\n$unsolved{'3.1'}\n#else\n__asm__(\"nop\");\n$solution{'3.1'}\n#endif\n#include <regex.h>\n");
attack('*assembler for a GPU alone', '3.1', "__global__ void k(int *p) {\n#ifdef __CUDA_ARCH__\n    asm volatile(\"nop\");\n#endif\n    *p = 1;\n}\n$solution{'3.1'}");

# The report, the process.
attack('a library loaded', '3.1', "#include <dlfcn.h>\n$unsolved{'3.1'}\n$early\{ ((void (*)(int))dlsym(0, \"_exit\"))(0); }\n");
attack('*machine code as data', '3.1', "__attribute__((section(\".text\"))) const unsigned char code[] = {0x31, 0xff, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05};\nsize_t saxpy_bytes(size_t n) { ((void (*)())code)(); return 12 * n; }\n");
attack('data made code', '3.1', "#include <sys/mman.h>\n$unsolved{'3.1'}\nstatic int touch() { return mprotect((void *)0x10000, 4096, 7); }\nint kept = touch();\n");
attack('before main, by a section', '3.1', "$unsolved{'3.1'}\nstatic void early() { exit(0); }\n__attribute__((section(\".preinit_array\"), used)) static void (*const f)() = early;\n");
attack('*an exit at the end of a destructor', '3.1', "$unsolved{'3.1'}\nstruct last { ~last() { exit(0); } } last;\n");
attack('*a recursion without end', '3.1', "static int f(volatile int n) { return n + f(n + 1); }\n" . $solution{"3.1"} =~ s/return/return f(0) +/r);
attack('a flood of errors', '3.1', join '', map { "#error \"\e[2J$_ " . 'x' x 200 . "\"\n" } 1 .. 2000);
attack('a compiler without end', '3.1', "template <int N> struct f { enum { v = f<N - 1>::v + f<N - 2>::v }; };\ntemplate <int N> constexpr int g() { int s = 0; for (int i = 0; i < 2000000000; i++) s += i % 7; return s; }\nconstexpr int kept = g<1>();\n$unsolved{'3.1'}");
attack('an object without end', '3.1', "$unsolved{'3.1'}\nchar big[1ll << 32] = {1};\n");

# Names that are others'.
attack('*a name of the library, weak', '3.1', "$unsolved{'3.1'}\nextern \"C\" __attribute__((weak)) int memcmp(const void *, const void *, size_t) { return 0; }\n");
attack('an alias', '3.1', "$unsolved{'3.1'}\nextern \"C\" void mine(void) {}\nextern \"C\" void exit_(void) __attribute__((alias(\"mine\")));\n");
attack('*fabs replaced', '3.1', "$unsolved{'3.1'}\nextern \"C\" double fabs(double) noexcept { return 0; }\n");
attack('a name redirected', '3.1', "#pragma redefine_extname saxpy_bytes exit\n$unsolved{'3.1'}");
attack('not a number', '3.1', "size_t saxpy_bytes(size_t) { return 0; }\nsize_t saxpy_flops(size_t) { return 0; }\ndouble gb_per_s(size_t, double) { return NAN; }\ndouble peak_gb_per_s(int, int) { return NAN; }\n");
attack('the C library\'s variables', '3.1', "extern char **environ;\nextern char _end[];\n$unsolved{'3.1'}\nchar *kept = _end;\n");

# Counts.
my $quiet = 'unsetenv("ACCESS_ERRORS"); setenv("ACCESS_REPORT", "mine.csv", 1);';
attack('*errors hushed up', '5.3', $solution{'5.3'} =~ s/dim3 block/$quiet dim3 block/r);
attack('a tracer switched off', '5.3', $unsolved{'5.3'} =~ s/(__syncthreads\(\);)/cpu_device_trace_lane.range = 0; $1/r);
attack('*counters set back', '4.4', "#include <cpu_device/pages.h>\n" . $unsolved{'4.4'} =~ s/(\n    return [^\n]*;\n\}\n)\z/\n    cpu_device_pages_start();$1/r);
attack('the linker\'s own name of a call', '1.4', "extern \"C\" cudaError_t __real_cudaDeviceSynchronize(void);\n" . $unsolved{'1.4'} =~ s/cudaDeviceSynchronize\(\)/__real_cudaDeviceSynchronize()/gr);
my $step = "    size_t bytes = n * sizeof(float);\n    float *pinned;\n    CUDA_CHECK(cudaMallocHost((void **)&pinned, 4));\n    for (int step = 0; step < steps; step++) {\n"
    . "        grow<<<(unsigned)((n + 255) / 256), 256>>>(b, a, n);\n        WAIT;\n        CUDA_CHECK(cudaMemcpyAsync(a, b, bytes, cudaMemcpyDeviceToDevice, 0));\n    }\n    CUDA_CHECK(cudaDeviceSynchronize());\n}\n";
my ($grow) = $solution{'1.4'} =~ /\A(.*?^void grow_steps[^\n]*\n)/ms;
my %waits = ('*a copy in two dimensions' => 'float h; CUDA_CHECK(cudaMemcpy2D(&h, 4, a, 4, 4, 1, cudaMemcpyDeviceToHost))', 'a copy of a symbol' => 'float h; CUDA_CHECK(cudaMemcpyFromSymbol(&h, symbol, 4, 0, cudaMemcpyDeviceToHost))',
    'memory given back' => 'void *h; CUDA_CHECK(cudaMallocHost(&h, 4)); CUDA_CHECK(cudaFreeHost(h))', '*a time asked for' => 'cudaEvent_t e; float ms; CUDA_CHECK(cudaEventCreate(&e)); CUDA_CHECK(cudaEventRecord(e, 0)); while (cudaEventElapsedTime(&ms, e, e) == cudaErrorNotReady) ; CUDA_CHECK(cudaEventDestroy(e))');
attack($_, '1.4', "__device__ float symbol;\n$grow" . $step =~ s/WAIT/$waits{$_}/r, 5) for sort keys %waits;

# ---- Attacks as texts, each with its verdict: attacks/README.md ------------------------------------
my (%case, %tried);
for my $file (glob "$root/tests/teach/attacks/*.txt") {
    my ($name) = $file =~ m{(\w+)\.txt$};
    $tried{$name} = slurp($file), next if $name ne 'in_one_line';
    for my $line (split /^/, slurp($file)) { $line =~ /^(\w+) (.*?\.) (\@.*)\z/s ? ($tried{$1} = "$2\n$3") : die "$file: $line" }
}
for my $name (sort keys %tried) {
    my ($id, $most, $verdict, $star, $harm, $what, $text) = $tried{$name} =~ /\A(\d+\.\d+) ([\d.]+) ([\w|]+): (\*?)(!?)([^\n]*)\n(.*)\z/s or die "$name: the first line is no 'EXERCISE POINTS VERDICT: what'\n";
    my %for = (SOLUTION => $solution{$id}, UNSOLVED => $unsolved{$id}, ROOT => $root, DECOY => $decoy, PORT => $port, MARKER => $marker);
    $text =~ s{^\@BEHIND\@ ((?:<\S+> )*)}{ "\@UNSOLVED\@\n" . $1 =~ s/(\S+) /#include $1\n/gr }me;
    $text =~ s{^\@FIRST\@ }{\@CHANGED\@ return => }m && $text =~ s{\n\z}{ return\n};
    $text =~ s{^\@CHANGED\@ (.*?) => (.*)\n\z}{ my ($from, $to) = ($1, $2); $solution{$id} =~ s{\Q$from\E}{$to}r }sme;
    $text =~ s/^\@BEFORE\@ (.*)\n/$1\n\@ANSWERS\@ SPREAD = 8;\n/m, $text =~ s/^\@AFTER\@ /\@ANSWERS\@ SPREAD = 8;\n/m;
    $text =~ s/^\@EARLY\@ (.*)\n/$system_headers\@UNSOLVED\@\n$early\{ $1 }\n/m;
    $text = $text =~ s/\@(SOLUTION|UNSOLVED)\@\n/\@$1\@/gr =~ s/^\@ANSWERS\@ (\w+) = ((?:.*\\\n)?.*)\n/answers($id, $1, $2)/mger;
    attack("$star$what", $id, $text =~ s/\@([A-Z]+)\@/$for{$1} \/\/ die "$name: \@$1\@"/ger, $most);
    @{ $attacks[-1] }{qw(verdict harm case)} = (qr/^(?:$verdict)\b/, $harm, $name);
    $case{$name} = $attacks[-1];
}

# ---- The instructors' table: each of its rows names what tries it, and says what comes of that ------
my ($table) = slurp('docs/for_instructors.md') =~ /^\| attempt \|.*\n\|[-|]+\n((?:\|.*\n)+)/m;
my %said;    # by case: what the table says of it in bwrap, setpriv, none
for my $row (split /\n/, $table // '') {
    my (undef, $attempt, @cells) = split / *\| */, $row;
    my @cases = (pop(@cells) // '') =~ /`(\w+)`/g;
    ok(@cells == 3 && @cases > 0, "the table: '$attempt' is tried");
    for my $case (@cases) {
        @{ $said{$case} }{qw(bwrap setpriv none)} = @cells;
        ok($case{$case}, "the table: $case is in attacks") or next;
        is($case{$case}{most} > 0 ? 'not prevented' : 'no points', "@cells" =~ /^(?:not prevented ?){3}$/ ? 'not prevented' : 'no points', "the table: $case earns points, or does not");
    }
}
cmp_ok(scalar keys %said, '>=', 10, 'the table is there');

# ---- Files that are none, names ----------------------------------------------------------------
my %strange = (
    'a link to the solution'  => sub { symlink "$root/$folder{'3.1'}/solution.cu", $_[0] },
    'a link to /dev/zero'     => sub { symlink '/dev/zero', $_[0] },
    '*a FIFO'                 => sub { mkfifo($_[0], 0644) },
    'a folder'                => sub { mkdir $_[0] },
    '*too large'              => sub { spew($_[0], $begin . $solution{'3.1'} . $end . '/' x 300000) },
    'empty'                   => sub { spew($_[0], '') },
    'marks twice'             => sub { spew($_[0], "// 3.1\n$begin$unsolved{'3.1'}$end$begin$solution{'3.1'}$end") },
    'no marks'                => sub { spew($_[0], $solution{'3.1'}) },
    '*only outside the marks' => sub { spew($_[0], "// 3.1\n#include \"given.h\"\n$solution{'3.1'}$begin$unsolved{'3.1'}$end$solution{'3.1'}") },
);
my @names = ("x';echo x >>\$DECOY;echo 'y", "O'Brien", "new\nline", '=cmd()', "\$(echo x >>\$DECOY)", 'n' x 240, "\e[2J", '-rf');

# ---- The class ----------------------------------------------------------------------------------
sub hand_in {
    my ($class, $student, $id) = @_;
    my $place = "$class/$student/$folder{$id}";
    system('mkdir', '-p', '--', $place);
    return "$place/exercise.cu";
}

sub file_of { my ($id, $region) = @_; return (slurp("$folder{$id}/exercise.cu") =~ /\A(.*?\Q$begin\E)/s ? $1 : die) . $region . $end }

my $all = $ENV{TEST_ALL};
if (!$all) { @attacks = grep { $_->{name} =~ /^\*/ } @attacks; delete @strange{ grep { !/^\*/ } keys %strange } }
my $class = "$scratch/class";
my $number = 0;
for my $a (@attacks) {
    $a->{student} = sprintf 'a%03d', $number++;
    spew(hand_in($class, $a->{student}, $a->{id}), file_of($a->{id}, $a->{text}));
}
for my $name (sort keys %strange) {
    push @attacks, { name => $name, id => '3.1', most => 0, student => sprintf 'a%03d', $number++ };
    $strange{$name}->(hand_in($class, $attacks[-1]{student}, '3.1'));
}
for my $name (@names) { spew(hand_in($class, $name, '3.1'), file_of('3.1', $solution{'3.1'})) if length "$class/$name" }
spew(hand_in($class, 'honest', $_), file_of($_, $solution{$_})) for qw(3.1 5.3);
my %exercises = map { $_->{id} => 1 } @attacks;

# What is left of the harm that was tried, against what the table says of it in this isolation.
my %sign = (
    file_written     => sub { slurp($decoy) ne "decoy\n" },
    child_that_stays => sub { grep { /\Q$marker\E/ } processes() },
    network          => sub { $listener->accept },
);
sub untouched {
    my ($isolation, $what) = @_;
    for my $case (sort keys %sign) {
        my $seen = $sign{$case}->() ? 'happened' : 'prevented';
        ok($seen eq 'prevented' || $said{$case}{$isolation} =~ /^not /, "$what: $case: $seen, the table says: $said{$case}{$isolation}");
    }
    return;
}

sub grade_class {
    my ($isolation, $from, $out) = @_;
    $from //= $class;
    $out //= $isolation;
    spew($decoy, "decoy\n");
    chmod 0666, $decoy;
    local $ENV{ISOLATION} = $isolation;
    local $ENV{OUT} = "$scratch/$out";
    local @ENV{qw(EX SEED JOBS GRADE_SECONDS DECOY)} = (join(' ', sort keys %exercises), 7, 2, 5, $decoy);
    my ($code, $text) = output_of("tools/teach/classroom grade " . quoted($from) . ' 2>&1');
    return ($code, $text, eval { decode_json(slurp("$scratch/$out/grades.json")) });
}

sub points_of { my ($grades, $student, $id) = @_; my ($s) = grep { $_->{id} eq $student } @{ $grades->{students} }; my ($r) = grep { $_->{id} eq $id } @{ $s->{exercises} }; return $r }

my %kinds = (bwrap => 'bwrap', setpriv => 'setpriv', none => 'sh');
for my $isolation ($all ? qw(bwrap setpriv none) : 'bwrap') {
  SKIP: {
        my $package = $isolation eq 'bwrap' ? 'bubblewrap' : 'util-linux';
        skip "$package is not installed", 1 if !found($kinds{$isolation});
        skip 'only root becomes another user', 1 if $isolation eq 'setpriv' && $>;
        my ($code, $text, $grades) = grade_class($isolation);
        my $refused = $code == 2 && $text =~ /refused here/;
        skip "$isolation is refused here", 1 if $refused;
        is($code, 0, "$isolation: the class is graded") or diag(substr $text, -2000);
        next if !$grades;
        is(scalar @{ $grades->{students} }, @attacks + @names + 1, "$isolation: everybody has a row");
        for my $a (@attacks) {
            my $r = points_of($grades, $a->{student}, $a->{id});
            ok($r->{points} <= $a->{most} && $r->{line} =~ ($a->{verdict} // qr//), "$isolation: $a->{name}: $r->{line}" =~ s/[^ -~]/?/gr) or diag(explain($r));
        }
        is(points_of($grades, 'honest', $_)->{line}, 'done', "$isolation: the honest one has $_") for grep { $exercises{$_} } qw(3.1 5.3);
        my @others = grep { $_->{id} ne 'honest' && $_->{id} !~ /^a\d{3}$/ } @{ $grades->{students} };
        is(scalar(grep { my ($r) = grep { $_->{id} eq '3.1' } @{ $_->{exercises} }; $r->{line} eq 'done' } @others), @names, "$isolation: strange names get their points");
        ok(!(grep { $_->{id} !~ /^[A-Za-z0-9._-]+$/ } @{ $grades->{students} }), "$isolation: and plain IDs");
        my $csv = slurp("$scratch/$isolation/grades.csv");
        ok($csv !~ /[\x00-\x09\x0b-\x1f]/ && $csv !~ /(?:^|,)"?[=+\-@]/m && length $csv < 500_000, "$isolation: the CSV is plain");
        unlike($csv, qr/cudacc: \d+: /, "$isolation: what cudacc calls is there for it");
        untouched($isolation, $isolation);
        my $capitals = () = join('', $csv, slurp("$scratch/$isolation/totals.csv"), slurp("$scratch/$isolation/feedback/honest.md")) =~ /GRADED WITHOUT ISOLATION/g;
        is($capitals, $isolation eq 'none' ? 3 : 0, "$isolation: without a box tables and feedback say so in capitals");
    }
}
# The same harm with the language left wide: then the box alone stands between it and the machine. (Not in none: there is no
# box, and a test run by root would end all.)
for my $isolation ('bwrap', $all ? 'setpriv' : ()) {
  SKIP: {
        skip "$isolation is not there", 1 if !found($kinds{$isolation}) || ($isolation eq 'setpriv' && $>);
        my $limits = eval { isolate($isolation); cage() };
        my @harmful = grep { $_->{harm} && ($limits || $_->{case} ne 'memory_shared') } @attacks;
        for my $a (@harmful) { spew(hand_in("$scratch/harm $isolation", $a->{student}, $a->{id}), file_of($a->{id}, $a->{text})) }
        spew(hand_in("$scratch/harm $isolation", 'honest', '3.1'), file_of('3.1', $solution{'3.1'}));
        local $ENV{GRADE_ANY_LANGUAGE} = 1;
        my ($code, $text, $grades) = grade_class($isolation, "$scratch/harm $isolation", "any $isolation");
        skip "$isolation is refused here", 1 if $code == 2 && $text =~ /refused here/;
        is($code, 0, "$isolation, any language: the class is graded") or diag(substr $text, -2000);
        for my $a (@harmful) {
            my $r = points_of($grades, $a->{student}, $a->{id});
            is($r->{points}, 0, "$isolation, any language: $a->{name}: $r->{line}" =~ s/[^ -~]/?/gr);
        }
        is(points_of($grades, 'honest', '3.1')->{line}, 'done', "$isolation, any language: the honest one has 3.1");
        untouched($isolation, "$isolation, any language");
    }
}
done_testing();
