# SPDX-License-Identifier: MIT
# For who changes the course: all tests, format, speed; and cudacc installed, to be used without the course.

.PHONY: test-all bench lint format install uninstall

## Maintain: sources
test-all: export TEST_ALL = 1
test-all: test                            ## the tests, and those that take minutes: every architecture
	@if command -v clang >/dev/null && command -v clang++ >/dev/null; then \
	    $(MAKE) test TEST_ALL= DEVICE=cpu NVCC=none CC=clang CXX=clang++ BUILD=$(BUILD)/clang; \
	else echo 'no clang (Debian package: clang): the tests with it are skipped'; fi

bench: $(benches:%=$(BUILD)/$(device)/%)  ## how fast the CPU device is, how true measure.h is
	@for program in $^; do echo "==== $$program ===="; "$$program" || [ $$? = 77 ] || exit; done

sources := $(filter-out tests/translate/cudacc/%,$(filter %.c %.h,$(runtime)) $(wildcard common/*.h common/experiment/*.h \
             $(programs:=.cu) $(chapters:=/experiments/*.h) tests/*/*.c tests/*/*.h tests/*/*.cu tests/*/*/*.cu \
             $(foreach s,*.cu *.h,$(chapters:=/exercises/*/$s))))

lint:                                     ## check format, shell scripts and spelling
	@sh tools/lint $(sources)

format:                                   ## apply .clang-format
	clang-format -i $(sources)

install:                                  ## PREFIX=dir: cudacc for every folder, there; uninstall takes it away
	@tools/documents/install
uninstall:
	@tools/documents/install --remove
