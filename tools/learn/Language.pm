# SPDX-License-Identifier: MIT
# A lint of a learner's code, and no wall: it says early and in words what no exercise needs (assembler,
# sections and constructors of one's own, names but those of CUDA, mathematics, strings, memory and output).
# What gets past it meets the box, the judge, and a second count. It reads the preprocessor's own output and
# the object's tables, and runs where the compiler does, in the box: a file may be made to be slow to read.
# Its patterns take a time that grows as the text does.
package Language;
use strict;
use warnings;
use Exporter qw(import);
use Course;
use Exercises;

our @EXPORT = qw(wrong);

# A verdict: reason and text of what is wrong.
sub wrong { my ($reason, $text) = @_; return (reason => $reason, text => $text) }

# The text with a declaration in place of each mark, and the two.
sub marked {
    my ($text) = @_;
    my ($before, $region, $after) = parts($text);
    my $nonce = join '', map { int rand 10 } 1 .. 15;
    my @sentinels = map { "typedef int grade_${_}_$nonce;" } qw(begin end);
    $before =~ s/\Q$begin_mark\E\n\z/$sentinels[0]\n/;
    $after =~ s/\A\Q$end_mark\E\n/$sentinels[1]\n/;
    return ($before . $region . $after, @sentinels);
}

# ---- The source, preprocessed ----------------------------------------------------------------------
my %attributes = map { $_ => 1 } qw(aligned packed unused noinline always_inline const pure noreturn format may_alias cold hot
    warn_unused_result fallthrough deprecated maybe_unused nodiscard flatten nonnull returns_nonnull malloc vector_size
    launch_bounds gnu printf likely unlikely carries_dependency nothrow leaf artificial);
my $pragmas = qr/unroll|nounroll|once|message|region|endregion|mark|GCC (?:diagnostic|unroll|ivdep)|nv_\w+|STDC/;
my $not_yours = qr/cpu_device\w*|cpu_kernel\w*|__tsan\w*|__sanitizer\w*|__ubsan\w*|__real_\w*|__wrap_\w*|_end|_etext|_edata
    |__bss_start|__data_start|__executable_start|_DYNAMIC|_GLOBAL_OFFSET_TABLE_|__dso_handle|__ehdr_start/x;

