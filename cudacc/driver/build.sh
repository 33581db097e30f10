# build.sh: the host compilers; the translator and the runtime, which they build on first use.
# SPDX-License-Identifier: MIT
# shellcheck shell=sh

first_of() {
    for candidate; do
        command -v "$candidate" >/dev/null 2>&1 && echo "$candidate" && return
    done
    return 1
}
# CXX and CC may hold options, as in make. `make CC=cudacc` hands its CC on: no word of the host's.
case ${CXX:-} in *cudacc) CXX= ;; esac
case ${CC:-} in *cudacc) CC= ;; esac
if [ -n "$ccbin" ]; then
    [ ! -d "$ccbin" ] || ccbin=$(first_of "$ccbin/g++" "$ccbin/clang++" "$ccbin/c++") ||
        die "-ccbin: no g++, clang++ or c++ in that folder"
    command -v "$ccbin" >/dev/null 2>&1 || die "-ccbin $ccbin: no such compiler"
    cxx=
    add cxx "$ccbin"
else
    cxx=${CXX:-$(first_of g++ clang++ c++)} ||
        die 'no C++ compiler: install g++ (Debian, Ubuntu: apt install g++), or set CXX'
    command -v "${cxx%% *}" >/dev/null 2>&1 || die "CXX=$cxx: no such compiler"
fi
cc=${CC:-$(first_of gcc clang cc)} ||
    die 'no C compiler: install gcc (Debian, Ubuntu: apt install gcc), or set CC'
command -v "${cc%% *}" >/dev/null 2>&1 || die "CC=$cc: no such compiler"
case ${ccbin:-${cxx%% *}},${cc%% *}, in
*cudacc,*) die 'CXX, CC and -ccbin name the compilers that cudacc calls, not cudacc itself' ;;
esac
cc_is=$(eval "$cc --version" 2>/dev/null) cxx_is=$(eval "$cxx --version" 2>/dev/null)
if [ -n "$tell_version" ]; then
    echo "cudacc: CUDA C on the CPU device, with the API of CUDA $cudart"
    echo "$cxx_is" | sed -n '1s/^/host compiler: /p'
    exit
fi
for is in "$cc_is" "$cxx_is"; do
    case $is in
    *'clang version '*)
        version=${is#*clang version } version=${version%%[!0-9]*}
        [ "$version" -ge 14 ] ||
            die "clang $version is too old: it takes clang 14 or later, or gcc (set CC and CXX)"
        ;;
    esac
done
case $trace,$cxx_is in
*clang*) ;;
yes,*)
    version=$(eval "$cxx -dumpversion")
    version=${version%%.*}
    [ "$version" -ge 11 ] ||
        die "--trace: gcc $version is too old: it takes gcc 11 or later (Debian, Ubuntu: apt install g++-11, then CXX=g++-11 CC=gcc-11), or clang"
    ;;
esac

# ---- Translator and runtime, built on first use --------------------------------------------------
case $here in *\"*) die "$here: the compilers tell their assembler a file's name as it is, so no folder above this one may have a double quote in its name" ;; esac

# How the runtime itself is compiled, and programs are linked: for its own tests, see README.md.
runtime_flags=${CUDACC_RUNTIME_FLAGS:-}
case $trace,$runtime_flags,$compile in
yes,*-fsanitize=*thread*,*) die 'CUDACC_RUNTIME_FLAGS: --trace and ThreadSanitizer exclude each other' ;;
yes,*,*-fsanitize=*address*) die '--trace and -fsanitize=address exclude each other' ;;
esac

umask 022
temporary=$(mktemp -d "${TMPDIR:-/tmp}/cudacc.XXXXXX" 2>/dev/null) ||
    die "cannot write to ${TMPDIR:-/tmp}; set TMPDIR to a folder where I may"
cache=$temporary
# Objects that were compiled with --trace need its runtime, whether --trace is said again or not.
trace_runtime=$trace translates=''
eval "set -- $inputs"
while [ $# -gt 0 ]; do
    case $mode,$1 in
    *,cu*) translates=yes ;;
    link,object) ! grep -q cpu_device_trace_text "$2" || trace_runtime=yes ;;
    esac
    shift 2
done
runtime=runtime${trace_runtime:+-trace}.o
precompiled=$temporary
trap 'set +f; rm -rf "$temporary" "$cache"/*.$$ "$precompiled"/*.$$' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

