#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The pictures of the lessons and of docs/architecture.md: each is what its script draws, says in words what
# it shows, has colors for light and dark pages; and in a browser its words are large enough, apart from one
# another and in their boxes.
use lib 'tests/lib';
use Tests;

my $root = root();
my $folder = tempdir(CLEANUP => 1);
my @scripts = glob '[0-9][0-9]_*/figures/*.pl';
my @pictures = ((map { s/pl$/svg/r } @scripts), 'docs/architecture.svg');
cmp_ok(scalar @scripts, '>=', 6, 'there are pictures');

# ---- Drawn by their scripts --------------------------------------------------------------------
make_path("$folder/tree");
symlink "$root/tools", "$folder/tree/tools";
spew("$folder/tree/$_", slurp($_)) for @scripts, @pictures;
is(scalar `'$^X' tools/documents/architecture.pl`, slurp('docs/architecture.svg'), 'docs/architecture.svg is what its script draws');
sub figures { return sh("cd " . quoted("$folder/tree") . " && tools/measure/figures @_") }
is(join('|', figures('--check')), '0||', 'each is what its script draws');

my ($script, $picture) = map { "01_sync_timing/figures/launch.$_" } qw(pl svg);
sub caught {
    my ($what, $file, $text, $message) = @_;
    my $was = slurp("$folder/tree/$file");
    isnt($text, $was, "$what: something is changed");
    defined $text ? spew("$folder/tree/$file", $text) : unlink "$folder/tree/$file";
    my ($code, undef, $said) = figures('--check');
    is("$code $said", "1 $message\n", "$what is found");
    spew("$folder/tree/$file", $was);
}
caught('another script', $script, slurp($script) =~ s/'host', 90/'HOST', 90/r, "$picture: is not what its script gives; make docs draws it");
caught('a picture changed by hand', $picture, slurp($picture) =~ s/>host</>HOST</r, "$picture: is not what its script gives; make docs draws it");
caught('a picture that is not there', $picture, undef, "$picture: is not there; make docs draws it");
caught('a script that fails', $script, "exit 3;\n", "$script: exit code 3");
{
    local $ENV{PATH} = "$folder/bare";
    make_path("$folder/bare");
    symlink $^X, "$folder/bare/perl";
    symlink '/usr/bin/env', "$folder/bare/env";
    symlink '/bin/sh', "$folder/bare/sh";
    unlink "$folder/tree/$picture";
    is(join('|', figures()), "0|$picture\n|", 'a picture is drawn without gnuplot');
    is(slurp("$folder/tree/$picture"), slurp($picture), 'and is the same');
}

# ---- What they say and show --------------------------------------------------------------------
my %dark = slurp('tools/measure/figure_style.gp') =~ /"(#\w{6})" *# dark (#\w{6})/g;
for my $name (@pictures) {
    my $svg = slurp($name);
    like($svg, qr{<svg width="520" [^>]* role="img" aria-labelledby="title description">\n<title id="title">[^<]{20,70}</title>\n<desc id="description">[^<]{100,}</desc>},
        "$name: title and description");
    my ($title) = $svg =~ m{<title[^>]*>([^<]*)};
    like($svg, qr{<text x="10" y="-\d+"[^>]*>\Q$title\E</text>}, 'its title can be read in it');
    my ($css) = $svg =~ /prefers-color-scheme: dark\) \{(.*?)\}<\/style>/;
    my %used = map { $_ => 1 } $svg =~ s/<style>.*?<\/style>//r =~ /(?:fill|stroke)="(#\w+)"/g;
    is(join(' ', grep { my $color = $_; !$dark{$color} || grep { index($css, "[$_=\"$color\"]{$_:$dark{$color}}") < 0 } 'fill', 'stroke' } keys %used), '',
        'its colors have one for dark pages');
    unlike($svg =~ s/<[^>]*>//gr, qr/\bus\b|\d\^\d/, 'units as they are printed');
}
my $sectors = slurp('05_coalescing/figures/sectors.svg');
is(join(', ', $sectors =~ />(\d+) sectors/g), '4, 5, 32, 16, 32', 'sectors: offset 1 touches 5, stride 8 32, float4 16');
is(join(', ', slurp('05_coalescing/figures/strides.svg') =~ />(\d+) sectors/g), '8, 16', 'and stride 2 8, stride 4 16');
is(scalar(() = $sectors =~ /height="14" fill="url\(#red\)"/g), 4 + 5 + 32 + 16 + 32 + 1, 'as many boxes, and one in the legend');
is(scalar(() = $sectors =~ /height="14" fill="#0072b2"/g), 3 * 32 + 4 * 32 + 2 * 32 + 1, 'and each float that a lane wants');
is(join(', ', slurp('05_coalescing/figures/banks.svg') =~ />(rows of \d+ words: \d+ turns?)</g), 'rows of 32 words: 32 turns, rows of 33 words: 1 turn', 'banks');
is(join(', ', slurp('02_events/figures/streams.svg') =~ />(\d\.\d\d)</g), '1.00, 0.67', 'streams');
is(join(', ', slurp('04_unified_memory/figures/pages.svg') =~ />(\d) pages</g), '8, 4, 4', 'pages');

