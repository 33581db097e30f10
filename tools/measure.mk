# SPDX-License-Identifier: MIT
# What a kernel does to memory, and what a GPU's results are: counted, run, stored, drawn.

.PHONY: access sass results counters report
access sass report: | $(BUILD)/CACHEDIR.TAG

of_chapter = $(foreach c,$(filter $(subst %,\%,$(CHAPTER)),$(chapters)),$(filter $c/%,$(programs)))

## Your own kernel (common/cpu_device/cudacc --trace FILE.cu), your own GPU
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
sass: $(if $(cuobjdump_path),$(addprefix $(BUILD)/gpu/,$(of_chapter)))  ## CHAPTER=NN_name: how its kernels access memory
	$(if $(of_chapter),,$(which_chapter))
	@for program in $(of_chapter); do echo "==== $$program ===="; \
	    $(if $(cuobjdump_path),$(call quoted,$(cuobjdump_path)) -sass $(BUILD)/gpu/$$program,$(build_gpu) -ptx $$program.cu -o -) \
	        >$(BUILD)/sass.txt || exit; tools/measure/sass $(BUILD)/sass.txt; done

results: | $(BUILD)/CACHEDIR.TAG          ## run every program, store what it prints under results/
	@$(call as_a_step,$(built))
	@for chapter in $(chapters); do \
	    tools/measure/results $$chapter $(BUILD)/$(device) || exit; done

counters: $(built)                        ## what Nsight Compute counts for the lessons, stored under results/
	@for list in $(wildcard $(chapters:=/experiments/counters)); do \
	    tools/measure/counters $${list%%/*} $(BUILD)/$(device) || exit; done

# A tool that is missing is named before anything is built for it.
report_needs := $(if $(filter report,$(goals)),$(shell tools/measure/report --needs))
report: $(if $(report_needs),$(error make report $(report_needs)))
report:                                   ## results on one page, build/report.html; FROM=h200, COMPARE=h200
	$(if $(FROM),,@$(call as_a_step,$(built)))
	@tools/measure/report --build $(BUILD) $(if $(FROM),--from "$$FROM",--device $(device)) \
	    $${COMPARE:+--compare "$$COMPARE"}
