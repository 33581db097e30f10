#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make book: one HTML page and one EPUB that need nothing else, with contents, mathematics and
# pictures, whose links lead somewhere; in a browser, where one is, nothing sticks out.
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
my $said = `PATH='$folder/bin' docs/tools/book '$folder' 2>&1`;
ok($? >> 8 == 77 && $said eq "book: no pandoc (Debian package: pandoc)\n", 'without pandoc one line says so') or diag($said);
SKIP: { skip 'no pandoc (Debian package: pandoc): nothing more to see', 1 if !$has_pandoc }
done_testing(), exit if !$has_pandoc;

is(`docs/tools/book '$folder' 2>&1`, join('', map { "$folder/cuda-by-measurement.$_\n" } qw(html epub)), 'both books are made');
my @chapters = map { slurp("$_/README.md") =~ /^# (.*)$/m } grep { -d } glob '[0-9][0-9]_*';
my $in_lessons = () = join('', map { slurp($_) } glob '[0-9][0-9]_*/*.md') =~ /^!\[/mg;
my $pictures = $in_lessons + (() = slurp('README.md') =~ /^!\[/mg);    # it shows one of theirs again

# Dead links and double names among the tags of a page.
sub dead_links {
    my ($html, $ids) = @_;
    my (%id, @dead);
    $id{$_}++ for $html =~ /<[^>]*\bid="([^"]*)"/g;
    push @dead, map { "twice: $_" } grep { $id{$_} > 1 } sort keys %id;
    push @dead, map { "dead: $_" } grep { !$id{$_} } $html =~ /<a [^>]*href="#([^"]*)"/g;
    push @dead, map { "no place in the book: $_" } grep { !/^(?:#|https?:)/ } $html =~ /<a [^>]*href="([^"]*)"/g;
    return @dead;
}

my $html = slurp("$folder/cuda-by-measurement.html");
my ($contents) = $html =~ /(<nav id="TOC".*?<\/nav>)/s;
is(join("\n", grep { index($contents =~ s/\s+/ /gr =~ s/&#39;|’/'/gr, s/'/'/gr) < 0 } @chapters), '', 'the contents have every chapter');
is(join("\n", dead_links($html)), '', 'every link in the page leads somewhere');
my ($needed) = $html =~ /(<(?:script|iframe|object)\b[^>]*>|<link[^>]*href="(?!data:)[^>]*>|\bsrc="(?!data:)[^>]{0,80}|url\((?!['"]?data:).{0,80})/;
is($needed, undef, 'it needs nothing else');
cmp_ok(scalar(() = $html =~ /<math /g), '>=', 2, 'it has mathematics');
is(scalar(() = $html =~ /<img[^>]*\bsrc="data:image\/svg/g), $pictures, "it has $pictures pictures");
is(scalar(() = $html =~ /<img(?![^>]*\balt="[^"]{20})/g), 0, 'and each says what it shows');
my ($comment) = $html =~ s{<(pre|code)\b.*?</\1>}{}gsr =~ /((?:<!--|&lt;!--|\[!NOTE\]).{0,80})/s;
is($comment, undef, 'no comment shows');
ok(index($html, '合并访问') >= 0, 'Chinese words are as they were');
my ($start) = $html =~ /(<h1 id="start".*?)<h1 id="01_/s;
isnt(join("\n", dead_links($start)), '', '(a page without its chapters would have dead links)');

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

# In a browser: at desktop and phone width the page is no wider than the window, in both schemes the
# text can be told from what is behind it, and each picture shows.
SKIP: {
    my ($browser) = grep { system("command -v $_ >/dev/null 2>&1") == 0 } qw(chromium chromium-browser google-chrome);
    skip 'no browser (Debian package: chromium)', 4 if !$browser;
    my $probe = <<'END';
<script>addEventListener('load', function () {
  function light(c) { var v = c.match(/\d+/g).map(Number); return (v[0] * 2 + v[1] * 5 + v[2]) / 8; }
  var style = getComputedStyle(document.documentElement), shown = 0, images = document.images;
  for (var i = 0; i < images.length; i++) shown += getComputedStyle(images[i]).display != 'none' && images[i].naturalWidth > 0;
  document.title = 'sticks out ' + Math.max(0, document.documentElement.scrollWidth - innerWidth) + ', contrast '
    + Math.round(light(style.backgroundColor) - light(style.color)) + ', pictures ' + shown;
});</script>
END
    for my $width (1280, 390) {
        for my $scheme ('light', 'dark') {
            # A frame is as narrow as it is told; a window is not.
            open my $page, '>', "$folder/inner.html" or die;
            print $page $html =~ s/<\/head>/$probe<\/head>/r;
            close $page;
            open my $frame, '>', "$folder/frame.html" or die;
            print $frame "<iframe id=f src=inner.html style='width:${width}px;height:900px'></iframe>",
                "<script>onload = function () { document.title = document.getElementById('f').contentDocument.title }</script>";
            close $frame;
            my $dom = `tests/lib/limit 120 $browser --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files --user-data-dir='$folder/profile' --blink-settings=preferredColorScheme=@{[ $scheme eq 'dark' ? 0 : 1 ]} --virtual-time-budget=20000 --dump-dom 'file://$folder/frame.html' 2>/dev/null`;
            my ($found) = $dom =~ /<title>(.*?)<\/title>/;
            my ($out, $contrast, $shown) = ($found // '') =~ /sticks out (\d+), contrast (-?\d+), pictures (\d+)/;
            ok(defined $out && $out == 0 && ($scheme eq 'dark' ? $contrast < -120 : $contrast > 120) && $shown == $pictures,
                "$width pixels, $scheme") or diag($found // 'no answer from the browser');
        }
    }
}
done_testing();
