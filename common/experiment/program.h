// SPDX-License-Identifier: MIT
// What every experiment does alike: its command line, its device, its size, its verdict.
//
//     run_begin(argc, argv, "05_coalescing/stride", claim, columns, "elements", NO_ERRORS);
//     size_t n = run_size(article, cpu, bytes);   // how many elements
//     ...                                         // print rows and findings: rows.h
//     return run_end();                           // PASS or FAIL, and the exit code
//
// To add an option: one program's own is `run.own`, one of all programs stands in run_parse.
#ifndef PROGRAM_H
#define PROGRAM_H

#include "table.h"
#include "verify.h"
#include <errno.h>
#include <stdarg.h>

// A name that ends in '=' takes its number in the same word ("dev=1"), others in the next one
// ("--samples 5"). high 0 makes it a switch: it takes none and sets *value to 1.
struct option {
    const char *name, *help;
    size_t *value, low, high;
};

enum { NO_ERRORS, HAS_ERRORS, MOST_SIZES = 32 };

// The run of this program: what its author says of it, its options, its device, its verdict.
static struct {
    char chapter[32];         // "05_coalescing"
    const char *program;      // "stride"
    const char *claim;        // one sentence, for --help
    const char *columns;      // what its table shows: names of columns (rows.h), and spaces
    const char *size_unit;    // what --size counts, "elements"; NULL: it has no size
    int has_errors;           // it has deliberate errors, for --errors
    const struct option *own; // options of its own, set before run_begin; or NULL
    size_t samples;           // for each figure; 0 with --quick and on the CPU device
    size_t size;              // 0: not given
    size_t sizes[MOST_SIZES], size_count; // --size 0,1,31 is a list, for check_sizes()
    size_t device_number, quick, errors, csv, help;
    struct cudaDeviceProp device;
    cudaStream_t stream; // of measured launches: the default one, but while measure() captures
    int on_cpu;          // the CPU device of this course, not a GPU
    int counts; // on it, without --quick: counts and order are shown where a GPU shows times
    size_t rows, csv_rows, checked_rows, failed_rows;
    size_t refuted; // findings whose claim does not hold
} run;

// Where what is said goes: to stderr beside CSV, which takes the table's place.
static inline FILE *talk(void) { return run.csv ? stderr : stdout; }

// A line that is not a row, as by printf without its \n: at once, or below the rows that are kept.
__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (table.kept)
        new_line()->said = strdup(text);
    else
        print_wrapped(talk(), text);
}

// ---- Command line ------------------------------------------------------------------------------
#define usage_error(...)                                                                           \
    (fprintf(stderr, "%s: ", run.program), fprintf(stderr, __VA_ARGS__),                           \
     fprintf(stderr, "; try --help\n"), exit(2))

// Digits and at most one of K, M, G (2^10, 2^20, 2^30), nothing else. 0: not so, or it overflows.
static inline int parse_count(const char *text, size_t *value) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0, digit = *text - '0';
    if (errno || digit < 0 || digit > 9 || end[shift != 0] != '\0' || number > SIZE_MAX >> shift)
        return 0;
    *value = (size_t)number << shift;
    return 1;
}

// Takes the option at word[0] if the list has it; returns how many words that used, or 0.
static inline int parse_option(const struct option *option, char **word) {
    for (; option && option->name; option++) {
        size_t length = strlen(option->name);
        int joined = length > 0 && option->name[length - 1] == '=';
        if (strncmp(*word, option->name, length) || (!joined && (*word)[length]) || !length)
            continue;
        const char *text = joined ? *word + length : word[1] ? word[1] : "";
        if (!option->high)
            *option->value = 1;
        else if (!parse_count(text, option->value) || *option->value < option->low ||
                 *option->value > option->high)
            usage_error("%s needs a whole number from %zu to %zu, not '%.60s'", option->name,
                        option->low, option->high, text);
        return option->high && !joined ? 2 : 1;
    }
    return 0;
}

