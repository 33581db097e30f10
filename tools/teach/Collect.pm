# SPDX-License-Identifier: MIT
# make collect: what an LMS hands out becomes returned/ID/NN_x/exercises/K_y/exercise.cu and collect.json.
#
# A *unit* is what one student handed in: a folder, an archive, or loose files of one name. Nothing is
# unpacked to disk: bsdtar turns an archive into a plain stream of files, in a box (Sandbox.pm), and that
# stream is read here. Of a folder regular files alone are read, never through a link.
package Collect;
use strict;
use warnings;
use Archive::Tar;
use Encode qw(decode);
use Exporter qw(import);
use Fcntl qw(O_RDONLY O_NOFOLLOW O_NONBLOCK :mode);
use File::Basename qw(basename dirname);
use File::Path qw(remove_tree);
use File::Spec;
use JSON::PP;
use POSIX qw(strftime);
use Course;
use Exercises;
use Sandbox;

our @EXPORT = qw(collect repaired read_plain plain_name json);

our ($most_bytes, $most_files, $most_unpacked) = (256 * 1024, 2000, 20 << 20);
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
    my @stat = lstat $path or return (undef, 'it cannot be read');
    my $kind = S_ISLNK($stat[2]) ? 'a link' : S_ISDIR($stat[2]) ? 'a folder' : S_ISREG($stat[2]) ? '' : 'no regular file';
    return (undef, "it is $kind, not a file") if $kind;
    return (undef, 'it has more than ' . $most / 1024 . ' KiB') if $stat[7] > $most;
    sysopen my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return (undef, 'it cannot be read');
    return (undef, 'it is no regular file') if !-f $file;
    my $bytes = '';
    1 while length $bytes <= $most && sysread $file, $bytes, 65536, length $bytes;
    return (undef, 'it has more than ' . $most / 1024 . ' KiB') if length $bytes > $most;
    return ($bytes);
}

# A text as the course has them; and what was wrong with it.
sub repaired {
    my ($text) = @_;
    my @done;
    if ($text =~ /^(?:\xff\xfe|\xfe\xff)/ || ($text =~ /\A(?:[\x09-\x7e]\x00){8}/ && push @done, 'no BOM')) {
        my $kind = $text =~ /^\xfe\xff/ ? 'UTF-16' : $text =~ /^\xff\xfe/ ? 'UTF-16' : 'UTF-16LE';
        my $characters = eval { decode($kind, my $copy = $text, Encode::FB_DEFAULT) };
        $text = Encode::encode('UTF-8', $characters), push @done, 'UTF-16' if defined $characters;
    }
    push @done, 'BOM' if $text =~ s/\A\xef\xbb\xbf//;
    push @done, 'CRLF' if $text =~ s/\r\n/\n/g;
    push @done, 'CR' if $text =~ s/\r/\n/g;
    push @done, 'last newline' if $text ne '' && $text !~ /\n\z/ && ($text .= "\n");
    my $blanks = 0;
    for my $mark ($begin_mark, $end_mark) {
        my $loose = join '\s*', map { quotemeta } split / /, $mark;
        $text =~ s{^[ \t]*(?:\xc2\xa0)*($loose)[ \t]*$}{$blanks ||= $& ne $mark; $mark}gmei;
    }
    push @done, 'blanks round a mark' if $blanks;
    return ($text, @done);
}

