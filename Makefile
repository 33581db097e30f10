# SPDX-License-Identifier: MIT
# A folder NN_name is a chapter: its program, and those in experiments/, in their order. In tests, a test is each ROOM/*.t, each
# runtime/*.cu and programs/*.cu, for every device, and each programs/*.c. They are found, not listed:
# a new one needs no line here.

DEVICE ?= auto
BUILD  ?= build
NVCC   ?= nvcc
CUDACC := common/cpu_device/cudacc

NVCCFLAGS   ?= -O3 -lineinfo -Werror all-warnings -Xcompiler -Wall,-Wextra
CUDACCFLAGS ?= -O2 -g -Wall -Wextra
CFLAGS      ?= -O2 -g -std=gnu11 -Wall -Wextra -Wpedantic

.DEFAULT_GOAL := help

# What a command is asked for reaches its tool through the environment, as it was typed: a name with a
# quote, a dollar or a semicolon is a name, to make and to every shell.
asked := EX CH CHAPTER PROGRAM VARIANT FROM OUT CSV COMPARE SIZE PREFIX DESTDIR ROSTER ASSIGNMENT LATE \
         SEED LABEL INTO COLUMN ISOLATION ONLY SHARE N SOLUTIONS
$(foreach a,$(asked),$(if $(filter-out undefined,$(origin $a)), \
  $(eval override export $a := $$(value $a))))

# A text as one word of a shell's command.
quoted = '$(subst ','\'',$1)'

# BUILD stands in targets and recipes: so it has to be plain.
override BUILD := $(BUILD:%/=%)
$(if $(filter-out 1,$(words $(BUILD)))$(filter -%,$(BUILD))$(shell printf %s $(call quoted,$(BUILD)) | \
  LC_ALL=C tr -d 'A-Za-z0-9_./+,@\200-\377-'), \
  $(error BUILD is one folder, named by letters, digits and ./_+,@- alone, not '$(BUILD)'))

# A shell that completes the name of a chapter ends it with a slash.
goals := $(MAKECMDGOALS:%/=%)
$(if $(CHAPTER),$(eval override CHAPTER := $$(CHAPTER:/=)))

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
device_both := $(if $(filter access,$(goals)),cpu)
device      := $(device_$(DEVICE))
reason      := $(or $(reason_$(DEVICE)),as DEVICE=$(DEVICE) asks)
$(if $(device),,$(error DEVICE is auto, gpu or cpu, not '$(DEVICE)'))
$(if $(nvcc_path),,$(if $(filter gpu,$(device))$(filter sass,$(goals)), \
  $(error no $(NVCC) on the PATH: it comes with the CUDA Toolkit)))

# -arch=native came with nvcc 11.5 update 1 (V11.5.119) and needs a GPU to ask.
nvcc_number = $(shell $(NVCC) --version | sed -n 's/.* V\([0-9]*\)\.\([0-9]*\)\.\([0-9]*\).*/\1 \2 \3/p' | \
                awk '{ print ($$1 * 1000 + $$2) * 1000 + $$3 }')
CUDA_ARCH ?= $(if $(gpu_name),$(shell test 0$(nvcc_number) -ge 11005119 && echo native))
CUDA_ARCH := $(CUDA_ARCH)

