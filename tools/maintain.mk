# SPDX-License-Identifier: MIT
# For those who change the course: tests, format, clocks.

.PHONY: test test-all bench lint format release

## Change the course: sources
# What a reader asks is in tests/programs and the binaries, in two minutes; TEST_ALL=1 has each test do all it can.
test: $(test_programs)                    ## test the programs and the device they run on: minutes
	@BUILD='$(BUILD)' DEVICES='$(test_devices)' NVCC=$(call quoted,$(nvcc_path)) \
	    prove --exec 'tests/lib/limit 300' -j "$$(nproc)" $(tests)

test-all: folders = *
test-all: test                            ## run every test: a quarter of an hour; TEST_ALL=1: hours
	@[ -z '$(TEST_ALL)' ] || if command -v clang >/dev/null && command -v clang++ >/dev/null; then \
	    $(MAKE) test-all TEST_ALL= DEVICE=cpu NVCC=none CC=clang CXX=clang++ BUILD=$(BUILD)/clang; \
	else echo 'no clang (Debian package: clang): the tests with it are skipped'; fi

bench: $(benches:%=$(BUILD)/$(device)/%)  ## check measure.h, on a GPU
	@for program in $^; do echo "==== $$program ===="; "$$program" || [ $$? = 77 ] || exit; done

sources := $(filter-out cudacc/tests/translate/cudacc/%,$(filter %.c %.h,$(runtime)) $(wildcard common/*.h common/experiment/*.h \
             $(programs:=.cu) docs/*.cu docs/snippets/*.cu $(chapters:=/experiments/*.h) $(foreach s,*/*.c */*.h */*.cu */*/*.cu,$(tests_in:=/$s)) \
             $(foreach s,*.cu *.h,$(chapters:=/exercises/*/$s))))

lint:                                     ## check format, shell scripts and spelling
	@sh tools/lint $(sources)

format:                                   ## apply .clang-format
	clang-format -i $(sources)

release:                                  ## say whether this commit may be released, and the tag to set
	@tools/release
