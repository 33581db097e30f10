# flags.sh: how the host compiler is called: kernels, and what the tracer asks of them.
# SPDX-License-Identifier: MIT
# shellcheck shell=sh

messages=''
clang='' loops=--entries
case $cxx_is in
*clang*) clang=yes loops=--latches messages='' ;;
esac
# What compilers print is read first: they would not know that it goes to a terminal.
color=''
case $compile in
*-fdiagnostics-color=always* | *-fcolor-diagnostics*) color=--color ;;
*-fdiagnostics-color* | *-fno-diagnostics-color* | *-fno-color-diagnostics*) ;;
*)
    if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ] && [ "${GCC_COLORS-on}" ]; then
        color=--color messages="$messages -fdiagnostics-color=always"
    fi
    ;;
esac
# Traced code is what nvcc makes of loops at -O2; gcc never ends copying some structs at -O0.
case $trace,$clang in # a variable that nobody sets: no tracer sees that
yes,) messages="$messages -Wuninitialized -Wmaybe-uninitialized" ;;
yes,yes) messages="$messages -Wuninitialized -Wsometimes-uninitialized" ;;
esac
case $trace,$optimize in
yes,-O0) optimize=-O1 ;;
yes,-O[3s]*) optimize=-O2 ;;
esac
common="${optimize:--O2} $debug $compile"
# On a GPU floating point never traps. (If it may, gcc 14 to 16 take !(x <= y) && !(x > y) to mean that x
# and y are equal, and go the wrong way when one of them is NaN.)
kernels='-fno-strict-aliasing -fno-builtin-printf -fstack-clash-protection -fno-trapping-math'
[ -n "$clang" ] || kernels="$kernels -fstrong-eval-order" # as in C++17: loads before the store
# clang gathers what a thread loads from several places into one vector, which takes longer than the
# loads and a few additions: twice the time of a stencil of five points.
[ -z "$clang" ] || kernels="$kernels -fno-slp-vectorize"
# The runtime makes a misaligned access an error, as a GPU does; the tracer sees it itself.
[ -n "$trace" ] || kernels="$kernels -fsanitize=alignment"
# Kernels are split at their barriers; a sanitizer looks at each thread's own stack.
case $trace$common in yes* | *-fsanitize=*) split='' ;; *) split=--split ;; esac
# A traced program calls the tracer (trace/record/hooks.c) before each load and store and in each basic
# block; the order of these in the program is that of the source. Kernels without loops: translate/loops.c.
loop_free='' no_calls='' by_value='' no_hoist='' no_hoist_at_all=''
if [ -n "$trace" ]; then
    kernels="$kernels -gdwarf-4 -fsanitize=thread -Wno-tsan -Wno-class-memaccess -Wno-unused-value"
    kernels="$kernels -Wno-deprecated-copy" # structs are assigned in pieces (trace_copies.h)
    kernels="$kernels -fno-optimize-sibling-calls" # a barrier is told by where it returns to
    kernels="$kernels -fno-builtin-malloc -fno-builtin-free" # what goes past a block must stay
    kernels="$kernels -Wno-missing-field-initializers" # vector types have one more (vector_types.h)
    kernels="$kernels -Wno-switch-unreachable" # a loop that begins in a `switch` has a mark before it
    # A local variable that no line has set looks it: 0xfefefefe, -1.7e38 (clang: 0xaaaaaaaa, NaN).
    [ "${version%%.*}" -lt 12 ] || kernels="$kernels -ftrivial-auto-var-init=pattern"
    if [ -n "$clang" ]; then
        kernels="$kernels -fsanitize-coverage=bb,no-prune,trace-pc -Wno-unknown-warning-option"
        kernels="$kernels -Wno-pragmas" # a function of the user that is called read, in a namespace (trace_libc.h)
        kernels="$kernels -mllvm -tsan-distinguish-volatile=1"
        kernels="$kernels -mllvm -tsan-instrument-read-before-write=1"
        # Loops and branches stay in their order: without marks for the end of a variable's life
        # the way out of a loop stands behind it.
        kernels="$kernels -mllvm -disable-block-placement -mllvm -disable-branch-fold"
        kernels="$kernels -Xclang -disable-lifetime-markers -fno-unroll-loops"
        # Stores of two branches are joined where they go to one address, as nvcc does.
        kernels="$kernels -mllvm -simplifycfg-sink-common=0 -mllvm -enable-gvn-hoist"
        # What is loaded as one vector is not taken apart.
        kernels="$kernels -mllvm -disable-vector-combine -fno-vectorize"
        loop_free='__attribute__((no_sanitize("coverage")))'
        no_calls='-mllvm -tsan-instrument-func-entry-exit=0'
        no_hoist_at_all='-mllvm -disable-licm-promotion' # translate/hoists.c
    else
        kernels="$kernels -fsanitize-coverage=trace-pc"
        # Local variables: indices are checked; a loop is not taken to end where its array does.
        kernels="$kernels -fsanitize=object-size -fno-aggressive-loop-optimizations"
        kernels="$kernels -fno-var-tracking" # the report asks for lines: a sixth less time
        # What a call takes or gives by value is copied before and after it: gcc does not report what a
        # call itself loads and stores. Some classes must not be copied (translate/structs.c).
        by_value=-fno-elide-constructors
        kernels="$kernels -fno-reorder-blocks -fno-reorder-blocks-and-partition"
        kernels="$kernels -fno-tree-tail-merge -fno-crossjumping -fno-thread-jumps"
        kernels="$kernels -fno-unroll-loops" # gcc 13 and later unroll small ones at -O2
        kernels="$kernels -fno-tree-vrp" # where a condition is known, it moves what comes behind it
        no_hoist=no-tree-loop-im # translate/hoists.c
        # What each branch of an `if` loads and stores stays in it, and what comes before it, there.
        kernels="$kernels -fno-tree-cselim -fno-tree-sink -fno-code-hoisting -fno-hoist-adjacent-loads"
        case $(eval "$cxx -dumpmachine") in # there the gaps behind __shared__ variables wander
        aarch64*) kernels="$kernels -fno-toplevel-reorder" ;;
        esac
        kernels="$kernels --param tsan-distinguish-volatile=1"
        case $version in
        11) # where -fno-thread-jumps is not of all such passes
            kernels="$kernels --param max-jump-thread-duplication-stmts=0"
            kernels="$kernels --param max-fsm-thread-length=1"
            ;;
        *)
            loop_free='__attribute__((no_sanitize_coverage))'
            ;;
        esac
        # From gcc 16 on one pass takes such a copy away again, and hands the call its source; another
        # joins the stores of two branches, as -fno-tree-cselim forbids.
        [ "${version%%.*}" -lt 16 ] || kernels="$kernels -fno-tree-forwprop -fno-ssa-phiopt"
        no_calls='--param tsan-instrument-func-entry-exit=0 -fno-sanitize-coverage=trace-pc'
    fi
