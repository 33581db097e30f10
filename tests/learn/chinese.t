#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What learners read in Chinese: each sentence that a tool or a check writes has an entry in messages.po; on
# the way from make help to a solved exercise no English is left; COURSE_LANG and the locale choose; with
# LC_ALL=C all is English; and a locale that is not installed makes perl complain of nothing.
use lib 'tests/lib';
use Tests qw(exercises);
use utf8;
use MIME::Base64 qw(decode_base64);

needs_exercises();
binmode $_, ':encoding(UTF-8)' for map { Test::More->builder->$_ } qw(output failure_output todo_output);
my ($scratch, $root) = scratch_and_root();
delete @ENV{qw(COURSE_LANG LANG LC_ALL LC_MESSAGES LANGUAGE DEVICE BUILD CH CHAPTER COLUMNS)};
sub characters { my ($text) = @_; utf8::decode($text); return $text }
sub in_perl { my ($set, $what) = @_; return characters((output_of("env $set perl -Itools -MChinese -e '$what'"))[1]) }

# ---- Which language ----------------------------------------------------------------------------
my %chooses = (
    'A=b' => 0, 'LANG=zh_CN.UTF-8' => 1, 'LANG=en_US.UTF-8 COURSE_LANG=zh_CN' => 1, 'LANG=zh_CN.UTF-8 COURSE_LANG=en' => 0,
    'LC_ALL=C LANG=zh_CN.UTF-8' => 0, 'LC_ALL=C COURSE_LANG=zh_CN' => 0, 'LC_ALL=en_US.UTF-8 LANG=zh_CN.UTF-8' => 0,
    'LC_MESSAGES=zh_CN.UTF-8 LANG=C' => 1, 'LANG=zh_TW.UTF-8' => 0, 'COURSE_LANG=zh' => 1, 'COURSE_LANG=' => 0, 'LC_ALL=C.UTF-8 COURSE_LANG=zh_CN' => 1,
);
is(in_perl("PERL_BADLANG=0 $_", 'print in_chinese()'), $chooses{$_}, $chooses{$_} ? "$_: Chinese" : "$_: English") for sort keys %chooses;

is(in_perl('COURSE_LANG=zh', 'print said("store of 1 byte at x.cu:5 and load of 1 byte at x.cu:6")'),
    in_perl('COURSE_LANG=zh', 'print said("store of 1 bytes at x.cu:5 and load of 1 bytes at x.cu:6")'), 'one byte in Chinese, as many');

# ---- Sentences ---------------------------------------------------------------------------------
my @entries = map { [map { s/\\(.)/$1/gr } $_->[0], $_->[1]] } map { [characters($_) =~ /^msgid "(.*)"\nmsgstr "(.*)"$/m] }
    grep { /^msgid ".+"$/m } split /\n\n/, slurp('docs/zh_CN/messages.po');
cmp_ok(scalar @entries, '>', 400, 'messages.po has sentences');
my @msgids = map { $_->[0] } @entries;
my %twice;
is(join(', ', grep { $twice{$_}++ } @msgids), '', 'each once');
my $all_ids = join "\n", @msgids;