# A file that is not for exercises, of those that are named: the preprocessor's own markers say which it has read (markers
# that a learner writes can only add), and messages of a compiler may show a line of one.
sub include_wrong {
    my ($e, $source, @names) = @_;
    my $here = short($e->{folder});
    my ($chapter) = $here =~ m{^(\w+)/};
    for my $name (unique(@names)) {
        return wrong('include', 'the name of a file is too long') if length $name > 1000;
        next if $name =~ m{^<[\w-]+>$|//$} || $name eq $source || $name eq "$here/exercise.cu";
        my $path = $name;
        $path = "$root/$path" if $path !~ m{^/};
        1 while $path =~ s{/(?!\.\./)[^/]+/\.\.(?=/)}{} || $path =~ s{/\.(?=/)}{} || $path =~ s{//}{/};
        $path =~ s{^\Q$root\E/}{};
        next if $path =~ m{^/usr/(?:local/)?(?:include|lib\w*|cuda[-.\w]*)/} && $path =~ m{^[-\w./+]+$};
        next if $path =~ m{^(?:common/(?:experiment/)?\w+\.h|cudacc/(?:extra/)?include/[\w./]+)$} || $path eq "$here/given.h" || $path =~ m{^$chapter/experiments/\w+\.h$};
        return wrong('include', "only given.h, the headers of common/ and <name.h> may be included, not $name");
    }
    return;
}

sub source_wrong {
    my ($e, $text, $source, $begin, $end) = @_;
    my @wrong = include_wrong($e, $source, map { s/\\([0-7]{3}|.)/length $1 == 3 ? chr oct $1 : $1/ger } $text =~ /^#(?:line)? \d+ "((?:[^"\\\n]++|\\.)*+)"/mg);
    return @wrong if @wrong;
    my ($first, $last) = (index($text, $begin), rindex $text, $end);
    return wrong('marks', 'the marked region is not reached') if $first < 0 || $last < $first;
    my $region = substr $text, $first + length $begin, $last - $first - length $begin;
    return wrong('include', 'exercise.cu includes itself') if index($region, $begin) >= 0;
    return words_wrong("\n$region");
}

# Headers that the text includes, where this system has them. They are read before it, so that no text of theirs is in the
# region any more (their guards keep them out), and every word there is the learner's, whatever a marker says.
sub headers {
    my ($text) = @_;
    return join '', map { "#if __has_include(<$_>)\n#include <$_>\n#endif\n" } unique((parts($text))[1] =~ /^[ \t]*#[ \t]*include[ \t]*<([\w.\/+]+)>/mg);
}

my $prefix = qr/(?:u8|[uUL])?/;
my $token = qr{\G[^\S\n]*+(?:
    ($prefix R"([^()\\\s"]{0,16})\()                                          # 1, 2: the beginning of a raw string
    | $prefix (?:"(?:[^"\\\n]++|\\.)*+"? | '(?:[^'\\\n]++|\\.)*+'?)           # a string, a character
    | ([A-Za-z_\$\x80-\xff][\w\$\x80-\xff]*+)                                 # 3: a word
    | \.?[0-9](?:[eEpP][-+]|'(?=\w)|[\w.])*+                                  # a number
    | (\n)\s*+                                                                # 4: a new line
    | (\(++|\[|<:(?!:[^:>])) | ([)\]]++|:>) | (->|\.) | (\#[^\n]*+)           # 5, 6, 7, 8
    | (?:[+*/%=&|^!~?,;{}@\\>]|-(?!>)|<(?!:)|:(?!>))++ | .)}xs;

# One token after the other; @open has the brackets that are open: A and B for those of an attribute.
sub words_wrong {
    my ($text) = @_;
    my ($before, $fresh, @open) = ('', 1);
    while ($text =~ /$token/gc) {
        my $begins = $fresh;
        next if $fresh = defined $4;
        ($before = ''), next if !defined $+ && $before !~ /^__attribute/;    # an operator, a number
        my ($mark, $word, $opening, $closing, $member, $directive) = ($2, $3, $5, $6, $7, $8);
        my $after_attribute = $before =~ /^__attribute(?:__)?$/;
        return wrong('language', 'an attribute that cannot be read') if $after_attribute && ($opening // '') !~ /^\(/;
        if (defined $mark) {
            my $at = index $text, ")$mark\"", pos $text;
            pos($text) = $at < 0 ? length $text : $at + length($mark) + 2;
        } elsif (defined $word) {
            my $top = @open ? $open[-1] : '';
            return wrong('language', "$word: no assembler in an exercise") if $word =~ /^(?:asm|__asm|__asm__)$/;
            return wrong('language', "$word is not yours") if $before !~ /^(?:->|\.)$/ && $word =~ /^(?:$not_yours)$/;
            my $plain = $word =~ s/^__(\w+)__$/$1/r;
            return wrong('language', "the attribute $plain is not for exercises") if $top =~ /^[AB]$/ && !$attributes{$plain};
        } elsif (defined $opening) {
            my @kinds = $opening !~ /^\(/ ? ($before eq '[' || $before eq '<:' ? 'B' : '[') : $after_attribute ? qw(A B) : @open && $open[-1] eq 'A' ? 'B' : '(';
            my $count = $opening =~ /^\(/ ? length $opening : 1;
            return wrong('language', 'too many brackets are open') if @open > 10000;
            push @open, $count < @kinds ? $kinds[0] : (@kinds, ('(') x ($count - @kinds));
            $opening = substr $opening, -1 if $opening =~ /^\(/;
        } elsif (defined $closing) {
            my $count = $closing eq ':>' ? 1 : length $closing;
            splice @open, $count < @open ? -$count : 0;
        } elsif (defined $directive && $begins && $directive =~ /^#[ \t]*pragma[ \t]+(.*)/) {
            my $pragma = $1;
            return wrong('language', "#pragma $pragma is not for exercises") if $pragma !~ /^(?:$pragmas)\b/;
        }
        $before = $word // $opening // $member // '';
    }
    return;
}

# ---- Answers -----------------------------------------------------------------------------------------
my $blank = qr{\s++|//[^\n]*+\n?|/\*.*?\*/}s;
my $number = qr{(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[fFlLuU]*};

# The words of a text with the lines they are in: [word, line].
sub words_of {
    my ($text, $line) = @_;
    my @words;
    while ($text =~ m{\G(?:($blank)|([A-Za-z_]\w*|$number|/\*.*|.))}gs) {
        push @words, [$2, $line] if defined $2;
        $line += ($1 // '') =~ tr/\n//;
    }
    return @words;
}

# Between the marks of an exercise of predictions stands what was handed out, with a number, or a calculation with
# numbers, in place of each UNKNOWN. Says where a text is another one; nothing where all is well.
sub numbers_wrong {
    my ($start, $text) = @_;
    my ($front, $region) = parts($text);
    return 'exercise.cu: more than 64 KiB: only the answers may change' if length $region > 65536;
    my @words = words_of($region, 1 + ($front =~ tr/\n//));
    my $at = sub { return @words ? "exercise.cu:$words[0][1]: $words[0][0]" : 'exercise.cu: the end' };
    for my $asked (map { $_->[0] } words_of((parts($start))[1], 0)) {
        my $given = 0;
        if ($asked eq 'UNKNOWN') {
            shift(@words), $given++ while @words && $words[0][0] =~ m{^(?:$number|[-+*/()])$};
            return $at->() . ' is no number; an answer is one, such as 4, or is calculated from some, 3 * 8' if @words && !$given && $words[0][0] ne $asked || $given && @words && $words[0][0] =~ /^\w/;
        }
        next if $given;
        return $at->() . ': only the answers may change, each UNKNOWN into a number' if !@words || $words[0][0] ne $asked;
        shift @words;
    }
    return @words ? $at->() . ': only the answers may change, each UNKNOWN into a number' : undef;
}

# ---- The object ------------------------------------------------------------------------------------
my $math = qr/(?:a?(?:sin|cos|tan)h?|atan2|exp(?:2|10|m1)?|log(?:2|10|1p|b)?|pow|sqrt|cbrt|hypot|erfc?|[lt]gamma|ceil|floor|trunc|l?l?round
    |l?l?rint|nearbyint|fmod|remainder|remquo|fm(?:ax|in|a)|fdim|fabs|copysign|nan|nextafter|nexttoward|frexp|ldexp|modf|scalbl?n|ilogb|sincos(?:pi)?
    |j[01n]|y[01n]|exp10|(?:sin|cos)pi|r?cbrt|r?hypot|r?norm(?:[34]d)?|normcdf(?:inv)?|erfc?x?(?:inv)?|cyl_bessel_i[01])[fl]?|__\w+_finite|__(?:is|fp|sign)\w+/x;
my $c = qr/mem(?:cpy|move|set|cmp|chr)|str(?:len|n?cmp|n?cpy|n?cat|r?chr|str|to[dflu]+l*|error|nlen|dup|spn|cspn|tok)|(?:v?f?|v?sn?)printf|puts|putchar
    |f?put[cs]|fflush|fwrite|perror|stdout|stderr|setv?buf|m?alloc|malloc|calloc|realloc|free|aligned_alloc|posix_memalign|exit|_?abort|l*abs|s?rand
    |qsort|bsearch|ato[ifl]+|clock(?:_gettime)?|time|gettimeofday|nanosleep|is(?:al|di|sp|up|lo|al|pr|pu|xd)\w+|to(?:upper|lower)|__ctype_\w+
    |__(?:v?f?|v?sn?)printf_chk|__mem\w+_chk|__str\w+_chk|__assert_fail|__errno_location|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__tls_get_addr/x;
my $cxx = qr/_Zn[wa]\w+|_Zd[la]\w+|__cxa_(?!thread_atexit)\w+|__gxx_personality_v0|_Unwind_Resume|__dso_handle|_ZT[IVS]\w+|DW\.ref\.\w+
    |_ZNS[os]\w+|_ZNKS[os]\w+|_ZSt(?!\w*(?:filesystem|fstream|filebuf|thread))\w+|_ZNK?St(?!\w*(?:filesystem|fstream|filebuf|thread|dirent))\w+/x;
my $cuda = qr/cuda(?!DeviceReset\b|Profiler)[A-Z]\w+|threadIdx|blockIdx|blockDim|gridDim|clock64|__[a-z]\w*_r[nzud]|__fmaf?_\w+
    |cpu_device_(?!pages)\w+|__tsan_\w+|__ubsan_handle_type_mismatch_v1|__sanitizer_cov_trace_pc/x;

# Those in a table of names (readelf -s) that are of this kind: place and binding, as "UND|[0-9]+".
sub names_of {
    my ($table, $place, $binding) = @_;
    return $table =~ /^ *\d+: (?:\S+ +){3}(?:$binding) +\S+ +(?:\[.*?\] +)?(?:$place) (\S+)$/mg;
}

sub undefined { my ($names) = @_; return names_of($names, 'UND', 'GLOBAL|WEAK') }

sub object_wrong {
    my ($symbols, $sections, $of_check) = @_;
    my %given = map { $_ => 1 } grep { !/^(?:main|__wrap_|__real_)/ } names_of($of_check, '\d+', 'GLOBAL');
    for my $name (undefined($symbols)) {
        return wrong('language', "exercise.cu uses $name, which is not for exercises")
            if !$given{$name} && $name !~ /^(?:$math|$c|$cxx|$cuda)$/;
    }
    my %most = ('.init_array' => 8, '.init_array.00099' => 8);
    while ($sections =~ /^ *\d+ +(\S+) +([0-9a-f]+) /mg) {
        my ($name, $size) = ($1, hex $2);
        return wrong('language', "something of exercise.cu runs before main ($name)") if $name =~ /^\.(?:pre)?init|^\.ctors|^\.fini|^\.dtors/ && $size > ($most{$name} // 0);
        return wrong('language', "exercise.cu has a section of its own, $name")
            if $name !~ /^\.(?:(?:text|rodata|data|bss|tbss|tdata|gcc_except_table|gnu\.linkonce)(?:\.|$)|init_array|debug_|comment|note|eh_frame|group|nv|llvm)|^cpu_(?:device_data|device_const|constant_data|managed_data)$/;    # the last: of __device__ and its kind
    }
    return;
}

# The functions that a check.cu calls and does not have: the learner's.
sub wanted {
    my ($of_check) = @_;
    return grep { /^_Z(?!n[wa]|d[la]|S|NK?S|T[IVS]|N10cpu_device)/ } undefined($of_check);
}

# What other objects may see of a learner's: the functions that check.cu calls, and what every object has of
# templates. So a global of any other name is the learner's own affair.
sub globals {
    my ($symbols, $of_check) = @_;
    my %wanted = map { $_ => 1 } wanted($of_check);
    my @shared = grep { !/^_Z[nd]/ && /^_Z|^DW\./ } names_of($symbols, '\d+', 'WEAK|UNIQUE');
    return join '', map { "$_\n" } sort(keys %wanted), @shared;
}

# ---- In the box ------------------------------------------------------------------------------------
# The command that runs it there: answers START TEXT, source FOLDER PREPROCESSED BEGIN END, or object SYMBOLS SECTIONS
# NAMES, which also writes globals. It prints a reason, a tab and a text, or nothing.
sub command { return (qw(perl -I), "$root/tools", '-I', "$root/tools/learn", qw(-MLanguage -e), 'Language::main(@ARGV)', @_) }
sub files_of_it { return map { "$root/tools/$_" } qw(Course.pm learn/Exercises.pm learn/Language.pm) }

sub main {
    my ($what, @arguments) = @_;
    my %wrong;
    if ($what eq 'source') {
        my ($folder, $file, @sentinels) = @arguments;
        %wrong = source_wrong({ folder => $folder }, slurp($file), 'exercise.cu', @sentinels);
    } elsif ($what eq 'answers') {
        my $no_number = numbers_wrong(map { slurp($_) } @arguments);
        %wrong = wrong('answers', $no_number) if defined $no_number;
    } elsif ($what eq 'object') {
        my ($symbols, $sections, $of_check) = map { slurp($_) } @arguments;
        %wrong = object_wrong($symbols, $sections, $of_check);
        spew('globals', globals($symbols, $of_check));
    }
    print "$wrong{reason}\t$wrong{text}" if %wrong && ($what eq 'answers' || !$ENV{GRADE_ANY_LANGUAGE});    # that: to see that the box and the judge hold by themselves
    return;
}

# What it has printed, as a verdict.
sub verdict { my ($said) = @_; return $said =~ /^(\w+)\t(.*)/s ? wrong($1, $2) : () }

1;
