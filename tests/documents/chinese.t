#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The lessons and their figures in Chinese: finished ones have every message, and each with the numbers, names,
# code and links of the English; a new measurement changes no message; and each of these checks can fail.
use lib 'tests/lib';
use Tests;
use utf8;
use Chinese ();

binmode $_, ':encoding(UTF-8)' for map { Test::More->builder->$_ } qw(output failure_output todo_output);
my ($scratch, $root) = scratch_and_root();

sub output { return (output_of(@_))[1] }

my $said = output('tools/documents/chinese --check');
my @wrong;
m{^docs/zh_CN/\w+\.po: (?:(\d+) of \1 messages in Chinese|.*, not finished)$} ? note($_) : push @wrong, $_ for split /\n/, $said;
is(join("\n", @wrong), '', 'nothing is wrong with what is finished');
my @pages = split ' ', output('tools/documents/chinese --pages');
is_deeply([grep { my $page = $_; !grep { $_ eq $page } @pages } 'README.md', glob('[0-9][0-9]_*/*.md'), glob '[0-9][0-9]_*/exercises/*/*.md'], [], 'README, all lessons and exercises are begun');

# An exercise has one title, in its lesson's table and on its page.
my %titles;
for my $po (glob 'docs/zh_CN/0*.po') {
    my $text = slurp($po);
    push @{ $titles{$1} }, $2 while $text =~ /^msgstr "\[?(\d\.[1-9]) ([^"\]]+)(?:\]\(exercises[^"]*)?"$/mg;
}
is(join(', ', grep { my @is = @{ $titles{$_} }; @is < 2 || grep { $_ ne $is[0] } @is } sort keys %titles), '', scalar(keys %titles) . ' titles');

# What make access advises: each part of a sentence of advice.c, with numbers in it.
{
    local @ENV{qw(COURSE_LANG LC_ALL)} = ('zh_CN', 'C.UTF-8');
    my @parts = grep { /[a-z]{5}/ && !/^(?:char|short)\d/ } map { split /[:;] /, s/%(?:ll|z)?[ud]/7/gr =~ s/%s/a/gr }
        map { s/"\s*"//gr =~ /"([^"\n]*)"/g } grep { !/^#/ } split /(?<=;\n)/, slurp('cudacc/trace/report/advice.c') =~ s{/\*.*?\*/|^#.*?$}{}gmsr;
    cmp_ok(scalar @parts, '>=', 20, 'advice.c has its sentences');
    is(join("\n", grep { Chinese::said("$_\n") !~ /\P{ASCII}/ } @parts), '', 'each is in Chinese');
}

# A copy of what the tool reads.
my $copy = "$scratch/copy";
my @figures = glob '[0-9][0-9]_*/figures/*.svg';
spew("$copy/$_", slurp($_)) for 'docs/glossary.md', 'README.zh-CN.md', @pages, @figures, glob('docs/zh_CN/*.po'), glob '[0-9][0-9]_*/questions';
spew("$copy/$_", slurp($_), 0755) for 'tools/documents/chinese', 'tools/Course.pm', 'tools/Chinese.pm';
chdir $copy or die;
is(system('tools/documents/chinese --check >said 2>&1'), 0, 'a copy is right, too');

# A page without its translations is the page: nothing is lost between the messages.
for my $page (@pages, @figures) {
    my $po = 'docs/zh_CN/' . ($page =~ s{^docs/|/.*|\.md$}{}gr) . '.po';
    my $full = slurp($po);
    spew($po, qq{msgid ""\nmsgstr ""\n});
    is(output("tools/documents/chinese $page"), slurp($page), "$page is put together as it was");
    spew($po, $full);
}

unlink grep { !/01_|README|messages/ } glob 'docs/zh_CN/*.po';    # the rest is about these

# What a change of a file makes the check say.
sub check_says {
    my ($file, $change, $like, $what) = @_;
    my $old = slurp($file);
    my $new = $change->($old);
    isnt($new, $old, "$what: changed") or return;
    spew($file, $new);
    my $status = system('tools/documents/chinese --check >said 2>&1');
    my $said = slurp('said');
    spew($file, $old);
    utf8::decode($said);
    return is($status, 0, $what) || diag($said) if !defined $like;
    ok($status >> 8 == 1 && $said =~ $like, $what) or diag("$status: $said");
    return;
}

my $po = 'docs/zh_CN/01_sync_timing.po';
my $entry = sub {    # changes the translation of the message that begins so
    my ($begin, $from, $to) = @_;
    utf8::encode($_) for $begin, $from, $to;
    return sub { $_[0] =~ s{(?:^\#[^\n]*\n)*^msgid "\Q$begin\E[^\n]*\n\Kmsgstr "[^\n]*"}{ $& =~ s/\Q$from\E/$to/r }emr };
};
check_says($po, $entry->('You start a clock', '2000 万', '许多'), qr/01_sync_timing\.po: loses 2000: "You start/, 'a lost number');
check_says($po, $entry->('With ⟦tiny_n⟧ elements', '⟦call_us⟧', '3.2'), qr/: loses ⟦call_us⟧: /, 'a lost name');
check_says($po, $entry->('A launch returns at once', '⟦2⟧', '⟦4⟧'), qr/: loses ⟦2⟧: .*: has ⟦4⟧, /s, 'a name that does not exist');
check_says($po, $entry->('According to CUDA', '`cudaGetLastError()`', 'cudaGetLastError'), qr/: loses `cudaGetLastError\(\)`: /, 'lost code');
check_says($po, $entry->('Here is all of', '(sync_timing.cu)', '(sync.cu)'), qr/: loses \(sync_timing\.cu\): /, 'a lost link');
check_says($po, $entry->('The question', '问题', ''), qr/: has no translation: "The question"/, 'an empty entry');
check_says($po, $entry->('The question', '问题', 'The question'), qr/: is in English: "The question"/, 'English counted as translated');
check_says($po, $entry->('A launch that fails', '失败的启动看上去可能还要快', '启动 that fails can look faster still'), qr/: is in English: /, 'and English with a Chinese word');
check_says($po, $entry->('**A call that only', '。** 设', '。**设'), qr/: 。\*\*设 is no emphasis there/, 'emphasis that Markdown does not see');
check_says($po, $entry->('These are the fastest', '[中位数]', '[中值]'), qr/: 中值 is not the glossary's word/, 'a term that the glossary has otherwise');
check_says($po, sub { $_[0] =~ s/^(?=msgid "The question")/#, fuzzy\n/mr }, qr/: is fuzzy: "The question"/, 'a fuzzy entry');
check_says($po, sub { $_[0] =~ s/^msgid "The question"\nmsgstr[^\n]*\n//mr }, qr/: has no translation: "The question"/, 'an entry that is not there');
check_says($po, sub { $_[0] =~ s/^"X-Finished: yes\\n"\n//mr =~ s/^\#[^\n]*\nmsgid "The question"\nmsgstr[^\n]*\n//mr }, undef, 'a file that is not finished may lack one');

my $lesson = '01_sync_timing/README.md';
check_says($lesson, sub { $_[0] =~ s/^## The question$/## The questions/mr }, qr/: has no translation: "The questions"/, 'English that has changed');
check_says($lesson, sub { $_[0] =~ s{(<!--=\S*launch_cost\.call_us %.1f-->)[\d.]+}{${1}98.7}r }, undef, 'a new measurement changes no message');
check_says($lesson, sub { $_[0] =~ s{(<!--=\S*blocked_launch-->[^<]*?)\d+\.\d+}{${1}98.7}r }, undef, 'nor does one in a sentence of a program');
my $figure = '01_sync_timing/figures/launch.svg';
check_says($figure, sub { $_[0] =~ s/>Launches return at once/>A launch returns at once/r }, qr/: has no translation: "A launch returns at once;/, 'a label that has changed');
check_says('01_sync_timing/figures/1_timers.svg', sub { $_[0] =~ s/<text> 80</<text> 90</r =~ s/a 4-byte/a 8-byte/r }, undef, 'a new number in a label changes no message');
check_says('README.zh-CN.md', sub { $_[0] =~ s/\n\z/ \n/r }, qr/^README\.zh-CN\.md is not what /m, 'a README.zh-CN.md that is old');

spew($lesson, slurp($lesson) =~ s{(<!--=\S*launch_cost\.call_us %.1f-->)[\d.]+}{${1}98.7}r);
utf8::decode(my $page = output("tools/documents/chinese $lesson"));
like($page, qr/ 98\.7 µs/, 'it is shown where it belongs');
like($page, qr/\]\(deeper\.md#该用哪个-cpu-时钟\)/, 'a link to a heading of another page leads to the translated one');
utf8::decode(my $deeper = output('tools/documents/chinese 01_sync_timing/deeper.md'));
like($deeper, qr/\]\(README\.md#程序\)/, 'and back');
my $was = slurp($lesson);
spew($lesson, "$was\n[Here](#going-deeper)\n");
utf8::decode(my $linked = output("tools/documents/chinese $lesson"));
like($linked, qr/\]\(#深入\)/, 'so does one to a heading of the page');
spew($lesson, $was);

utf8::decode(my $drawn = output("tools/documents/chinese $figure"));
like($drawn, qr{>启动立即返回；.*><tspan font-family="monospace">cudaDeviceSynchronize\(\)</tspan> 之后停表<}s, "a figure's labels are in Chinese, code is as it was");

SKIP: {
    skip 'no msgmerge (Debian package: gettext)', 2 if !found('msgmerge');
    spew($lesson, slurp($lesson) =~ s/^You start a clock on the host/You start a clock of the host/mr);
    $said = output('tools/documents/chinese --update');
    like($said, qr/^#, fuzzy\n.*^msgid "You start a clock of the host/ms, '--update shows what became fuzzy');
    is(() = slurp($po) =~ /^#, fuzzy$/mg, 1, 'and that alone');
}
chdir $root;
done_testing();
