#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Writes a program of random C++ kernels with barriers and warp functions. Each is right, and what each
# of its threads must give is computed here: the program compares every element and says PASS, or
# which kernels are wrong.
#
#     perl cudacc/tests/translate/split/random_cpp.pl SEED COUNT [NUMBER] >random.cu     NUMBER: that kernel alone
#
# random_cpp.h has the classes and functions that they use. A statement is its text and a function that
# does the same to a list of threads, all of those that come there. Each thread has a list of cells, its
# variables; a reference is another name of a cell. In a text X is the variable, X_ a name beside it, L an
# int that can be assigned to, O another variable, K a number; A, B, E are values, T is a truth.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Ways;

my ($seed, $count, $only) = @ARGV;
my (@scopes, $next, $cells, $budget, $apart, $size, $width, %tried, $strict, $lambdas, $unusual);

# Of some files no kernel runs in parts, or few do: those with operators in which threads wait, those whose
# parts the compiler does not take, those that hide a name of the language, those with operators that change
# a number. They are some of the programs only.
my ($waits, $rare, $shadows, $takes) = map { $seed % 8 == $_ } 0, 3, 5, 6;

# In the other files most kernels do: there is no class that gives operators, conversions, or the end of a
# scope a meaning. Where there is one, kernels of numbers alone are left.
my $plain = $seed % 2;

# ---- Values: text, function of a thread, and `own`: 0 if it is the same for all threads of a block, 1 if
# it is not, though no index is seen in the text, 2 else ------------------------------------------------
sub value_of { my ($own, $text, $code) = @_; return { own => $own, text => $text, code => $code } }
sub in_range { my ($v) = @_; die "out of range: $v\n" if $v > 0x7fffffff || $v < -0x80000000; return $v }

my %WAYS = ways($plain);
my @OPERATIONS = operations(@{ $WAYS{operation}{value} });
# What objects without variables are worth to a thread.
my %WORTH = (
    Lane     => sub { my ($k) = @_; return sub { $k + ($_[0]{x} & 3) } },
    lane     => sub { return sub { 1 + ($_[0]{x} & 3) } },
    Odd      => sub { return sub { $_[0]{x} % 2 ? 3 : 4 } },
    Dim      => sub { return sub { $_[0]{x} } },
    width    => sub { my $w = $width; return sub { $w } },
    const    => sub { my ($k) = @_; return sub { $k } },
);
@WORTH{qw(Limit unsigned)} = @WORTH{qw(Lane Dim)};

