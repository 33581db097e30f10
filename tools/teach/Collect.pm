# SPDX-License-Identifier: MIT
# make collect: what an LMS hands out becomes returned/ID/NN_x/exercises/K_y/exercise.cu and collect.json.
#
# A *unit* is what has come under one name: a folder, an archive, or loose files. Whose it is, and which file is which
# exercise, is never guessed: it is one, or a question, which overrides.csv answers (Roster.pm). No file's time is used.
# Nothing is unpacked to disk: bsdtar turns an archive into a plain stream of files, in a box (Sandbox.pm), and that
# stream is read here. Of a folder regular files alone are read, never through a link. What cannot be read and may
# be an exercise is a question, too.
package Collect;
use strict;
use warnings;
use Archive::Tar;
use Digest::SHA qw(hmac_sha256_hex);
use Encode qw(decode encode);
use Exporter qw(import);
use Fcntl qw(O_RDONLY O_NOFOLLOW O_NONBLOCK);
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Path qw(remove_tree);
use File::Temp ();
use JSON::PP;
use POSIX qw(mktime strftime);
use Unicode::Normalize qw(NFC);
use Course;
use Exercises;
use Handin;
use Roster;
use Sandbox;

our @EXPORT = qw(collect collected read_plain plain_name json);

our ($most_bytes, $most_files, $most_unpacked, $most_in_class) = (256 * 1024, 4000, 20 << 20, 160 << 20);
my $handin_name = qr/^handin(?:[_ .(-].*)?\.json$/i;
my $archive_name = qr/\.(?:zip|tar|tgz|tar\.\w+|tbz2?|txz|7z|rar)$/i;

sub json { return JSON::PP->new->canonical->pretty->indent_length(1)->utf8 }

# A name as it can be shown anywhere: control characters and bytes that are no UTF-8 become \xNN.
sub plain_name {
    my ($name) = @_;
    my $text = utf8::is_utf8($name) ? $name : eval { decode('UTF-8', my $copy = $name, Encode::FB_CROAK) } // $name =~ s/([\x80-\xff])/sprintf '\\x%02x', ord $1/ger;
    return $text =~ s/([\x00-\x1f\x7f-\x9f\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}])/sprintf '\\x%02x', ord $1/ger;
}

# ---- Reading ---------------------------------------------------------------------------------------
# A regular file's bytes; or nothing, and why.
sub read_plain {
    my ($path, $most) = @_;
    $most //= $most_bytes;
    return (undef, 'it is a link, not a file') if -l $path;
    sysopen my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return (undef, 'it cannot be read');
    return (undef, -d $file ? 'it is a folder, not a file' : 'it is no regular file') if !-f $file;
    my $bytes = '';
    1 while length $bytes <= $most && sysread $file, $bytes, 65536, length $bytes;
    return length $bytes > $most ? (undef, too_large($most)) : ($bytes);
}

# ---- What there is: entries { name, path or bytes, or why there is neither } ------------------------
my $not_looked_at = qr/^(?:\.git|build|__MACOSX|\.DS_Store|\._.*)$/;

# All files of a folder. Links are named and not followed.
sub folder_entries {
    my ($folder, $prefix, $list, $depth) = @_;
    opendir my $dir, $folder or return push @$list, { name => $prefix, unreadable => 1, why => 'it cannot be read' };
    for my $name (sort grep { !/^\.\.?$/ } readdir $dir) {
        my $entry = { name => "$prefix$name", path => "$folder/$name" };
        my $is_folder = !-l $entry->{path} && -d _;
        $entry->{why} = 'it is a link, not a file' if -l $entry->{path};
        if (@$list >= $most_files) { push @$list, { name => "$prefix$name", unreadable => 1, why => "it and what follows is not looked at: more than $most_files files" }; return }
        if ($name =~ $not_looked_at) { push @$list, { name => "$prefix$name", why => 'it is not looked at' } }
        elsif ($is_folder && $depth > 12) { push @$list, { name => "$prefix$name", unreadable => 1, why => 'folders in folders, too deep' } }
        elsif ($is_folder) { folder_entries($entry->{path}, "$prefix$name/", $list, $depth + 1) }
        else { push @$list, $entry }
    }
    return;
}

