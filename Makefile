# SPDX-License-Identifier: MIT
# A folder NN_name is a chapter, each .cu in it a program; each tests/*.cu, *.c and *.t is a test.
# They are found, not listed: a new one needs no line here.

DEVICE ?= auto
BUILD  ?= build
NVCC   ?= nvcc
CUDACC := common/cpu_device/cudacc

NVCCFLAGS   ?= -O3 -lineinfo -Werror all-warnings -Xcompiler -Wall,-Wextra
CUDACCFLAGS ?= -O2 -g -Wall -Wextra
CFLAGS      ?= -O2 -g -std=gnu11 -Wall -Wextra -Wpedantic

.DEFAULT_GOAL := help

# Compile on all cores, unless told otherwise; several goals (clean run) go one after the other.
ifeq ($(words $(MAKECMDGOALS))$(filter -j% --jobs%,$(MAKEFLAGS)),1)
MAKEFLAGS += -j$(shell nproc)
endif

# ---- Which device ------------------------------------------------------------------------------
nvcc_path := $(shell command -v $(NVCC) 2>/dev/null)
gpu_name  := $(if $(nvcc_path),$(shell test "$${CUDA_VISIBLE_DEVICES-0}" && \
               nvidia-smi -L 2>/dev/null | sed -n 's/^GPU 0: \(.*\) .UUID.*/\1/p'))

device_auto := $(if $(gpu_name),gpu,cpu)
reason_auto := $(if $(gpu_name),nvcc and $(gpu_name) are here,$(if $(nvcc_path),nvcc is here but no \
                 usable GPU,no $(NVCC) on the PATH))
device_gpu  := gpu
device_cpu  := cpu
device_both := $(if $(filter access,$(MAKECMDGOALS)),cpu)
device      := $(device_$(DEVICE))
reason      := $(or $(reason_$(DEVICE)),as DEVICE=$(DEVICE) asks)
$(if $(device),,$(error DEVICE is auto, gpu or cpu, not '$(DEVICE)'))
$(if $(nvcc_path),,$(if $(filter gpu,$(device))$(filter sass,$(MAKECMDGOALS)), \
  $(error no $(NVCC) on the PATH: it comes with the CUDA Toolkit)))

# -arch=native came with nvcc 11.5 update 1 (V11.5.119) and needs a GPU to ask.
nvcc_number = $(shell $(NVCC) --version | sed -n 's/.* V\([0-9]*\)\.\([0-9]*\)\.\([0-9]*\).*/\1 \2 \3/p' | \
                awk '{ print ($$1 * 1000 + $$2) * 1000 + $$3 }')
CUDA_ARCH ?= $(if $(gpu_name),$(shell test 0$(nvcc_number) -ge 11005119 && echo native))