# The files of an archive: [name, bytes, time]; or nothing, and why.
sub archive_files {
    my ($path) = @_;
    die "archives are unpacked by bsdtar: install libarchive-tools\n" if !found('bsdtar');
    my $run = run_job(
        command      => ['sh', '-c', 'exec bsdtar -cf all.tar --format=gnutar "@$1"', 'sh', $path],
        read         => [$path], fetch => ['all.tar'], seconds => 20, megabytes => 512, files_output => $most_unpacked + (4 << 20),
    );
    my $said = ($run->{err} =~ /bsdtar: (.*)/)[0] // '';
    return ([], 'archive: it unpacks to too much') if $run->{limit} || ($run->{signal} // 0) == 25;
    my $encrypted = $said =~ /[Pp]ass|ncrypt/;
    if (!defined $run->{files}{'all.tar'} || ($run->{code} && ($encrypted || $said =~ /Unrecognized/))) {
        return ([], $encrypted ? 'archive: it is encrypted' : 'archive: it is damaged, or no archive');
    }
    open my $stream, '<', \$run->{files}{'all.tar'} or die "$path: $!\n";
    local ($Archive::Tar::WARN, $SIG{__WARN__}) = (0, sub { });
    my $next = Archive::Tar->iter($stream);
    my (@files, $bytes);
    while ($next && (my $file = $next->())) {
        return ([], "archive: it has more than $most_files files") if @files >= $most_files;
        $bytes += $file->size;
        return ([], 'archive: it unpacks to too much') if $bytes > $most_unpacked;
        push @files, [$file->full_path, $file->is_file ? $file->get_content : undef, $file->mtime] if !$file->is_dir;
    }
    return (\@files, $run->{code} ? 'archive: a part of it is damaged' : ());
}

# All files of a folder: [name in it, path, time]. Links are named and not followed.
sub folder_files {
    my ($folder, $prefix, $list, $depth) = @_;
    return if $depth > 12 || @$list > $most_files || -l $folder;
    opendir my $dir, $folder or return;
    for my $name (sort grep { !/^\.\.?$/ } readdir $dir) {
        next if $name =~ /^(?:\.git|__MACOSX|\.DS_Store|\._.*)$/;
        my @stat = lstat "$folder/$name";
        if (S_ISDIR($stat[2])) { folder_files("$folder/$name", "$prefix$name/", $list, $depth + 1) }
        else { push @$list, ["$prefix$name", "$folder/$name", $stat[9]] }
    }
    return;
}

# ---- One student's ---------------------------------------------------------------------------------
# Which exercise a file is: by its first line, else by its place.
sub exercise_of {
    my ($name, $text, $exercises) = @_;
    return $1 if $text =~ m{\A\s*//+\s*(\d+\.\d+)\b} && $exercises->{$1};
    return ($1 + 0) . ".$2" if $name =~ m{(?:^|/)(\d\d)_\w+/exercises/(\d+)_\w+/[^/]+$}i && $exercises->{ ($1 + 0) . ".$2" };
    return;
}

# Takes one file, or the archive that it is. $unit->{chosen}{ID}: the text; left_out: what is not taken.
sub take {
    my ($unit, $exercises, $name, $bytes, $why, $time, $depth) = @_;
    my $leave = sub { push @{ $unit->{left_out} }, { file => plain_name($name), why => $_[0] } };
    return if $name =~ m{(?:^|/)(?:__MACOSX|\.git)/|(?:^|/)\.[^/]*$};
    if ($name =~ m{(?:^|/)first_answers\.txt$}i) {
        my $place = dirname($name);
        $unit->{answers}{$place} = $bytes if defined $bytes && length $bytes < 16384;
        return;
    }
    return $leave->($why) if !defined $bytes && ($name =~ /\.cu$/i || $why =~ /^archive/);
    return if !defined $bytes;
    my ($text, @done) = repaired($bytes);
    my $id = exercise_of($name, $text, $exercises);
    return if !defined $id && $name !~ /\.cu$/i;
    return $leave->('no exercise is named in its first line') if !defined $id;
    return if $name !~ /\.(?:cu|txt|cpp|c|h)$/i && $name =~ m{(?:README|\.md|solution|check)}i;
    return if basename($name) =~ /^(?:solution|check)\.cu$/;
    my $new = { text => $text, repaired => \@done, from => plain_name($name), place => dirname($name), time => $time // 0 };
    my $old = $unit->{chosen}{$id};
    ($new, $old) = ($old, $new) if $old && ($old->{time} <=> $new->{time} || $old->{from} cmp $new->{from}) > 0;
    push @{ $unit->{left_out} }, { file => $old->{from}, why => "another file for $id is newer" } if $old;
    $unit->{chosen}{$id} = $new;
    return;
}

sub take_unit {
    my ($unit, $exercises) = @_;
    for my $path (@{ $unit->{paths} }) {
        my @files;
        if (-l $path) { push @{ $unit->{left_out} }, { file => plain_name(basename($path)), why => 'it is a link, not a file' }; next }
        if (-d $path) { folder_files($path, '', \@files, 0) }
        else { @files = [$unit->{names}{$path} // basename($path), $path, (lstat $path)[9]] }
        push @{ $unit->{left_out} }, { file => '', why => "more than $most_files files" } if @files > $most_files;
        for my $file (@files) {
            my ($name, $where, $time) = @$file;
            $unit->{time} = $time if $time && $time > ($unit->{time} // 0);
            if ($name =~ $archive_name && !-l $where && -f $where) {
                my ($inside, $why) = -s $where > $most_unpacked ? ([], 'archive: it is too large') : archive_files($where);
                push @{ $unit->{left_out} }, { file => plain_name($name), why => $why } if $why;
                take($unit, $exercises, "$name/$_->[0]", $_->[1], defined $_->[1] ? '' : 'it is no regular file', $_->[2]) for @$inside;
            } else {
                my ($bytes, $why) = read_plain($where);
                take($unit, $exercises, $name, $bytes, $why // '', $time);
            }
        }
    }
    return;
}

# ---- Who handed in what ----------------------------------------------------------------------------
sub safe_id {
    my ($name) = @_;
    my $id = $name =~ s/[^A-Za-z0-9._-]+/-/gr =~ s/^[-.]+|[-.]+$//gr;
    return length $id ? substr $id, 0, 60 : 'student';
}

# The ID, or ID-2, ID-3 ..., whichever is not used yet.
sub free_id {
    my ($wanted, $used) = @_;
    my $id = $wanted;
    for (my $n = 2; $used->{ lc $id }++; $n++) { $id = "$wanted-$n" }
    return $id;
}

# Units: folders and archives by their name; loose files by what an LMS puts in front of it.
sub units {
    my ($from) = @_;
    my %unit;
    return ({ name => $ENV{ONE}, paths => [$from] }) if length($ENV{ONE} // '');    # it is one student's
    opendir my $dir, $from or die "$from: $!\n";
    my @names = sort grep { !/^\.\.?$/ && !/^(?:__MACOSX|\.DS_Store|collect\.json|index\.html)$/ } readdir $dir;
    if (grep { /^\d\d_\w+$/ && -d "$from/$_/exercises" } @names) {    # one student's folder itself
        return ({ name => basename($from), paths => [$from] });
    }
    if (@names == 1 && -d "$from/$names[0]" && !-l "$from/$names[0]" && !(() = files("$from/$names[0]", '*.cu', '*.CU', '[0-9][0-9]_*'))) {
        return units("$from/$names[0]");
    }
    for my $name (@names) {
        my ($who, $file) = ($name, $name);
        if (-d "$from/$name" && !-l "$from/$name") { $who =~ s/_\d+_assignsubmission_\w+_?$// }                       # Moodle
        elsif ($name =~ /^(.+?)_(?:LATE_)?\d+_\d+_(.+)$/) { ($who, $file) = ($1, $2) }    # Canvas
        else { $who =~ s/$archive_name|\.\w+$//; $who = 'loose files' if $who =~ /^exercise\b/i }
        $unit{$who}{name} = $who;
        push @{ $unit{$who}{paths} }, "$from/$name";
        $unit{$who}{names}{"$from/$name"} = $file;
    }
    return map { $unit{$_} } sort keys %unit;
}

# ---- The roster ------------------------------------------------------------------------------------
my %column = (
    id => qr/^(?:(?:student|sis|sis user|user) ?)?(?:id|number)$/i, login => qr/^(?:sis )?(?:login|login id|username|user name)$/i,
    email => qr/^e-?mail(?: address)?$/i, name => qr/^(?:full |student )?(?:name|student)$/i,
);

sub roster {
    my ($file) = @_;
    my ($bytes, $why) = read_plain($file, 4 << 20);
    die "$file: $why\n" if !defined $bytes;
    my ($head, @rows) = eval { csv_rows((repaired($bytes))[0]) } or die "$file: ", $@ || "it is empty\n";
    my %at;
    for my $n (0 .. $#{ $head // [] }) {
        for my $what (keys %column) { $at{$what} //= $n if $head->[$n] =~ $column{$what} }
    }
    die "$file: it needs a column id, login or email\n" if !grep { defined $at{$_} } qw(id login email);
    return map { my $row = $_; +{ map { $_ => $row->[$at{$_}] // '' } keys %at } } @rows;
}

sub matches {
    my ($unit, $row) = @_;
    my $key = lc $unit->{name};
    my $squeezed = $key =~ s/[^a-z0-9]//gr;
    for my $value (grep { length } map { lc($_ // '') } @$row{qw(id login email)}, ($row->{email} // '') =~ s/@.*//r) {
        return 1 if $key eq $value || $key =~ /(?:^|[^a-z0-9])\Q$value\E(?:[^a-z0-9]|$)/;
    }
    my $name = lc($row->{name} // '');
    my $turned = $name =~ /^(.*),\s*(.*)$/ ? "$2 $1" : $name =~ s/^(\S+)\s+(.*)$/$2 $1/r;
    return length $name && grep { $squeezed eq s/[^a-z0-9]//gr } $name, $turned;
}

# ---- All -------------------------------------------------------------------------------------------
sub collect {
    my ($from, $to, $roster) = @_;
    my %exercises = map { $_->{id} => $_ } all_exercises();
    my @roster = defined $roster ? roster($roster) : ();
    my @units;
    if (-f $from && $from =~ $archive_name) {
        @units = archive_units($from);
    } else {
        die "$from: there is no such folder or archive\n" if !-d $from;
        @units = units($from);
    }
    take_unit($_, \%exercises) for grep { $_->{paths} } @units;
    die "$from: no exercise is in there\n" if !grep { $_->{chosen} || $_->{left_out} } @units;
    die "$to exists already, and is no folder that make collect wrote\n" if -e $to && !-f "$to/collect.json";
    my $new = "$to.$$.new";
    make_path($new);
    my (%used, @students);
    for my $row (@roster) {
        my ($unit) = grep { !$_->{row} && matches($_, $row) } @units;
        $unit //= do { push @units, { name => '' }; $units[-1] };
        $unit->{row} = $row;
    }
    for my $unit (sort { id_wanted($a) cmp id_wanted($b) } @units) {
        my $wanted = id_wanted($unit);
        my $id = free_id($wanted, \%used);
        push @{ $unit->{left_out} }, { file => '', why => "another student is $wanted, too" } if $id ne $wanted;
        push @students, written($new, $id, $unit, \%exercises, scalar @roster);
    }
    spew("$new/collect.json", json()->encode({ from => plain_name($from), students => \@students }));
    remove_tree($to) if -e $to;
    rename $new, $to or die "$to: $!\n";
    return @students;
}

sub id_wanted {
    my ($unit) = @_;
    my ($given) = grep { defined && length } $unit->{row} ? (@{ $unit->{row} }{qw(id login)}, ($unit->{row}{email} // '') =~ s/@.*//r) : ();
    return safe_id($given // $unit->{name});
}

# An LMS's bulk archive: the first part of a path says whose it is.
sub archive_units {
    my ($path) = @_;
    my ($files, $why) = archive_files($path);
    my $folder = File::Temp::tempdir(CLEANUP => 1);
    my $count = 0;
    for my $file (@$files) {    # by numbers: their names are only read
        my ($name, $bytes) = @$file;
        my @parts = grep { length && !/^\.\.?$/ } split m{/}, $name;
        next if !@parts || !defined $bytes || length $bytes > $most_unpacked;
        my @safe = map { substr(s/[^A-Za-z0-9._ ,()@+-]/-/gr, 0, 120) } @parts;
        my $target = "$folder/" . join '/', @safe;
        make_path(dirname($target));
        next if -e $target;
        spew($target, $bytes);
        utime $file->[2], $file->[2], $target;
        $count++;
    }
    die "$path: " . ($why // 'nothing is in it') . "\n" if !$count;
    return units($folder);
}

sub written {
    my ($to, $id, $unit, $exercises, $has_roster) = @_;
    make_path("$to/$id");
    my @files;
    for my $exercise (sort keys %{ $unit->{chosen} // {} }) {
        my $file = $unit->{chosen}{$exercise};
        my $place = short($exercises->{$exercise}{folder});
        make_path("$to/$id/$place");
        spew("$to/$id/$place/exercise.cu", $file->{text});
        my $answers = ($unit->{answers} // {})->{ $file->{place} };
        spew("$to/$id/$place/first_answers.txt", $answers) if defined $answers;
        push @files, { exercise => $exercise, path => "$place/exercise.cu", from => $file->{from}, repaired => $file->{repaired} };
    }
    my $row = $unit->{row};
    return {
        id => $id, name => plain_name(($row && $row->{name}) || $unit->{name}), source => plain_name(basename(($unit->{paths} // [''])->[0])),
        time => $unit->{time} ? strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $unit->{time}) : '', files => \@files,
        left_out => [sort { $a->{file} cmp $b->{file} || $a->{why} cmp $b->{why} } @{ $unit->{left_out} // [] }],
        roster => $row ? { map { $_ => plain_name($row->{$_}) } grep { defined $row->{$_} } keys %$row } : undef,
        flags => [!$row && $has_roster ? 'not on the roster' : (), !@files ? 'nothing' : ()],
    };
}

1;