key=$(cd "$here" && set +f && {
    cat api/*.[ch] runtime/*.[ch] translate/*.[ch] include/*.[ch] include/*/*.[ch] \
        trace/*.[ch] trace/*/*.[ch] extra/*/*.[ch] extra/*/*/*.[ch] # headers of CCCL are of programs alone
    echo "$cc,$cxx,$runtime_flags,$cc_is,$cxx_is"
    [ ! -f /usr/include/valgrind/valgrind.h ] || echo valgrind # sanitizers.h uses it where it is
} 2>/dev/null | cksum)
key=${key% *}-${key#* }

# May one write there, and run what is made there? Not where a disk is mounted noexec.
may_build_in() { # FOLDER; where `: >` fails it ends the shell
    true >"$1/run.$$" && chmod +x "$1/run.$$" && [ -x "$1/run.$$" ]
    may=$?
    rm -f "$1/run.$$"
    return $may
} 2>/dev/null

is_complete() { # is all in the cache that this call needs?
    [ -f "$cache/$runtime" ] && { [ -z "$translates" ] || [ -x "$cache/translate" ]; }
}

# The first place that has it, or where one may write; a folder in /tmp only when it is one's own.
# What `make install` has built is used; nothing but that command adds to it.
course='' installed=$here/built private="${TMPDIR:-/tmp}/cudacc-$(id -u)"
[ ! -f "$here/../common/common.h" ] || course=${here%/*}/build/cudacc
for folder in "${CUDACC_CACHE:-}" "$installed" "$course" "$private"; do
    [ -n "$folder" ] || continue
    cache=$folder/$key
    ! is_complete || break
    [ "$folder" != "$installed" ] || [ "$folder" = "${CUDACC_CACHE:-}" ] || continue
    [ "$folder" != "$private" ] || mkdir -m 700 "$folder" 2>/dev/null
    mkdir -p "$cache" 2>/dev/null
    may_build_in "$cache" && break
    cache=
done
case $cache in
'') cache=$temporary ;;
"$private"/*) [ -n "$(find "$private" -prune -user "$(id -u)")" ] || cache=$temporary ;;
esac
precompiled=$cache # headers; nothing is added where cudacc is installed
case $cache in "$installed"/*) precompiled=$temporary ;; esac

[ "$cache" != "$temporary" ] || may_build_in "$cache" ||
    die "nothing may be run in ${TMPDIR:-/tmp}; set TMPDIR or CUDACC_CACHE to a folder where it may"

# What is made appears in one step: others may be at it too.
compile_files() { # FLAGS FILE...: by all processors; adds to objects
    processors=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
    flags=$1 processor=0 compilers=''
    shift
    for source; do add objects "$temporary/$(echo "$source" | tr / -).o"; done
    while [ $processor -lt "$processors" ]; do
        (
            number=0
            for source; do
                number=$((number + 1))
                [ $((number % processors)) -eq $processor ] || continue
                object=$temporary/$(echo "$source" | tr / -).o
                eval "run $cc -std=gnu11 $flags -I\"\$here\" -c \"\$here/\$source\" -o \"\$object\"" || exit
            done
        ) &
        compilers="$compilers $!"
        processor=$((processor + 1))
    done
    failed=0
    for compiler in $compilers; do wait "$compiler" || failed=1; done
    return $failed
}
build_translator() {
    objects=''
    # shellcheck disable=SC2046 # names of our own, without blanks
    compile_files -O1 $(cd "$here" && find translate extra/translate -name '*.c' | sort) &&
        eval "run $cc $objects -o \"\$cache/translate.$$\"" &&
        mv -f "$cache/translate.$$" "$cache/translate"
}
# Of the device without the tracer both runtimes are made; with it come the rooms of trace/.
compile_rooms() { # FOLDER...
    # Variables of a thread are in the order of the files: behind_shared.c has the first.
    # shellcheck disable=SC2046
    compile_files "-O2 -g -fvisibility=hidden -ffile-prefix-map=\"\$here\"=/cudacc ${runtime_flags:+-w} $runtime_flags" \
        $(cd "$here" && find "$@" -name behind_shared.c && find "$@" -name '*.c' ! -name behind_shared.c | sort)
}
build_runtime() {
    objects=''
    [ -f "$cache/device.o" ] || {
        compile_rooms runtime api extra/runtime extra/api &&
            eval "run $cc -r -nostdlib $objects -o \"\$cache/device.o.$$\"" &&
            mv -f "$cache/device.o.$$" "$cache/device.o"
    } || return
    objects=''
    objcopy=$(eval "$cc -print-prog-name=objcopy") # of the processor that it compiles for
    add objects "$cache/device.o"
    [ -z "$trace_runtime" ] || compile_rooms trace extra/trace || return
    eval "run $cc -r -nostdlib $objects -o \"\$cache/\$runtime.$$\"" &&
        run "${objcopy:-objcopy}" --localize-hidden "$cache/$runtime.$$" &&
        mv -f "$cache/$runtime.$$" "$cache/$runtime"
}
not_built() {
    echo "cudacc: the CPU device itself did not compile with $cc" | tell
    exit 1
}
[ -z "$translates" ] || [ -x "$cache/translate" ] || build_translator || not_built
[ -f "$cache/$runtime" ] || build_runtime || not_built

# Once for each compiler: does it make the accesses that nvcc makes?
if [ -n "$trace" ] && [ "$cache" != "$temporary" ] && [ ! -f "$cache/probe" ] &&
    [ -z "${CUDACC_PROBING:-}" ]; then
    "$here/trace/probe" "$self" ${ccbin:+-ccbin "$ccbin"} >"$cache/probe.$$"
    if [ -s "$cache/probe.$$" ]; then
        echo 'cudacc: --trace: with this compiler some accesses are not what nvcc makes of them:'
        sed 's/^/  /' "$cache/probe.$$"
    fi | tell
    mv -f "$cache/probe.$$" "$cache/probe"
fi
