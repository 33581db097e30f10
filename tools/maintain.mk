# SPDX-License-Identifier: MIT
# For those who change the course: tests, format, speed.

.PHONY: test test-all bench lint format release

## Change the course: sources
test: $(test_programs)                    ## run the tests; skip what needs a tool that is missing
	@BUILD='$(BUILD)' DEVICES='$(test_devices)' NVCC=$(call quoted,$(nvcc_path)) \
	    prove --exec 'tests/lib/limit 300' -j "$$(nproc)" $(tests)

test-all: export TEST_ALL = 1
test-all: test                            ## run the tests that take minutes, too: every architecture
	@if command -v clang >/dev/null && command -v clang++ >/dev/null; then \
	    $(MAKE) test TEST_ALL= DEVICE=cpu NVCC=none CC=clang CXX=clang++ BUILD=$(BUILD)/clang; \
	else echo 'no clang (Debian package: clang): the tests with it are skipped'; fi

bench: $(benches:%=$(BUILD)/$(device)/%)  ## measure how fast the CPU device is, and check measure.h
	@for program in $^; do echo "==== $$program ===="; "$$program" || [ $$? = 77 ] || exit; done

sources := $(filter-out tests/translate/cudacc/%,$(filter %.c %.h,$(runtime)) $(wildcard common/*.h common/experiment/*.h \
             $(programs:=.cu) docs/*.cu docs/snippets/*.cu $(chapters:=/experiments/*.h) tests/*/*.c tests/*/*.h tests/*/*.cu tests/*/*/*.cu \
             $(foreach s,*.cu *.h,$(chapters:=/exercises/*/$s))))

lint:                                     ## check format, shell scripts and spelling
	@sh tools/lint $(sources)

format:                                   ## apply .clang-format
	clang-format -i $(sources)

release:                                  ## say whether this commit may be VERSION, and the tag to set
	@tools/release
