# SPDX-License-Identifier: MIT
# What a kernel does to memory: counted line by line, read from nvcc's code; and cudacc, which does it for
# yours, installed.

.PHONY: access sass install uninstall
access sass: | $(BUILD)/CACHEDIR.TAG

of_chapter = $(foreach c,$(filter $(subst %,\%,$(CHAPTER)),$(chapters)),$(filter $c/%,$(programs)))

## Your own kernel (cudacc/cudacc --trace FILE.cu)
# On the CPU device unless it is told otherwise: a GPU's counters take ncu and the right to read them.
access_device = $(if $(filter gpu both,$(DEVICE)),$(DEVICE),cpu)
access:                                   ## CHAPTER=NN_name [PROGRAM=name]: count sectors, line by line
	$(if $(of_chapter),,$(which_chapter))
	@BUILD=$(BUILD) CUDACCFLAGS='$(CUDACCFLAGS)' NVCC='$(NVCC)' \
	    NVCCFLAGS='$(NVCCFLAGS) $(if $(CUDA_ARCH),-arch=$(CUDA_ARCH))' \
	    tools/measure/access $(access_device) "$$CHAPTER" $${PROGRAM:+"$$PROGRAM"}

# From the machine code where cuobjdump is, else from PTX, which only nvcc is needed for.
cuobjdump_path := $(if $(filter sass,$(goals)),$(shell command -v cuobjdump || \
                    ls "$$(dirname $(call quoted,$(nvcc_path)))/cuobjdump" 2>/dev/null))
sass: $(if $(cuobjdump_path),$(addprefix $(BUILD)/gpu/,$(of_chapter)))  ## CHAPTER=NN_name: list the loads and stores that nvcc made
	$(if $(of_chapter),,$(which_chapter))
	@for program in $(of_chapter); do echo "==== $$program ===="; \
	    $(if $(cuobjdump_path),$(call quoted,$(cuobjdump_path)) -sass $(BUILD)/gpu/$$program,$(build_gpu) -ptx $$program.cu -o -) \
	        >$(BUILD)/sass.txt || exit; tools/measure/sass $(BUILD)/sass.txt; done

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
# One that was killed between the two steps has left what was there under another name.
product = $(filter-out cudacc/tests cudacc/docs,$(wildcard cudacc/*))
new = $(to)/lib/cudacc.new
old = $(to)/lib/cudacc.old
recover = [ -e $(to)/lib/cudacc ] || [ ! -e $(old) ] || mv $(old) $(to)/lib/cudacc
install:                                  ## PREFIX=dir: install cudacc there, to use it without the course
	@$(may_install)
	@$(recover)
	@install -d $(to)/bin $(to)/lib $(to)/share/man/man1
	@rm -rf $(new) $(old) && mkdir $(new) && cp -R $(product) $(new) && chmod -R u=rwX,go=rX $(new)
	@echo 'int main() { return 0; }' >$(new)/empty.cu
	@for trace in '' --trace; do \
	    CUDACC_CACHE=$(new)/built CUDACC_RUNTIME_FLAGS='' $(new)/cudacc $$trace $(new)/empty.cu -o $(new)/empty || \
	    { rm -rf $(new)/built; echo 'install: cudacc cannot build its runtime now, and will at its first use'; break; }; done
	@rm -f $(new)/empty* && trap '' HUP INT TERM && \
	    { [ ! -e $(to)/lib/cudacc ] || mv $(to)/lib/cudacc $(old); } && mv $(new) $(to)/lib/cudacc
	@rm -rf $(old) && ln -sf ../lib/cudacc/cudacc $(to)/bin/cudacc
	@if command -v pandoc >/dev/null; then \
	    { sed -e '1s/^# \([^:]*\): \(.*\)/# NAME\n\n\1 - \2\n\n# DESCRIPTION/' -e 's/^##/#/' \
	        -e 's,cudacc/cudacc,cudacc,g' -e 's,\[\([^]]*\)\](\.\./[^)]*),\1,g' cudacc/README.md; \
	        printf '\n# OPTIONS\n\n```\n'; $(CUDACC) --help; echo '```'; } | \
	    pandoc -s -f gfm -t man -V title=cudacc -V section=1 -o $(new).1 && \
	    install -m 644 $(new).1 $(manual) && rm $(new).1; \
	else echo 'install: no pandoc (Debian package: pandoc): no page for man'; fi
	@echo $(to)/bin/cudacc

uninstall:                                ## PREFIX=dir: remove what install has put there
	@$(may_install)
	@$(recover)
	@[ -e $(to)/lib/cudacc ] || { echo 'install: make install has put nothing under '$(to) >&2; exit 2; }
	@rm -rf $(to)/lib/cudacc $(new) $(old) $(to)/bin/cudacc $(manual)
