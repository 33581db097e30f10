# SPDX-License-Identifier: MIT
# For instructors: what students get, what they return, its points (docs/for_instructors.md).

.PHONY: strip collect grade class gradescope lint-exercises
lint-exercises: | $(BUILD)/CACHEDIR.TAG

classroom      := $(subst learn/exercises,teach/classroom,$(exercises))
lint_exercises := $(subst learn/exercises,teach/lint_exercises,$(exercises))

## Teach
strip:                                    ## OUT=dir [VARIANT=class]: copy the course without solutions
	$(if $(OUT),,$(error say where to: make strip OUT=dir))
	@$(classroom) strip "$$OUT"

collect:                                  ## FROM=dir OUT=dir [ROSTER=csv OVERRIDES=csv]: sort submissions
	$(if $(and $(FROM),$(OUT)),,$(error say from where to where: make collect FROM=downloads OUT=returned))
	@$(classroom) collect "$$FROM" "$$OUT" $${ROSTER:+"$$ROSTER"}

grade:                                    ## FROM=dir: grade a returned folder, or each in it
	$(if $(FROM),,$(error say which folder: make grade FROM=dir))
	@$(classroom) grade "$$FROM" $${CSV:+"$$CSV"}

gradescope:                               ## OUT=zip [EX='3.1 5.3']: build an autograder for Gradescope
	$(if $(OUT),,$(error say where to: make gradescope OUT=autograder.zip))
	@$(classroom) gradescope "$$OUT" $${EX:+"$$EX"}

class:                                    ## N=150 OUT=dir [SEED=1]: make up a class, to try the grader on
	$(if $(and $(N),$(OUT)),,$(error say how many, and where to: make class N=150 OUT=dir))
	@$(classroom) class "$$N" "$${SEED:-1}" "$$OUT"

lint-exercises:                           ## [EX=5.2]: test the exercises: wrong answers must not pass
	@$(lint_exercises) $${EX:+"$$EX"}
