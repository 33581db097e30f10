# compile.sh: each file is preprocessed, translated and compiled.
# SPDX-License-Identifier: MIT
# shellcheck shell=sh

asks_for_architecture() { # does a file of the user name __CUDA_ARCH__, or have libcu++ ask for it?
    user_files "$preprocessed" |
        while read -r name; do
            ! grep -qs '__CUDA_ARCH__\|NV_[A-Z_]*TARGET' "$name" || echo yes
        done | grep -q yes
}

translate() {
    run "$cache/translate" "$@" 2>"$temporary/told"
    set -- $?
    tell <"$temporary/told"
    return "$1"
}

# The text that is compiled of a .cu file: it is the same for -E.
preprocess_file() {
    preprocessed=$intermediate.in
    eval "attempt $front $dependencies \"\$file\" -o \"\$preprocessed\""
    [ $mode = preprocess ] || {
        toolkit_headers "$preprocessed"
        not_tried "$preprocessed"
    } | explain | sed -n 1p >"$temporary/theirs"
    if [ -s "$temporary/theirs" ]; then
        tell <"$temporary/theirs"
        exit 1
    fi
    once "$temporary/said" | bounded
    if asks_for_architecture; then
        eval "attempt $front -D__CUDA_ARCH__=${arch:-75}0 \"\$file\" -o \"\$preprocessed.device\""
        translate --merge="$preprocessed.device" "$preprocessed" \
            >"$preprocessed.merged" || exit 1
        preprocessed=$preprocessed.merged
    fi
}

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
    if grep -qF "# 1 \"${cccl:-//}/" "$preprocessed"; then
        in_parts='' # which of their functions wait is not known
        # For gcc, in a class that names BlockScan, `using BlockScan = BlockScan<...>` must name another one.
        sed 's/using \(\(Block\|Warp\)[A-Za-z]*\) = \1</using \1 = cub::\1</' "$preprocessed" >"$temporary/named"
        preprocessed=$temporary/named
    fi
    translate $separate ${trace:+--trace} ${processor:+--kernel="__attribute__((target(\"$processor\")))"} \
        ${loop_free:+--loop-free="$loop_free"} ${keep_stores:+--keep-stores="$keep_stores"} $loops ${by_value:+--copies} $in_parts $vectors $color \
        "$preprocessed" >"$intermediate" || exit 1
    compiling="$cxx -x c++-cpp-output $std $messages $common $kernels \"\$intermediate\""
    if grep -q '^// .*: split at its barriers$' "$intermediate"; then
        # What this compiler does not take of it, it is not given; our tests do not allow that.
        if eval "run $compiling -c -o \"\$object\"" 2>"$temporary/messages"; then
            plain_quotes
            once "$temporary/said" | bounded
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
    '// conditional stores') calls=$keep_all_stores ;;
    esac
    compiling="$cxx -x c++-cpp-output $std $messages $common $kernels $calls $copies \"\$intermediate\""
    as_calls="$compiling -fsyntax-only"
    attempt_text "$compiling -c -o \"\$object\""
    as_calls=
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
