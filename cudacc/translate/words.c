/*
 * words.c: words and signs that mean something to a kernel that is split (split.c).
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include "functions.h"
#include "waits.h"

static const char *const operations[][2] = {{"__shfl_sync", "MEET_SHUFFLE + ::SHUFFLE_IDX"},
                                            {"__shfl_up_sync", "MEET_SHUFFLE + ::SHUFFLE_UP"},
                                            {"__shfl_down_sync", "MEET_SHUFFLE + ::SHUFFLE_DOWN"},
                                            {"__shfl_xor_sync", "MEET_SHUFFLE + ::SHUFFLE_XOR"},
                                            {"__ballot_sync", "MEET_VOTE + ::VOTE_BALLOT"},
                                            {"__all_sync", "MEET_VOTE + ::VOTE_ALL"},
                                            {"__any_sync", "MEET_VOTE + ::VOTE_ANY"},
                                            {"__match_any_sync", "MEET_MATCH + ::MATCH_ANY"},
                                            {"__reduce_add_sync", "MEET_REDUCE + ::REDUCE_ADD"},
                                            {"__reduce_and_sync", "MEET_REDUCE + ::REDUCE_AND"},
                                            {"__reduce_or_sync", "MEET_REDUCE + ::REDUCE_OR"},
                                            {"__reduce_xor_sync", "MEET_REDUCE + ::REDUCE_XOR"},
                                            {"__reduce_min_sync", "MEET_REDUCE + ::REDUCE_MIN"},
                                            {"__reduce_max_sync", "MEET_REDUCE + ::REDUCE_MAX"},
                                            {"__syncwarp", "MEET_LANES"}};
const char *operation_of(int i) {
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        if (is(i, operations[k][0]))
            return operations[k][1];
    return NULL;
}

bool is_warp_function(int i) {
    return is_name(i) && is(i + 1, "(") && operation_of(i) && !is_one_of(i - 1, ":: . -> ") &&
           !is_function(i, true) && !is_method(i);
}

static bool is_lambda(int i) {
    if (!is(i, "[") || is(i + 1, "["))
        return false;
    bool by_name = is_name(i - 1) && !is_one_of(i - 1, "auto else do return ");
    return (is(i - 1, ")") && is_control(i - 1)) || (!by_name && !is_one_of(i - 1, ") ] [ "));
}

static bool begins_type(int i) {
    return is_one_of(i, "struct class union enum ") &&
           (is_one_of(i + 1, "{ : ") || is_one_of(i + 2, "{ : "));
}

static bool is_label(int i) {
    return is_name(i) && is(i + 1, ":") && is_one_of(i - 1, "; { } ") && !is(i, "default");
}
static bool is_ours(int i) { return begins(i, "cpu_") && !strstr(join(i, i), "cpu_device"); }

const char *why_refused(int i) {
    static const char jumps[] = "goto try throw co_await ";
    static const char of_type[] = "decltype typeof __typeof __typeof__ __func__ __FUNCTION__ "
                                  "__PRETTY_FUNCTION__ ";
    if (is(i, "__syncthreads") ? !is(i + 1, "(") || is(i - 1, "::")
                               : may_wait(i) && !is_warp_function(i))
        return "a thread may wait there for others, and for no barrier of the block";
    if (is_one_of(i, jumps) || is_label(i) || is_ours(i))
        return "a jump, or a name that is ours";
    if (is(i, "static") && !is_one_of(i + 1, "__shared__ const constexpr ") &&
        !is(i - 1, "__shared__"))
        return "a static variable";
    if (is_one_of(i, of_type) && !is(i - 1, "__extension__"))
        return "what asks for a type, or for the function's name";
    if (is(i, "return") && !is(i + 1, ";"))
        return "a result";
    if (is(i, "[") && is(i + 1, "["))
        return "an attribute";
    if (begins_type(i))
        return "a type is declared there";
    if (is(i, "namespace") || (is(i, "using") && !is(i + 2, "=")))
        return "a name gets another meaning";
    if (is_lambda(i))
        return "a lambda";
    return shift(i, "<") && is(i + 2, "<") ? "a launch" : NULL;
}