# ---- What there is -----------------------------------------------------------------------------
chapters := $(patsubst %/,%,$(sort $(wildcard [0-9][0-9]_*/)))
experiments := $(basename $(sort $(wildcard $(chapters:=/experiments/*.cu))))
programs := $(foreach c,$(chapters),$(basename $(wildcard $c/*.cu)) $(filter $c/%,$(experiments)))
benches  := $(basename $(sort $(wildcard tests/bench/*.cu)))
runtime  := $(shell find common/cpu_device -type f ! -name '*.md' ! -name '*~')

# Tests are built for the CPU device and, where a GPU is or has to be, for it. With nvcc alone
# tests/make/nvcc.t compiles them.
need_gpu      := $(gpu_name)$(if $(nvcc_path),$(REQUIRE_GPU)$(TEST_ALL)$(filter test-all,$(goals)))
test_devices  := $(if $(filter auto,$(DEVICE)),cpu $(if $(need_gpu),gpu),$(device))
test_names    := $(basename $(sort $(wildcard tests/runtime/*.cu tests/programs/*.cu)))
test_programs := $(foreach d,$(test_devices),$(programs:%=$(BUILD)/$(d)/%))
test_binaries := $(foreach d,$(test_devices),$(test_names:%=$(BUILD)/$(d)/%))
test_helpers  := $(patsubst %.c,$(BUILD)/host/%,$(sort $(wildcard tests/programs/*.c)))

# ---- How it is built ---------------------------------------------------------------------------
build_gpu  = $(NVCC) $(NVCCFLAGS) $(if $(CUDA_ARCH),-arch=$(CUDA_ARCH))
build_cpu  = $(CUDACC) $(CUDACCFLAGS)
build_host = $(CC) $(CFLAGS)

# The compilers write beside a program which headers it includes, as rules for make.
depend = -MMD -MP -MF $@.d

$(BUILD)/gpu/%: %.cu $(BUILD)/gpu.flags
	@mkdir -p $(@D)
	$(build_gpu) $(depend) $< -o $@

# Two of its rows say what compiling PTX takes, so there must be some.
$(BUILD)/gpu/01_sync_timing/experiments/3_first_call: build_gpu += $(first_call_ptx)
first_call_ptx := -gencode arch=compute_75,code=compute_75

$(BUILD)/cpu/%: %.cu $(runtime) $(BUILD)/cpu.flags
	@mkdir -p $(@D)
	$(build_cpu) $(depend) $< -o $@

# The common headers as plain C, against the CPU device's cuda_runtime.h.
$(BUILD)/host/%: %.c $(runtime) $(BUILD)/host.flags
	@mkdir -p $(@D)
	$(build_host) $(depend) -MT $@ -Icommon/cpu_device/include -c $< -o $@.o
	$(CUDACC) $@.o -o $@

# BUILD/cpu.flags says with what the programs below BUILD/cpu were built. While that is so, the rules
# beside them hold; when it changes, all of them are built again.
compilers  = $(foreach c,CC CXX,$(if $(filter-out default,$(origin $c)),$c=$($c)))
flags_gpu  = $(build_gpu)
flags_cpu  = $(build_cpu), $(compilers)
flags_host = $(build_host), $(flags_cpu)

names_gpu  = $(programs) $(test_names) $(benches)
names_cpu  = $(names_gpu)
names_host = $(test_helpers:$(BUILD)/host/%=%)

define as_before
ifeq ($$(strip $$(flags_$1)),$$(strip $$(shell cat $(BUILD)/$1.flags 2>/dev/null)))
-include $$(wildcard $$(addsuffix .d,$$(names_$1:%=$(BUILD)/$1/%) $$(filter $(BUILD)/$1/%,$(goals))))
else
.PHONY: $(BUILD)/$1.flags
endif
endef
kinds := gpu cpu host
$(foreach k,$(kinds),$(eval $(call as_before,$k)))

$(kinds:%=$(BUILD)/%.flags): $(BUILD)/%.flags: | $(BUILD)/CACHEDIR.TAG
	@printf '%s\n' $(call quoted,$(strip $(flags_$*))) >$@

# The mark of a folder that make has made, or found empty: `make clean` removes it. Backups leave it out.
$(BUILD)/CACHEDIR.TAG:
	@{ mkdir -p $(BUILD) && test -w $(BUILD); } 2>/dev/null || \
	    { echo 'nothing can be written to $(BUILD): BUILD=dir builds in another place' >&2; exit 2; }
	@test -n "$$(ls -A $(BUILD))" || printf '%s\n' 'Signature: 8a477f597d28d172789f06886806bc55' \
	    '# Built by make: make clean removes this folder.' >$@
check hint watch lint-exercises book site report access sass predict: | $(BUILD)/CACHEDIR.TAG

# ---- Commands ----------------------------------------------------------------------------------
# What is asked for and is not there: the nearest name that is.
suggest = $(shell tools/learn/suggest $(call quoted,$1) $2 2>/dev/null)
with_suggestion = $(if $2,CHAPTER=$1: $2,say which chapter: make $@ CHAPTER=$(firstword $(chapters)))
which_chapter = $(error $(call with_suggestion,$(CHAPTER),$(call suggest,$(CHAPTER),$(chapters))))
commands = $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' Makefile) $(chapters)
.DEFAULT:
	$(error there is no '$@'; $(or $(call suggest,$@,$(commands)),make help lists the commands))

.PHONY: all run test test-all results counters report docs docs-check book site snippet predict check hint watch reset \
        strip collect grade merge class gradescope similar lint-exercises bench access sass install uninstall lint format help clean \
        $(chapters) $(chapters:=/)

# Printed while the Makefile is read, so that it comes before any compiler's line.
$(if $(filter all run results $(if $(FROM),,report) $(chapters),$(goals)),$(info Device: $(device) ($(reason))))

all: $(programs:%=$(BUILD)/$(device)/%)    ## build every program, run none

run: $(programs:%=$(BUILD)/$(device)/%)    ## build and run every program: PASS or FAIL
	@sh tools/measure/run $^

$(foreach c,$(chapters),$(eval $c $c/: $(addprefix $(BUILD)/$(device)/,$(filter $c/%,$(programs)))))
$(chapters) $(chapters:=/):
	@sh tools/measure/run $^
	$(if $(wildcard $(BUILD)/predict/$(@:/=)),@$(predict) --after $(@:/=))

# What one guessed before anything ran stands below what a chapter then measures.
predict = tools/learn/predict --build $(BUILD) --device $(device)
predict:                                  ## CH=05: guess before you run; later, your guesses beside what was measured
	$(if $(CH)$(CHAPTER),,$(error say which chapter: make predict CH=05))
	@$(predict) "$${CH:-$$CHAPTER}"

# The long ones start first: scripts, and among them those with the most text.
tests = $(shell ls -S tests/*/*.t 2>/dev/null) $(test_helpers) $(test_binaries)
test: $(test_programs) $(test_helpers) $(test_binaries)  ## run the tests; what is missing is skipped
	@BUILD='$(BUILD)' DEVICES='$(test_devices)' NVCC=$(call quoted,$(nvcc_path)) \
	    prove --exec 'tests/lib/limit 300' -j "$$(nproc)" $(tests)

test-all: export TEST_ALL = 1
test-all: test                            ## the tests, and those that take minutes: every architecture
	@if command -v clang >/dev/null && command -v clang++ >/dev/null; then \
	    $(MAKE) test TEST_ALL= DEVICE=cpu NVCC=none CC=clang CXX=clang++ BUILD=$(BUILD)/clang; \
	else echo 'no clang (Debian package: clang): the tests with it are skipped'; fi

results: $(programs:%=$(BUILD)/$(device)/%) ## run every program, store what it prints under results/
	@for chapter in $(chapters); do \
	    sh tools/measure/results $$chapter $(BUILD)/$(device) || exit; done

counters: $(programs:%=$(BUILD)/$(device)/%) ## what Nsight Compute counts for the lessons, stored under results/
	@for list in $(wildcard $(chapters:=/experiments/counters)); do \
	    tools/measure/counters $${list%%/*} $(BUILD)/$(device) || exit; done
	@for list in $(wildcard $(chapters:=/experiments/profile)); do \
	    tools/measure/profile $${list%%/*} $(BUILD)/$(device) || exit; done

# A tool that is missing is named before anything is built for it.
report_needs := $(if $(filter report,$(goals)),$(shell tools/measure/report --needs))
report: $(if $(report_needs),$(error make report $(report_needs)))
report: $(if $(FROM),,$(programs:%=$(BUILD)/$(device)/%)) ## results on one page, build/report.html; FROM=h200, COMPARE=h200
	@tools/measure/report --build $(BUILD) $(if $(FROM),--from "$$FROM",--device $(device)) \
	    $${COMPARE:+--compare "$$COMPARE"}

documents := $(wildcard README.md $(chapters:=/*.md) docs/*.md common/cpu_device/README.md tests/README.md \
               $(chapters:=/exercises/*/README.md))
recorded  := $(sort $(basename $(wildcard $(chapters:=/results/*.txt))))
figures   := $(wildcard tools/measure/figures)

docs:                                     ## rewrite what the documents quote of sources and results
	@tools/measure/access --docs $(documents)
	@$(if $(figures),$(figures) || [ $$? = 77 ])
	@tools/documents/errors $(documents)
	@tools/documents/docs $(documents)
	@tools/documents/chinese --readme

# All of them, so that one run names all there is.
docs-check:                               ## fail where a document is not true: quotes, links, commands
	@status=0; tools/measure/access --docs --check $(documents) || status=1; \
	tools/documents/errors --check $(documents) || status=1; \
	tools/documents/docs --check $(documents) || status=1; \
	tools/documents/chinese --check || status=1; \
	tools/documents/seal --check $(recorded) || status=1; \
	$(if $(figures),$(figures) --check || status=1;) \
	tools/documents/commands $(documents) || status=1; exit $$status

exercises := BUILD=$(BUILD) GRADE_DEVICE=$(device) CUDA_ARCH='$(CUDA_ARCH)' tools/learn/exercises

# "Not yet" is a verdict and no failure of make's: for scripts, tools/learn/exercises ends with 1.
check:                                    ## EX=5.2: check that exercise; without EX: how far you are
	@$(exercises) check $${EX:+"$$EX"} || [ $$? = 1 ]

watch:                                    ## check at each save, then the next exercise; EX=5.2: begin there
	@$(exercises) watch $${EX:+"$$EX"}

hint:                                     ## EX=5.2: the next hint
reset:                                    ## EX=5.2: as it was handed out; yours is kept beside it
hint reset:
	$(if $(EX),,$(error say which exercise: make $@ EX=5.2))
	@$(exercises) $@ "$$EX"

strip:                                    ## OUT=dir [VARIANT=seed]: the student edition, without solutions
	$(if $(OUT),,$(error say where to: make strip OUT=dir))
	@$(exercises) strip "$$OUT"

collect:                                  ## FROM=downloads OUT=dir [ROSTER=file]: a returned folder of each student
	$(if $(and $(FROM),$(OUT)),,$(error say from where to where: make collect FROM=downloads OUT=returned))
	@$(exercises) collect "$$FROM" "$$OUT" $${ROSTER:+"$$ROSTER"}

class:                                    ## N=150 SEED=1 OUT=dir: downloads of a class, to try the grader on
	$(if $(and $(N),$(OUT)),,$(error say how many, and where to: make class N=150 OUT=dir))
	@$(exercises) class "$$N" "$${SEED:-1}" "$$OUT"

gradescope:                               ## OUT=autograder.zip [EX="3.1 5.3"]: an autograder for Gradescope
	$(if $(OUT),,$(error say where to: make gradescope OUT=autograder.zip))
	@$(exercises) gradescope "$$OUT" $${EX:+"$$EX"}

similar:                                  ## FROM=returned: pairs of regions that are alike
	$(if $(FROM),,$(error say which folder: make similar FROM=returned))
	@$(exercises) similar "$$FROM"

merge:                                    ## OUT=dir: grades.json of results that several machines have written
	$(if $(OUT),,$(error say which folder: make merge OUT=dir))
	@$(exercises) merge "$$OUT"

grade:                                    ## FROM=dir: points for a returned folder, or for each in it
	$(if $(FROM),,$(error say which folder: make grade FROM=dir))
	@$(exercises) grade "$$FROM" $${CSV:+"$$CSV"}

lint-exercises:                            ## every exercise: solution passes, wrong ones are rejected
	@$(exercises) lint $${EX:+"$$EX"}

book:                                     ## all lessons as one EPUB, in build/book
	@tools/documents/book $(BUILD)/book

site:                                     ## the lessons as a web site, in build/site; PYTHON=a Python with Sphinx
	@tools/documents/site $(BUILD)/site

snippet:                                  ## CHAPTER=NN_name [PROGRAM=name [VARIANT=name]]: a program as one file, to paste
	$(if $(CHAPTER),,$(which_chapter))
	@tools/documents/snippet "$$CHAPTER" $${PROGRAM:+"$$PROGRAM" $${VARIANT:+"$$VARIANT"}}

bench: $(benches:%=$(BUILD)/$(device)/%)  ## how fast the CPU device is, how true measure.h is
	@for program in $^; do echo "==== $$program ===="; "$$program" || [ $$? = 77 ] || exit; done

# On the CPU device unless it is told otherwise: a GPU's counters take ncu and the right to read them.
access_device = $(if $(filter gpu both,$(DEVICE)),$(DEVICE),cpu)
access:                                   ## CHAPTER=NN_name [PROGRAM=] [DEVICE=cpu|gpu|both]: sectors, line by line
	$(if $(of_chapter),,$(which_chapter))
	@BUILD=$(BUILD) CUDACCFLAGS='$(CUDACCFLAGS)' NVCC='$(NVCC)' \
	    NVCCFLAGS='$(NVCCFLAGS) $(if $(CUDA_ARCH),-arch=$(CUDA_ARCH))' \
	    tools/measure/access $(access_device) "$$CHAPTER" $${PROGRAM:+"$$PROGRAM"}

# From the machine code where cuobjdump is, else from PTX, which only nvcc is needed for.
cuobjdump_path := $(if $(filter sass,$(goals)),$(shell command -v cuobjdump || \
                    ls "$$(dirname $(call quoted,$(nvcc_path)))/cuobjdump" 2>/dev/null))
of_chapter      = $(foreach c,$(filter $(subst %,\%,$(CHAPTER)),$(chapters)),$(filter $c/%,$(programs)))
sass: $(if $(cuobjdump_path),$(addprefix $(BUILD)/gpu/,$(of_chapter)))  ## CHAPTER=NN_name: how its kernels access memory
	$(if $(of_chapter),,$(which_chapter))
	@for program in $(of_chapter); do echo "==== $$program ===="; \
	    $(if $(cuobjdump_path),$(call quoted,$(cuobjdump_path)) -sass $(BUILD)/gpu/$$program,$(build_gpu) -ptx $$program.cu -o -) \
	        >$(BUILD)/sass.txt || exit; tools/measure/sass $(BUILD)/sass.txt; done

sources := $(filter-out tests/translate/cudacc/%,$(filter %.c %.h,$(runtime)) $(wildcard common/*.h common/experiment/*.h \
             $(programs:=.cu) $(chapters:=/experiments/*.h) tests/*/*.c tests/*/*.h tests/*/*.cu tests/*/*/*.cu \
             $(foreach s,*.cu *.h,$(chapters:=/exercises/*/$s))))

lint:                                     ## check format, shell scripts and spelling
	@sh tests/make/lint $(sources)

format:                                   ## apply .clang-format
	clang-format -i $(sources)

install:                                  ## PREFIX=dir: cudacc for every folder, there; uninstall takes it away
	@tools/documents/install
uninstall:
	@tools/documents/install --remove

# BUILD may name a folder that holds more than what make put there.
may_clean = $(if $(wildcard $(BUILD)),$(filter build ./build,$(BUILD))$(shell \
              grep -s 'Built by make' $(BUILD)/CACHEDIR.TAG),yes)
clean:                                    ## remove all that was built
	$(if $(may_clean),,$(error make did not make $(BUILD), so it stays; its own there: cpu gpu host *.flags))
	rm -rf $(BUILD)

help:                                     ## list the commands
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 16
	@echo 'NN_name         build and run one chapter: $(chapters)'
	@echo 'Built: $(BUILD)/$(device)/$(firstword $(programs)), $(BUILD)/$(device)/$(firstword $(experiments)), ...'
	@echo 'Device: $(device) ($(reason)). DEVICE=gpu or DEVICE=cpu chooses, BUILD=dir builds elsewhere.'
