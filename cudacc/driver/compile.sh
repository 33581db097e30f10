# compile.sh: each file is preprocessed, translated and compiled.
# SPDX-License-Identifier: MIT
# shellcheck shell=sh

asks_for_architecture() { # does a file of the user name __CUDA_ARCH__, or have libcu++ ask for it?
    user_files "$temporary/entered" | tr '\n' '\0' |
        xargs -0 grep -ls '__CUDA_ARCH__\|NV_[A-Z_]*TARGET' -- /dev/null | grep -q .
}

translate() {
    { told=$(run "$cache/translate" "$@" 2>&1 >&3); } 3>&1 # in no file: the disk may be full
    set -- $?
    [ -z "$told" ] || printf '%s\n' "$told" | tell
    return "$1"
}

# The text that is compiled of a .cu file: it is the same for -E.
preprocess_file() {
    preprocessed=$intermediate.in
    eval "attempt $front $dependencies \"\$file\" -o \"\$preprocessed\""
    grep '^# [01] "' "$preprocessed" >"$temporary/entered" # where a file begins
    if [ $mode != preprocess ] && has_others "$temporary/entered"; then
        theirs=$({
            toolkit_headers "$temporary/entered"
            not_tried "$preprocessed"
        } | explain | sed -n 1p)
        if [ -n "$theirs" ]; then
            printf '%s\n' "$theirs" | tell
            exit 1
        fi
    fi
    show_said
    if asks_for_architecture; then
        eval "attempt $front -D__CUDA_ARCH__=${arch:-75}0 \"\$file\" -o \"\$preprocessed.device\""
        translate --merge="$preprocessed.device" "$preprocessed" \
            >"$preprocessed.merged" || exit 1
        preprocessed=$preprocessed.merged
    fi
}

