# SPDX-License-Identifier: MIT
# How a program is compiled: where to, for which device, with what, and when again.

# What stands in nearly every command: Debian has a part of it always, the rest in another package.
$(if $(filter-out help clean,$(goals)),$(if $(shell perl -MFindBin -MTime::HiRes -e 'print 1' 2>/dev/null),, \
  $(error no perl with its modules (Debian, Ubuntu: apt install perl))))

# ---- Where to ----------------------------------------------------------------------------------
# BUILD stands in targets and recipes: so it has to be plain.
override BUILD := $(BUILD:%/=%)
$(if $(filter-out 1,$(words $(BUILD)))$(filter -%,$(BUILD))$(shell printf %s $(call quoted,$(BUILD)) | \
  LC_ALL=C tr -d 'A-Za-z0-9_./+,@\200-\377-'), \
  $(error BUILD is one folder, named by letters, digits and ./_+,@- alone, not '$(BUILD)'))

# The mark of a folder that make has made, or found empty: `make clean` removes it. Backups leave it out.
$(BUILD)/CACHEDIR.TAG:
	@{ mkdir -p $(BUILD) && test -w $(BUILD); } 2>/dev/null || \
	    { echo 'nothing can be written to $(BUILD): BUILD=dir builds in another place' >&2; exit 2; }
	@test -n "$$(ls -A $(BUILD))" || printf '%s\n' 'Signature: 8a477f597d28d172789f06886806bc55' \
	    '# Built by make: make clean removes this folder.' >$@

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

# Printed while the makefiles are read, so that it comes before any compiler's line.
$(if $(filter all run results $(if $(FROM),,report) $(chapters),$(goals)),$(info $(call said,Device: $(device) ($(reason)))))

# -arch=native came with nvcc 11.5 update 1 (V11.5.119) and needs a GPU to ask.
nvcc_number = $(shell $(NVCC) --version | sed -n 's/.* V\([0-9]*\)\.\([0-9]*\)\.\([0-9]*\).*/\1 \2 \3/p' | \
                awk '{ print ($$1 * 1000 + $$2) * 1000 + $$3 }')
CUDA_ARCH ?= $(if $(gpu_name),$(shell test 0$(nvcc_number) -ge 11005119 && echo native))
CUDA_ARCH := $(CUDA_ARCH)