# ---- What there is -----------------------------------------------------------------------------
chapters := $(patsubst %/,%,$(sort $(wildcard [0-9][0-9]_*/)))
programs := $(basename $(sort $(wildcard $(chapters:=/*.cu))))
headers  := $(wildcard common/*.h tests/*.h $(chapters:=/*.h))
runtime  := $(wildcard common/cpu_device/* common/cpu_device/*/*)

# Tests are built for the CPU device and, where nvcc is, for the GPU: without one they skip.
test_devices  := $(if $(filter auto,$(DEVICE)),cpu $(if $(nvcc_path),gpu),$(device))
test_programs := $(foreach d,$(test_devices),$(programs:%=$(BUILD)/$(d)/%))
test_binaries := $(foreach d,$(test_devices),$(addprefix $(BUILD)/$(d)/, \
                   $(basename $(sort $(wildcard tests/*.cu))) $(programs:%=numerics/%)))
test_helpers  := $(patsubst %.c,$(BUILD)/host/%,$(sort $(wildcard tests/*.c)))

# ---- How it is built ---------------------------------------------------------------------------
build_gpu = $(NVCC) $(NVCCFLAGS) $(if $(CUDA_ARCH),-arch=$(CUDA_ARCH))
build_cpu = $(CUDACC) $(CUDACCFLAGS)

$(BUILD)/gpu/%: %.cu $(headers) Makefile
	@mkdir -p $(@D)
	$(build_gpu) $< -o $@

$(BUILD)/cpu/%: %.cu $(headers) $(runtime) Makefile
	@mkdir -p $(@D)
	$(build_cpu) $< -o $@

# A test that includes a program: one build for each program.
$(BUILD)/gpu/numerics/%: %.cu tests/numerics/numerics.cu $(headers) Makefile
	@mkdir -p $(@D)
	$(build_gpu) -DPROGRAM='"../../$<"' tests/numerics/numerics.cu -o $@

$(BUILD)/cpu/numerics/%: %.cu tests/numerics/numerics.cu $(headers) $(runtime) Makefile
	@mkdir -p $(@D)
	$(build_cpu) -DPROGRAM='"../../$<"' tests/numerics/numerics.cu -o $@

# The common headers as plain C, against the CPU device's cuda_runtime.h.
$(BUILD)/host/%: %.c $(headers) $(runtime) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Icommon/cpu_device -c $< -o $@.o
	$(CUDACC) $@.o -o $@

# ---- Commands ----------------------------------------------------------------------------------
.PHONY: run test test-all results report docs docs-check book snippet check hint watch reset strip grade lint-exercises bench access sass lint format help clean $(chapters)

# Printed while the Makefile is read, so that it comes before any compiler's line.
$(if $(filter run results $(if $(FROM),,report) $(chapters),$(MAKECMDGOALS)),$(info Device: $(device) ($(reason))))

run: $(programs:%=$(BUILD)/$(device)/%)    ## build and run every program: PASS or FAIL
	@sh tests/run_programs $^

$(foreach c,$(chapters),$(eval $c: $(addprefix $(BUILD)/$(device)/,$(filter $c/%,$(programs)))))
$(chapters):
	@sh tests/run_programs $^

# The long ones, scripts, start first.
tests := $(sort $(wildcard tests/*.t)) $(test_helpers) $(test_binaries)
test: $(test_programs) $(test_helpers) $(test_binaries)  ## run the tests; what is missing is skipped
	@BUILD='$(BUILD)' DEVICES='$(test_devices)' NVCC='$(nvcc_path)' \
	    prove --exec 'timeout 600' -j "$$(nproc)" $(tests)

test-all: export TEST_ALL = 1
test-all: test                            ## the tests, and those that take minutes: every architecture

results: $(programs:%=$(BUILD)/$(device)/%) ## run every program, store what it prints under results/
	@for chapter in $(chapters); do \
	    sh docs/tools/results $$chapter $(BUILD)/$(device) || exit; done

# A tool that is missing is named before anything is built for it.
report_needs := $(if $(filter report,$(MAKECMDGOALS)),$(shell docs/tools/report --needs))
report: $(if $(report_needs),$(error make report $(report_needs)))
report: $(if $(FROM),,$(programs:%=$(BUILD)/$(device)/%)) ## results on one page, build/report.html; FROM=h200, COMPARE=h200
	@docs/tools/report --build '$(BUILD)' $(if $(FROM),--from '$(FROM)',--device $(device)) \
	    $(if $(COMPARE),--compare '$(COMPARE)')

documents := $(wildcard README.md $(chapters:=/README.md) docs/*.md common/cpu_device/README.md \
               $(chapters:=/exercises/*/README.md))
recorded  := $(sort $(basename $(wildcard $(chapters:=/results/*.txt))))
figures   := $(wildcard docs/tools/figures)

docs:                                     ## rewrite what the documents quote of sources and results
	@docs/tools/access --docs $(documents)
	@docs/tools/errors $(documents)
	@docs/tools/docs $(documents)
	@$(if $(figures),$(figures) || [ $$? = 77 ])

# All of them, so that one run names all there is.
docs-check:                               ## fail where a document is not true: quotes, links, commands
	@status=0; docs/tools/access --docs --check $(documents) || status=1; \
	docs/tools/errors --check $(documents) || status=1; \
	docs/tools/docs --check $(documents) || status=1; \
	docs/tools/seal --check $(recorded) || status=1; \
	$(if $(figures),$(figures) --check || status=1;) \
	docs/tools/commands $(documents) || status=1; exit $$status

exercises := BUILD='$(BUILD)' GRADE_DEVICE='$(device)' CUDA_ARCH='$(CUDA_ARCH)' tests/grade/exercises
exercise   = $(or $(EX),$(error say which exercise: make $@ EX=5.2))

check:                                    ## EX=5.2: check that exercise; without EX: how far you are
	@$(exercises) check $(EX)

hint:                                     ## EX=5.2: the next hint
watch:                                    ## EX=5.2: check at each save
reset:                                    ## EX=5.2: as it was handed out; yours is kept beside it
hint watch reset:
	@$(exercises) $@ $(exercise)

strip:                                    ## OUT=dir: the student edition, without solutions
	@$(exercises) strip '$(or $(OUT),$(error say where to: make strip OUT=dir))'

grade:                                    ## FROM=dir: points for a returned folder, or for each in it
	@$(exercises) grade '$(or $(FROM),$(error say which folder: make grade FROM=dir))' $(CSV)

lint-exercises:                            ## every exercise: solution passes, wrong ones are rejected
	@$(exercises) lint $(EX)

book:                                     ## all lessons as one HTML page and one EPUB, in build/book
	@docs/tools/book '$(BUILD)/book'

snippet:                                  ## CHAPTER=NN_name [PROGRAM=name]: a program as one file, to paste
	$(if $(CHAPTER),,$(error say which chapter: make snippet CHAPTER=$(firstword $(chapters))))
	@docs/tools/snippet '$(CHAPTER)' $(PROGRAM)

benches := $(basename $(sort $(wildcard tests/bench/*.cu)))
bench: $(benches:%=$(BUILD)/$(device)/%)  ## how fast the CPU device is, how true measure.h is
	@for program in $^; do echo "==== $$program ===="; "$$program" || [ $$? = 77 ] || exit; done

# On the CPU device unless it is told otherwise: a GPU's counters take ncu and the right to read them.
access_device = $(if $(filter gpu both,$(DEVICE)),$(DEVICE),cpu)
access:                                   ## CHAPTER=NN_name [PROGRAM=] [DEVICE=cpu|gpu|both]: what it asks of memory
	$(if $(of_chapter),,$(error say which chapter: make access CHAPTER=$(firstword $(chapters))))
	@BUILD='$(BUILD)' CUDACCFLAGS='$(CUDACCFLAGS)' NVCC='$(NVCC)' SIZE='$(SIZE)' \
	    NVCCFLAGS='$(NVCCFLAGS) $(if $(CUDA_ARCH),-arch=$(CUDA_ARCH))' \
	    docs/tools/access $(access_device) $(CHAPTER) $(PROGRAM)

# From the machine code where cuobjdump is, else from PTX, which only nvcc is needed for.
cuobjdump_path := $(if $(filter sass,$(MAKECMDGOALS)),$(shell command -v cuobjdump || \
                    ls $(dir $(nvcc_path))cuobjdump 2>/dev/null))
of_chapter      = $(filter $(CHAPTER)/%,$(programs))
sass: $(if $(cuobjdump_path),$(addprefix $(BUILD)/gpu/,$(of_chapter)))  ## CHAPTER=NN_name: how its kernels access memory
	$(if $(of_chapter),,$(error say which chapter: make sass CHAPTER=$(firstword $(chapters))))
	@mkdir -p $(BUILD)
	@for program in $(of_chapter); do echo "==== $$program ===="; \
	    $(if $(cuobjdump_path),$(cuobjdump_path) -sass $(BUILD)/gpu/$$program,$(build_gpu) -ptx $$program.cu -o -) \
	        >$(BUILD)/sass.txt || exit; docs/tools/sass $(BUILD)/sass.txt; done

sources := $(filter-out tests/cudacc/%,$(wildcard common/*.h common/cpu_device/*.[ch] \
             common/cpu_device/*/*.[ch] $(chapters:=/*.cu) $(chapters:=/*.h) tests/*.[ch] tests/*.cu tests/*/*.cu tests/grade/*.h \
             $(foreach s,*.cu *.h mutants/*.cu,$(chapters:=/exercises/*/$s))))

lint:                                     ## check format, shell scripts and spelling
	@sh tests/lint $(sources)

format:                                   ## apply .clang-format
	clang-format -i $(sources)

clean:                                    ## remove all that was built
	rm -rf $(BUILD)

help:                                     ## list the commands
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 16
	@echo 'NN_name         build and run one chapter: $(chapters)'
	@echo 'Device: $(device) ($(reason)). DEVICE=gpu or DEVICE=cpu chooses, BUILD=dir builds elsewhere.'
