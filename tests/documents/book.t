#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make book: one EPUB that needs nothing else, with contents and pictures, whose links lead
# somewhere; epubcheck finds no error (TEST_ALL=1).
use strict;
use warnings;
use Test::More;
use FindBin;
use File::Temp qw(tempdir);
use IO::Uncompress::Unzip qw(unzip $UnzipError);
require "$FindBin::Bin/../lib/lib.pl";

my $has_pandoc = system('command -v pandoc >/dev/null 2>&1') == 0;
my $folder = tempdir(CLEANUP => 1);

# Without pandoc one line says what to install.
mkdir "$folder/bin" or die;
for my $tool (qw(perl sh env mkdir)) {
    my ($path) = grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH};
    symlink $path, "$folder/bin/$tool" or die;
}
my $said = `PATH='$folder/bin' tools/documents/book '$folder' 2>&1`;
ok($? >> 8 == 77 && $said eq "book: no pandoc (Debian package: pandoc)\n", 'without pandoc one line says so') or diag($said);
SKIP: { skip 'no pandoc (Debian package: pandoc): nothing more to see', 1 if !$has_pandoc }
done_testing(), exit if !$has_pandoc;

is(`tools/documents/book '$folder' 2>&1`, "$folder/cuda-by-measurement.epub\n", 'the book is made');
my @chapters = map { slurp("$_/README.md") =~ /^# (.*)$/m } grep { -d } glob '[0-9][0-9]_*';
my $in_lessons = () = join('', map { slurp($_) } glob '[0-9][0-9]_*/*.md') =~ /^!\[/mg;
# The EPUB: a zip file whose pages lead to each other.
my (%page, $first);
my $zip = IO::Uncompress::Unzip->new("$folder/cuda-by-measurement.epub") or die $UnzipError;
for (my $more = 1; $more > 0; $more = $zip->nextStream()) {
    my $name = $zip->getHeaderInfo()->{Name};
    $first //= $name;
    local $/;
    $page{$name} = <$zip> // '';
}
ok($first eq 'mimetype' && $page{mimetype} eq 'application/epub+zip', 'the EPUB is one');
my @text = grep { m{/text/.*\.xhtml$} } sort keys %page;
cmp_ok(scalar @text, '>=', scalar @chapters, 'with a page for each chapter');
is(scalar(grep { /\.svg$/ } keys %page), $in_lessons, "and $in_lessons pictures, each once");
my @dead;
for my $name (@text) {
    while ($page{$name} =~ /(?:href|src)="([^"#]*)(?:#([^"]*))?"/g) {
        my ($where, $id) = ($1, $2);
        next if $where =~ /^https?:/;
        my $target = $where eq '' ? $name : ($name =~ m{(.*/)})[0] . $where;
        1 while $target =~ s{[^/]+/\.\./}{};
        push @dead, "$name: $where" if !exists $page{$target};
        push @dead, "$name: $where#$id" if defined $id && ($page{$target} // '') !~ /\bid="\Q$id\E"/;
    }
}
is(join("\n", @dead), '', 'every link in it leads somewhere');
SKIP: {
    skip 'no xmllint (Debian package: libxml2-utils)', 1 if system('command -v xmllint >/dev/null 2>&1');
    my @wrong;
    for my $name (@text) {
        open my $xmllint, '|-', 'xmllint --nonet --noout - 2>/dev/null' or die;
        print $xmllint $page{$name};
        close $xmllint or push @wrong, $name;
    }
    is(join("\n", @wrong), '', 'its pages are XML');
}

my $html = join '', @page{@text};
my ($contents) = grep { /<nav\b[^>]*toc/ } map { $page{$_} } grep { /nav\.xhtml$/ } keys %page;
is(join("\n", grep { index($contents =~ s/\s+/ /gr =~ s/&#39;|’/'/gr, s/'/'/gr) < 0 } @chapters), '', 'the contents have every chapter');
my ($needed) = $html =~ /(<(?:script|iframe|object)\b[^>]*>|\bsrc="https?:[^>]{0,80})/;
is($needed, undef, 'it needs nothing else');
is(scalar(() = $html =~ /<img(?![^>]*\balt="[^"]{20})/g), 0, 'each picture says what it shows');
my ($comment) = $html =~ s{<(pre|code)\b.*?</\1>}{}gsr =~ /((?:<!--|&lt;!--|\[!NOTE\]).{0,80})/s;
is($comment, undef, 'no comment shows');
ok(index($html, '合并访问') >= 0, 'Chinese words are as they were');
SKIP: {
    skip 'epubcheck takes 15 s: TEST_ALL=1', 1 if !$ENV{TEST_ALL};
    # Debian's command is a Java archive, which not every kernel starts.
    my ($epubcheck) = grep { -x } map { "$_/epubcheck" } split /:/, $ENV{PATH};
    skip 'no epubcheck (Debian package: epubcheck)', 1 if !$epubcheck;
    my $java = slurp($epubcheck) =~ /^PK/ ? 'java -jar' : '';
    my ($code, $said) = output_of("tests/lib/limit 200 $java '$epubcheck' '$folder/cuda-by-measurement.epub'");
    is($code, 0, 'epubcheck finds no error') or diag(substr $said, 0, 2000);
}
done_testing();
