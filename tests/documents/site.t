#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make site: a missing tool is named first; no warning; every link leads somewhere; no page takes
# anything from elsewhere; in a browser, nothing sticks out and figures follow the page's scheme.
use lib 'tests/lib';
use Tests;
use File::Find;

my ($scratch, $root) = scratch_and_root();

# A Python without Sphinx, and none.
spew("$scratch/no_sphinx", "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'sphinx'\" >&2; exit 1\n", 0755);
my $said = tells("PYTHON=$scratch/no_sphinx tools/documents/site $scratch/none", 77, 'without Sphinx nothing is built');
like($said, qr/^site: ModuleNotFoundError: No module named 'sphinx' \(.*requirements\.txt.*\)\n\z/, 'and one line says what to install');
ok(!-e "$scratch/none", 'and no folder is made');
like(`PYTHON=$scratch/no_python tools/documents/site $scratch/none 2>&1`, qr{^site: .*no_python: .*not found}, 'nor without Python');

SKIP: {
    skip 'no gnuplot (Debian package: gnuplot-nox)', 1 if !found('gnuplot');
    system('gnuplot', '-e', "output = '$scratch/preview.png'", 'docs/site/preview.gp');
    my $png = slurp("$scratch/preview.png");
    is(join(' ', $png =~ /^\x89PNG\r\n/ ? unpack('x16 N2', $png) : ()), '1200 630', 'an image shows those who link the site what it is');
}

my $python = $ENV{PYTHON} // 'python3';
my ($missing) = grep { system("'$python' -c 'import $_' 2>/dev/null") != 0 } qw(sphinx myst_parser furo sphinx_copybutton);
my $needs = $missing ? "$missing (PyPI: docs/site/requirements.txt; PYTHON names the Python that has it)" : `tools/measure/report --needs`;
SKIP: { skip "no $needs", 1 if $needs }
done_testing(), exit if $needs;