# ---- In a browser ------------------------------------------------------------------------------
SKIP: {
    my ($browser) = grep { found($_) } qw(chromium chromium-browser google-chrome);
    skip 'no browser (Debian package: chromium)', 1 if !$browser;
    # A page measures the pictures in it, each as wide as a phone or a screen shows it.
    my $probe = <<'END';
<script>
addEventListener('load', () => {
  for (const svg of document.querySelectorAll('svg')) {
    const page = svg.getBoundingClientRect(), bad = [];
    const boxes = [...svg.querySelectorAll('rect')].map(r => r.getBoundingClientRect());
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect(), t]);
    texts.forEach(([text, a, element], i) => {
      if (a.left < page.left || a.right > page.right || a.top < page.top || a.bottom > page.bottom) bad.push(text + ' is outside');
      for (const [other, b] of texts.slice(i + 1))
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.4 * a.height)
          bad.push(text + ' touches ' + other);
      const x = (a.left + a.right) / 2, y = (a.top + a.bottom) / 2;
      const around = boxes.filter(b => b.left < x && x < b.right && b.top < y && y < b.bottom).sort((b, c) => b.width - c.width)[0];
      if (element.getAttribute('text-anchor') == 'middle' && (a.left < around.left || a.right > around.right)) bad.push(text + ' is wider than its box');
      if (parseFloat(getComputedStyle(element).fontSize) * page.width / svg.viewBox.baseVal.width < 11) bad.push(text + ' is small');
    });
    document.querySelector('pre').append([svg.dataset.name, texts.length > 4 ? 'words' : 'no words',
      bad.join(', '), getComputedStyle(svg.querySelector('rect[width="100%"]')).fill].join('|') + '\n');
  }
});
</script>
END
    for my $scheme ('light', 'dark') {
        for my $width (390, 1280) {
            my $n = 0;
            my $body = join '', map { my $name = $_; $n++; slurp($name) =~ s/^<\?xml.*\n//r =~ s/<svg width="520"/<svg data-name="$name"/r
                =~ s/(["#\(])(title|description|red|green|pink)(?=["\)])/$1$2$n/gr } @pictures;
            my $shown = $width == 390 ? 374 : 800;
            spew("$folder/page.html", "<!DOCTYPE html><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\"><style>svg{width:${shown}px;display:block}</style><pre></pre>$body$probe");
            my (undef, $dom) = sh("tests/lib/limit 60 $browser --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir='$folder/profile'"
                . " --blink-settings=preferredColorScheme=" . ($scheme eq 'dark' ? 0 : 1) . " --window-size=1300,900 --dump-dom 'file://$folder/page.html'");
            my ($said) = $dom =~ m{<pre>(.*?)</pre>}s;
            my $page = join ', ', map { hex } ($scheme eq 'dark' ? $dark{'#ffffff'} : '#ffffff') =~ /(\w\w)/g;
            is($said, join('', map { "$_|words||rgb($page)\n" } @pictures), "$width pixels, $scheme: words apart, in their boxes, large enough");
        }
    }
}
done_testing();
