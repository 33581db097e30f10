# SPDX-License-Identifier: MIT
# What your device measures: run, counted, stored, drawn.

.PHONY: results counters report
report: | $(BUILD)/CACHEDIR.TAG

## Your own GPU
results: | $(BUILD)/CACHEDIR.TAG          ## run every program and store what it prints, in NN_name/results
	@$(call as_a_step,$(built) $(shown))
	@for chapter in $(chapters); do \
	    tools/measure/results $$chapter $(BUILD)/$(device) || exit; done

counters: $(built)                        ## let Nsight Compute count, for chapters 03 and 05; needs ncu
	@for list in $(wildcard $(chapters:=/experiments/counters)); do \
	    tools/measure/counters $${list%%/*} $(BUILD)/$(device) || exit; done

# A tool that is missing is named before anything is built for it.
report_needs := $(if $(filter report,$(goals)),$(shell tools/measure/report --needs))
report: $(if $(report_needs),$(error make report $(report_needs)))
report:                                   ## [FROM=h200] [COMPARE=h200]: draw the results on one page
	$(if $(FROM),,@$(call as_a_step,$(built)))
	@tools/measure/report --build $(BUILD) $(if $(FROM),--from "$$FROM",--device $(device)) \
	    $${COMPARE:+--compare "$$COMPARE"}