# What comes before the file's own text is the same for each program: gcc precompiles it. True when that
# went without a word; or else the text is compiled as it is, and what is said of it is its own.
compile_precompiled() { # FLAGS
    [ -z "$clang" ] && [ "$kind" = cu ] && [ "$precompiled" != "$temporary" ] || return
    own=$(sed -n '/^# [0-9]* "<command-line>" 2$/=' "$intermediate" | tail -n 1)
    [ -n "$own" ] || return
    known=$({ echo "$1"; sed "1d;${own}q" "$intermediate"; } | cksum)
    known=$precompiled/header-${known% *}-${known#* }.gch
    if [ ! -f "$known" ]; then
        # Each takes 20 MB: where there are eight, those of an earlier day go.
        # shellcheck disable=SC2010 # names of our own
        if [ "$(ls "$precompiled" | grep -c 'gch$')" -ge 8 ]; then
            find "$precompiled" -name '*.gch' -mtime +0 -exec rm -f {} +
            return 1
        fi
        sed "1d;${own}q" "$intermediate" >"$temporary/header.ii" &&
            eval "run $cxx -x c++-header -fpreprocessed $1 \"\$temporary/header.ii\" -o \"\$known.$$\"" &&
            mv -f "$known.$$" "$known"
        rm -f "$temporary/header.ii" # on a small disk the text itself needs the room
        [ -f "$known" ] || return
    fi
    sed "1a\\
#pragma GCC pch_preprocess \"$known\"
2,${own}d" "$intermediate" | eval "run $cxx -x c++-cpp-output $1 - -c -o \"\$object\""
} 2>"$temporary/messages"

objects='' made=0
compile_file() { # KIND FILE OBJECT
    kind=$1 file=$2 object=$3
    made=$((made + 1))
    mkdir -p "$temporary/$made"
    intermediate=$temporary/$made/translated.ii
    std=
    case $kind,$standard in
    c,*++* | cu*,*[!+]?? | c++,*[!+]??) ;; # a standard of the other language
    *) std=-std=$standard ;;
    esac
    dependencies=
    if [ -n "$depend" ]; then
        target=$object
        [ $mode != link ] || target=${output:-a.out}
        case $mode,$depend_file in
        depend,) ;;
        *,) add dependencies -MF "${target%.o}.d" ;;
        *) add dependencies -MF "$depend_file" ;;
        esac
        [ -n "$targets" ] || add dependencies -MQ "$target"
        dependencies="$depend $dependencies $targets $phony"
    fi
    case $kind in
    cu)
        front="$cxx -x c++ -E $std $messages $common -U_FORTIFY_SOURCE"
        front="$front -D__NVCC__=1 -D__CUDACC__=1 -D__CUDACC_CPU__=1"
        front="$front -D__CUDACC_VER_MAJOR__=$cudart -D__CUDACC_VER_MINOR__=0 -D__CUDACC_VER_BUILD__=0"
        front="$front $defines $preprocess $headers -include cuda_runtime.h"
        ;;
    cu-cpp-output) front="$cxx -x c++-cpp-output $std" ;;
    c) front="$cc -x c $std ${color:+-fdiagnostics-color=always} $common $defines $preprocess $headers" ;;
    c++) front="$cxx -x c++ $std ${color:+-fdiagnostics-color=always} $common $defines $preprocess $headers" ;;
    esac
    case $mode,$kind in
    preprocess,cu*) ;;
    preprocess,* | depend,*)
        [ -z "$output" ] || [ -n "$depend_file" ] || dependencies="$dependencies -o \"\$output\""
        attempt_text "$front $dependencies -E \"\$file\""
        return
        ;;
    *,c | *,c++)
        attempt_text "$front $dependencies -c \"\$file\" -o \"\$object\""
        return
        ;;
    esac
    preprocessed=$file
    [ "$kind" != cu ] || preprocess_file
    if [ $mode = preprocess ]; then
        [ -z "$output" ] || exec >"$output"
        cat "$preprocessed" || exit
        return
    fi
    if [ -n "$keep" ]; then
        intermediate=${object%.o}.translated.ii
        [ $mode != link ] || intermediate=${output:-a.out}.$made.translated.ii
    fi
    in_parts=$split
    if [ -n "$cccl" ] && grep -qF "# 1 \"$cccl/" "$preprocessed"; then
        in_parts='' # which of their functions wait is not known
        # For gcc, in a class that names BlockScan, `using BlockScan = BlockScan<...>` must name another one.
        sed 's/using \(\(Block\|Warp\)[A-Za-z]*\) = \1</using \1 = cub::\1</' "$preprocessed" >"$temporary/named"
        preprocessed=$temporary/named
    fi
    translate $separate ${trace:+--trace} ${processor:+--kernel="__attribute__((target(\"$processor\")))"} \
        ${loop_free:+--loop-free="$loop_free"} ${no_hoist:+--no-hoist="$no_hoist"} $loops ${by_value:+--copies} $in_parts $vectors $color \
        "$preprocessed" >"$intermediate" || exit 1
    compiling="$std $messages $common $kernels"
    if grep -q '^// .*: split at its barriers$' "$intermediate"; then
        # What this compiler does not take of it, it is not given; our tests do not allow that.
        if { compile_precompiled "$compiling" && [ ! -s "$temporary/messages" ]; } ||
            eval "run $cxx -x c++-cpp-output $compiling \"\$intermediate\" -c -o \"\$object\"" 2>"$temporary/messages"; then
            plain_quotes
            show_said
            return
        fi
        translate $separate ${processor:+--kernel="__attribute__((target(\"$processor\")))"} \
            $color "$preprocessed" >"$intermediate" || exit 1
        [ -z "${CUDACC_STRICT:-}" ] || refused=$temporary/refused
        [ -z "${refused:-}" ] || cp "$temporary/messages" "$refused"
    fi
    calls='' copies=$by_value
    ! grep -q '^// classes that must not be copied$' "$intermediate" || copies=''
    case $(tail -n 1 "$intermediate") in
    '// kernels without loops') calls=$no_calls ;; # what they call is part of them
    '// no hoisting') calls=$no_hoist_at_all ;;
    esac
    compiling="$std $messages $common $kernels $calls $copies"
    if ! { compile_precompiled "$compiling" && [ ! -s "$temporary/messages" ]; }; then
        compiling="$cxx -x c++-cpp-output $compiling \"\$intermediate\""
        as_calls="$compiling -fsyntax-only"
        attempt_text "$compiling -c -o \"\$object\""
        as_calls=
    fi
    if [ -n "${refused:-}" ]; then
        cat "$refused" >&2
        die "$file: its kernels, split, do not compile (CUDACC_STRICT)"
    fi
}

# There is no GPU code to link: an object with nothing in it, so that a Makefile for nvcc continues.
if [ $mode = dlink ]; then
    [ -z "$translates" ] || die '-dlink takes objects: compile with -dc first'
    : >"$temporary/nothing.c"
    eval "run $cc -c \"\$temporary/nothing.c\" -o \"\${output:-a_dlink.o}\""
    exit
fi

eval "set -- $inputs"
while [ $# -gt 0 ]; do
    kind=$1 file=$2
    shift 2
    stem=${file##*/}
    object=${stem%.*}.o
    case $mode in
    link) object=$temporary/$((made + 1))/$object ;;
    compile) object=${output:-$object} ;;
    esac
    if [ "$kind" = object ]; then
        [ $mode = link ] || die "$file: nothing to compile in it"
        add objects "$file"
    else
        compile_file "$kind" "$file" "$object"
        add objects "$object"
    fi
done
[ $mode = link ] || exit 0
