# SPDX-License-Identifier: MIT
# The commands of the course: `make help` lists them. Here are a learner's; how programs are compiled,
# and for which device, stands in tools/build.mk, and what else there is in the other tools/*.mk.

DEVICE ?= auto
BUILD  ?= build
NVCC   ?= nvcc

NVCCFLAGS   ?= -O3 -lineinfo -Werror all-warnings -Xcompiler -Wall,-Wextra
CUDACCFLAGS ?= -Wall -Wextra
CFLAGS      ?= -O2 -g -std=gnu11 -Wall -Wextra -Wpedantic

# Without it perl complains, before each command, of a LANG whose locale is not installed.
export PERL_BADLANG = 0

# A folder NN_name is a chapter: its program, and those in experiments/, in their order. They are found,
# not listed: a new one needs no line here.
chapters    := $(patsubst %/,%,$(sort $(wildcard [0-9][0-9]_*/)))
found       := $(basename $(sort $(wildcard $(chapters:=/experiments/*.cu))))
tenth       := $(filter $(basename $(wildcard $(chapters:=/experiments/[0-9][0-9]_*.cu))),$(found))
experiments := $(filter-out $(tenth),$(found)) $(tenth)
programs    := $(foreach c,$(chapters),$(basename $(wildcard $c/*.cu)) $(filter $c/%,$(experiments)))

.DEFAULT_GOAL := help
.PHONY: all learn read run predict check watch hint reset again mine handin clean help $(chapters) $(chapters:=/)

include tools/words.mk tools/build.mk
built := $(programs:%=$(BUILD)/$(device)/%)
# The program of a chapter, as it is shown: on the CPU device built so that it counts.
shown := $(patsubst %,$(BUILD)/$(device:cpu=counted)/%,$(filter-out $(experiments),$(programs)))
for_learners = BUILD=$(BUILD) GRADE_DEVICE=$(device) CUDA_ARCH='$(CUDA_ARCH)'

# In what follows, `##` is what `make help` says of a command, or of a group of them; docs/commands.md says
# more of each.

## Learn
learn: | $(BUILD)/CACHEDIR.TAG            ## the course, step by step; CH=05: from chapter 05 on
	@$(for_learners) tools/learn/learn "$${CH:-$$CHAPTER}"

read:                                     ## CH=05 or EX=5.2: a lesson or an exercise, as text
	@tools/learn/read "$${EX:-$${CH:-$$CHAPTER}}"

run: | $(BUILD)/CACHEDIR.TAG              ## build and run every program: PASS or FAIL; V=1 shows all
	@$(call as_a_step,$(built))
	@tools/measure/run --log $(BUILD)/log/$(device) $(built)

all: $(built)                             ## build every program, run none

# What one guessed before anything ran stands below what a chapter then measures.
predict = tools/learn/predict --build $(BUILD) --device $(device)
predict: | $(BUILD)/CACHEDIR.TAG          ## CH=05: guess before you run, then compare
	$(if $(CH)$(CHAPTER),,$(error say which chapter: make predict CH=05))
	@$(predict) "$${CH:-$$CHAPTER}"

# BUILD may name a folder that holds more than what make put there.
may_clean = $(if $(wildcard $(BUILD)),$(filter build ./build,$(BUILD))$(shell \
              grep -s 'Built by make' $(BUILD)/CACHEDIR.TAG),yes)
clean:                                    ## remove all that was built
	$(if $(may_clean),,$(error $(BUILD) was not made by make, so it stays; what make put there: cpu counted gpu host *.flags))
	rm -rf $(BUILD)

help:                                     ## list the commands
	@{ echo 'make NN_name builds and runs one chapter:'; \
	   echo '$(chapters)' | fold -s -w 76 | sed 's/^/  /'; \
	   sed -n -e 's/^## \(.*\)/\n\1/p' -e 's/^\([a-z-]*\):[^#]*## /  \1\t/p' $(makefiles); \
	   echo; \
	   echo 'Examples: docs/commands.md. Where everything is: docs/architecture.md'; \
	   echo 'To run one program, call what was built:'; \
	   echo '  $(BUILD)/$(device)/$(firstword $(experiments))'; \
	   echo 'To choose the device: DEVICE=gpu or DEVICE=cpu. To build elsewhere: BUILD=dir'; \
	   echo 'Device: $(device) ($(reason))'; \
	 } | perl -Itools -MChinese -pe 's/[^\t\n]+$$/said($$&)/e' | expand -t 18

## Learn: exercises
exercises = $(for_learners) tools/learn/exercises
check watch hint again: | $(BUILD)/CACHEDIR.TAG

# "Not yet" is a verdict and no failure of make's: for scripts, tools/learn/exercises ends with 1.
check:                                    ## [EX=5.2]: check exercise 5.2; without EX, show how far you are
	@$(exercises) check $${EX:+"$$EX"} || [ $$? = 1 ]

watch:                                    ## [EX=5.2]: check at each save, then take the next exercise
	@$(exercises) watch $${EX:+"$$EX"}

hint:                                     ## EX=5.2: give the next hint
reset:                                    ## EX=5.2: put it back as it was; yours is kept beside it
again:                                    ## EX=5.2: ask with other numbers: a second chance
hint reset again:
	$(if $(EX),,$(error say which exercise: make $@ EX=5.2))
	@$(exercises) $@ "$$EX" || [ $$? = 1 ]

mine:                                     ## ID=you: your own numbers to predict, where your class has such
	$(if $(ID),,$(error say who you are, by your ID at the university: make mine ID=s1234567))
	@$(exercises) mine "$$ID"

handin:                                   ## ID=you [EX='3.1 5.2']: write what you hand in as one file
	$(if $(ID),,$(error say who you are, by your ID at the university: make handin ID=s1234567))
	@$(exercises) handin "$$ID" $${EX:+"$$EX"}

include $(other_makefiles)

# A chapter by its name; a shell that completes it adds a slash.
of_this = $(filter $(BUILD)/$(device:cpu=counted)/$@/%,$(shown)) $(filter $(BUILD)/$(device)/$@/experiments/%,$(built))
$(chapters): | $(BUILD)/CACHEDIR.TAG
	@$(call as_a_step,$(of_this))
	@tools/measure/run --show --log $(BUILD)/log/$(device) $(of_this)
	$(if $(wildcard $(BUILD)/predict/$@),@$(predict) --after $@)
$(chapters:=/): %/: %