my $site = "$scratch/site";
unlink(my $written = 'docs/zh_CN/LC_MESSAGES/sphinx.mo');    # of earlier versions
is(`SITE=https://example.org/course/ REPOSITORY=https://example.org/code tools/documents/site '$site' 2>&1`, "$site/index.html\n", 'the site is built without a warning');
ok(!-e $written, 'nothing is written beside the sources');
my %html;
find({ no_chdir => 1, wanted => sub { $html{ s{^\Q$site\E/}{}r } = slurp($_) if /\.html$/ } }, $site);
cmp_ok(scalar keys %html, '>', 100, 'it has pages');
my @devices = keys %{ { map { (m{([^/]+)\.csv$} => 1) } glob '[0-9][0-9]_*/results/*.csv' } };
is(join(' ', grep { index($html{'docs/site/devices.html'}, "reports/$_.html") < 0 } @devices), '', 'the report of every recorded device is linked');
my ($finding) = slurp('05_coalescing/results/nvidia_h200.csv') =~ /finding,[^"]*"([\w .%]{20,})/;
ok(index($html{'docs/site/devices.html'}, $finding) >= 0, 'and what it found is shown');
like($html{'05_coalescing/coalescing.cu.html'}, qr{href="coalescing\.cu" download.*<span class="\w+">__global__</span>}s, 'a program has colors and a download');
is(slurp("$site/05_coalescing/coalescing.cu"), slurp('05_coalescing/coalescing.cu'), 'which is the file');
like($html{'05_coalescing/README.html'}, qr{href="\.\./docs/site/playground\.html"}, 'lesson 05 leads to the playground');
unlike($html{'docs/site/playground.html'}, qr{<script src=}, 'which is one file');
is(join(', ', map { my $page = $_ =~ s/md$/html/r; grep { index($html{$page}, $_) < 0 } slurp($_) =~ /^% (\w+ \w+ \w+)/mg } glob '[0-9][0-9]_*/*.md'), '', 'a line of a lesson may begin with %');
like($html{'05_coalescing/README.html'}, qr{<span class="k\w*">__global__</span>}, 'a kernel in a lesson has colors, too');
my ($contents) = $html{'index.html'} =~ m{<div class="sidebar-tree">(.*?)</div>}s;
like($contents, qr{^\s*<ul><li[^>]*><a class="reference internal" href="docs/site/playground\.html">Playground</a>}, 'first beside it stands the playground');
is(join(' ', grep { index($contents, ">$_</a>") < 0 } '05 Coalescing', '05 Lay data out for the warp', 'Errors and races'), '', 'then lessons by their topics');
is(join(' ', grep { $contents !~ m{href="\Q$_\E"} } map { s/md$/html/r } glob 'docs/*.md cudacc/docs/*.md'), '', 'and every page');
is(join(' ', grep { $html{$_} !~ m{<meta property="og:image" content="https://example\.org/course/preview\.png">} } grep { !/^reports/ } sort keys %html), '', 'every page names it');
ok(-s "$site/preview.png", 'which is there');
like($html{'index.html'}, qr{<a [^>]*href="https://example\.org/code"[^>]*>Repository</a>}, 'the repository is linked');
is(join(' ', grep { $html{$_} !~ m{<p class="language"><a href="[^"]*" lang="(?:en|zh-CN)"} } grep { !m{^reports|/playground} } sort keys %html), '', 'every page leads to the other language');
for my $page (split ' ', `tools/documents/chinese --pages`) {
    my ($english, $chinese) = map { $_ . $page =~ s/md$/html/r } '', 'zh/';
    my $up = '../' x ($page =~ tr{/}{});
    like($html{$english}, qr{<a href="\Q$up$chinese\E" lang="zh-CN"}, "$english leads to the Chinese page");
    like($html{$chinese}, qr{<html[^>]* lang="zh-CN".*<a href="$up../\Q$english\E" lang="en"}s, 'and that one back');
    unlike($html{$chinese} =~ s{<(pre|code|script)\b.*?</\1>}{}gsr, qr/\*\*|\xe2\x9f\xa6/, 'no mark-up and no name is left in it');
    is(join(', ', grep { !/[^ -~]/ } $html{$chinese} =~ /aria-label="([^"]*)"/g), '', 'a screen reader is told nothing in English');
}

# A link of a Chinese page leads to a Chinese one where there is such a page; and mostly there is one. (A file of code
# or of rows is shown among the Chinese pages, too.)
my (@leaves, %leads);
for my $page (grep { m{^zh/} && !/genindex|search/ } sort keys %html) {
    my $is_file = -f "$root/" . $page =~ s{^zh/|\.html$}{}gr;    # its frame's links would only swell the share
    for my $to ($html{$page} =~ /<a\b(?![^>]*\bhreflang=)[^>]*\bhref="([^"#?:]+\.html)/g) {
        my $target = ($page =~ s{[^/]*$}{}r) . $to;
        1 while $target =~ s{(?:^|/)\K(?:\./|(?!\.\./)[^/]+/\.\./)}{};
        $leads{ $target =~ m{^zh/} ? 'Chinese' : 'English' }++ if !$is_file && $target !~ /playground/;
        push @leaves, "$page: $to" if $target !~ m{^zh/} && $html{"zh/$target"};
    }
}
is(join("\n", @leaves), '', 'a Chinese page leads to Chinese pages where there are such');
note("$leads{Chinese} links to Chinese pages, $leads{English} to English ones");
cmp_ok($leads{Chinese} / ($leads{Chinese} + $leads{English}), '>=', 0.95, 'one stays among Chinese pages');
like($html{'zh/05_coalescing/coalescing.cu.html'}, qr{href="coalescing\.cu" download>下载<.*href="\.\./\.\./docs/site/playground\.html#[^"]*lang=zh}s, 'where a program is shown, too');

# Links: to a file of the site, and to a place in it.
my (%id, @dead, @elsewhere);
for my $page (sort keys %html) {
    $id{$page} = { map { ($_ => 1) } $html{$page} =~ /\b(?:id|name)="([^"]*)"/g };
}
for my $page (sort keys %html) {
    my $text = $html{$page} =~ s{<script\b[^>]*>\K.*?(?=</script>)}{}gsr;
    push @elsewhere, map { "$page: $_" } $text =~ /(<(?:script|img|iframe|link|source)\b[^>]*\b(?:src|href|srcset)="(?:https?:)?\/\/[^"]*")/g;
    while ($text =~ /\b(?:href|src)="([^"]*)"/g) {
        my ($path, $place) = split /#/, $1 =~ s/&amp;/&/gr, 2;
        next if $path =~ /^(?:[a-z]+:|\/\/)/;
        my $target = $path eq '' ? $page : ($page =~ s{[^/]*$}{}r) . ($path =~ s/\?.*//r);
        1 while $target =~ s{(?:^|/)\K(?:\./|(?!\.\./)[^/]+/\.\./)}{};
        $target =~ s/%([0-9A-F]{2})/chr hex $1/ge;
        push @dead, "$page: $path" if !-f "$site/$target";
        push @dead, "$page: $path#$place" if defined $place && $place !~ /^$|=/ && $html{$target} && !$id{$target}{$place};
    }
}
is(join("\n", @dead[0 .. ($#dead < 20 ? $#dead : 20)]), '', 'every link leads somewhere');
find({ no_chdir => 1, wanted => sub {
    push @elsewhere, map { "$File::Find::name: $_" } slurp($_) =~ /((?:\@import\s*|url\()['"]?(?:https?:)?\/\/[^)]*)/g if /\.css$/;
} }, $site);
is(join("\n", @elsewhere), '', 'no page takes anything from elsewhere');

# What a script finds wrong in the pages, each loaded into a frame of a browser that prefers light or dark pages: it has
# `page`, `inner` (its document) and pushes to `wrong`. '' is nothing.
my ($browser) = grep { found($_) } qw(chromium chromium-browser google-chrome);

sub look_at {
    my ($scheme, $script, @pages) = @_;
    my $prefers = $scheme eq 'dark' ? 0 : 1;
    my $list = join ', ', map { "'$_'" } @pages;
    spew("$site/frame.html", <<"END");
<meta charset=utf-8><title></title><iframe id=f style='width:1280px;height:900px'></iframe><script>
const f = document.getElementById('f'), wrong = [];
const load = page => new Promise(done => { f.onload = done; f.src = page; });
onload = async () => {
    for (const page of [$list]) {
        await load(page);
        const inner = f.contentDocument;
$script
    }
    document.title = 'looked at ' + [$list].length + '; ' + wrong.join('\\n');
};
</script>
END
    my $dom = `tests/lib/limit 280 $browser --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files --blink-settings=preferredColorScheme=$prefers --user-data-dir='$scratch/profile' --virtual-time-budget=600000 --dump-dom 'file://$site/frame.html' 2>/dev/null`;
    my ($title) = $dom =~ m{<title>(.*?)</title>}s;
    return ($title // 'no answer') =~ s/^looked at @{[ scalar @pages ]}; //r;
}

SKIP: {
    skip 'no browser (Debian package: chromium)', 1 if !$browser;
    my @shown = grep { m{^(?:(?:zh/)?(?:\d\d_\w+/\w+|index)|docs/site/devices|05_coalescing/coalescing\.cu)\.html$} } sort keys %html;
    is(look_at('light', <<'END', @shown), '', 'at 390 and 1280 pixels nothing sticks out, and figures follow light and dark');
        for (const width of [390, 1280]) {
            f.style.width = width + 'px';
            if (inner.documentElement.scrollWidth > width) wrong.push(`${page}: ${inner.documentElement.scrollWidth} of ${width}`);
            for (const code of width > 1000 ? inner.querySelectorAll('pre') : [])
                if (code.scrollWidth > code.clientWidth) wrong.push(`${page}, cut: ${code.textContent.slice(0, 60)}`);
            for (const scheme of ['light', 'dark']) {
                inner.body.dataset.theme = scheme;
                for (const image of inner.images)
                    if (!image.naturalWidth || f.contentWindow.getComputedStyle(image).colorScheme != scheme)
                        wrong.push(`${page}, ${scheme}: ${image.src}`);
            }
        }
END
}

# What one types into the search leads to the lesson; code can be copied; what is printed is the page alone.
SKIP: {
    skip 'no browser (Debian package: chromium)', 2 if !$browser;
    my %asked = ('search.html?q=coalescing' => '05 Coalescing', 'zh/search.html?q=' . join('', map { sprintf '%%%02X', ord } split //, '合并访问') => '05 合并访问');
    is(look_at('light', <<"END" =~ s/WANTED/join ', ', map { "'$_': '$asked{$_}'" } sort keys %asked/er, sort keys %asked), '', 'the search finds coalescing, in both languages');
        const wanted = { WANTED }[page];
        for (let tries = 0; tries < 100 && !inner.querySelector('#search-results li'); tries++) await new Promise(done => setTimeout(done, 100));
        if (![...inner.querySelectorAll('#search-results li > a')].some(link => link.textContent.startsWith(wanted))) wrong.push(page + ': ' + inner.getElementById('search-results').textContent.slice(0, 200));
END
    is(look_at('light', <<'END', 'index.html', '05_coalescing/README.html'), '', 'every block of code has a button that copies it');
        for (const code of inner.querySelectorAll('div.highlight > pre')) if (!code.parentNode.querySelector('button.copybtn')) wrong.push(`${page}: ${code.textContent.slice(0, 60)}`);
END
  SKIP: {
        skip 'no pdftotext (Debian package: poppler-utils)', 1 if !found('pdftotext');
        system("tests/lib/limit 100 $browser --headless=new --no-sandbox --disable-gpu --user-data-dir='$scratch/profile' --no-pdf-header-footer --print-to-pdf='$scratch/lesson.pdf' 'file://$site/05_coalescing/README.html' >/dev/null 2>&1");
        my $printed = `pdftotext -layout '$scratch/lesson.pdf' -`;
        ok($printed =~ /they touch 5$/m && $printed =~ /and most bytes are waste/ && $printed !~ /Skip to content|Open in the playground/, 'a lesson is printed to the ends of its lines, with nothing over it');
        like($printed, qr/C1060/, 'and with what is folded');
    }
}

# A Chinese label may be wider than the English one that a figure was drawn for.
SKIP: {
    skip 'no browser (Debian package: chromium)', 1 if !$browser;
    my @figures = map { s{^\Q$site\E/}{}r } glob "'$site'/zh/_images/*.svg";    # what a machine prints is English
    cmp_ok(scalar @figures, '>', 10, 'lessons in Chinese have figures');
    is(look_at('light', <<'END', @figures), '', 'their labels are inside them, and none is on another');
        const box = inner.rootElement.getBoundingClientRect();
        const labels = [...inner.querySelectorAll('text')].map(label => [label.textContent, label.getBoundingClientRect()]);
        labels.forEach(([label, a], i) => {
            if (a.left < box.left - 1 || a.right > box.right + 1 || a.top < box.top - 1 || a.bottom > box.bottom + 1) wrong.push(`${page}: ${label} is cut`);
            for (const [other, b] of labels.slice(i + 1))
                if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.4 * Math.min(a.height, b.height)) wrong.push(`${page}: ${label} / ${other}`);
        });
        if (!/[\u4e00-\u9fff]/.test(labels.join())) wrong.push(`${page}: nothing in Chinese`);
END
}

# A kernel in a lesson, a program, an exercise leads into the playground, and runs there.
SKIP: {
    skip 'no browser (Debian package: chromium)', 1 if !$browser;
    my %links;
    for my $page (sort keys %html) {
        $links{ $1 =~ s/&amp;/&/gr } //= $page while $html{$page} =~ /href="[^"]*playground\.html(#[^"]*code=[^"]*)"/g;
    }
    cmp_ok(scalar keys %links, '>', 30, 'many kernels lead to the playground');
    my ($n, @pages) = 0;
    push @pages, 'docs/site/playground.html?' . ++$n . $_ for sort keys %links;
    my $wrong = look_at('light', <<'END', @pages);
        if (inner.getElementById('refused').textContent || !inner.getElementById('rows').tBodies[0].rows.length) wrong.push(page.replace(/#.*/, '') + ': ' + inner.getElementById('refused').textContent);
END
    is($wrong =~ s/\?(\d+)/' of ' . $links{(sort keys %links)[$1 - 1]}/ger, '', 'and run there');
}

# axe-core finds nothing critical or serious, light and dark: on each kind of page, with TEST_ALL=1 on every page.
SKIP: {
    my ($axe) = grep { defined && -f } $ENV{AXE}, 'node_modules/axe-core/axe.min.js',
        `'$python' -c 'import axe_playwright_python as a; print(a.__path__[0] + "/axe.min.js", end="")' 2>/dev/null`;
    skip 'no browser (Debian package: chromium)', 1 if !$browser;
    skip 'no axe-core (PyPI: axe-playwright-python; AXE names another axe.min.js)', 1 if !$axe;
    spew("$site/axe.min.js", slurp($axe));
    my @pages = grep { $ENV{TEST_ALL} || m{^(?:index|search|05_coalescing/coalescing\.cu|docs/site/(?:devices|playground)|zh/05_coalescing/README|reports/nvidia_h200)\.html$} } sort keys %html;
    my @found;
    while (my @some = splice @pages, 0, 15) {
        for my $scheme ('light', 'dark') {
            push @found, map { "$scheme: $_" } split /\n/, look_at($scheme, <<'END', @some);
        const script = inner.createElement('script');
        await new Promise(done => { script.onload = done; script.src = location.href.replace('frame.html', 'axe.min.js'); inner.head.append(script); });
        const found = await f.contentWindow.axe.run(inner, { resultTypes: ['violations'] });
        for (const { id, impact, nodes } of found.violations)
            if (impact == 'critical' || impact == 'serious')
                wrong.push(`${page}: ${id} ${nodes.length}, ${nodes[0].target} ${nodes[0].any.concat(nodes[0].all)[0]?.message}`);
END
        }
    }
    is(join("\n", @found), '', 'axe-core finds nothing critical or serious, light and dark');
}
done_testing();
