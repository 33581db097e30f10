#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The lint of a learner's code: what it lets through, what it names, that no text makes it slow, and where it runs.
use lib 'tests/lib';
use Tests qw(exercises);
use Check;
use Course qw($root);
use Exercises;
use Language;

needs_exercises('g++');
my $scratch = tempdir(CLEANUP => 1);
my %e = (folder => "$root/03_bandwidth/exercises/4_fewer_passes");
my ($begin, $end) = ('typedef int begin;', 'typedef int end_;');
sub said { my ($text) = @_; my %wrong = Language::source_wrong(\%e, "# 1 \"exercise.cu\"\n$begin\n$text\n$end\n", 'exercise.cu', $begin, $end); return $wrong{text} // '' }

# ---- What exercises may say ------------------------------------------------------------------------
my $hidden = '__asm__("nop"); __attribute__((constructor))';
my %right = (
    'a quote as a UTF-8 character'  => q{char a = u8'"', b = u8'"';},
    'one for each width'            => q{char32_t a = L'"', b = u'"', c = U'"'; const char *s = "__asm__";},
    'an apostrophe, a backslash'    => q{char a = '\'', b = '\\\\'; const char *s = "asm";},
    'words in strings'              => qq{const char *s = u8"\\"__asm__", *t = LR"x($hidden)")x", *u = R"(\n#pragma weak f\n)";},
    'digits with separators'        => q{int a = 1'000'000, b = 0xAB'CD; const char *s = "asm";},
    'members of any name'           => 'p->end = q.end + q . end; auto e = v.end();',
    'a variable of its own, end'    => 'extern "C" void f(const int *begin, const int *end) { int end = 3; use(end); } extern int last(int end);',
    'attributes and their operands' => '__attribute__((aligned(SIZE), __unused__)) int a; [[maybe_unused]] int b; [[gnu::noinline]] int c; __attribute__((launch_bounds(most(3)))) int d;',
    'an index of an index'          => 'a[b[i]] = c[[]{ return 1; }()];' =~ s/\[\[\]/[ (1, 2)/r =~ s/\{ return 1; \}\(\)//r,
    'pragmas'                       => "#pragma unroll 4\n  #pragma GCC unroll 2\nfor (;;) ;",
    'a digraph, a global name'      => 'a<:3:> = f<::g>(1);',
);
is(said($right{$_}), '', "$_: right") for sort keys %right;

# ---- What it names -----------------------------------------------------------------------------------
my %wrong = (
    'assembler'                             => ['__asm__("nop");', 'no assembler'],
    'assembler after a character'           => [q{char a = u8'"'; __asm__("nop"); char b = u8'"';}, 'no assembler'],
    'assembler after a raw string'          => [qq{const char *a = R"(\n#)"; __asm__("nop"); // )"}, 'no assembler'],
    'assembler after a backslash'           => [q{char a = '\\\\'; asm("nop"); char b = '\\\\';}, 'no assembler'],
    'a constructor'                         => ['__attribute__((constructor)) void f();', 'the attribute constructor'],
    'one behind another'                    => ['__attribute__ ((unused, aligned(8), __section__(".text"))) int a;', 'the attribute section'],
    'one within another'                    => ['__attribute__((aligned(sizeof(int __attribute__((alias("x"))))))) int a;', 'the attribute alias'],
    'one in brackets'                       => ['[[gnu::constructor]] void f();', 'the attribute constructor'],
    'one in digraphs'                       => ['<:<:gnu::constructor:>:> void f();', 'the attribute constructor'],
    'brackets apart'                        => ["[\n[ gnu::weak ] ] void f();", 'the attribute weak'],
    'no list'                               => ['__attribute__ int a;', 'cannot be read'],
    "the linker's end"                      => ['extern "C" char _end[];', '_end is not yours'],
    'the tracer'                            => ['cpu_device_trace_lane.range = 0;', 'cpu_device_trace_lane is not yours'],
    'a pragma'                              => ["  #pragma weak f\n", '#pragma weak f'],
    'a pragma after a string'               => ["const char *s = R\"x(\n)x\";\n#pragma weak f\n", '#pragma weak f'],
);
like(said($wrong{$_}[0]), qr/\Q$wrong{$_}[1]\E/, "$_: wrong") for sort keys %wrong;

# ---- A megabyte of it takes a second, not a day ------------------------------------------------------
# Limited is the processor's time, which no other program on the machine takes: 2 s, where a time that grows as
# the square of the length takes minutes.
my $long = 1 << 20;
sub of { my ($piece) = @_; return $piece x ($long / length $piece) }
my %slow = (
    'attributes that do not end'    => of('__attribute__(('),
    'attributes, one in another'    => of('__attribute__((aligned('),
    'open parentheses'              => '__attribute__((unused(' . of('('),
    'closed ones'                   => of(')'),
    'open brackets'                 => of('[a['),
    'raw strings that do not end'   => of('R"('),
    'raw strings, each of its mark' => join('', map { "R\"$_(" } 1 .. $long / 10),
    'quotes and backslashes'        => of('"\\'),
    'apostrophes'                   => of("'"),
    'backslashes'                   => "'" . of('\\'),
    'extern without end'            => of('extern '),
    'letters before a quote'        => of('u8'),
    'blank lines'                   => of("\n "),
    'markers'                       => of("# 1 \"\\\n"),
    'a file of a long name'         => '# 1 "' . of('a/../') . "\"\n",
    'a number'                      => of("1'"),
    'single signs'                  => of('+'),
    'marks'                         => of("$begin_mark\n"),
);
for my $name (sort keys %slow) {
    spew("$scratch/slow", "$begin\n$slow{$name}\n$end\n");
    my $words = join ' ', map { quoted($_) } Language::command('source'), $e{folder}, "$scratch/slow", $begin, $end;
    system('sh', '-c', "ulimit -t 2; exec $words >'$scratch/said' 2>&1");
    is($?, 0, "$name: read in time") or diag(substr slurp("$scratch/said") // '', 0, 200);
}
my $marks = of("$begin_mark\n") =~ s/\A/$end_mark\n/r;
spew("$scratch/marks", $marks);
system('sh', '-c', "ulimit -t 2; exec perl -I '$root/tools' -I '$root/tools/learn' -MCourse -MExercises -e 'parts(slurp(shift))' '$scratch/marks'");
is($?, 0, 'many marks, and none that ends: read in time');

# ---- Where it runs -----------------------------------------------------------------------------------
my $e = find_exercise('3.4');
my ($front, $unsolved, $back) = parts($e->{start});
sub verdict_on { my ($code) = @_; return check_text($e, $front . $code . $unsolved . $back, "$scratch/check") }

my $variables = "__constant__ float table[4];\n__device__ int count = 3;\n__managed__ int moved;\nstatic __device__ float sums[100];\n__constant__ const int four = 4;\n"
    . "__global__ void touch(float *x) {\n    x[0] = table[threadIdx.x] + count + moved + sums[1] + four;\n    sums[2] = moved = count = 3;\n}\n";
my $v = verdict_on($variables . "const char quote = u8'\"', other = u8'\"';\n");
like($v->{reason}, qr/^(?:facts|goal)$/, '__constant__, __device__ and __managed__ variables, characters: counted as ever') or diag("$v->{text}");
$v = verdict_on("__attribute__((section(\"cpu_device_data\"))) float mine[4];\n");
like($v->{text}, qr/the attribute section/, 'but no section by name');
is(verdict_on("extern \"C\" void place(int *begin, int *end);\nint end = 3;\n")->{reason}, verdict_on('')->{reason}, 'a variable named end');
like(verdict_on("extern \"C\" char end[];\nchar *where() { return end; }\n")->{text}, qr/uses end, which is not for exercises/, "but not the linker's");
{
    no warnings 'redefine';
    local *Language::command = sub { return ('sh', '-c', 'printf "language\tlimits: %s s, %s blocks" "$(ulimit -t)" "$(ulimit -f)"') };
    like(verdict_on('')->{text}, qr/^limits: \d+ s, \d+ blocks$/, 'it runs where the compiler does, under the limits of that');
    local *Language::command = sub { return ('false') };
    is(verdict_on('')->{reason}, 'compile', 'a lint that fails is no pass');
}
done_testing();
