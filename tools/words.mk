# SPDX-License-Identifier: MIT
# The words of a command, as they were typed: what goes to the tools, and which chapter was meant.

# What a command is asked for reaches its tool through the environment, as it was typed: a name with a
# quote, a dollar or a semicolon is a name, to make and to every shell.
# In small letters, too.
$(foreach a,ex:EX ch:CH id:ID,$(if $(filter command,$(origin $(firstword $(subst :, ,$a)))), \
  $(eval override $(lastword $(subst :, ,$a)) := $$(value $(firstword $(subst :, ,$a))))))
asked := EX CH CHAPTER PROGRAM VARIANT FROM OUT CSV COMPARE SIZE PREFIX DESTDIR ROSTER ASSIGNMENT LATE \
         SEED LABEL INTO COLUMN ISOLATION N SITE ID OVERRIDES
$(foreach a,$(asked),$(if $(filter-out undefined,$(origin $a)), \
  $(eval override export $a := $$(value $a))))

# A text as one word of a shell's command.
quoted = '$(subst ','\'',$1)'

# A sentence in the learner's language.
said = $(or $(shell PERL_BADLANG=0 perl -Itools -MChinese -e 'print said(shift)' $(call quoted,$1) 2>/dev/null),$1)

# A shell that completes the name of a chapter ends it with a slash.
goals := $(MAKECMDGOALS:%/=%)
ifdef CHAPTER
override CHAPTER := $(CHAPTER:/=)
endif

# Compile on all cores, unless told otherwise or by a make that hands out jobs; several goals (clean run)
# go one after the other.
ifeq ($(words $(MAKECMDGOALS))$(filter -j% --jobs% --jobserver%,$(MAKEFLAGS) $(shell printf %s "$$MAKEFLAGS")),1)
MAKEFLAGS += -j$(shell nproc)
endif

# The files with commands, in the order of `make help`.
other_makefiles := tools/kernel.mk tools/measure.mk tools/teach.mk tools/documents.mk tools/maintain.mk
makefiles       := Makefile $(other_makefiles)

# What is asked for and is not there: the chapter that begins so.
suggest = $(if $1,$(patsubst %,did you mean %?,$(firstword $(filter $1% 0$1%,$(chapters)))))
with_suggestion = $(if $2,CHAPTER=$1: $2,say which chapter: make $@ CHAPTER=$(firstword $(chapters)))
which_chapter = $(error $(call with_suggestion,$(CHAPTER),$(call suggest,$(CHAPTER))))
.DEFAULT:
	$(error there is no '$@'; $(or $(call suggest,$@),make help lists the commands))
