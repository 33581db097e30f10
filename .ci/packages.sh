# packages.sh: what the tests need is installed, by root, or where CI is set by sudo; anybody else is told what
# is missing. Nothing else outside build/ is changed.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

have() { command -v "$1" >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -n "${CI:-}" ]; then
        sudo -n "$@"
    else
        return 1
    fi
}

install() { # packages...
    have apt-get || return 1
    as_root timeout 300 env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
        >/dev/null 2>&1 </dev/null
}

needed='' optional=''
have gcc || needed="$needed gcc libc6-dev"
have g++ || needed="$needed g++"
have make || needed="$needed make"
have prove || needed="$needed perl"
have g++-11 || optional="$optional g++-11"
have clang++ || optional="$optional clang"
have clang-format || optional="$optional clang-format"
have shellcheck || optional="$optional shellcheck"
have codespell || optional="$optional codespell"
have cmake || optional="$optional cmake"
have gnuplot || optional="$optional gnuplot-nox"
have pandoc || optional="$optional pandoc"
have chromium || optional="$optional chromium"
have bwrap || optional="$optional bubblewrap"
have bsdtar || optional="$optional libarchive-tools"
have aarch64-linux-gnu-g++ && have qemu-aarch64 ||
    optional="$optional qemu-user gcc-aarch64-linux-gnu g++-aarch64-linux-gnu"
python3 -c 'import jsonschema' 2>/dev/null || optional="$optional python3-jsonschema"

if [ -n "$needed$optional" ] && have apt-get; then
    echo "installing:$needed$optional"
    as_root apt-get update -qq >/dev/null 2>&1
fi
if [ -n "$needed" ]; then
    # shellcheck disable=SC2086 # a list of packages
    install $needed || { echo "cannot install:$needed" >&2; exit 1; }
fi
for package in $optional; do
    install "$package" || echo "cannot install $package: what needs it is skipped"
done

# An older nvcc, to compile with: Debian's (11.8 in Debian 12), out of the component non-free. It is
# unpacked apart, so that what is installed stays what it is; and without its two gigabytes of libraries.
older_nvcc() { # FOLDER
    mkdir -p "$1/sources" "$1/lists" "$1/cache" && cd "$1" || return
    for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
        [ ! -f "$file" ] || sed -e '/^deb-src/d' -e 's/^\(Components:\) .*/\1 non-free/' \
            -e 's/^\(deb .*\) main.*/\1 non-free/' "$file" >"sources/${file##*/}" || return
    done
    apart=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$PWD/sources"
        -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache")
    timeout 120 apt-get "${apart[@]}" update -qq || return
    timeout 600 apt-get "${apart[@]}" download -qq nvidia-cuda-toolkit nvidia-cuda-dev || return
    for package in ./*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --exclude='*.a' --exclude='*.so*' || return
        rm "$package"
    done
    # As it comes, it looks for its parts in /usr.
    cd usr/lib/nvidia-cuda-toolkit/bin && rm nvcc.profile && cat >nvcc.profile <<'END'
NVVMIR_LIBRARY_DIR = $(_HERE_)/../libdevice
PATH += $(_HERE_):$(_HERE_)/../../../bin:
INCLUDES += -I$(_HERE_)/../../../include $(_SPACE_)
END
}
folder=$PWD/build/nvcc_older
NVCC_OLDER=${NVCC_OLDER:-$folder/usr/lib/nvidia-cuda-toolkit/bin/nvcc}
if [ ! -x "$NVCC_OLDER" ]; then
    echo 'downloading an older nvcc, to build/nvcc_older'
    (older_nvcc "$folder") >/dev/null 2>&1 || rm -rf "$folder"
fi
if [ -x "$NVCC_OLDER" ]; then
    export NVCC_OLDER
else
    unset NVCC_OLDER
    echo 'no older nvcc: what needs it is skipped'
fi

