# options.sh: the arguments of cudacc, and its help.
# SPDX-License-Identifier: MIT
# shellcheck shell=sh

usage() {
    cat <<'END'
Compile CUDA C for the CPU:

    cudacc saxpy.cu -o saxpy            compile and link; then ./saxpy
    cudacc -c kernels.cu                compile to kernels.o
    cudacc main.cpp kernels.o -o prog   C and C++ files, objects and archives may be given too
    cudacc -O3 -g -I include -D N=1024 saxpy.cu -run
    cudacc --cudart=12 saxpy.cu         with the signatures of CUDA 11, 12 or 13 (default)

Options are nvcc's; as there, -opt value and -opt=value mean the same.

    -o FILE  -c  -E  -run          what to make (default: a.out)
    -I -isystem -D -U -include     for the preprocessor; also -M -MM -MD -MMD -MF -MT -MP
    -O0..-O3 (default -O2)  -g  -G  -std=c++NN  -w  -W...  -f...  -m...  -pthread
    -Werror [all-warnings]         warnings are errors
    -x cu|c|c++                    the language of the files that follow; cu-cpp-output: what
                                   -E has made of a .cu file
    --cccl FOLDER                  where cuda/std/ and cub/ are, if not in a CUDA toolkit
    -l -L -Xlinker A,B             for the linker
    -Xcompiler A,B                 for the host compiler
    -ccbin COMPILER                the host compiler; so do CXX and CC in the environment
    -rdc=true, -dc                 device functions and variables are shared between files
    -dlink                         an object with nothing in it: there is no GPU code to link
    -default-stream legacy|per-thread
    -fmad=false                    kernels do not fuse multiplications and additions
    --trace                        counts what each access of a kernel asks of memory, finds
                                   memory errors (see README.md); of objects and archives,
                                   linking sees whether they were compiled with it
    --trace=blocks:N               the same in N blocks of each launch, evenly spread
    --keep                         keep the translated text beside the output
    -v  -h  -V                     print the commands, this text, the version

-arch and -gencode say what __CUDA_ARCH__ is in device code (default: 750, as nvcc 13 has it, for
there programs choose no PTX of later devices). Other options for a GPU (-lineinfo, -use_fast_math
...) are accepted and ignored.
Exit code: 0 done, 1 the compiler or the linker failed, 2 wrong usage.
END
}

mode=link output='' language='' optimize='' debug='' standard='' separate='' cudart=13
per_thread='' fused=true trace='' trace_blocks='' execute='' keep='' verbose='' ccbin='' depend='' depend_file='' targets='' phony=''
arch='' cccl='' notes='' preprocess='' compile='' libraries='' linker='' inputs='' input_count=0 names='' tell_version=''

ignore() { notes="${notes}cudacc: $option: ignored, $1
"; }
gpu='an option for a GPU'
library() { # the runtime is always linked
    case $1 in
    cudart | cudart_static | cudadevrt | cuda) ignore 'the runtime is always linked' ;;
    nvToolsExt) ignore 'marks do nothing' ;;
    *) add libraries "-l$1" ;;
    esac
}

# NVIDIA's headers must not hide those of the CPU device.
include() { # OPTION FOLDER
    if [ -f "$2/cuda_runtime.h" ]; then ignore 'the headers there are not those of the CPU device'
    else add preprocess "$1" "$2"; fi
}

