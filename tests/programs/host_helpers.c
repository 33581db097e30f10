// SPDX-License-Identifier: MIT
// The common headers as plain C: numbers, comparison, command line, rows. Needs no device.
#include "../lib/tap.h"
#include <cuda_runtime.h>

// A device of our own making, for the theoretical peak.
static int device_khz, device_bits, device_integrated;
static cudaError_t fake_attribute(int *value, enum cudaDeviceAttr attribute, int device) {
    (void)device;
    *value = attribute == cudaDevAttrMemoryClockRate        ? device_khz
             : attribute == cudaDevAttrGlobalMemoryBusWidth ? device_bits
             : attribute == cudaDevAttrIntegrated           ? device_integrated
                                                            : 0;
    return cudaSuccess;
}
#define cudaDeviceGetAttribute fake_attribute

#include "../../common/experiment/measure.h"
#include "../../common/experiment/verify.h"
#include <sys/wait.h>
#include <unistd.h>

static size_t extra_value;
static const struct option extras[] = {{"dev=", "the article's way", &extra_value, 0, 100},
                                       {"fp64", "double", &extra_value, 0, 0},
                                       {NULL, NULL, NULL, 0, 0}};
static void declare(void) {
    memset(&run, 0, sizeof run);
    strcpy(run.chapter, "00_test");
    run.program = "helpers", run.claim = "tests the helpers";
    run.columns = "variant n value check";
    run.size_unit = "elements", run.has_errors = HAS_ERRORS;
    run.own = extras;
}

// ---- Numbers ----

static void quantiles(void) {
    double one[] = {5}, odd[] = {1, 2, 9}, even[] = {1, 2, 4, 100}, same[] = {3, 3, 3};
    ok(quantile_of(one, 1, 0.5) == 5, "the median of one number");
    ok(quantile_of(odd, 3, 0.5) == 2, "of an odd count");
    ok(quantile_of(even, 4, 0.5) == 3, "of an even count: between the two in the middle");
    ok(quantile_of(same, 3, 0.75) == quantile_of(same, 3, 0.25), "equal numbers have no spread");
    double noisy[] = {100, 2, 3, 4, 5, 6, 7, 8, 9};
    struct row row = row_of("noisy");
    row_times(&row, noisy, 9);
    ok(row.spread_pct > 66 && row.spread_pct < 67, "half lies within 4 to 8: %g", row.spread_pct);
    ok(row.outliers == 1 && row.max_ms == 100, "one lies far out, and does not widen the spread");
    row_times(&row, noisy + 1, 8);
    ok(row.outliers == 0 && row.samples == 8, "without it there is none");
    ok(quantile_of(even, 4, 0) == 1 && quantile_of(even, 4, 1) == 100, "the ends are the ends");
    double unsorted[] = {9, 1, 2};
    qsort(unsorted, 3, sizeof(double), compare_doubles);
    ok(unsorted[0] == 1 && unsorted[2] == 9, "compare_doubles sorts upwards");
}

static int near(double actual, double expected, double relative) {
    return fabs(actual - expected) <= relative * expected;
}

static double peak(int khz, int bits, int integrated, char formula[100]) {
    device_khz = khz;
    device_bits = bits;
    device_integrated = integrated;
    return peak_gb_per_s(0, formula, 100);
}

static void rates(void) {
    size_t n = 20 << 20;
    double ms = 2.280136; // the article's SAXPY on a Tesla M2050
    ok(near(gb_per_s(12 * n, ms), 110.37, 1e-4), "the article's 110.37 GB/s");
    ok(near(gflop_per_s(2 * n, ms), 18.395, 1e-4), "which are 18.4 GFLOP/s");
    ok(gb_per_s(1000000000, 1000) == 1, "10^9 bytes in a second are 1 GB/s");
    char formula[100];
    double m2050 = peak(1546000, 384, 0, formula);
    ok(near(m2050, 148.416, 1e-6), "M2050: 148.4 GB/s theoretical: %s", formula);
    ok(near(gb_per_s(12 * n, ms) / m2050, 0.744, 1e-3), "of which it reached 74.4 %%");
    ok(near(gflop_per_s(2 * n, ms) / 1030, 0.01786, 1e-3), "1.8 %% of its 1030 GFLOP/s");
    ok(near(1030 / m2050, 6.94, 1e-3), "whose balance is 6.9 flops per byte");
    ok(near(peak(3201000, 6016, 0, formula), 4814.3, 1e-4), "H200: %s", formula);
    ok(strstr(formula, "3201") && strstr(formula, "6016"), "the formula shows its inputs");
    ok(!peak(1300000, 256, 1, formula) && strstr(formula, "unknown"), "integrated: %s", formula);
    ok(peak(0, 0, 0, formula) == 0 && strstr(formula, "unknown"), "no clock: %s", formula);
    ok(peak(2619000, 0, 0, formula) == 0, "no bus width: %s", formula);
}