fi
# A function that ends without its return gives any value, as on a GPU, and does not run on.
kernels="$kernels -fsanitize=unreachable"
[ -z "$clang" ] || kernels="$kernels -fno-strict-return"
case $common in *-fPIC* | *-fpic*) ;; *) kernels="$kernels -ftls-model=initial-exec" ;; esac
# Kernels fuse a multiplication and an addition, as nvcc's do, where this processor can. Host code of
# an x86-64 does not, and on arm64 it does: with nvcc its host compiler decides so, too.
processor='' machine=$(eval "$cxx -dumpmachine")
case $fused,$machine in
true,x86_64*) ! grep -qw fma /proc/cpuinfo 2>/dev/null || processor=fma ;;
esac
case $fused in
true)
    kernels="$kernels -ffp-contract=fast"
    [ -n "$clang" ] || kernels="$kernels -fexpensive-optimizations" # or gcc's -O1 fuses none
    ;;
false) kernels="$kernels -ffp-contract=off" ;;
esac
# gcc makes vectors of some parts of them (parts.h).
vectors=''
case $split,$clang,$machine,$common in --split,,x86_64*,-O[23]*) vectors=--vectors ;; esac
defines="-DCPU_DEVICE_CUDART_VERSION=$((cudart == 12 ? 12080 : cudart == 11 ? 11080 : 13000))"
[ -z "$trace" ] || defines="$defines -DCPU_DEVICE_TRACE"
[ -z "$processor" ] || defines="$defines '-DCPU_DEVICE_FUSED=\"$processor\"'"
[ -z "$per_thread" ] || defines="$defines -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"
headers="-isystem \"\$here/include\" -isystem \"\$here/extra/include\""
# libcu++ and CUB by their own headers, where somebody has installed them: as the host's compiler reads them,
# but for what lies in extra/include/cccl. CUB's templates are those of one architecture.
known_cccl() { # FOLDER: is it of those that were tried, 2.8 to 3.0? For clang their PTX does not compile.
    [ -z "$clang" ] && [ -f "$1/cub/version.cuh" ] &&
        case $(sed -n 's/^#define CCCL_VERSION //p' "$1/cuda/std/__cccl/version.h" 2>/dev/null) in
        2008??? | 3000???) ;;
        *) false ;;
        esac
}
[ -z "$cccl" ] || known_cccl "$cccl" || die "--cccl: no CCCL 2.8 to 3.0 in $cccl, or not for g++"
nvcc=$(command -v nvcc) || nvcc=
for toolkit in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${nvcc%/bin/nvcc}" /usr/local/cuda; do
    for folder in "$toolkit/include/cccl" "$toolkit/include"; do
        [ -n "$cccl" ] || ! known_cccl "$folder" || cccl=$folder
    done
done
if [ -n "$cccl" ]; then
    headers="$headers -isystem \"\$here/extra/include/cccl\" -isystem \"\$cccl\""
    for type in FP16 BF16 NVFP8 FP8 NVFP6 NVFP4; do defines="$defines -DCCCL_DISABLE_${type}_SUPPORT"; done
    defines="$defines -DCCCL_DISABLE_NVTX -DCUB_PTX_ARCH=900"
fi
readme=${here#"$PWD"/}/README.md

# The same for folders that the environment names.
if [ -n "${CPATH:-}" ]; then
    folders=$CPATH CPATH=
    old_ifs=$IFS IFS=:
    for folder in $folders; do
        [ -f "$folder/cuda_runtime.h" ] || CPATH="$CPATH:$folder"
    done
    IFS=$old_ifs CPATH=${CPATH#:}
fi
