# The interpreter of docs/site/playground.html, in node and in a browser. A test begins with
#
#     use lib 'tests/lib';
#     use Tests qw(page);
#
# SPDX-License-Identifier: MIT
use strict;
use warnings;

my ($browser) = grep { found($_) } qw(chromium chromium-browser google-chrome);
my $node = found('node');
my ($scratch, $root);

# What a test of it begins with: a folder of its own, the root, and where the interpreter runs.
sub playground {
    Test::More::plan(skip_all => 'no browser (Debian package: chromium) and no node') if !$browser && !$node;
    ($scratch, $root) = scratch_and_root();
    return ($scratch, $root, $node ? 'node' : (), $browser ? 'browser' : ());
}

# What a script leaves in `answers`, in node or in the browser.
sub answers {
    my ($in, $text) = @_;
    if ($in eq 'node') {
        spew("$scratch/ask.js", "const Cuda = require('$root/docs/site/play/interpreter.js');\n$text\nprocess.stdout.write(JSON.stringify(answers));\n");
        my ($status, $said, $wrong) = sh("node $scratch/ask.js");
        return eval { decode_json($said) } // ["node: $wrong"];
    }
    my @parts = map { "play/$_.js" } qw(words types expressions parser host compiler functions counts memory interpreter);
    my $scripts = join '', map { '<script>' . slurp("$root/docs/site/$_") . '</script>' } @parts;
    $scripts .= '<script>const Cuda = cudaInterpreter(CUDA_PARTS);</script>';
    spew("$scratch/ask.html", "<meta charset=utf-8><title></title>$scripts<script>try { $text\ndocument.title = JSON.stringify(answers); } catch (e) { document.title = JSON.stringify(['' + e.stack]); }</script>");
    my $dom = `$root/tests/lib/limit 120 $browser --headless=new --no-sandbox --disable-gpu --user-data-dir='$scratch/profile' --virtual-time-budget=60000 --dump-dom 'file://$scratch/ask.html' 2>/dev/null`;
    my ($title) = $dom =~ m{<title>(.*?)</title>}s;
    $title //= '[]';
    $title =~ s/&lt;/</g, $title =~ s/&gt;/>/g, $title =~ s/&amp;/&/g;
    return eval { decode_json($title) } // [$title];
}

1;