// ---- Comparison ----

static void comparison(void) {
    float expected[] = {0, 1, 2, 3}, actual[] = {0, 1, 2, 3};

    ok(count_mismatches(expected, actual, 4, sizeof(float), NULL) == 0, "no mismatch");
    ok(count_mismatches(expected, actual, 0, sizeof(float), NULL) == 0, "none in nothing");
    actual[3] = 3.0000002384f; // the next float
    ok(count_mismatches(expected, actual, 4, sizeof(float), NULL) == 1, "the last bit counts");
    actual[0] = actual[1] = actual[2] = actual[3] = NAN;
    ok(count_mismatches(expected, actual, 4, sizeof(float), NULL) == 4, "NaN never passes");
    double e[] = {1, 2}, a[] = {1, 2.5};
    ok(count_mismatches(e, a, 2, sizeof(double), NULL) == 1, "doubles");
    memset(actual, POISON_BYTE, sizeof actual);
    ok(isnan(actual[0]) && isnan(actual[3]), "the poison is NaN");
    memset(a, POISON_BYTE, sizeof a);
    ok(isnan(a[0]) && isnan(a[1]), "as double too");
}

static void fills(void) {
    int exact = 1, repeats = 0;
    for (size_t i = 0; i < 100000; i++) {
        float v = fill_value(i, 1);
        exact &= v >= 0 && v < 1 << 20 && v == (float)(int)v;
        repeats += v == fill_value(i + 1, 1);
    }
    ok(exact, "inputs are whole numbers below 2^20");
    ok(repeats < 5, "that change from element to element");
    ok(fill_value(7, 1) != fill_value(7, 2), "and from array to array");
    size_t far = (size_t)1 << 32;
    ok(fill_value(7, 1) != fill_value(far + 7, 1), "beyond 2^32 as well");
    float h[3];
    fill_floats(h, 3, 4);
    ok(h[2] == fill_value(2, 4), "fill_floats uses it");
}

// ---- Command line ----

static void counts(void) {
    // clang-format off
    static const struct {
        const char *text;
        size_t value;
    } numbers[] = {{"1", 1}, {"4096", 4096}, {"3K", 3 << 10}, {"20M", 20 << 20}, {"0", 0},
                   {"2G", (size_t)2 << 30}, {"18446744073709551615", SIZE_MAX}};
    static const char *const none[] = {
        "18446744073709551616", "99999999999999999999", "17179869184G", "", "K", "-1", "+1", " 1",
        "1 ", "1.5", "1e6", "0x10", "1k", "1KK", "1MB", "nan"};
    // clang-format on
    size_t value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ok(parse_count(numbers[i].text, &value) && value == numbers[i].value, "the number '%s'",
           numbers[i].text);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ok(!parse_count(none[i], &value), "the number '%s' is none", none[i]);
}

static void parse(int count, const char *const *words) {
    char *argv[16] = {NULL};
    for (int i = 0; i < count; i++)
        argv[i] = (char *)words[i];
    declare();
    run_parse(count, argv);
}
#define PARSE(...)                                                                                 \
    parse((int)(sizeof((const char *[]){"helpers", __VA_ARGS__}) / sizeof(char *)),                \
          (const char *[]){"helpers", __VA_ARGS__})