# ---- The tests' programs -----------------------------------------------------------------------
# A test is each FOLDER/*.t, each runtime/*.cu and programs/*.cu, for every device, and each programs/*.c.
# make test takes the scripts of one folder, make test-all of each; cudacc's are in cudacc/tests.
# They are built for the CPU device and, where a GPU is or has to be, for it. With nvcc alone
# tests/make/nvcc.t compiles them.
need_gpu      := $(gpu_name)$(if $(nvcc_path),$(REQUIRE_GPU)$(TEST_ALL))
test_devices  := $(if $(filter auto,$(DEVICE)),cpu $(if $(need_gpu),gpu),$(device))
tests_in      := tests cudacc/tests
test_names    := $(basename $(sort $(wildcard $(tests_in:=/runtime/*.cu) $(tests_in:=/programs/*.cu))))
test_binaries := $(foreach d,$(test_devices),$(test_names:%=$(BUILD)/$(d)/%))
test_helpers  := $(patsubst %.c,$(BUILD)/host/%,$(sort $(wildcard $(tests_in:=/programs/*.c))))
test_programs := $(foreach d,$(test_devices),$(programs:%=$(BUILD)/$(d)/%)) $(test_helpers) $(test_binaries)

# The long ones start first: scripts, and among them those with the most text.
folders = programs
tests = $(shell ls -S $(tests_in:=/$(folders)/*.t) 2>/dev/null) $(test_helpers) $(test_binaries)

# ---- With what ---------------------------------------------------------------------------------
CUDACC  := cudacc/cudacc
runtime := $(shell find cudacc -path cudacc/tests -prune -o -type f ! -name '*.md' ! -name '*~' -print)

build_gpu  = $(NVCC) $(NVCCFLAGS) $(if $(CUDA_ARCH),-arch=$(CUDA_ARCH))
# -O1: compiled in three quarters of the time of -O2.
build_cpu  = $(CUDACC) -O1 $(CUDACCFLAGS)
build_host = $(CC) $(CFLAGS)

# The compilers write beside a program which headers it includes, as rules for make.
depend = -MMD -MP -MF $@.d

$(BUILD)/gpu/%: %.cu $(BUILD)/gpu.flags
	@mkdir -p $(@D)
	$(build_gpu) $(depend) $< -o $@

# Two of its rows say what compiling PTX takes, so there must be some.
$(BUILD)/gpu/01_sync_timing/experiments/3_first_call: build_gpu += $(first_call_ptx)
first_call_ptx := -gencode arch=compute_75,code=compute_75

$(BUILD)/cpu/%: %.cu $(runtime) $(BUILD)/cpu.flags | $(BUILD)/empty
	@mkdir -p $(@D)
	$(build_cpu) $(depend) $< -o $@

# The same, built so that it says what the CPU device has counted.
$(BUILD)/counted/%: %.cu $(runtime) $(BUILD)/cpu.flags | $(BUILD)/empty
	@mkdir -p $(@D)
	$(build_cpu) -g --trace $(depend) $< -o $@

# The first call of cudacc builds the CPU device, on all cores: not one for each of make's jobs.
$(BUILD)/empty: $(runtime) $(BUILD)/cpu.flags
	@echo 'int main(void) { return 0; }' >$@.cu
	@$(build_cpu) $(depend) $@.cu -o $@

# The common headers as plain C, against the CPU device's cuda_runtime.h.
$(BUILD)/host/%: %.c $(runtime) $(BUILD)/host.flags
	@mkdir -p $(@D)
	$(build_host) $(depend) -MT $@ -Icudacc/include -c $< -o $@.o
	$(CUDACC) $@.o -o $@

# Builds these programs; of that shows one line, and the compiler's words if it fails (V=1: all).
# The + hands it make's jobs, so that it uses all cores.
as_a_step = +tools/measure/step 'build: $(words $1) program$(if $(filter-out 1,$(words $1)),s)' $(BUILD)/log/build.txt \
              $(MAKE) --no-print-directory $1

# ---- When again --------------------------------------------------------------------------------
# BUILD/cpu.flags says with what the programs below BUILD/cpu were built. While that is so, the rules
# beside them hold; when it changes, all of them are built again.
compilers  = $(foreach c,CC CXX,$(if $(filter-out default,$(origin $c)),$c=$($c)))
flags_gpu  = $(strip $(build_gpu))
flags_cpu  = $(strip $(build_cpu), $(compilers))
flags_host = $(strip $(build_host), $(flags_cpu))

kinds     := gpu cpu host
flags_of   = $(strip $(shell cat $(BUILD)/$1.flags 2>/dev/null))
differ     = $(subst x$1,,x$2)$(subst x$2,,x$1)
changed   := $(foreach k,$(kinds),$(if $(call differ,$(flags_$k),$(call flags_of,$k)),$k))
unchanged := $(filter-out $(changed),$(kinds))

benches   := $(basename $(sort $(wildcard tools/measure/bench/*.cu)))
names     := $(programs) $(test_names) $(benches) $(test_helpers:$(BUILD)/host/%=%)
-include $(foreach k,$(unchanged),$(wildcard $(addsuffix .d, \
           $(names:%=$(BUILD)/$k/%) $(if $(filter cpu,$k),$(programs:%=$(BUILD)/counted/%)) $(filter $(BUILD)/$k/%,$(goals)))))

.PHONY: $(changed:%=$(BUILD)/%.flags)
$(kinds:%=$(BUILD)/%.flags): $(BUILD)/%.flags: | $(BUILD)/CACHEDIR.TAG
	@printf '%s\n' $(call quoted,$(flags_$*)) >$@
