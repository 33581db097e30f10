# SPDX-License-Identifier: MIT
# In a chapter's folder: `make` is `make NN_name` at the root, and every other command goes there, too.

.DEFAULT_GOAL := $(lastword $(notdir $(CURDIR)))
.PHONY: results
.DEFAULT results: ; @$(MAKE) --no-print-directory -C .. $@