// The exit code of a parse in a process of its own (nothing of CUDA has started here). What stands
// behind the first blank is a word of its own, if it is empty, too.
static int exit_code(const char *text) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char *first = strdup(text), *second = strchr(first, ' ');
        if (second)
            *second++ = '\0';
        const char *words[] = {"helpers", first, second};
        freopen("/dev/null", "w", stdout);
        freopen("/dev/null", "w", stderr);
        parse(second ? 3 : 2, words);
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void options(void) {
    const char *none[] = {"helpers"};
    parse(1, none);
    ok(run.device_number == 0 && run.size == 0 && run.samples == 7 && !run.errors, "defaults");
    PARSE("--size", "2M", "--samples", "5", "--device", "1", "--csv");
    ok(run.size == 2 << 20 && run.samples == 5 && run.device_number == 1 && run.csv, "options");
    PARSE("--samples", "5", "--quick", "--errors", "dev=3");
    ok(run.samples == 0 && run.errors && extra_value == 3, "--quick, --errors, an own one");
    PARSE("--size", "0,31,2K,1");
    ok(run.size_count == 4 && run.sizes[0] == 0 && run.sizes[2] == 2048 && run.sizes[3] == 1 &&
           run.size == 0 && run.samples == 0,
       "a list of sizes");
    PARSE("fp64");
    ok(extra_value == 1, "an extra switch");
    ok(exit_code("--help") == 0, "--help exits with 0");
    // clang-format off
    static const char *const wrong[] = {
        "--nonsense", "nonsense", "-h", "--size", "--size 0", "--size -5", "--size many",
        "--size 1.5", "--size ", "--samples 0", "--samples 10001", "--device -1",
        "--device 4294967296", "--samples --csv", "--size 17179869184G", "--size 1,", "--size ,1",
        "--size 1,,2", "--size 1,x", "--size 1,2,17179869184G", "dev=", "dev=x", "--csv=1",
        "--json"};
    // clang-format on
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ok(exit_code(wrong[i]) == 2, "%s: exit code 2", wrong[i]);
}

// ---- Rows ----

static char captured[8192];
static int saved;
static FILE *file;

static void capture_begin(void) {
    fflush(stdout);
    saved = dup(1);
    file = tmpfile();
    dup2(fileno(file), 1);
}

static const char *capture_end(void) {
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(file);
    captured[fread(captured, 1, sizeof captured - 1, file)] = '\0';
    fclose(file);
    return captured;
}

#define csv_of(text) (capture_begin(), print_csv(text), capture_end())
#define printed(row) (capture_begin(), print_row(row), capture_end())

static void rows(void) {
    ok(strcmp(csv_of("a,\"b\""), "\"a,\"\"b\"\"\"") == 0, "quotes: %s", captured);
    ok(strcmp(csv_of("plain"), "plain") == 0, "and none where none are needed");
    ok(strcmp(csv_of("two\nlines"), "\"two lines\"") == 0, "a row is a line: %s", captured);

    declare();
    struct row row = row_of("a,b");
    row.n = 1000;
    row.samples = 2;
    row.check = "ok";

    run.csv = 1;
    ok(strcmp(printed(&row),
              "schema,chapter,program,variant,dtype,n,block,parameter,value,bytes,flops,samples,"
              "median_ms,min_ms,max_ms,gb_per_s,gflop_per_s,flag,check\n"
              "1,00_test,helpers,\"a,b\",,1000,,,,,,2,,,,,,,ok\n") == 0,
       "a CSV header and a row");
    ok(strncmp(printed(&row), "1,00_test", 9) == 0, "one header only");

    row.value = NAN;
    row.median_ms = 2;
    row.gb_per_s = INFINITY;
    ok(strcmp(printed(&row), "1,00_test,helpers,\"a,b\",,1000,,,,,,2,2,,,,,,ok\n") == 0,
       "neither NaN nor infinity: %s", captured);

    run.csv = 0;
    ok(!strstr(printed(&row), "nan"), "nor does the table show NaN");

    ok(run.failed_rows == 0, "rows that are ok");
    row.check = "FAIL";
    capture_begin();
    print_row(&row);
    int code = run_end();
    capture_end();
    ok(run.failed_rows == 1 && code == 1, "a wrong row makes the exit code 1");
    ok(strstr(captured, "\nFAIL: 1 of "), "and the last line FAIL");
}

int main(void) {
    quantiles();
    rates();
    fills();
    counts();
    options();
    rows();
    comparison();
    return done_testing();
}
