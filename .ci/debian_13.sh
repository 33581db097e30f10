# debian_13.sh: a small Debian 13 below build/, with g++, make and perl, made once by debootstrap, which downloads
# some 200 MB. What is mounted there ends with the command.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

debian_13=$PWD/build/debian_13
make_debian_13() {
    [ ! -d "$debian_13" ] || return 0
    [ "$(id -u)" -eq 0 ] || return
    have debootstrap || install debootstrap debian-archive-keyring || return
    echo 'downloading a Debian 13, to build/debian_13'
    rm -rf "$debian_13.part"
    # shellcheck disable=SC2016 # apt's own notation
    mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep '/debian/*$' | head -n 1)
    timeout 900 debootstrap --variant=minbase --include=g++,make,perl trixie "$debian_13.part" \
        ${mirror:+"$mirror"} >/dev/null 2>&1 || { rm -rf "$debian_13.part"; return 1; }
    rm -rf "$debian_13.part"/var/cache/apt/archives/*.deb "$debian_13.part"/var/lib/apt/lists
    mv "$debian_13.part" "$debian_13"
}
in_debian_13() { # COMMAND...
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount sh -c 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' \
        "$debian_13" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root CUDACCFLAGS="$CUDACCFLAGS" "$@"
}