# The pieces of the sentences in a program's texts: between what is put in, and of two words or more.
sub pieces {
    my ($text, $is_c) = @_;
    $text = characters($text);
    my @texts;
    if ($is_c) {
        $text =~ s{//.*|^\#.*}{}gm;
        $text =~ s/\bmust\((?:[^;]*?), "[^"]*"\)//gs;
        $text =~ s/"\s*\n\s*"//g;
        @texts = grep { !m{^(?:useful|moved|sectors|requests|shared|turns|threads|block|width|share|bytes/request|sectors/request) ?(?:ld|st|all|%s)} } $text =~ /"((?:[^"\\]|\\.)*)"/g;
    } else {
        $text =~ s/^__END__.*|^(?:=\w+.*?=cut)//gms;
        $text =~ s/^\s*#.*|\s#\s.*| {4}# .*//gm;
        $text =~ s/^.*\b(?:die|STDERR|usage)\b.*$//gm;
        $text =~ s/<<'?END'?.*?^END$//gms;
        @texts = map { $_ // '' } $text =~ /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'/g;
    }
    my @pieces = map { split /\$\w+(?:->)?(?:\{[^}]*\}|\[[^\]]*\])*|@\{\[.*?\]\}|%[-.*\d]*[a-z]+|\\[nt]|\\u|\x{27e6}|#/ } @texts;
    return grep { /[a-z]{2,} [a-z]{2,}/ && !m{[|<>\\{}]|^\w+\.\w+$} } map { s/^[\s:;,.()'"]+|[\s:;,.()'"]+$//gr =~ s/\s+/ /gr } @pieces;
}
my %no_sentence = map { $_ => 1 } 'make hint EX=', 'make read EX=', 'make read CH=', '**Predict first.**', 'cpu gpu', 'as fast', 'no usable CUDA device',    # commands, marks, words to type
    'make reset EX=ID writes exercise.cu as it was, and keeps yours beside it', '/README.md says why', '/README.md now', 'is nan',    # with ⟦1⟧ there
    'explained.base64 does not say why',
    'SKIP: no usable device', 'exit code 77', 'FAIL: it ended with', 'make report', 'kept from before, rm -r', 'measures anew';    # in logs
my @lost;
for my $file (map({ "tools/learn/$_" } qw(Show.pm Check.pm Facts.pm Language.pm Progress.pm Watch.pm Questions.pm exercises learn predict read check.h judge.h api_calls.h)), 'tools/measure/report',
    glob '[0-9][0-9]_*/exercises/*/check.cu') {
    push @lost, map { "$file: $_" } grep { index($all_ids, $_) < 0 && !$no_sentence{$_} } pieces(slurp($file), $file =~ /\.(?:h|cu)$/);
}
my @steps = map { /^[^#].*? -> (.*)/mg } map { characters(slurp($_)) } 'docs/mistakes', glob '[0-9][0-9]_*/exercises/*/mistakes';
push @lost, grep { my $step = s/EX=\KID/⟦1⟧/r; !grep { $_ eq $step } @msgids } @steps;
cmp_ok(scalar @steps, '>', 100, 'what to do next, too');
is(join("\n", @lost), '', 'each sentence of tools and checks has an entry');

# Those of a traced program, which splits them as Chinese.pm does; not the heads of its tables.
my %no_words = map { $_ => 1 } 'op bytes', 'per request', 'by host', 'by device', 'to device', 'cannot write', 'cannot write it', 'access report',
    'of atomics', 'the device ends', "the host's call", 'device fault', 'host fault', 'prefetched back', 'kept by advice', 'touched by';
sub clauses { my ($text) = @_; return grep { /[a-z]{2,} [a-z]{2,}/ } map { s/^[^\w]+|[^\w)]+$//gr } map { split /[:;] | \(/ } grep { !/-MChinese/ } pieces($text =~ s{/\*.*?\*/}{}gsr, 1) }
@lost = ();
for my $file (glob('cudacc/trace/report/*.c'), map { "cudacc/trace/$_.c" } qw(check/outside check/barrier record/libc record/threads)) {
    push @lost, map { "$file: $_" } grep { index($all_ids, $_) < 0 && !$no_words{$_} } clauses(slurp($file));
}
is(join("\n", @lost), '', 'each sentence of a traced program has an entry');
is(join('|', clauses(qq{text_add(t, "; a new sentence; of %s reports", x); /* "not a comment" */})), 'a new sentence', 'and a new one would be found');
is(join('|', pieces(qq{print said("A new sentence of \$x tools.\\n");}, 0)), 'A new sentence of', 'and a new one would be found');
is(join('|', pieces(qq{fail("values", "the result of %d step%s is in b", 1);}, 1)), 'the result of|is in b', 'in a check, too');

# What cudacc says when it compiles: each sentence as it comes out, with a word in place of what it names.
sub sentences_of_cudacc {
    my ($text, $is_c) = @_;
    my @texts = $is_c ? map { join '', /"((?:[^"\\]|\\.)*)"/g } $text =~ /\b(?:report|remark|warn|fail)\(([^;]*"[^;]*)\);/g
        : map { $_ // '' } $text =~ /\b(?:die|echo|ignore) (?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g;
    s/^(?:cudacc|\$place|\$\{place:-cudacc\}): (?:error: )?//, s/%[sd]|\$\{[^}]*\}|\$\([^)]*\)|\$(?:\d|\w+)/it/g for @texts;
    return grep { /[a-z]{2,} [a-z]{2,}/ && !/CUDA C on the|^unsigned / } @texts;
}
my @compiles = map { my $file = $_; map { [$file, $_] } sentences_of_cudacc(slurp($file), $file =~ /c$/) } glob 'cudacc/translate/*.c cudacc/driver/*.sh cudacc/cudacc';
cmp_ok(scalar @compiles, '>', 70, scalar @compiles . ' sentences of cudacc');
{
    local $ENV{COURSE_LANG} = 'zh_CN';
    unshift @INC, "$root/tools";
    require Chinese;
    @lost = map { "$_->[0]: $_->[1]" } grep { my ($chinese) = map { characters($_) } Chinese::said_of_compiler("a.cu:1:2: error: $_->[1]"); $chinese !~ /^a\.cu:1:2: error: .*\p{Han}/ || $chinese =~ /\b(?!apt )[a-z]{3,} [a-z]{2,} [a-z]{2,}/ } @compiles;
    is(join("\n", @lost), '', 'each sentence of cudacc is said in Chinese');
    is((Chinese::said_of_compiler("a.cu:1:2: error: 'x' was not declared in this scope"))[0], "a.cu:1:2: error: 'x' was not declared in this scope", "but none of the host's compiler");
}
spew("$scratch/wrong.cu", "float on_host(float x) { return x; }\n__global__ void k(float *y) { y[0] = on_host(1) + rand(); }\nint main() { threadIdx.x; }\n");
my %on = map { $_ => [output_of("COURSE_LANG=$_ cudacc/cudacc '$scratch/wrong.cu' -o '$scratch/wrong'")] } qw(en zh);
is($on{zh}[0], $on{en}[0], 'the exit code is the same');
is(join(' ', $on{zh}[1] =~ /wrong\.cu:([\d:]+ \w+)/g), join(' ', $on{en}[1] =~ /wrong\.cu:([\d:]+ \w+)/g), 'and so are the places');
is(scalar(() = characters($on{zh}[1]) =~ /(?:error|note): .*\p{Han}{3}/g), 4, 'in Chinese') or diag($on{zh}[1]);
is((output_of("LC_ALL=C COURSE_LANG=zh cudacc/cudacc '$scratch/wrong.cu'"))[1], $on{en}[1], 'LC_ALL=C: English');
is((output_of("COURSE_LANG=zh cudacc/cudacc --nonsense"))[0], 2, 'wrong usage');

# Answers explained: for the same labels as in English, with the same constants.
for my $english (glob '[0-9][0-9]_*/exercises/*/explained.base64') {
    my %why = map { $_ => { decode_base64(slurp($_)) =~ /^(.+?): (.+)$/mg } } $english, my $chinese = $english =~ s/base64$/zh_CN.base64/r;
    my $shape = sub { my ($why) = @_; return join '|', map { "$_: " . join ' ', sort $why->{$_} =~ /\{\w+\}/g } sort keys %$why };
    is($shape->($why{$chinese}), $shape->($why{$english}), "$chinese explains what the English does");
}

# ---- The way of a learner ----------------------------------------------------------------------
my $copy = "$scratch/copy";
my ($code, $text) = output_of("make -s strip OUT='$copy'");
-f "$copy/Makefile" or BAIL_OUT("no copy: $text");
$ENV{CUDACC_CACHE} //= root() . '/build/cudacc';
my $english_words = qr/(?:\b[a-z]{2,}(?: |, |: |; )){2}[a-z]{2,}/;
sub make { my ($set, $words) = @_; return characters((output_of("cd '$copy' && env $set make -s DEVICE=cpu $words"))[1]) }

# English that is left: not in code, commands, names of files, or what a program or a compiler prints.
sub english_in {
    my ($said) = @_;
    $said =~ s/^(?: +loads|kernel| +touched by|memory| +line| +the device ends| +\d+ ) .*//gm;    # of tables
    $said =~ s/^\$ build.*?^PASS$|^CPU device, .*?^PASS\b//gms;
    $said =~ s/^ +\d+ \| .*|^ {4}exercise\.cu:.*|^ {4}\/\/ .*|`[^`]*`|^ {2,}(?:\d\d_\w+ ?)+$//gm;
    $said =~ s/make (?:[a-z]+ )?(?:EX|CH)=\S+|make [a-z]+//g;
    return grep { /$english_words/ } split /\n/, $said;
}
is(join('|', english_in("正确 x\nThere are words left in English.\n   11 | int a lot of code here;\n")), 'There are words left in English.', 'English is found, but not in code');

my %file = map { $_ => glob "$copy/*/exercises/$_*/exercise.cu" } qw(1_every_element 2_count_the_sectors 1_units);
my %unsolved = map { $_ => slurp($file{$_}) } keys %file;
my $zh = 'COURSE_LANG=zh_CN';
my @way = ('help', 'check', 'check EX=0.1', map({ 'hint EX=0.1' } 1 .. 4), 'check EX=5.2', 'check EX=1.1', 'check EX=3.1',
    'reset EX=0.1', 'again EX=0.1', 'again EX=5.2', 'read CH=05 | head -40', 'read EX=0.1', '00_first_kernel', 'predict CH=03 </dev/null', map { "predict CH=0$_ <typed" } 1, 2, 3, 4, 5, 6);
spew("$copy/enter", "\n" x 9);
spew("$copy/typed", "7\n\na\n9\nx\nb\n7\n7\na\n");
my %said;
for my $words (@way) {
    $said{$words} = make($zh, $words);
    my @left = english_in($said{$words});
    ok($said{$words} =~ /\p{Han}{2}/ && !@left, "make $words") or diag("@left\n$said{$words}");
}
like($said{'check EX=0.1'}, qr/^0\.1 .*（改错，5 分，5 分钟）\n.*^  内存 .*saxpy 中越界：.*^尚未完成：0 分（满分 5）\n下一步：.*^ {6}make hint EX=0\.1 给出提示$/ms, 'a verdict, memory errors and the next step');
is(join(' ', grep { length(s/[\p{Han}\x{3000}-\x{303f}\x{ff00}-\x{ffef}]/xx/gr) > 80 } grep { !m{/} } map { split /\n/ } @said{ grep { !/read|help/ } keys %said }), '', 'no line has more than 80 columns');

# Solved; and right and wrong answers.
SKIP: {
    my ($solved) = glob '00_first_kernel/exercises/1_*/solution.cu';
    skip 'no solutions here: this is the student edition', 4 if !$solved || !-f $solved;
    spew($file{'1_every_element'}, slurp($solved));
    $text = make($zh, 'check EX=0.1');
    ok($text =~ /^完成：5 分（满分 5）\n\n先预测：主机启动.*^答案：1000 .*^第 0 章完成了。\n下一步：1\.1 /ms && !english_in($text), 'a solved one') or diag($text);
    spew($file{'2_count_the_sectors'}, $unsolved{'2_count_the_sectors'} =~ s/UNKNOWN/4/gr);
    $text = make($zh, 'check EX=5.2');
    ok($text =~ /^  正确 +plain：4。并排的 128 字节。$/m && $text =~ /^  错误 +shifted：你答 4，实际是 5。.*1 个 float/m && !english_in($text), 'answers are explained') or diag($text);
    $text = make($zh, 'again EX=5.2');
    ok($text =~ /SHIFT 现在是 \d+，原来是 1/ && !english_in($text), 'other numbers') or diag($text);
    $text = make($zh, 'learn CH=00 <enter');
    ok($text =~ /^第 00 章：第一个核函数/m && $text =~ /这台机器/ && !english_in($text), 'make learn') or diag($text);
}

# ---- English again -----------------------------------------------------------------------------
for my $words ('help', 'check', 'check EX=5.1', 'predict CH=02 </dev/null', 'read CH=00', 'read EX=5.2') {
    my $c = make('LC_ALL=C', $words);
    is(make("LC_ALL=C LANG=zh_CN.UTF-8 $zh", $words), $c, "LC_ALL=C make $words is as ever");
    unlike($c, qr/\p{Han}{3}/, 'in English');
}
unlike(make('-u PERL_BADLANG LANG=zh_CN.UTF-8', "$_ 2>&1"), qr/locale|perl:/, "make $_ in a locale that is not installed") for 'check', 'hint EX=5.1', 'predict CH=03 </dev/null', 'help', 'check EX=3.1';
done_testing();
