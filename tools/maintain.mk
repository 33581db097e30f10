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

# ---- cudacc for every folder -------------------------------------------------------------------
# PREFIX/lib/cudacc is the CPU device, with translator and runtime compiled, PREFIX/bin/cudacc a link to
# it; its README.md becomes a page for man. DESTDIR, for those who make packages, goes before PREFIX.
PREFIX ?= /usr/local
to      = $(call quoted,$(DESTDIR)$(PREFIX))
manual  = $(to)/share/man/man1/cudacc.1

# Not a place that is none, and not over what somebody else has put there.
theirs = { echo "install: "$1" is there, and not from make install" >&2; exit 2; }
may_install = \
    $(if $(PREFIX),,$(error PREFIX is empty: name a folder)) \
    $(if $(filter ~%,$(firstword $(PREFIX))),$(error PREFIX=$(PREFIX): write $$HOME for ~)) \
    $(if $(DESTDIR),$(if $(filter /%,$(firstword $(PREFIX))),,$(error with DESTDIR, PREFIX is a whole path, not '$(PREFIX)'))) \
    [ ! -e $(to)/lib/cudacc ] || [ -f $(to)/lib/cudacc/cudacc ] || $(call theirs,$(to)/lib/cudacc); \
    [ ! -e $(to)/bin/cudacc ] || [ $(to)/bin/cudacc -ef $(to)/lib/cudacc/cudacc ] || $(call theirs,$(to)/bin/cudacc)

# Made beside what is there, which gives way when all of it is made: so one that works stays until then.
# What cannot be compiled now, cudacc compiles at its first use, elsewhere.
new = $(to)/lib/cudacc.new
old = $(to)/lib/cudacc.old
install:                                  ## PREFIX=dir: cudacc for every folder, there
	@$(may_install)
	@install -d $(to)/bin $(to)/lib $(to)/share/man/man1
	@rm -rf $(new) $(old) && cp -R common/cpu_device $(new) && chmod -R u=rwX,go=rX $(new)
	@echo 'int main() { return 0; }' >$(new)/empty.cu
	@for trace in '' --trace; do \
	    CUDACC_CACHE=$(new)/built CUDACC_RUNTIME_FLAGS='' $(new)/cudacc $$trace $(new)/empty.cu -o $(new)/empty || \
	    { rm -rf $(new)/built; echo 'install: cudacc cannot build its runtime now, and will at its first use'; break; }; done
	@rm -f $(new)/empty* && { [ ! -e $(to)/lib/cudacc ] || mv $(to)/lib/cudacc $(old); } && mv $(new) $(to)/lib/cudacc
	@rm -rf $(old) && ln -sf ../lib/cudacc/cudacc $(to)/bin/cudacc
	@if command -v pandoc >/dev/null; then \
	    { sed -e '1s/^# \([^:]*\): \(.*\)/# NAME\n\n\1 - \2\n\n# DESCRIPTION/' -e 's/^##/#/' \
	        -e 's,common/cpu_device/cudacc,cudacc,g' -e 's,\[\([^]]*\)\](\.\./[^)]*),\1,g' common/cpu_device/README.md; \
	        printf '\n# OPTIONS\n\n```\n'; $(CUDACC) --help; echo '```'; } | \
	    pandoc -s -f gfm -t man -V title=cudacc -V section=1 -o $(new).1 && \
	    install -m 644 $(new).1 $(manual) && rm $(new).1; \
	else echo 'install: no pandoc (Debian package: pandoc): no page for man'; fi
	@echo $(to)/bin/cudacc

uninstall:                                ## PREFIX=dir: takes away what install has put there
	@$(may_install)
	@[ -e $(to)/lib/cudacc ] || { echo 'install: make install has put nothing under '$(to) >&2; exit 2; }
	@rm -rf $(to)/lib/cudacc $(new) $(old) $(to)/bin/cudacc $(manual)
