# SPDX-License-Identifier: MIT
# For instructors: what students get, what they return, its points (docs/for_instructors.md).

.PHONY: strip collect grade merge class gradescope similar lint-exercises
lint-exercises: | $(BUILD)/CACHEDIR.TAG

classroom      := $(subst learn/exercises,teach/classroom,$(exercises))
lint_exercises := $(subst learn/exercises,teach/lint_exercises,$(exercises))

## Teach
strip:                                    ## OUT=dir [VARIANT=seed]: the student edition, without solutions
	$(if $(OUT),,$(error say where to: make strip OUT=dir))
	@$(classroom) strip "$$OUT"

collect:                                  ## FROM=downloads OUT=dir [ROSTER=file]: a returned folder of each student
	$(if $(and $(FROM),$(OUT)),,$(error say from where to where: make collect FROM=downloads OUT=returned))
	@$(classroom) collect "$$FROM" "$$OUT" $${ROSTER:+"$$ROSTER"}

grade:                                    ## FROM=dir: points for a returned folder, or for each in it
	$(if $(FROM),,$(error say which folder: make grade FROM=dir))
	@$(classroom) grade "$$FROM" $${CSV:+"$$CSV"}

merge:                                    ## OUT=dir: grades.json of results that several machines have written
	$(if $(OUT),,$(error say which folder: make merge OUT=dir))
	@$(classroom) merge "$$OUT"

similar:                                  ## FROM=returned: pairs of regions that are alike
	$(if $(FROM),,$(error say which folder: make similar FROM=returned))
	@$(classroom) similar "$$FROM"

gradescope:                               ## OUT=autograder.zip [EX="3.1 5.3"]: an autograder for Gradescope
	$(if $(OUT),,$(error say where to: make gradescope OUT=autograder.zip))
	@$(classroom) gradescope "$$OUT" $${EX:+"$$EX"}

class:                                    ## N=150 SEED=1 OUT=dir: downloads of a class, to try the grader on
	$(if $(and $(N),$(OUT)),,$(error say how many, and where to: make class N=150 OUT=dir))
	@$(classroom) class "$$N" "$${SEED:-1}" "$$OUT"

lint-exercises:                           ## every exercise: solution passes, wrong ones are rejected
	@$(lint_exercises) $${EX:+"$$EX"}