# What may be taken of a student's archives, over all that are in each other: bytes, files, seconds of processor time.
sub budget { my ($most) = @_; return { bytes => $most, files => $most_files * ($most / $most_unpacked), seconds => 20 } }

# All files of an archive, named after it. bsdtar reads a copy, which its user may read.
sub archive_entries {
    my ($path, $name, $left) = @_;
    my $refused = sub { return { name => $name, unreadable => 1, why => "archive: $_[0]" } };
    die "archives are unpacked by bsdtar: install libarchive-tools\n" if !found('bsdtar');
    return $refused->('it is too large') if -s $path > $left->{bytes};
    return $refused->('it unpacks to too much') if $left->{seconds} < 1;
    my $folder = File::Temp::tempdir(CLEANUP => 1);
    copy($path, "$folder/archive") && chmod(0711, $folder) && chmod 0644, "$folder/archive" or die "$folder: $!\n";
    my @before = times;
    my $run = run_job(
        command => ['sh', '-c', 'bsdtar -tf "$1" 2>/dev/null | grep -aEo "^(.*/)?(\.git|build|__MACOSX)/" | sort -u | head -n 1000 >skipped
            exec bsdtar -cf all.tar --format=gnutar --exclude .git --exclude build --exclude __MACOSX "@$1"', 'sh', "$folder/archive"],
        read => ["$folder/archive"], fetch => ['skipped', 'all.tar'], seconds => int $left->{seconds}, megabytes => 1024, files_output => $left->{bytes} + (8 << 20),
        environment => { LC_ALL => 'C.UTF-8' },
    );
    remove_tree($folder);
    die "bsdtar does not run in the box: $run->{err}\n" if $run->{code} == 127;
    my $said = ($run->{err} =~ /bsdtar: (.*)/)[0] // '';
    my $encrypted = $said =~ /[Pp]ass|ncrypt/;
    my $is_too_much = $run->{limit} || ($run->{signal} // 0) == 25;
    my ($all, $prefix) = ($run->{files}{'all.tar'}, length $name ? "$name/" : '');
    my @entries = map { +{ name => "$prefix$_", why => 'it is not looked at' } } split /\n/, $run->{files}{skipped} // '';
    if (!$is_too_much && defined $all && !($run->{code} && ($encrypted || $said =~ /Unrecognized/))) {
        open my $stream, '<', \$all or die "$path: $!\n";
        local ($Archive::Tar::WARN, $SIG{__WARN__}) = (0, sub { });
        my $next = Archive::Tar->iter($stream);
        while ($next && $left->{files} > 0 && (my $file = $next->())) {
            my $inside = $prefix . join '/', grep { length && !/^\.\.?$/ } split m{/}, $file->full_path;
            next if $file->is_dir;
            $left->{files}--;
            my $too_large = $file->size > $most_bytes && $inside !~ $archive_name;
            push @entries, { name => $inside, !$file->is_file ? (why => 'it is a link, not a file') : $too_large ? (why => too_large()) : (bytes => $file->get_content) };
        }
        return $refused->('it has too many files') if $left->{files} <= 0;
        push @entries, $refused->('a part of it is damaged') if $run->{code};
    } else {
        push @entries, $refused->($is_too_much ? 'it unpacks to too much' : $encrypted ? 'it is encrypted' : 'it is damaged, or no archive');
    }
    my @after = times;
    $left->{seconds} -= $after[$_] - $before[$_] for 0 .. 3;
    $left->{bytes} -= length($all // '');
    $left->{bytes} = $left->{seconds} = 0 if $is_too_much;
    return @entries;
}

# The same with what is in archives, and in archives in them.
sub unpacked {
    my ($entry, $depth, $left) = @_;
    return $entry if $entry->{why} || $entry->{name} !~ $archive_name || (defined $entry->{path} && (-l $entry->{path} || !-f _));
    return { name => $entry->{name}, unreadable => 1, why => 'an archive in an archive in an archive' } if $depth > 2;
    my $file = defined $entry->{path} ? undef : File::Temp->new;
    spew("$file", delete $entry->{bytes}) if $file;
    return map { unpacked($_, $depth + 1, $left) } archive_entries($entry->{path} // "$file", $entry->{name}, $left);
}

sub too_large { my ($most) = @_; return 'it has more than ' . ($most // $most_bytes) / 1024 . ' KiB' }

# The bytes of an entry that is to be read; or nothing, and why.
sub content { my ($entry, @most) = @_; return defined $entry->{path} ? read_plain($entry->{path}, @most) : ($entry->{bytes}) }

# ---- Whose ------------------------------------------------------------------------------------------
# A unit is what has come under one name: label, as overrides.csv calls it; what an LMS says of it (canvas, moodle:
# numbers; id, email, name; late, time); entries.
sub units {
    my ($from, $on_roster, $nowhere) = @_;
    my @entries;
    if (-f $from && $from =~ $archive_name) {
        @entries = archive_entries($from, '', budget($most_in_class));
        die "$from: $entries[0]{why}; or unpack it, and give the folder\n" if @entries == 1 && $entries[0]{name} eq '';
    } else {
        opendir my $dir, $from or die "$from: there is no such folder or archive\n";
        for my $name (sort grep { !/^\.\.?$/ } readdir $dir) {
            my $path = "$from/$name";
            my @inside;
            if (-l $path || !-d _) { push @entries, { name => $name, path => $path, -l _ ? (why => 'it is a link, not a file') : () }; next }
            folder_entries($path, "$name/", \@inside, 0);
            push @entries, @inside ? @inside : { name => "$name/", why => 'an empty folder' };
        }
    }
    my $one = length($ENV{ONE} // '') ? $ENV{ONE} : (grep { $_->{name} =~ m{^\d\d_\w+/exercises/} } @entries) ? basename($from) =~ s/$archive_name//r : undef;
    return { label => plain_name($one), name => plain_name($one), one => length($ENV{ONE} // ''), entries => \@entries } if defined $one;
    my $said = gradescope_says(\@entries);
    my %top = map { s{/.*}{}sr => 1 } map { $_->{name} } @entries;
    if (!$said && keys %top == 1 && @entries > 1 && !grep { /_assignsubmission_/ } keys %top) {    # all in one folder that is no student's
        my ($top) = keys %top;
        $on_roster && !$on_roster->(plain_name($top)) and $_->{name} =~ s{^\Q$top\E/}{} for @entries;
    }
    my %unit;
    for my $entry (@entries) {
        my $is = unit_of($entry, $said);
        if (!$is) { push @$nowhere, { file => plain_name($entry->{name}), why => $entry->{why} // 'it is no hand-in' }; next }
        my $unit = $unit{ join ' ', $is->{label}, grep { exists $is->{$_} } qw(canvas moodle people) } //= $is;
        $unit->{late} ||= $is->{late};
        push @{ $unit->{entries} }, $entry;
    }
    return map { $unit{$_} } sort keys %unit;
}

# By what an LMS puts in front of a name; else a folder's own name, an archive's. The entry's name loses it.
sub unit_of {
    my ($entry, $said) = @_;
    my ($top, $rest) = $entry->{name} =~ m{^([^/]+)/(.*)\z}s;
    my $folder = defined $top;
    $top //= $entry->{name};
    if ($top =~ /^(.+)_(\d+)_assignsubmission_(?:file|onlinetext)(?:_(.*))?$/s) {    # Moodle: a folder, or a file's name
        my ($name, $number, $file) = (plain_name($1), $2, $3);
        $entry->{name} = $folder ? $rest : $file;
        return { label => "${name}_$number", name => $name, moodle => $number };
    }
    if (!$folder && $top =~ /^(.+?)_(LATE_)?(\d+)_\d+_(.+)$/s) {    # Canvas
        my ($name, $late, $number, $file) = (plain_name($1), $2, $3, $4);
        $entry->{name} = $file;
        return { label => "${name}_$number", name => $name, canvas => $number, late => defined $late };
    }
    my $gradescope = $said && $said->{$top};
    return if $said && !$gradescope;
    $entry->{name} = $rest if $folder;
    return { %$gradescope, label => $top } if $gradescope;
    return { label => plain_name($top), name => plain_name($top) } if $folder;
    return if $top !~ $archive_name && $top !~ $handin_name && $top !~ /\.cu\b/i;
    my $label = plain_name($top =~ s/$archive_name|\.\w+$//r);
    $label = 'loose files' if $label =~ /^exercise\b/i;
    return { label => $label, name => $label };
}

# Gradescope's submission_metadata.yml: by folder, whose it is, and when it came. The folder round it goes.
sub gradescope_says {
    my ($entries) = @_;
    my ($file) = grep { $_->{name} =~ m{^(?:[^/]+/)?submission_metadata\.ya?ml$} } @$entries or return;
    my $around = dirname($file->{name}) =~ s{^\.$}{}r;
    @$entries = grep { $_ != $file } @$entries;
    length $around and $_->{name} =~ s{^\Q$around\E/}{} for @$entries;
    my ($text, $why) = content($file, 64 << 20);
    die "$file->{name}: $why\n" if !defined $text;
    my (%said, $unit);
    my $value = qr/\s*(?|'(.*)'|"(.*)"|(.*?))\s*$/;
    for (split /\n/, decode('UTF-8', $text)) {
        if (/^(submission_\d+):/) { $unit = $said{$1} = { people => 0 } }
        elsif ($unit && /^  (?:- |  ):(name|sid|email):$value/) { my ($what, $is) = ($1, $2); $unit->{people}++ if /^  - /; $unit->{ $what eq 'sid' ? 'id' : $what } //= $is }
        elsif ($unit && /^\s+(?::created_at|utc): (\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(?:Z|UTC|\+00:00)\s*$/) { $unit->{time} //= "$1T$2Z" }
    }
    die "$file->{name}: no submission is in it\n" if !%said;
    return \%said;
}

# Gives each unit its student: by overrides.csv, else by the roster, else its own. Returns what is left to decide.
sub identify {
    my ($units, $rows, $overrides) = @_;
    my %row = map { lc $_->{is} => $_ } @{ $rows // [] };
    my (%decided, @questions, %units_of);
    $decided{ NFC($_->{value}) } = $_ for grep { $_->{kind} eq 'hand-in' } @$overrides;
    for my $unit (@$units) {
        if (my $o = delete $decided{ NFC($unit->{label}) }) {
            die "$o->{said}: no student of the roster has this ID\n" if $rows && $o->{student} ne '-' && !$row{ lc $o->{student} };
            @$unit{qw(match is sure)} = ("overrides.csv: $o->{reason}", $o->{student}, 1);
        } elsif ($rows) {
            my ($by, $ask, @may) = by_handin($unit, $rows, may_be($unit, $rows));
            if (!$ask) { @$unit{qw(match is)} = ($by, $may[0]{is}) }
            else { push @questions, ['?', 'hand-in', $unit->{label}, @may ? "$by: may be " . join ' or ', map { "$_->{is} ($_->{name})" } @may : "$by: nobody on the roster"] }
        } else {
            my @own = $unit->{one} ? () : unique(map { $_->{id} } @{ $unit->{handins} // [] });
            push @questions, ['?', 'hand-in', $unit->{label}, 'its handin files are of ' . join ' and ', @own] if @own > 1;
            @$unit{qw(match is)} = ('no roster: its own name', safe_id($own[0] // $unit->{id} // (defined $unit->{canvas} || defined $unit->{moodle} ? $unit->{label} : $unit->{name})));
        }
        push @{ $units_of{ lc $unit->{is} } }, $unit if defined $unit->{is} && $unit->{is} ne '-';
    }
    my ($unknown) = map { "$decided{$_}{said}: there is no hand-in of this name\n" } sort keys %decided;
    die $unknown if defined $unknown;
    for my $is (sort keys %units_of) {
        my @same = @{ $units_of{$is} };
        push @questions, map { [$is, 'hand-in', $_->{label}, scalar(@same) . " hand-ins are said to be $is"] } grep { !$_->{sure} } @same if @same > 1;
    }
    return @questions;
}

# ---- Which files --------------------------------------------------------------------------------------
# Counts: what make handin has written; else exercise.cu in the exercise's folder; outside of all of these a file of
# this name, and numbers that a download adds, whose first line says which exercise it is.
my $loose_name = qr/^exercise(?:[ ._-]*\(?\d+\)?)*\.cu(?:\.txt)?$/i;

sub look_at {
    my ($unit, $entry, $exercises) = @_;
    my $name = plain_name($entry->{name});
    my $base = basename($name);
    my $leave = sub { push @{ $unit->{left_out} }, { file => $name, why => $_[0] } };
    my $ask = sub { push @{ $unit->{found} }, { id => 'unreadable', name => $name, place => '', text => '', why => $_[0] } };
    my $may_be_one = $base =~ $handin_name || $base =~ /exercise|\.cu|^first_answers/i;
    return $entry->{unreadable} || ($may_be_one && $entry->{why} eq too_large()) ? $ask->($entry->{why}) : $leave->($entry->{why}) if $entry->{why};
    my ($in) = grep { lc(dirname($name)) =~ m{(?:^|/)\Q@{[lc short($exercises->{$_}{folder})]}\E$} } keys %$exercises;
    return $unit->{of_course}++ if $base !~ /^(?:exercise|first_answers|handin)/i && is_of_course($name);
    return $leave->('its name is not exercise.cu') if !$may_be_one && $base !~ /\.(?:txt|cpp|cc|cxx|c|h|cuh)$/i;
    my ($bytes, $why) = content($entry);
    return $may_be_one && $why !~ /^it is / ? $ask->($why) : $leave->($why) if !defined $bytes;
    return push @{ $unit->{answers} }, { name => $name, place => dirname($name), text => $bytes } if $base =~ /^first_answers\.txt$/i;
    if ($base =~ $handin_name) {
        my $said = eval { read_handin($bytes) } or return $ask->($@ =~ s/\n\z//r);
        push @{ $unit->{handins} }, $said;
        for my $x (@{ $said->{exercises} }) {
            if (!$exercises->{ $x->{id} }) { $leave->("there is no exercise $x->{id}"); next }
            my ($front, undef, $back) = parts($exercises->{ $x->{id} }{start});
            push @{ $unit->{found} }, { id => $x->{id}, name => "$name, $x->{id}", place => '', first => 1, text => "$front$x->{region}$back", repaired => [],
                answers => $x->{answers}, why => $x->{wrong} ? 'it was edited after make handin' : '' };
        }
        return;
    }
    my ($text, @done) = repaired($bytes);
    my ($first) = grep { $exercises->{$_} } $text =~ m{\A\s*//+\s*(\d+\.\d+)\b};
    my $says = $in // $first;
    $why = !defined $says ? 'no exercise is named in its first line'
        : (defined $in ? lc $base ne 'exercise.cu' : $base !~ $loose_name) ? 'its name is not exercise.cu'
        : ($first // $says) ne $says ? "its first line says $first, its folder $in" : '';
    push @{ $unit->{found} }, { id => $why =~ /^its first line/ ? $first : $says // '', why => $why, text => $text, repaired => \@done, name => $name, place => dirname($name) };
    return;
}

# Is there such a file in the course itself?
sub is_of_course {
    my ($name) = @_;
    my @parts = split m{/}, $name;
    return scalar grep { -f "$root/" . join '/', @parts[$_ .. $#parts] } 0 .. ($#parts > 4 ? 4 : $#parts);
}

# A student's file for each exercise. Two that differ between the marks, or none but by another name: a question.
sub choose {
    my ($student, $exercises, $overrides) = @_;
    my (%file, @questions);
    my $region = sub { return (parts($_[0]))[1] // $_[0] };
    for my $o (grep { $_->{kind} eq 'file' } @$overrides) {
        if ($o->{value} eq 'unreadable' && !defined $o->{exercise}) {
            $_->{why} .= "; overrides.csv: $o->{reason}", $_->{id} = '-', $student->{unreadable} = 1 for grep { $_->{id} eq 'unreadable' } @{ $student->{found} // [] };
            next;
        }
        my ($one) = grep { $_->{name} eq $o->{value} && $_->{id} ne 'unreadable' } @{ $student->{found} // [] } or die "$o->{said}: $student->{id} has no such file that can be read\n";
        if (defined $o->{exercise}) { $student->{chosen}{ $o->{exercise} } = { %$one, by => "overrides.csv: $o->{reason}" } }
        @$one{qw(id why)} = ('-', "overrides.csv: $o->{reason}");
    }
    push @{ $file{ $_->{id} } }, $_ for @{ $student->{found} // [] };
    push @questions, map { [$student->{id}, 'file ?', $_->{name}, "$_->{why}, and no folder says it"] } grep { $_->{text} =~ /^\Q$begin_mark\E$/m } @{ $file{''} // [] };
    my ($first, @more) = @{ $file{unreadable} // [] };
    push @questions, [$student->{id}, 'file -', 'unreadable', "$first->{name}: $first->{why}" . (@more ? ', and ' . @more . ' more' : '')] if $first;
    for my $id (sort keys %$exercises) {
        my @all = @{ $file{$id} // [] };
        next if $student->{chosen}{$id} || !@all;
        my $untouched = $region->($exercises->{$id}{start});
        my @begun = grep { $region->($_->{text}) ne $untouched } @all;
        my @counted = grep { $_->{why} eq '' } @begun ? @begun : @all;
        @counted = grep { $_->{why} eq '' } @all if !@counted;
        @counted = grep { $_->{first} } @counted if grep { $_->{first} } @counted;
        my @texts = unique(map { $region->($_->{text}) } @counted);
        my @tried = @texts ? () : grep { $_->{text} =~ /^\Q$begin_mark\E$/m } @begun;
        if (@texts > 1) { push @questions, map { [$student->{id}, "file $id", $_->{name}, 'several, and they differ'] } @counted }
        elsif (@tried) { push @questions, map { [$student->{id}, "file $id", $_->{name}, "$_->{why}, and there is no other"] } @tried }
        elsif (@texts) { $student->{chosen}{$id} = $counted[0] }
    }
    my %taken = map { $_->{name} => 1 } values %{ $student->{chosen} // {} };
    push @{ $student->{left_out} }, map { +{ file => $_->{name}, why => $_->{why} || "another one is taken for $_->{id}" } } grep { !$taken{ $_->{name} } } @{ $student->{found} // [] };
    answers($student);
    push @{ $student->{left_out} }, { file => '', why => "$student->{of_course} files that the course has, too" } if $student->{of_course};
    return @questions;
}

# First answers are those of the exercise beside them, if it is one.
sub answers {
    my ($student) = @_;
    for my $answers (@{ $student->{answers} // [] }) {
        my @beside = grep { $_->{place} eq $answers->{place} } values %{ $student->{chosen} // {} };
        if (@beside == 1 && length $answers->{text} < 1 << 20) { $beside[0]{answers} = $answers->{text}; next }
        push @{ $student->{left_out} }, { file => $answers->{name}, why => @beside == 1 ? 'it is too long' : 'which exercise it belongs to is not said' };
    }
    return;
}

# ---- All -------------------------------------------------------------------------------------------
sub safe_id {
    my ($name) = @_;
    my $id = $name =~ s/[^A-Za-z0-9._-]+/-/gr =~ s/^[-.]+|[-.]+$//gr;
    $id = join '', map { sprintf 'u%x', ord } grep { /\w/ } split //, $name if !length $id;    # 张伟
    return length $id ? substr $id, 0, 60 : 'student';
}

# The ID, or ID-2, ID-3 ..., whichever is not used yet.
sub free_id {
    my ($wanted, $used) = @_;
    my $id = $wanted;
    for (my $n = 2; $used->{ lc $id }++; $n++) { $id = "$wanted-$n" }
    return $id;
}

# Returns collect.json's content; or dies with a table of what is to be decided.
sub collect {
    my ($from, $to, $roster, $overrides) = @_;
    my %exercises = map { $_->{id} => $_ } all_exercises();
    my $rows = defined $roster ? [roster($roster)] : undef;
    my @overrides = defined $overrides ? read_overrides($overrides) : ();
    die "$to exists already, and is no folder that make collect of this copy of the course wrote\n" if -e $to && !eval { collected($to) };
    my @nowhere;
    my @units = units($from, $rows && sub { my (undef, @may) = may_be({ name => $_[0] }, $rows); return scalar @may }, \@nowhere);
    for my $unit (@units) { my $left = budget($most_unpacked); look_at($unit, $_, \%exercises) for map { unpacked($_, 1, $left) } @{ delete $unit->{entries} } }
    my @questions = identify(\@units, $rows, \@overrides);
    my @students = map { +{ id => $_->{is}, row => $_, units => [] } } @{ $rows // [] };
    my %student = map { lc $_->{id} => $_ } @students;
    for my $unit (grep { defined $_->{is} } @units) {
        if ($unit->{is} eq '-') { push @nowhere, { file => $unit->{label}, why => $unit->{match} }; next }
        push @students, $student{ lc $unit->{is} } = { id => $unit->{is}, units => [] } if !$student{ lc $unit->{is} };
        push @{ $student{ lc $unit->{is} }{units} }, $unit;
    }
    for my $s (@students) {
        $s->{match} = join '; ', unique(map { $_->{match} } @{ $s->{units} });
        for my $unit (@{ $s->{units} }) {
            push @{ $s->{$_} }, @{ $unit->{$_} // [] } for qw(found left_out answers);
            $s->{of_course} += $unit->{of_course} // 0;
        }
    }
    for my $o (grep { $_->{kind} ne 'hand-in' } @overrides) {
        my $s = $student{ lc $o->{student} } // die "$o->{said}: there is no such student\n";
        die "$o->{said}: there is no such exercise\n" if defined $o->{exercise} && !$exercises{ $o->{exercise} };
        push @{ $s->{overrides} }, $o;
    }
    push @questions, choose($_, \%exercises, $_->{overrides} // []) for @students;
    die to_decide(@questions) if @questions;
    die "$from: no exercise is in there\n" if !grep { $_->{chosen} || $_->{left_out} } @students;
    my $new = "$to.$$.new";
    make_path($new);
    my $all = { from => plain_name($from), students => [map { written($new, $_, \%exercises) } sort { $a->{id} cmp $b->{id} } @students], left_out => \@nowhere };
    my $text = json()->encode({ %$all, seal => '' });
    spew("$new/collect.json", with_seal($text, seal_of($text)));
    remove_tree($to) if -e $to;
    rename $new, $to or die "$to: $!\n";
    return $all;
}

# collect.json ends with a seal: a hash of it with a key that this copy of the course keeps. So none that a student
# hands in, somewhere in a folder, is taken for ours.
sub with_seal { my ($text, $seal) = @_; return $text =~ s/^( "seal" : ")\w*(?=",?$)/$1$seal/mr }

sub seal_of {
    my ($text) = @_;
    my $file = "$build/collect.key";
    make_path($build);
    if (!-s $file) {
        spew($file, Sandbox::random_word());
        chmod 0600, $file;
    }
    return hmac_sha256_hex(with_seal($text, ''), slurp($file));
}

# The students of a folder that make collect has made; undef: it is none.
sub collected {
    my ($from) = @_;
    my $text = slurp("$from/collect.json") // return undef;
    my $wrong = "$from/collect.json: make collect of this copy of the course did not write it; collect again, or delete it\n";
    my $students = eval { JSON::PP->new->utf8->decode($text)->{students} };
    die $wrong if $text !~ /^ "seal" : "\w{64}"/m || with_seal($text, seal_of($text)) ne $text || ref $students ne 'ARRAY';
    die $wrong if grep { $_->{id} ne safe_id($_->{id}) } @$students;
    return $students;
}

# The table: whose, what, which, and why it is asked. On Gradescope the student decides, by handing in again.
sub to_decide {
    my @questions = @_;
    return encode('UTF-8', join '', "Hand in one exercise.cu for each exercise, in its folder.\n", map { "    $_->[1] of yours, $_->[2]: $_->[3]\n" } @questions) if length($ENV{ONE} // '');
    return encode('UTF-8', join '', 'Nothing is collected. To decide, ' . @questions . ":\n",
        map({ sprintf "    %-12s %-10s %s: %s\n", @$_ } @questions),
        "Write lines of these, with a student (-: nobody) and a reason, into a file, and give it as OVERRIDES=file:\n",
        "student,what,value,reason\n", map { csv_line(@$_[0 .. 2], '') } @questions);
}

# "Tuesday, 24 November 2026, 11:58 PM", as a worksheet of Moodle's has it: local, so TZ has to say where.
sub moodle_time {
    my ($row) = @_;
    my ($day, $month, $year, $hour, $minute, $half) = ($row->{time} // '') =~ /\b(\d{1,2}) (\w+) (\d{4}), (\d{1,2}):(\d\d)(?: ?([AP]M))?$/i or return;
    my ($n) = grep { (qw(jan feb mar apr may jun jul aug sep oct nov dec))[$_] eq lc substr $month, 0, 3 } 0 .. 11;
    return if !defined $n || !length($ENV{TZ} // '');
    $hour = $hour % 12 + (uc $half eq 'PM' ? 12 : 0) if defined $half;
    return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime mktime(0, $minute, $hour, $day, $n, $year - 1900, 0, 0, -1));
}

sub written {
    my ($to, $s, $exercises) = @_;
    make_path("$to/$s->{id}");
    my @files;
    for my $exercise (sort keys %{ $s->{chosen} // {} }) {
        my $file = $s->{chosen}{$exercise};
        my $place = short($exercises->{$exercise}{folder});
        make_path("$to/$s->{id}/$place");
        spew("$to/$s->{id}/$place/exercise.cu", $file->{text});
        spew("$to/$s->{id}/$place/first_answers.txt", $file->{answers}) if defined $file->{answers};
        push @files, { exercise => $exercise, path => "$place/exercise.cu", from => $file->{name}, repaired => $file->{repaired}, $file->{by} ? (by => $file->{by}) : () };
    }
    my ($row, @units) = ($s->{row}, @{ $s->{units} });
    my %own = map { my $kind = $_; map { defined $_->{$kind} ? ($kind => $_->{$kind}) : () } @units } qw(canvas moodle id email);
    my %decided = map { $_->{what} => $_ } @{ $s->{overrides} // [] };
    my ($time) = sort { $b cmp $a } grep { defined } map { $_->{time} } @units;
    $time ||= moodle_time($row) if grep { defined $_->{moodle} && $_->{moodle} eq ($row->{moodle} // '') } @units;
    my $by_lms = $time || grep { defined $_->{canvas} } @units;
    ($time) = sort { $b cmp $a } map { $_->{time} } map { @{ $_->{handins} // [] } } @units if !$by_lms;
    my $own_clock = $time && !$by_lms;
    ($time, $own_clock) = ($decided{'handed in'}{value}) if $decided{'handed in'};
    return {
        id => $s->{id}, name => ($row && $row->{name}) || ($units[0] // {})->{name} // '', source => join(', ', map { $_->{label} } @units), match => $s->{match},
        time => $time // '', late => (grep { $_->{late} } @units) && !$time ? JSON::PP::true : JSON::PP::false,
        word => $time || (grep { defined $_->{canvas} } @units) ? JSON::PP::true : JSON::PP::false, files => \@files,
        overrides => [map { my $o = $_; +{ map { $_ => $o->{$_} } qw(what value reason) } } @{ $s->{overrides} // [] }],
        left_out => [sort { $a->{file} cmp $b->{file} || $a->{why} cmp $b->{why} } @{ $s->{left_out} // [] }],
        roster => $row ? { map { $_ => $row->{$_} } grep { $_ ne 'is' } keys %$row } : %own ? \%own : undef,
        flags => [!@files ? 'nothing' : (), $own_clock ? 'time by own clock' : (), $s->{unreadable} ? 'unreadable' : ()],
    };
}

1;