// --size N, or a list of sizes, 0 among them: N,N,N.
static inline void parse_sizes(const char *text) {
    char word[32];
    const size_t most = SIZE_MAX >> 12;
    for (const char *rest = text; rest; rest = strchr(rest, ',') ? strchr(rest, ',') + 1 : NULL) {
        int length = (int)strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", length, rest);
        if (length >= (int)sizeof word || run.size_count == MOST_SIZES ||
            !parse_count(word, &run.sizes[run.size_count]) || run.sizes[run.size_count++] > most ||
            (!strchr(text, ',') && (!run.sizes[0] || !run.size_unit)))
            usage_error("--size needs %sa list as 0,1,31, not '%.60s'",
                        run.size_unit ? "a whole number of at least 1, or " : "", text);
    }
    run.size = run.size_count == 1 ? run.sizes[0] : 0;
}

static inline void print_help(const struct option *common) {
    printf("%s\n\nOptions (after a number, K, M and G mean times 2^10, 2^20 and 2^30):\n",
           run.claim);
    if (run.size_unit)
        printf("  --size N      %s\n", run.size_unit);
    printf("  --size N,N    only check, at each of these sizes\n");
    for (int own = 0; own <= 1; own++)
        for (const struct option *o = own ? run.own : common; o && o->name; o++)
            if (*o->name)
                printf("  %s%-*s  %s\n", o->name, 12 - (int)strlen(o->name), o->high ? " N" : "",
                       o->help);
    printf("\nExit codes: 0 all right, 1 wrong result, 2 usage or output that cannot be written,\n"
           "3 CUDA error, 77 no device.\n");
}

// 1, and a line on stderr, where something of what stdout got is lost.
static inline int lost_output(void) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    fprintf(stderr, "%s: cannot write its output: %s\n", run.program,
            errno ? strerror(errno) : "is the disk full?");
    return 1;
}

// Reads the command line, makes no CUDA call. A mistake ends with exit code 2, --help with 0.
static inline void run_parse(int argc, char **argv) {
    const struct option common[] = {
        {"--samples", "samples for each time (7); on a GPU", &run.samples, 1, 10000},
        {"--device", "use device N, counted from 0 (0)", &run.device_number, 0, INT32_MAX},
        {"--quick", "every variant once, small, checked, not timed", &run.quick, 0, 0},
        {run.has_errors ? "--errors" : "", "deliberate errors only", &run.errors, 0, 0},
        {"--csv", "rows as CSV on stdout, what is said of them on stderr", &run.csv, 0, 0},
        {"--help", "this text", &run.help, 0, 0},
        {NULL, NULL, NULL, 0, 0},
    };
    run.samples = 7;
    for (int i = 1, used; i < argc; i += used) {
        used = parse_option(common, argv + i) + parse_option(run.own, argv + i); // or in neither
        if (!used && strcmp(argv[i], "--size") == 0)
            run.size_count = 0, parse_sizes(argv[i + 1] ? argv[i + 1] : ""), used = 2;
        if (!used)
            usage_error("unknown option '%.60s'", argv[i]);
    }
    if (run.help) {
        print_help(common);
        exit(lost_output() ? 2 : 0);
    }
    if (run.quick || run.size_count > 1)
        run.samples = 0;
    if (run.size) // may be too much, and then that is the only line; the first row shows all
        setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
}