while [ $# -gt 0 ]; do
    option=$1 name=$1 value='' has_value=''
    shift
    case $option in -*=*) name=${option%%=*} value=${option#*=} has_value=yes ;; esac

    # Names of one option become one name; those that take a value get it.
    case $name in
    -o | --output-file) name=-o ;;
    -I | --include-path) name=-I ;;
    -isystem | --system-include) name=-isystem ;;
    -cccl | --cccl) name=-cccl ;;
    -include | --pre-include) name=-include ;;
    -D | --define-macro) name=-D ;;
    -U | --undefine-macro) name=-U ;;
    -l | --library) name=-l ;;
    -L | --library-path) name=-L ;;
    -O | --optimize) name=-O ;;
    -std | --std) name=-std ;;
    -x | --x) name=-x ;;
    -Xcompiler | --compiler-options) name=-Xcompiler ;;
    -Xlinker | --linker-options) name=-Xlinker ;;
    -ccbin | --compiler-bindir) name=-ccbin ;;
    -MF | --dependency-output) name=-MF ;;
    -MT | -MQ | -cudart | -default-stream | -rdc | -fmad) ;;
    --cudart | --default-stream | --fmad) name=${name#-} ;;
    --relocatable-device-code) name=-rdc ;;
    -arch | --gpu-architecture | -gencode | --generate-code | -code | --gpu-code | \
        -Xptxas | --ptxas-options | -Xnvlink | --nvlink-options | -Xfatbin | \
        --fatbin-options | -Xarchive | --archive-options | -maxrregcount | --maxrregcount | \
        -ftz | --ftz | -prec-div | --prec-div | -prec-sqrt | --prec-sqrt | -t | --threads | \
        -split-compile | --split-compile | -Ofc | --Ofast-compile | -m | --machine | \
        -diag-suppress | --diag-suppress | -diag-warn | --diag-warn | -diag-error | \
        --diag-error | -target-dir | --target-directory | -keep-dir | --keep-dir | \
        -cudadevrt | --cudadevrt)
        name=for-gpu
        ;;
    *) has_value=${has_value:-none} ;;
    esac
    if [ -z "$has_value" ]; then
        [ $# -gt 0 ] || die "$option needs a value"
        value=$1
        shift
    fi

    case $name in
    -o) output=$value ;;
    -I | -isystem) include "$name" "$value" ;;
    -cccl) cccl=$(cd "$value" 2>/dev/null && pwd) || die "$option: no folder $value" ;;
    -include | -D | -U) add preprocess "$name" "$value" ;;
    -I*) include -I "${option#-I}" ;;
    -D* | -U*) add preprocess "$option" ;;
    -l) library "$value" ;;
    -lineinfo | --generate-line-info | -use_fast_math | --use_fast_math | -res-usage | --resource-usage | \
        -src-in-ptx | --source-in-ptx | -restrict | --restrict | -extended-lambda | --extended-lambda | \
        -expt-extended-lambda | --expt-extended-lambda | -expt-relaxed-constexpr | --expt-relaxed-constexpr | \
        -extra-device-vectorization | --extra-device-vectorization | -allow-unsupported-compiler | \
        --allow-unsupported-compiler | -dlto | --dlink-time-opt | -time | --time | -clean | --clean-targets | \
        -forward-unknown-to-host-compiler | --forward-unknown-to-host-compiler | -noeh | \
        --no-exceptions-in-kernels | -m64 | -Wno-deprecated-gpu-targets | -Wdefault-stream-launch | \
        -Wmissing-launch-bounds | -Wext-lambda-captures-this)
        ignore "$gpu"
        ;;
    -lib | --lib | -shared | --shared) die "$option: libraries are not made; use -c and ar" ;;
    -l*) library "${option#-l}" ;;
    -L) add libraries "-L$value" ;;
    -L*) add libraries "$option" ;;
    -O) optimize=-O$value ;;
    -O*) optimize=$option ;;
    -std) standard=$value ;;
    -x)
        case $value in
        cu | cu-cpp-output | c | c++) language=$value ;;
        *) die "-x $value: the languages are cu, cu-cpp-output, c and c++" ;;
        esac
        ;;
    -Xcompiler) split compile "$value" ;;
    -Xlinker) split linker "$value" ;;
    -ccbin) ccbin=$value ;;
    -cudart)
        case $value in
        11 | 12 | 13) cudart=$value ;;
        shared | static | none) ignore 'the runtime is always linked' ;;
        *) die "$name=$value: it is 11, 12 or 13 (or shared, static, none: ignored)" ;;
        esac
        ;;
    -default-stream)
        case $value in
        per-thread) per_thread=1 ;;
        legacy | null) per_thread= ;;
        *) die "$name=$value: it is legacy, null or per-thread" ;;
        esac
        ;;
    -trace | --trace)
        trace=yes
        case $value in
        '') ;;
        blocks:*[!0-9]* | blocks: | blocks:0*) die "$option: the number of blocks is at least 1" ;;
        blocks:*) trace_blocks=${value#blocks:} ;;
        *) die "$option: it is --trace or --trace=blocks:N" ;;
        esac
        ;;
    -rdc)
        case $value in
        true) separate=--rdc ;;
        false) separate= ;;
        *) die "$name=$value: it is true or false" ;;
        esac
        ;;
    for-gpu)
        ignore "$gpu"
        case $value in # the newest of the architectures that the device can be
        *sm_[1-9]* | *compute_[1-9]*)
            for number in $(printf %s "$value" | tr -cs 0-9 ' '); do
                [ "$number" -gt 90 ] || [ "$number" -lt "${arch:-0}" ] || arch=$number
            done
            ;;
        esac
        ;;
    -fmad)
        case $value in
        true | false) fused=$value ;;
        *) die "$name=$value: it is true or false" ;;
        esac
        ;;
    -M | --generate-dependencies) mode=depend depend=-M ;;
    -MM | --generate-nonsystem-dependencies) mode=depend depend=-MM ;;
    -MD | --generate-dependencies-with-compile) depend=-MD ;;
    -MMD | --generate-nonsystem-dependencies-with-compile) depend=-MMD ;;
    -MP | --generate-dependency-targets) phony=-MP ;;
    -MT | -MQ) add targets "$name" "$value" ;;
    -MF) depend_file=$value ;;
    -c | --compile | -dw | --device-w) mode=compile ;;
    -dc | --device-c) mode=compile separate=--rdc ;;
    -dlink | --device-link) mode=dlink ;;
    -E | --preprocess) mode=preprocess ;;
    -ptx | --ptx | -cubin | --cubin | -fatbin | --fatbin | -cuda | --cuda | \
        -optix-ir | --optix-ir)
        die "$option: there is no GPU code on the CPU device"
        ;;
    -run | --run) execute=1 ;;
    -g | --debug) debug=-g ;;
    -G | --device-debug) debug=-g optimize=${optimize:--O0} ;;
    -w | --disable-warnings) add compile -w ;;
    -Werror | --Werror)
        case $has_value,$value,${1-} in
        none,,all-warnings) shift ;;
        none,,*) value=all-warnings ;;
        esac
        case ${value:-all-warnings} in # the other kinds are warnings of nvcc's own
        *all-warnings*) add compile -Werror ;;
        cross-execution-space-call | reorder | default-stream-launch | missing-launch-bounds | \
            ext-lambda-captures-this)
            ignore "$gpu"
            ;;
        *) add compile "-Werror=$value" ;;
        esac
        ;;
    -keep | --keep | -save-temps | --save-temps) keep=1 ;;
    -v | --verbose) verbose=1 ;;
    -h | -help | --help)
        usage
        exit
        ;;
    -V | --version) tell_version=yes ;;
    -W?* | -f?* | -m?* | -pthread | -pg | -pedantic | -s | -no-pie | -pie | -rdynamic)
        add compile "$option"
        ;;
    -?*) die "unknown option $option (cudacc --help lists them)" ;;
    *)
        [ -e "$option" ] || die "$option: no such file"
        [ -f "$option" ] || [ ! -d "$option" ] || die "$option: is a folder"
        kind=$language
        case $language,$option in
        ,*.cu) kind=cu ;;
        ,*.c) kind=c ;;
        ,*.cpp | ,*.cc | ,*.cxx | ,*.C) kind=c++ ;;
        ,*.o | ,*.a | ,*.so | ,*.so.* | ,*.obj) kind=object ;;
        ,*) die "$option: not a .cu, .c, .cc, .cpp, .cxx, .o, .a or .so file (-x cu makes it one)" ;;
        esac
        add inputs "$kind" "$option"
        names="$names$option
"
        input_count=$((input_count + 1))
        ;;
    esac
done
[ -z "$verbose" ] || printf '%s' "$notes" | tell
[ $input_count -gt 0 ] || tell_version=$tell_version$verbose # -v alone, as for gcc
[ $input_count -gt 0 ] || [ -n "$tell_version" ] || die 'no input files (cudacc --help shows how to call it)'
[ $input_count -eq 1 ] || [ -z "$output" ] || [ $mode = link ] || [ $mode = dlink ] ||
    die "-o with several files needs a link, not -c, -E or -M"
printf %s "$names" | while read -r name; do
    # shellcheck disable=SC3013 # dash, bash and busybox have it
    [ "$name" -ef "$output" ] || continue
    die "-o $output: that is an input file, which would be overwritten"
done || exit

case $standard in # what launches become needs generic lambdas
'') standard=gnu++17 ;;
c++03 | c++98 | c++11 | gnu++03 | gnu++98 | gnu++11)
    [ -z "$verbose" ] || echo "cudacc: -std=$standard: raised to c++14" | tell
    standard=c++14
    ;;
esac
