#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make release: a commit may be a version when CITATION.cff, CHANGELOG.md, the tags and the working tree
# agree; each that does not is named, and nothing is changed.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no git' if !found('git');
delete @ENV{ grep { /^GIT_/ } keys %ENV };
my ($scratch, $course) = scratch_and_root();
my $git = 'git -c user.name=a -c user.email=a@example.org -c init.defaultBranch=main -c commit.gpgsign=false';
spew("$scratch/clone/tools/.keep", '');
copy_into("$scratch/clone/tools", "$course/tools/release", "$course/tools/Course.pm") or die "cp: $?";
chdir "$scratch/clone" or die;

# All as it has to be; a test replaces a file.
sub release {
    my (%file) = ('CITATION.cff' => "version: 1.2.0\ndate-released: 2026-03-04\n",
        'CHANGELOG.md' => "# Changes\n\n## Next\n\n## 1.2.0, 2026-03-04\n\n- New.\n\n## 1.1.0, 2026-01-02\n", @_);
    spew($_, $file{$_}) for keys %file;
    system("$git add -A && $git commit -q --allow-empty -m x") == 0 or die 'git';
    return output_of('tools/release');
}
system("$git init -q .") == 0 or die 'git';
tells([release()], 0, "This commit may be 1.2.0, after make test-all and make docs-check:\n    git tag -a v1.2.0 -m 1.2.0 && git push origin v1.2.0\n", 'all agree');
is(`git tag`, '', 'and no tag is set');
for my $case (
    ['CITATION.cff', "version: 1.2\n", qr/CITATION\.cff has no version/],
    ['CITATION.cff', "version: 1.2.0\n", qr/date-released is missing, CHANGELOG\.md says 2026-03-04/],
    ['CITATION.cff', "version: 1.3.0\ndate-released: 2026-03-04\n", qr/CHANGELOG\.md: the latest version is 1\.2\.0, CITATION\.cff says 1\.3\.0/],
    ['CHANGELOG.md', "## 1.2.0\n", qr/has no day/],
    ['CHANGELOG.md', "## Next\n\n- New.\n\n## 1.2.0, 2026-03-04\n", qr/what stands below "Next"/],
) {
    my ($file, $text, $why) = @$case;
    tells([release($file => $text)], 1, qr/\Arelease: .*?${why}[^\n]*\n\z/, "$file: $why");
}
release();
spew('new', '');
is((output_of('tools/release'))[1], "release: git: not everything is committed: ?? new\n", 'a file that git does not know');
unlink 'new';
system("$git tag -a v1.2.0 -m 1.2.0");
is(join(' ', output_of('tools/release')), "0 v1.2.0 is this commit.\n", 'the tag is there');
tells([release('more' => 'x')], 1, "release: git: another commit has the tag v1.2.0\n", 'and not on a later commit');
is((output_of('tools/release v1.2.0'))[0], '2', 'it takes no arguments');
chdir '/';
done_testing();