// ---- Device, size, verdict ---------------------------------------------------------------------
// Makes the device current, creates its context and describes it.
static inline void run_open(void) {
    const struct cudaDeviceProp *device = &run.device;
    int count = 0, driver, runtime, number = (int)run.device_number;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0 && number >= count)
        usage_error("--device %d: the last device is %d", number, count - 1);
    if (error == cudaSuccess)
        error = count ? cudaSetDevice(number) : cudaErrorNoDevice;
    if (error == cudaSuccess)
        error = cudaFree(NULL); // before CUDA 12 it is this that creates the context
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: no usable CUDA device: %s (%d): %s\n", run.program,
                cudaGetErrorName(error), (int)error, cudaGetErrorString(error));
        exit(77);
    }
    CUDA_CHECK(cudaGetDeviceProperties(&run.device, number));
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    run.on_cpu = strcmp(device->name, "CPU device") == 0;
    char l2[32] = ""; // the CPU device has none
    if (device->l2CacheSize)
        snprintf(l2, sizeof l2, ", %.1f MiB L2", (double)device->l2CacheSize / (1 << 20));
    say("Device %d: %s, %d %s, %.1f GiB memory%s, driver %d.%d, runtime %d.%d", number,
        device->name, device->multiProcessorCount, run.on_cpu ? "cores" : "multiprocessors",
        (double)device->totalGlobalMem / (1 << 30), l2, driver / 1000, driver % 1000 / 10,
        runtime / 1000, runtime % 1000 / 10);
    if (run.on_cpu) {
        run.samples = 0; // a CPU's times would say nothing about a GPU
        run.counts = !run.quick;
        say("The CPU device counts and puts in order; it takes no times.");
    }
}

// Reads the command line, opens the device. May end the program: 0 (--help), 2, 3 or 77.
static inline void run_begin(int argc, char **argv, const char *name, const char *claim,
                             const char *columns, const char *size_unit, int has_errors) {
    run.program = strchr(name, '/') + 1;
    snprintf(run.chapter, sizeof run.chapter, "%.*s", (int)(run.program - name) - 1, name);
    run.claim = claim, run.columns = columns;
    run.size_unit = size_unit, run.has_errors = has_errors;
    run_parse(argc, argv);
    run_open();
}

// How many elements to work on, `bytes_each` being the device memory for one over all arrays: as
// --size says; small and odd with --quick; else on a GPU the larger of the article's size and
// 4 x L2, on the CPU device cpu_size, and no more than fits a quarter of the free memory.
static inline size_t run_size(size_t article_size, size_t cpu_size, size_t bytes_each) {
    size_t beyond_l2 = 4 * (size_t)run.device.l2CacheSize / bytes_each, size, room, total;
    const char *why = run.on_cpu ? "default for the CPU device" : "default for this GPU";
    CUDA_CHECK(cudaMemGetInfo(&room, &total));
    room = room / 4 / bytes_each;
    size = run.on_cpu ? cpu_size : beyond_l2 > article_size ? beyond_l2 : article_size;
    if (size > room)
        size = room, why = "a quarter of the free memory";
    if (run.quick)
        size = 10007, why = "--quick";
    if (run.size)
        size = run.size, why = "--size";
    say("Size: %zu %.*s, %.1f MiB on the device (%s)", size,
        (int)strlen(run.size_unit) - (size == 1), run.size_unit, // 1 element, 1 byte
        (double)size * (double)bytes_each / (1 << 20), why);
    return size;
}

// The last line and the exit code. For `make run`, how many rows were checked, appended to the file
// that $CHECKED_ROWS names.
static inline int run_end(void) {
    const char *name = getenv("CHECKED_ROWS");
    FILE *file = name && *name ? fopen(name, "a") : NULL;
    if (file) {
        fprintf(file, "%s\t%zu\n", run.chapter, run.checked_rows);
        fclose(file);
    }
    table_print();
    int lost = lost_output();
    if (run.failed_rows > 1 && !mismatch_lines)
        fprintf(stderr, "and so in %zu more rows\n", run.failed_rows - 1);
    if (run.failed_rows)
        say("FAIL: %zu of %zu rows are wrong", run.failed_rows, run.rows);
    else if (run.refuted)
        say("FAIL: the rows refute %zu of the findings", run.refuted);
    else
        say(lost ? "FAIL: not all results could be written" : "PASS");
    lost = lost || lost_output();
    return run.failed_rows || run.refuted ? 1 : lost ? 2 : 0;
}

#endif
