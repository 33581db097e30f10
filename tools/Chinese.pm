# SPDX-License-Identifier: MIT
# What learners read, in Simplified Chinese where they want that: docs/zh_CN/messages.po has the sentences
# of the tools, docs/zh_CN/FOLDER.po those of a folder's pages.
#
#     print said("That was the last hint.\n");         # in Chinese, or as it is
#     print of_page($paragraphs, '05_coalescing');     # Markdown of a page in that folder
#
# Both take and return bytes. A sentence may have numbers, names and other sentences in it: its entry has
# ⟦1⟧, ⟦2⟧ ... in their places. So tools write English alone, and what is not in the file stays English.
package Chinese;
use strict;
use warnings;
use utf8;
use Encode qw(decode_utf8 encode_utf8);
use Exporter qw(import);
use Course;

our @EXPORT = qw(in_chinese said said_of_report said_of_compiler of_page);
our $FOLDER = 'docs/zh_CN';

# COURSE_LANG=zh_CN, or the locale's language; a locale of C is English whatever else is said.
sub in_chinese {
    my ($locale) = grep { length($_ // '') } @ENV{qw(LC_ALL LC_MESSAGES LANG)}, 'C';
    return 0 if ($ENV{LC_ALL} // '') =~ /^(?:C|POSIX)$/;
    return (length($ENV{COURSE_LANG} // '') ? $ENV{COURSE_LANG} : $locale) =~ /^zh(?:[_.-](?!TW|HK|Hant)|$)/ ? 1 : 0;
}

# ---- .po files ---------------------------------------------------------------------------------
# The entries of a .po file by msgid; the header's is ''.
sub entries {
    my ($file) = @_;
    my %entries;
    for my $lines (split /\n\s*\n/, decode_utf8(slurp($file) // die "$file: $!\n")) {
        next if $lines =~ /^#~/m;
        my %entry = (fuzzy => scalar $lines =~ /^#,.*\bfuzzy\b/m, name => scalar $lines =~ /^# a name$/m, cudacc => scalar $lines =~ /^# of cudacc$/m);
        for my $field (qw(msgid msgstr)) {
            my ($strings) = $lines =~ /^$field ((?:".*"\s*)+)/m or die encode_utf8("$file: no $field in '$lines'\n");
            $entry{$field} = join '', $strings =~ /"(.*)"/g;
            $entry{$field} =~ s/\\(.)/$1 eq 'n' ? "\n" : $1/ge;
        }
        $entries{ $entry{msgid} } = \%entry;
    }
    return \%entries;
}

my %read;    # by name: the entries, in characters
sub entries_of { my ($name) = @_; my $file = "$root/$FOLDER/$name.po"; return $read{$name} //= -f $file ? entries($file) : {} }

# ---- Sentences of tools ------------------------------------------------------------------------
# [pattern, msgid, msgstr] of the entries with places to fill, those with the most words of their own first.
# What fills one has no other sentence after it.
my $patterns;
sub patterns {
    my $entries = entries_of('messages');
    return @{ $patterns //= [map { [qr/\A@{[join '((?:(?![:;] ).)+?)', map { quotemeta } split m{⟦\d⟧}, $_, -1]}\z/s, $_, $entries->{$_}{msgstr}] }
        sort { length $b =~ s/⟦\d⟧//gr <=> length $a =~ s/⟦\d⟧//gr || $a cmp $b } grep { /⟦/ } keys %$entries] };
}

our $of_report;    # there names of kernels and variables, and not words, stand alone
our $of_cudacc;    # what cudacc says, and not the host's compiler: that stays English
sub sentence {
    my ($text) = @_;
    return $text if $text eq '';
    $text =~ s/\b1 byte(?=[,;)]| at | past | before | from malloc|\z)/1 bytes/g;    # Chinese has one form
    my $entry = entries_of('messages')->{$text};
    undef $entry if $of_cudacc && $entry && !$entry->{cudacc};
    return $entry->{msgstr} || $text if $entry || $text !~ /[a-z]/;
    for (patterns()) {
        my ($pattern, $msgid, $msgstr) = @$_;
        next if $of_cudacc && !entries_of('messages')->{$msgid}{cudacc};
        my @filled = $text =~ $pattern or next;
        my %filled;
        @filled{ $msgid =~ /⟦(\d)⟧/g } = map { $of_report && /^\w+\z/ && !(entries_of('messages')->{$_} // {})->{name} ? $_ : sentence($_) } @filled;
        return $msgstr =~ s/⟦(\d)⟧/$filled{$1}/gr;
    }
    # Where something happened, or one thing after another.
    my ($first, $mark, $rest) = $text =~ /\A(.+?)([:;] )(.+)\z/s or return $text;
    $mark =~ tr/:; /：；/d if sentence($first) ne $first || sentence($rest) ne $rest;
    return sentence($first) . $mark . sentence($rest);
}

# Lines of English as the learner is to read them; blanks around them stay.
sub said {
    my ($english) = @_;
    return $english if !in_chinese();
    return encode_utf8(decode_utf8($english) =~ s/^([ ]*)(\S.*?)([ ]*)$/$1 . sentence($2) . $3/mger =~ s/[：；。]\K +$//mgr);
}

# Lines that a traced program prints: its words, and the table's rows as they are.
sub said_of_report {
    local $of_report = 1;
    return map { /^ +(?:\S*\d  |pc 0x|all |line )|^ {8}(?! *->)|^\S+ {2,}/ ? $_ : /^( *-> )(.*)/s ? $1 . said($2) : said($_) } @_;
}

# Lines of messages of cudacc: FILE:LINE and what kind it is stay, for editors look for them; so does the host's compiler.
sub said_of_compiler {
    return @_ if !in_chinese();
    local ($of_report, $of_cudacc) = (1, 1);
    my $color = qr/(?:\e\[[\d;]*[mK])*/;
    return map { s{^($color(?:cudacc|translate|[^\s:][^:]*:\d+[:\d]*):$color (?:$color(?:error|warning|note):$color )?)(.*)}{$1 . said($2)}er } @_;
}

# ---- Pages -------------------------------------------------------------------------------------
# The parts of a page or a figure in its order: what is no message as it is, messages as [TEXT, is it in a
# figure].
sub parts {
    my ($page) = @_;
    my @parts;
    if ($page =~ /^<\?xml|^<svg/) {
        return map { /^<text\b/ ? (/^(<.*?>)/s, [substr($_, $+[0]), 1]) : $_ } split /(<text\b[^>]*>[^<]*)/, $page;
    }
    my $stops = qr/[ ]*\n|[ ]*(?:[-*]|\d+\.)[ ]|\#|\||```|<\/?(?:details|summary)|<!--(?!=)/;
    while ($page !~ /\G\z/gc) {
        if ($page =~ /\G(```.*?^```[^\n]*\n|<!--(?!=).*?-->[^\n]*\n|[ ]*\n|[ ]{4}[^\n]*\n|\[\w+\]:[ ]\S+\n)/gcms) {
            push @parts, $1;
        } elsif ($page =~ /\G(\|[^\n]*\n)/gc) {
            push @parts, map { /^(?:\s*\|)*\s*\z/ ? $_ : [$_] } split /((?:\s*(?<!\\)\|\s*)+)/, $1;
        } elsif ($page =~ /\G((?:<details>)?<summary>)(.*?)(<\/summary>\n)|\G(<[^\n]*\n)/gc) {
            push @parts, defined $4 ? $4 : ($1, [$2], $3);
        } elsif ($page =~ /\G(\#+[ ]+)([^\n]*)(\n)/gc
            || $page =~ /\G([ ]*(?:(?:[-*]|\d+\.)[ ]+)?)([^\n]+(?:\n(?!$stops)[^\n]+)*)(\n|\z)/gc) {
            push @parts, $1, [$2], $3;
        } else {
            die "chinese: cannot read '" . substr($page, pos $page, 40) . "'\n";
        }
    }
    return @parts;
}

# A message as its .po file has it, and the figures by name; nothing where there is nothing to translate.
sub message {
    my ($text, $in_figure) = @_;
    my ($count, %figure) = 0;
    my $numbered = sub {
        return $_[0] =~ s{(?<![\w.])\d+(?:\.\d+)?(?!\w)}{ $figure{ ++$count } = $&; "⟦$count⟧" }ger;
    };
    my $named = sub {
        my ($name, $value) = @_;
        return $numbered->($value) if $name =~ m{/} && $name !~ / %\S+$/;
        $name =~ s{^.*/\w+\.| %\S+$}{}g;
        $name .= '_' while exists $figure{$name};
        $figure{$name} = $value;
        return "⟦$name⟧";
    };
    $text =~ s/<!--=(.*?)-->(.*?)<!--\/-->/$named->($1, $2)/gse;
    $text = $numbered->($text) if $in_figure && $text !~ /\]\(/ || $text =~ /^[\d.]+ \(range \d+ %\)\z/;
    $text =~ s/\s*\n\s*/ /g;
    my $words = $text =~ s/`[^`]*`|\]\([^)]*\)|⟦.*?⟧|\w*_\w*//gr;
    return $words =~ /[A-Za-z][a-z]{2}|\b(?:no|of|to)\b/ ? ($text, \%figure) : ();
}

# A text of a page, from the .po file of its folder; figures are as the text has them.
sub of_page {
    my ($english, $folder) = @_;
    return $english if !in_chinese();
    return encode_utf8(join '', map { ref ? in_place($_, entries_of($folder)) : $_ } parts(decode_utf8($english)));
}

# A part of a page in Chinese, or as it is.
sub in_place {
    my ($part, $entries) = @_;
    my ($text, $figure) = message(@$part);
    my $entry = defined $text && $entries->{$text};
    return !$entry || $entry->{fuzzy} || $entry->{msgstr} eq '' ? $part->[0] : $entry->{msgstr} =~ s/⟦(.*?)⟧/$figure->{$1} \/\/ $&/ger;
}

1;
