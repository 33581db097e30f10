#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make book: one EPUB that needs nothing else, with contents and pictures, whose links lead
# somewhere; epubcheck finds no error (TEST_ALL=1).
use lib 'tests/lib';
use Tests;
use IO::Uncompress::Unzip qw(unzip $UnzipError);

my $folder = tempdir(CLEANUP => 1);

# Without Sphinx one line says what to install.
spew("$folder/no_sphinx", "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'sphinx'\" >&2; exit 1\n", 0755);
tells("PYTHON=$folder/no_sphinx tools/documents/site --book $folder/none", 77, qr/\Abook: ModuleNotFoundError: No module named 'sphinx' \(.*requirements\.txt.* make book .*\)\n\z/, 'without Sphinx one line says so');
my $python = $ENV{PYTHON} // 'python3';
my ($missing) = grep { system("'$python' -c 'import $_' 2>/dev/null") != 0 } qw(sphinx myst_parser furo);
SKIP: { skip "no $missing (PyPI: docs/site/requirements.txt; PYTHON names the Python that has it)", 1 if $missing }
done_testing(), exit if $missing;

is(`tools/documents/site --book '$folder/book' 2>&1`, "$folder/book/cuda-by-measurement.epub\n", 'the book is made without a warning');
is(join(' ', map { s{.*/}{}r } glob "$folder/book/{*,.[a-z]*}"), 'cuda-by-measurement.epub', 'and nothing else');
my @chapters = map { slurp("$_/README.md") =~ /^# (.*)$/m } grep { -d } glob '[0-9][0-9]_*';
# The EPUB: a zip file whose pages lead to each other.
my (%page, $first);
my $zip = IO::Uncompress::Unzip->new("$folder/book/cuda-by-measurement.epub") or die $UnzipError;
for (my $more = 1; $more > 0; $more = $zip->nextStream()) {
    my $name = $zip->getHeaderInfo()->{Name};
    $first //= $name;
    local $/;
    $page{$name} = <$zip> // '';
}
ok($first eq 'mimetype' && $page{mimetype} eq 'application/epub+zip', 'the EPUB is one');
my @text = grep { /\.xhtml$/ && !/cover/ } sort keys %page;
my @pages = ('README.md', glob '[0-9][0-9]_*/*.md [0-9][0-9]_*/exercises/*/README.md docs/*.md docs/snippets/README.md cudacc/README.md cudacc/extra/README.md cudacc/docs/*.md');
is(join(' ', grep { !$page{ s/md$/xhtml/r } } @pages), '', 'with every lesson, exercise and document');
like($page{'content.opf'}, qr{<dc:creator>The CUDA by Measurement authors<}, 'an author');
like($page{'content.opf'} . delete $page{'epub-cover.xhtml'}, qr{<meta name="cover" content="(.*?)"/>.*id="\1" href="_static/cover\.svg".*<img src="_static/cover\.svg"}s, 'and a cover');
my %picture = map { map { (s{^.*/}{}r => 1) } slurp($_) =~ /!\[[^\]]*\]\(([^)]*\.svg)\)/g } @pages;
is(scalar(grep { m{^_images/.*\.svg$} } keys %page), scalar keys %picture, 'and their pictures, each once');
my @dead;
for my $name (@text) {
    while ($page{$name} =~ /(?:href|src)="([^"#]*)(?:#([^"]*))?"/g) {
        my ($where, $id) = ($1, $2);
        next if $where =~ /^https?:/;
        my $target = $where eq '' ? $name : (($name =~ m{(.*/)})[0] // '') . $where;
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
    tells("tests/lib/limit 200 $java '$epubcheck' '$folder/book/cuda-by-measurement.epub'", 0, 'epubcheck finds no error');
}
done_testing();