sub visible {
    my %seen;
    for my $scope (@scopes) { $seen{$_} = $scope->{$_} for keys %$scope }
    return \%seen;
}
sub variables {    # that satisfy a condition, in a fixed order
    my ($condition) = @_;
    my $seen = visible();
    return grep { $_->{kind} && $condition->($_) } map { $seen->{$_} } sort keys %$seen;
}
# Not each kernel uses each way to say something; and a name may be hidden.
sub usable {
    my $seen = visible();
    my @good = grep {
        my $text = ref $_ ? $_->[0] : $_;
        $tried{$text} //= chance($strict) ? 'no' : 'yes';
        $tried{$text} eq 'yes' && ($lambdas || $text !~ /\[[&=pv]|\[\]|struct|goto|static|auto &?\[/)
            && ($rare || $text !~ /^(?:decltype|\[\[|::)/) && ($takes || $text !~ /\bAdd\b/)
            && !grep { $seen->{$_} } ($text =~ s/\.\w+//gr) =~ /([A-Za-z_]\w*)/g;
    } @_;
    return @good ? one_of(@good) : undef;
}
sub way {    # of some kind: the kind, and the text
    my ($what, @kinds) = @_;
    my $kind = one_of(@kinds ? @kinds : sort keys %{ $WAYS{$what} });
    my $text = usable(@{ $WAYS{$what}{$kind} });
    return defined $text ? ($kind, $text) : ();
}
sub fresh {
    my @hiding = (qw(v r p n get add value bump second grow Sum size first a lane odd own i touch x by),
        grep { !/^(?:s|i\d+)$/ } map { $_->{name} } variables(sub { 1 }));
    my $name = shift // (chance(0.3) ? one_of(@hiding) : 'x' . $next++);
    $name = 'x' . $next++ if $scopes[-1]{$name};
    $scopes[-1]{$name} = { name => $name };    # hidden in its own initializer
    return $name;
}
sub lvalue_of { my ($v) = @_; return fill($WAYS{lvalue}{ $v->{kind} }[0], X => $v->{name}) }
sub read_of {
    my ($v) = @_;
    my $text = usable(@{ $WAYS{read}{ $v->{kind} } }) // $WAYS{read}{ $v->{kind} }[0];
    return value_of($v->{own}, fill($text, X => $v->{name}), $v->{get});
}

sub leaf {    # as all values, `own` to that degree at most
    my ($most) = @_;
    my @variables = variables(sub { $WAYS{read}{ $_[0]{kind} } && $_[0]{own} <= $most });
    return read_of(one_of(@variables)) if @variables && chance($most ? 0.7 : 0.4);
    my $seen = visible();
    my $n = int rand 9;
    my @leaves = ([0, 'm', sub { $_[0]{m} }], [0, '(int)blockIdx.x', sub { $_[0]{block} }],
        [0, '(int)blockDim.x', sub { $width }], [0, $n, sub { $n }],
        [1, 'place()', sub { $_[0]{t} }], [2, '(int)threadIdx.x', sub { $_[0]{x} }], [2, 't', sub { $_[0]{t} }],
        $plain ? () : ([1, "${n}_up", sub { $n + $_[0]{x} % 8 }], [1, "(lane + $n)", sub { $n + 1 + ($_[0]{x} & 3) }],
            [1, '(odd ? 3 : 4)', sub { 4 - $_[0]{x} % 2 }]));
    return value_of(@{ one_of(grep { $_->[0] <= $most && !grep { $seen->{$_} } $_->[1] =~ /([A-Za-z]\w*)/g } @leaves) });
}
sub value {
    my ($deep, $most) = @_;
    return leaf($most) if !$deep || chance(0.25);
    my ($a, $b) = (value($deep - 1, $most), value($deep - 1, $most));
    my @all = grep { $most || !$_->[2] } @OPERATIONS;
    my $op = chance(0.5) ? one_of(@all[0 .. 2]) : usable(@all);
    if (chance(0.1)) {
        my $if = truth($most);
        return value_of($most, "($if->{text} ? $a->{text} : $b->{text})", sub { ($if->{code}($_[0]) ? $a : $b)->{code}($_[0]) });
    }
    my $min = visible()->{min};
    $op = ['min(A, B)', @{ $OPERATIONS[-1] }[1, 2]] if $min && $most && !$min->{kind} && chance(0.3);
    return $a if !$op;
    my $code = $op->[1];
    return value_of($most, fill($op->[0], A => $a->{text}, B => $b->{text}),
        sub { in_range($code->($a->{code}($_[0]), $b->{code}($_[0]), $_[0]{x})) });
}
# What is kept is small, so that no sum overflows.
sub small {
    my ($most) = @_;
    use integer;
    my $v = value(one_of(0, 1, 2), $most);
    my $code = $v->{code};
    return value_of($v->{own}, "($v->{text} % 97)", sub { $code->($_[0]) % 97 }) if chance(0.5);
    return value_of($v->{own}, "($v->{text} & 63)", sub { $code->($_[0]) & 63 });
}
sub truth {
    my ($most) = @_;
    my @variables = variables(sub { $WAYS{truth}{ $_[0]{kind} } && $_[0]{own} <= $most });
    if (@variables && chance(0.6)) {
        my $v = one_of(@variables);
        my ($how, $e) = (usable(@{ $WAYS{truth}{ $v->{kind} } }), value(1, $most));
        my ($means, $text) = split / /, $how // '', 2;
        return value_of($most, fill($text, X => $v->{name}, E => $e->{text}),
            sub { $MEANS{$means}($v->{get}($_[0]), $e->{code}($_[0])) }) if $how;
    }
    my ($a, $b) = (value(1, $most), value(1, $most));
    return value_of($most, "$a->{text} < $b->{text}", sub { $a->{code}($_[0]) < $b->{code}($_[0]) }) if chance(0.5);
    return value_of($most, "$a->{text} & 1", sub { $a->{code}($_[0]) & 1 });
}

# ---- Statements ------------------------------------------------------------------------------------
sub statement { my ($text, $code) = @_; return { text => $text, code => $code } }
sub each_of { my ($text, $code) = @_; return statement($text, sub { $code->($_) for @_; return }) }
sub indented { my ($text) = @_; return $text =~ s/^(?=.)/    /gmr }

sub known {    # a new name
    my ($name, $kind, %more) = @_;
    return $scopes[-1]{$name} = { name => $name, kind => $kind, own => 2, %more };
}
sub cell { my ($n) = @_; return (at => sub { \$_[0]{cells}[$n] }, get => sub { $_[0]{cells}[$n] }) }

sub declare {
    my $own = one_of($apart ? () : 0, 1, 1, 2);
    my $name = fresh($shadows && chance(0.3) ? 'blockDim' : ());
    my $e = small($own);
    my ($kind, $text) = way('new');
    ($kind, $text) = (int => 'int X = E') if !$kind;
    ($kind, $text) = (Two => $WAYS{new}{Two}[0]) if $name eq 'blockDim';
    my $n = $cells++;
    known($name, $kind, own => $own, cell($n));
    return each_of(fill("$text;\n", X => $name, E => $e->{text}), sub { $_[0]{cells}[$n] = $e->{code}($_[0]) });
}
sub changeable {
    my ($what) = @_;
    return variables(sub { $WAYS{$what}{ $_[0]{kind} } && ($_[0]{own} || !$apart) });
}

# Another name; it stands for what the other one stands for.
sub alias {
    my $name = fresh();
    my @old = changeable('lvalue') or return declare();
    my $old = one_of(@old);
    my ($kind, $text) = way('alias') or return declare();
    ($kind, $text) = (int => $WAYS{part}{ $old->{kind} }[0]) if $WAYS{part}{ $old->{kind} } && $lambdas;
    known($name, $kind, map { $_ => $old->{$_} } qw(own at get));
    return each_of(fill("$text;\n", X => $name, O => $old->{name}, L => lvalue_of($old)), sub { });
}
sub object {
    my $name = fresh();
    my $k = int rand 3;
    my ($row, $text) = way('object') or return declare();
    my $kind = { lane => 'Lane', width => 'Dim' }->{$row} // $row;
    known($name, $kind, own => 1, get => $WORTH{$row}($k));
    return each_of(fill("$text;\n", X => $name, K => $k), sub { });
}

sub change {
    my @old = changeable('add') or return declare();
    my $old = one_of(@old);
    my $e = small($old->{own} && chance(0.3) ? 2 : $old->{own});
    my $lvalue = $WAYS{lvalue}{ $old->{kind} } && lvalue_of($old);
    my $adds = $WAYS{add}{ $lvalue && chance(0.6) ? 'any' : $old->{kind} };
    my $how = usable(@$adds) // $WAYS{add}{ $old->{kind} }[0];
    my ($at, $code) = ($old->{at}, $e->{code});
    $next++;    # of a label
    my $text = fill($how =~ s/\bX_/l$next/gr, X => $old->{name}, L => $lvalue, E => $e->{text});
    return each_of($text . ($text =~ /\}$/ && $text =~ /^(?:\{|switch)/ ? "\n" : ";\n"), sub {
        my ($thread) = @_;
        my $by = $code->($thread);
        ${ $at->($thread) } += $by;
    });
}
sub store {
    my $e = small(2);
    return each_of("s[t] = $e->{text};\n", sub { $_[0]{s}[$_[0]{t}] = $e->{code}($_[0]) });
}

# What is done when a scope is left, however it is.
sub guard {
    my $name = fresh();
    my @old = changeable('lvalue');
    my ($does, $text) = way('guard', 'count', @old ? qw(count add add restore twice) : ()) or return declare();
    if ($does eq 'count') {
        my ($k, $where) = (int rand 4, @scopes > 2 && chance(0.5) ? 'sums' : 'counts');
        return each_of(fill("$text;\n", X => $name, C => "$where + $k"), sub {
            my ($thread) = @_;
            push @{ $thread->{guards} }, sub { $thread->{$where}[$k]++ };
        });
    }
    my $old = one_of(@old);
    my $e = small($old->{own});
    return each_of(fill("$text;\n", X => $name, L => lvalue_of($old), E => $e->{text}), sub {
        my ($thread) = @_;
        use integer;
        my ($at, $by) = ($old->{at}($thread), $e->{code}($thread));
        my $was = $$at;
        my %end = (add => sub { $$at += $by }, restore => sub { $$at = $was }, twice => sub { $$at = $$at * 2 % 499 });
        push @{ $thread->{guards} }, $end{$does};
    });
}

sub waiting { my ($what) = @_; return way($what, 'usual', $unusual ? 'unusual' : (), $waits ? 'operator' : ()) }
sub barrier {
    my (undef, $text) = waiting('barrier');
    return statement(($text // '__syncthreads()') . ";\n", sub {
        my $there = grep { $_->{flow} ne 'return' } @{ $_[0]{all} };
        die 'a barrier for ' . @_ . " of $there threads\n" if @_ != $there;
    });
}
# What others have stored, between two barriers.
sub exchange {
    my ($k, $first, $second, $name, $n) = (int rand 40, barrier(), barrier(), fresh(), $cells++);
    my (undef, $text) = waiting('exchange');
    $text = !$text || chance($plain ? 0.85 : 0.5) ? "$first->{text}int X = s[(t + K) % $size];\n$second->{text}" : "$text;\n";
    known($name, 'int', cell($n));
    return statement(fill($text, X => $name, K => $k), sub {
        $first->{code}(@_);
        $_->{cells}[$n] = $_->{s}[($_->{t} + $k) % $size] for @_;
    });
}
my %WARP = (    # of the lanes' values, for one of them
    xor => sub { my ($v, $lane, $k) = @_; return $v->[$lane ^ $k] },
    from => sub { my ($v, undef, $k) = @_; return $v->[$k] },
    down => sub { my ($v, $lane, $k) = @_; return $v->[$lane + $k > 31 ? $lane : $lane + $k] },
    any => sub { return (grep { $_ > 40 } @{ $_[0] }) ? 1 : 0 },
    all => sub { return (grep { $_ <= -9 } @{ $_[0] }) ? 0 : 1 },
    count => sub { return scalar grep { $_ & 1 } @{ $_[0] } },
);
# A warp function of all lanes of each warp that comes there.
sub warp {
    my ($k, $name, $n) = (1 + int rand 31, fresh(), $cells++);
    my ($e, $does) = (small(2), one_of(sort keys %WARP));
    known($name, 'int', cell($n));
    return statement(fill("int X = $WAYS{warp}{$does}[0];\n", X => $name, E => $e->{text}, K => $k), sub {
        my %warps;
        push @{ $warps{ $_->{t} >> 5 } }, $_ for @_;
        for my $lanes (values %warps) {
            die "a warp in part\n" if @$lanes != 32;
            my @values = map { $e->{code}($_) } @$lanes;
            $lanes->[$_]{cells}[$n] = $WARP{$does}(\@values, $_, $k) for 0 .. 31;
        }
    });
}

# Statements in braces: what of a thread's guards is new ends with them.
sub block_of {
    my (@statements) = @_;
    return statement(join('', map { $_->{text} } @statements), sub {
        my @before = map { scalar @{ $_->{guards} } } @_;
        for my $s (@statements) {
            my @on = grep { !$_->{flow} } @_ or last;
            $s->{code}(@on);
        }
        for my $i (0 .. $#_) {
            my $guards = $_[$i]{guards};
            (pop @$guards)->() while @$guards > $before[$i];
        }
    });
}
sub braces {
    my (@inner) = @_;
    push @scopes, {};
    my $block = block_of(statements(@inner));
    pop @scopes;
    return statement("{\n" . indented($block->{text}) . "}", $block->{code});
}

sub in_braces { my $block = braces(@_); return statement("$block->{text}\n", $block->{code}) }

sub most { my ($barriers) = @_; return $barriers ? 0 : one_of(1, 2) }
sub choice {
    my ($deep, $barriers, $in_loop) = @_;
    my $inner = !$barriers || chance(0.4) ? 0 : $barriers == 2 || chance(0.3) ? 2 : 1;
    my $k = int rand 2;
    my $if = $inner == 2 ? value_of(2, "(t / 32 & 1) == $k", sub { ($_[0]{t} >> 5 & 1) == $k }) : truth(most($inner));
    my $outer = $apart;
    $apart = 1 if $inner != 1;
    my $switch = ($lambdas || !$inner) && chance(0.2);
    my @inner = ($deep - 1, $inner, $in_loop && !$switch && $inner == $barriers);
    my ($then, $else) = (braces(@inner), chance(0.4) ? braces(@inner) : undef);
    $apart = $outer;
    my $init = ($rare || !$inner) && chance(0.1) ? one_of('int q = 1; ', '; ', $plain ? () : 'Number q = 3; ') : '';
    my $no = $else ? $else->{text} : '{}';
    my $condition = $if->{text};
    my $text = "if ($init$condition) $then->{text}" . ($else ? " else $no" : '');
    $text = "WHEN($condition) $then->{text} else $no" if chance(0.1);
    $text = one_of("switch (($condition) ? 1 : 0) {\ncase 1: $then->{text} break;\ndefault: $no\n}",
        "switch (int q = ($condition) ? 7 : 1; q) {\ncase 7: $then->{text} break;\ncase 1: $no\n}") if $switch;
    $text .= "\n";
    return statement($text, sub {
        my (@yes, @no);
        push @{ $if->{code}($_) ? \@yes : \@no }, $_ for @_;
        $then->{code}(@yes) if @yes;
        $else->{code}(@no) if @no && $else;
        return;
    });
}

# Leaves a loop, or begins its next turn.
sub jump {
    my ($barriers) = @_;
    my $if = truth(most($barriers));
    my $how = one_of('break', 'continue');
    return each_of("if ($if->{text}) $how;\n", sub { $_[0]{flow} = $how if $if->{code}($_[0]) });
}

sub leave {    # a whole block
    my ($if, $k) = (truth(0), int rand 2);
    return each_of("if (blockIdx.x == $k && ($if->{text})) return;\n",
        sub { $_[0]{flow} = 'return' if $_[0]{block} == $k && $if->{code}($_[0]) });
}

sub loop {
    my ($deep, $barriers) = @_;
    my $outer = $apart;
    $apart = 1 if $barriers != 1;
    push @scopes, {};
    my ($name, $n, $limit) = ('i' . $next++, $cells++, value(1, most($barriers)));
    my ($kind, $text) = way('loop');
    ($kind, $text) = (each => $WAYS{loop}{each}[0]) if !$kind;
    my $seen = { map({ $_ => 'const' } qw(each range list)), number => 'number' }->{$kind};
    known($name, $seen, own => $barriers ? 0 : 2, cell($n)) if $seen;
    my $body = braces($deep - 1, $barriers, 1);
    pop @scopes;
    $apart = $outer;
    my ($turns, $asked_again) = ("turns$n", $kind =~ /each|number/);
    my $count = sub { return $kind eq 'list' ? 2 : ($limit->{code}($_[0]) & 1) + 1 };
    return statement(fill("$text\n", X => $name, T => "($limit->{text} & 1) + 1", S => $body->{text}), sub {
        my @in = @_;
        for (@in) { $_->{cells}[$n] = 0; $_->{$turns} = $count->($_) }
        while (@in = grep { $_->{cells}[$n] < ($asked_again ? $count->($_) : $_->{$turns}) } @in) {
            $body->{code}(@in);
            my @on = grep { $_->{flow} =~ /^(?:continue)?$/ } @in;
            $_->{flow} =~ s/break|continue// for @in;
            $_->{cells}[$n]++ for @on;
            @in = @on;
        }
    });
}

sub using {
    return declare() if $scopes[-1]{min};
    $scopes[-1]{min} = { name => 'min' };
    return each_of("using own::min;\n", sub { });
}

sub one {    # statement
    my ($deep, $barriers, $in_loop) = @_;
    my $what = rand;
    return exchange() if $barriers == 1 && $what < 0.16;
    return warp() if $barriers && $what < 0.24;
    return store() if $what < 0.28;
    return guard() if $what < 0.36;
    return object() if $what < 0.42;
    return using() if $what < 0.43;
    return alias() if $what < 0.50;
    return jump($barriers) if $in_loop && $what < 0.56;
    return choice($deep, $barriers, $in_loop) if $deep && $what < 0.66;
    return loop($deep, chance(0.7) ? $barriers : 0) if $deep && $what < 0.74;
    return in_braces($deep - 1, $barriers, $in_loop) if $deep && $what < 0.78;
    return leave() if $barriers == 1 && $what < 0.785;
    return $what < 0.87 ? declare() : change();
}
sub statements {
    my ($deep, $barriers, $in_loop) = @_;
    my @statements;
    for (0 .. 1 + int rand 4) {
        last if $budget-- < 0;
        push @statements, one($deep, $barriers, $in_loop);
    }
    push @statements, exchange() if $barriers == 1 && chance(0.4);
    return @statements ? @statements : (change());
}

# ---- Kernels ---------------------------------------------------------------------------------------
sub parameter {
    my ($name, $n, $k) = (fresh(), $cells++, 1 + int rand 3);
    my $kind = one_of(sort keys %{ $WAYS{parameter} });
    my @parts = split /; /, one_of(@{ $WAYS{parameter}{$kind} });
    my $type = 'P' . $n;
    my ($text, $argument, $template) = map { fill(s/X_/$type/gr, X => $name, K => $k) } @parts;
    my $get = $WORTH{$kind} && $kind ne 'const' ? $WORTH{$kind}($k) : undef;
    known($name, $kind, own => $get ? 1 : int rand 2, cell($n), $get ? (get => $get) : ());
    return { text => $text, argument => $argument, template => $template, begin => sub { $_[0]{cells}[$n] = $k } };
}
sub result {    # all that is visible
    my ($which) = @_;
    my @parts = map { read_of($_) } variables(sub { $WAYS{read}{ $_[0]{kind} } });
    return each_of("out[$which] = " . join(' + ', map { $_->{text} } @parts) . ";\n", sub {
        my ($thread) = @_;
        my $sum = 0;
        $sum += $_->{code}($thread) for @parts;
        $thread->{out}[$which] = in_range($sum);
    });
}
# At the end of a kernel: all is stored, what guards and others have left, too; then threads may leave alone.
sub tail {
    my ($k, $if) = (int rand 4, truth(one_of(1, 1, 2)));
    my @tail = (result(0), barrier(), each_of("if (blockIdx.x < 9) out[1] = sums[$k] + s[(t + 1) % $size];\n", sub {
        my ($thread) = @_;
        $thread->{out}[1] = $thread->{sums}[$k] + $thread->{s}[($thread->{t} + 1) % $size];
    }), barrier());
    return @tail if chance(0.4);
    return @tail, each_of("if ($if->{text}) return;\n", sub { $_[0]{flow} = 'return' if $if->{code}($_[0]) }),
        change(), change(), result(1);
}
# What each thread of two blocks gives, and the counters after them.
sub computed {
    my ($body, $m) = @_;
    my (@expected, @counts);
    @counts = (0) x 4;
    for my $block (0, 1) {
        my @s = map { $_ * 7 % 50 } 0 .. $size - 1;
        my (@sums, @threads) = (0) x 4;
        my %shared = (block => $block, m => $m, s => \@s, sums => \@sums, counts => \@counts, all => \@threads);
        @threads = map { { %shared, t => $_, x => $_ % $width, cells => [], guards => [], flow => '', out => [-1, -1] } }
            0 .. $size - 1;
        $body->{code}(@threads);
        push @expected, map { @{ $_->{out} } } @threads;
    }
    return join(', ', @expected, @counts) =~ s/(.{1,90})(?: |$)/    $1\n/gr;
}
sub kernel {
    my ($number) = @_;
    srand(($seed * 1000 + $number) * 2654435761 % 4294967296);    # seeds that are near begin alike
    ($next, $cells, $budget, $apart, @scopes) = (0, 0, 12 + int rand 20, 0, {});
    ($strict, $lambdas, $unusual, %tried) = (one_of(0.5, 0.9, 0.97), chance(0.15), chance(0.15));
    ($width, my $height) = @{ one_of([64, 1], [32, 2], [32, 3], [96, 1], [128, 1]) };
    $size = $width * $height;
    my $m = 1 + int rand 4;
    known('s', 'slot', at => sub { \$_[0]{s}[$_[0]{t}] }, get => sub { $_[0]{s}[$_[0]{t}] });
    known('m', 'const', own => 0, get => sub { $_[0]{m} });
    my @parameters = map { parameter() } 1 .. int rand 3;
    my @inner = chance(0.5) ? in_braces(3, 1) : statements(3, 1);
    my $body = block_of(map({ each_of('', $_->{begin}) } @parameters), @inner, tail());
    my $template = join ', ', map { $_->{template} // () } @parameters;
    my $declared = join ', ', 'int *out', 'int *counts', 'int m', map { $_->{text} } @parameters;
    my $given = join ', ', 'out', 'counts', $m, map { $_->{argument} } @parameters;
    my $head = ($template ? "template <$template> " : '') . <<"HEAD";
__global__ void k$number($declared) {
    __shared__ int s[$size], sums[4];
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    s[t] = t * 7 % 50;
    if (t < 4) sums[t] = 0;
    out += 2 * (blockIdx.x * $size + t);
    __syncthreads();
HEAD
    return { text => $head . indented($body->{text}) . "}\nstatic const int expected_$number\[] = {\n" . computed($body, $m) . "};\n",
        launch => "    CHECK(k$number, expected_$number, dim3($width, $height), ($given));\n" };
}

my @kernels = map { kernel($_) } $only ? $only : 1 .. $count;
print $waits ? "#define WAITING_OPERATORS\n" : '', $takes ? "#define TAKING_OPERATORS\n" : '', $plain ? "#define PLAIN\n" : '',
    slurp('random_cpp.h'), map({ $_->{text} } @kernels), <<"PROGRAM";
int main() {
    int *out, *counts, wrong = 0;
    cudaMallocManaged(&out, 4096 * sizeof *out);
    cudaMallocManaged(&counts, 4 * sizeof *counts);
@{[ join '', map { $_->{launch} } @kernels ]}    cudaFree(out);
    cudaFree(counts);
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
PROGRAM
