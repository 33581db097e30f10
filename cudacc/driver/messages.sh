# messages.sh: what the compilers say: in color or not, each message once, and what it means where the
# CPU device lacks something.
# SPDX-License-Identifier: MIT
# shellcheck shell=sh

# What looks like CUDA's and is not known is what the CPU device does not have: a line says so, and
# where the list of what it has is.
library_of() { # HEADER: whose it is, where that has a name of its own
    case $1 in
    cublas*) echo cuBLAS ;;
    curand[A-Z]* | curand*.h) echo "cuRAND's host API" ;;
    cufft*) echo cuFFT ;;
    cusparse*) echo cuSPARSE ;;
    cusolver*) echo cuSOLVER ;;
    cudnn*) echo cuDNN ;;
    npp*.h) echo NPP ;;
    nvrtc*.h) echo NVRTC ;;
    nvml.h) echo NVML ;;
    nccl.h) echo NCCL ;;
    nvtx*) echo "NVTX's C++ API" ;;
    thrust/*) echo Thrust ;;
    cub/*) echo CUB ;;
    cuda/* | nv/target) echo libcu++ ;;
    cutlass/*) echo CUTLASS ;;
    cuda_gl_interop.h | cudaGL*.h) echo 'the interface to OpenGL' ;;
    *) false ;;
    esac
}
header_of() { # NAME: what one must include for it
    case $1 in
    half | half2 | __half | __half2 | __float2half | __half2float) echo cuda_fp16.h ;;
    nv_bfloat16* | __nv_bfloat16* | __float2bfloat16 | __bfloat162float) echo cuda_bf16.h ;;
    cooperative_groups) echo cooperative_groups.h ;;
    curand*) grep -qw "$1" "$here/extra/include/curand_kernel.h" && echo curand_kernel.h ;;
    *) false ;;
    esac
}
instead_of() { # NAME: what to take or to include for it, where CUDA has it, or has it no more
    case $1 in
    cudaThreadSynchronize | cudaThreadExit | until_12:*) echo "CUDA 13 removed ${1#*:}; cudacc --cudart=12 has it" ;;
    device:number) echo "CUDA 13 takes a cudaMemLocation where CUDA 12 took a device's number; cudacc --cudart=12 takes the number" ;;
    texture | cudaBindTexture* | cudaUnbindTexture)
        echo "CUDA 12 removed texture references, and with them $1: take a texture object, cudaCreateTextureObject"
        ;;
    __shfl | __shfl_up | __shfl_down | __shfl_xor | __any | __all | __ballot)
        echo "$1 is of GPUs before 2017: $1_sync takes the threads' mask first, 0xffffffff for the whole warp"
        ;;
    curandState[MS]*) echo "$1 is not part of the CPU device; curandState and curandStatePhilox4_32_10_t are" ;;
    *[cC]luster*) echo "$1: the CPU device has no clusters of thread blocks" ;;
    helper_*.h) echo "$1 is of NVIDIA's cuda-samples: say -I and their folder Common" ;;
    *) header=$(header_of "$1") && echo "$1 needs #include <$header>" ;;
    esac
}
named_like_cuda() { # HEADER
    case $1 in
    cooperative_groups* | cuda*.h | mma.h | texture_*.h | surface_*.h | \
        helper_*.h) ;;
    *) library_of "$1" >/dev/null ;;
    esac
}
tab=$(printf '\t')
# What of CCCL was tried.
tried='cuda/(std/.*|atomic|barrier|latch|semaphore|pipeline|functional|cmath|bit|numeric|type_traits|version)'
tried="$tried|cub/(block|warp|thread)/.*|cub/(cub|config|version|util_.*)[.]cuh|nv/target"
explain() { # on stdin PLACE, tab, NAME; the place may be empty; of a header that was found: its path
    while IFS= read -r unknown; do
        place=${unknown%%"$tab"*} unknown=${unknown#*"$tab"}
        case $unknown in
        /include/*) unknown=${unknown#/include/} ;;
        until_12:*)
            grep -q "UNTIL_12(${unknown#*:})" "$here"/include/cpu_device/device_properties.h \
                "$here/include/cpu_device/device_attributes.h" || continue
            ;;
        device:number) ;;
        *[./]*) named_like_cuda "$unknown" || continue ;;
        cuda[A-Z_]* | cu[A-Z]* | CU[A-Za-z_]* | __[a-z]* | cooperative_groups | nvcuda | thrust | \
            cub | curand* | cublas* | cufft* | nvtx* | Device[A-Z]* | half | half2 | nv_bfloat16* | tex[123]D* | \
            surf[123]D* | texture | atomic[A-Z]*) ;;
        this_cluster | cluster_group) ;;
        asm) unknown='PTX in asm' ;;
        *) continue ;;
        esac
        [ -z "$place" ] || place="$place: error"
        if known=$(instead_of "$unknown"); then
            echo "${place:-cudacc}: $known"
            continue
        fi
        if [ -z "$cccl" ] && printf '%s\n' "$unknown" | grep -qxE "$tried"; then
            echo "${place:-cudacc}: $unknown: $(library_of "$unknown") is not here: --cccl FOLDER says where CCCL 2.8 to 3.0 is, for g++"
            continue
        fi
        case $place in
        '' | *.cu:* | *.cuh:*) ;;
        *) # a file of C or C++, where nvcc knows nothing of it either
            if grep -rqw -e "$unknown" "$here/include" "$here/extra/include"; then
                case $unknown in
                cuda*) echo "$place: $unknown needs #include <cuda_runtime.h>, as this is no .cu file" ;;
                *) echo "$place: $unknown is known in .cu files alone: rename this one, or say -x cu" ;;
                esac
                continue
            fi
            ;;
        esac
        ! library=$(library_of "$unknown") || unknown="$unknown: $library"
        echo "${place:-cudacc}: $unknown is not part of the CPU device; what is: $readme"
    done
}
word="'\([A-Za-z_][A-Za-z_0-9]*\)'"
at='^\([^:]*:[0-9][0-9:]*\): .*' # a message's place
unknown_names() { # in the compiler's or linker's messages, without colors
    sed -n -e "s/${at}error: $word .*not.* declared.*/\1$tab\2/p" \
        -e "s/${at}error: $word \(does not name a type\|is not a namespace-name\|is not a member of \).*/\1$tab\2/p" \
        -e "s/${at}error: there are no arguments to $word that depend.*/\1$tab\2/p" \
        -e "s/${at}error: '[a-z ]*cudaDeviceProp' .*no member named $word.*/\1${tab}until_12:\2/p" \
        -e "s/${at}error: no member named $word in 'cudaDeviceProp'.*/\1${tab}until_12:\2/p" \
        -e "s/${at}error: could not convert .* to 'cudaMemLocation'.*/\1${tab}device:number/p" \
        -e "s/${at}error: no matching function for call to 'cudaMem\(PrefetchAsync\|Advise\)'.*/\1${tab}device:number/p" \
        -e "s/${at}error: 'cub::\(Device[A-Z][A-Za-z]*\)' has not been declared.*/\1$tab\2/p" \
        -e "s/${at}error: no [a-z]* named $word in namespace .*/\1$tab\2/p" \
        -e "s/${at}\(unknown type name\|use of undeclared identifier\|implicit declaration of function\|call to undeclared function\) $word.*/\1$tab\3/p" \
        -e "s/^\([^:]*:[0-9]*\): Error: .*/\1${tab}asm/p" \
        -e "s/${at}\(error: [a-z ]*put constraint \|in 'asm'\|error: .*in inline asm\).*/\1${tab}asm/p" \
        -e "s/.*<inline asm>.*/${tab}asm/p" \
        -e "s/.*undefined reference to [\`']\([A-Za-z_][A-Za-z_0-9]*\)'.*/$tab\1/p" \
        -e "s/^\([^:]*:[0-9:]*\): fatal error: '*\([A-Za-z_0-9/]*[.a-z]*\)'*[ :].*\(No such file\|not found\).*/\1$tab\2/p" "$1"
}
user_files() { # that a text includes, or that messages about it name
    sed -n -e 's/^# [0-9]* "\([^<]*\)"\( [12]\)*$/\1/p' -e 's/.*In file included from \([^:,]*\)[:,].*/\1/p' \
        -e 's/^  *from \([^:,]*\)[:,].*/\1/p' "$1" | grep -v "^$here/" | sort -u
}
toolkit_headers() { # those of NVIDIA's headers, installed on this machine, that a text includes;
    # best, those that the user's file names
    sed -n -e '/^# 1 ".*" 1 3/{s/^# 1 "\(.*\)".*/\1/;p;}' -e 's/.*In file included from \([^:,]*\)[:,].*/\1/p' \
        -e 's/^  *from \([^:,]*\)[:,].*/\1/p' "$1" | grep -vF "${cccl:-//}/" |
        while read -r header; do
            case $header in # gcc writes \" and \\, clang \303, too
            *\\*) header=$(printf '%b' "$(echo "$header" | sed 's/\\\([0-7]\{3\}\)/\\0\1/g;s/\\"/"/g')") ;;
            esac
            case $header in
            "$here"/*) ;;
            /*/include/*)
                name=${header##*/include/}
                case $header in */include/cccl/*) name=${header##*/include/cccl/} ;; esac
                named_like_cuda "$name" || # or beside NVIDIA's own, and it says whose it is
                    { [ -f "${header%"/$name"}/cuda_runtime_api.h" ] && grep -q NVIDIA "$header"; } ||
                    continue
                at_line=$({ echo "$file"; user_files "$1"; } | while read -r text; do
                    awk -v name="$name" 'match($0, /# *include *[<"]/) &&
                        index(substr($0, RSTART + RLENGTH), name) == 1 {
                            print FILENAME ":" FNR ":" RSTART + RLENGTH - 1
                            exit
                        }' "$text" 2>/dev/null
                done | head -n 1)
                echo "$at_line$tab/include/$name"
                ;;
            esac
        done | awk '/^\t/ { inner = inner $0 "\n"; next } { print; named = 1 }
            END { if (!named) printf "%s", inner }'
}
has_others() { # may a text include more than our headers, the system's and the user's?
    awk -F '"' -v ours="$here/" -v may="$([ ! -f /usr/include/cuda_runtime_api.h ] || echo all)" '
        $3 ~ /^ 1 3/ && index($2, ours) != 1 && (may || $2 !~ /^\/usr\/(include|lib)\// ||
            $2 ~ /\/(cooperative_groups|cu|np|nv|nccl|thrust|mma|texture_|surface_|helper_)/) { found = 1; exit }
        END { exit !found }' "$1"
}
not_tried() { # TEXT: what else of CCCL the files beside it include
    awk -F '"' -v theirs="${cccl:-//}/" -v ours="$here/" -v tried="^($tried)\$" '
        /^# [0-9]+ "/ {
            name = index($2, theirs) == 1 ? substr($2, length(theirs) + 1) : ""
            if (name != "" && $3 ~ /^ 1/ && !inside && name !~ tried)
                print within ":" line + 1 ":10\t/include/" name
            inside = name != "" || index($2, ours) == 1
            within = $2
            line = $0
            sub(/^# /, "", line)
            line = line - 1
            next
        }
        { line++ }' "$1"
}
# A kernel is inlined wherever it may be launched, and each copy has its warnings. Of an element or a
# member gcc asks only whether all paths set it, not on what conditions: a guess, in traced code.
once() {
    awk -v traced="$trace" '{ plain = $0; gsub(/\033\[[0-9;]*[mK]/, "", plain) }
        plain ~ /^In function .*,$/ { copy = $0 "\n"; next }
        copy && plain ~ /^ +inlined from / { copy = copy $0 "\n"; next }
        plain ~ /: In function .*cpu_device::/ { next }
        plain ~ /: In [a-z ]*function .*:$/ { where = $0 "\n"; next }
        plain ~ / warning: .* \[-W(maybe-)?uninitialized\]$/ || plain ~ / note: .* was declared here$/ {
            copy = ""
            again = told[plain]++
            if (plain ~ / may be used uninit/)
                guess = traced && plain !~ /warning: .[A-Za-z_0-9]*. may/
            again += guess
        }
        plain !~ /^ *[0-9]* +\|/ && plain !~ / (warning|note): / { again = guess = 0 }
        again { next }
        { printf "%s%s", where, copy; where = copy = ""; print }
        END { printf "%s", copy }' "$1"
}
escape=$(printf '\033') open_quote=$(printf '\342\200\230') close_quote=$(printf '\342\200\231')
bounded() { # the first hundred lines say what there is to mend
    awk 'NR <= 100
        END { if (NR > 100) print "cudacc: and " NR - 100 " more lines of messages" }' | tell
}
plain_quotes() { # those of a UTF-8 locale become those of every other
    : >"$temporary/said"
    [ ! -s "$temporary/messages" ] ||
        sed "s/$open_quote/'/g;s/$close_quote/'/g" "$temporary/messages" >"$temporary/said"
}
show_said() { [ ! -s "$temporary/said" ] || once "$temporary/said" | bounded; }
attempt() { # COMMAND...: its messages are kept; when it fails: what they mean, they themselves, exit
    run "$@" 2>"$temporary/messages"
    failed=$?
    if [ $failed -ne 0 ] && grep -q 'undefined .*cpu_device_trace_text' "$temporary/messages"; then
        echo 'cudacc: a library was compiled with --trace: say --trace here, too' | tell
        exit 1
    fi
    plain_quotes
    [ $failed -ne 0 ] || return 0
    # Launches as calls: then the messages are about the kernel, not about what a launch becomes.
    if [ -n "$as_calls" ] && grep -q 'cpu_device::' "$temporary/said"; then
        retried=$as_calls as_calls=
        run "$cache/translate" --calls $separate $color "$preprocessed" >"$intermediate" 2>/dev/null &&
            ! eval "run $retried" 2>"$temporary/messages" &&
            plain_quotes
    fi
    sed "s/$escape\[[0-9;]*[mK]//g" "$temporary/said" >"$temporary/messages"
    {
        {
            unknown_names "$temporary/messages"
            toolkit_headers "$temporary/messages"
        } | sort -u -t "$tab" -k 2,2 | sort -t : -k 2n | explain
        cat "$temporary/said"
    } | bounded
    # A full disk takes no message either, and an assembler has another name for it.
    if [ ! -s "$temporary/messages" ] || grep -q 'atal error: .*\.o: ' "$temporary/messages"; then
        echo "cudacc: the compiler did not come to its end: is ${TMPDIR:-/tmp} full?" | tell
    fi
    exit 1
}
as_calls=''
attempt_text() {
    eval "attempt $1"
    show_said
}
