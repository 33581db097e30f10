# SPDX-License-Identifier: MIT
# The documents: what they quote, whether it is true, and the lessons in other forms.

.PHONY: docs docs-check book site
book site: | $(BUILD)/CACHEDIR.TAG

documents := $(wildcard README.md $(chapters:=/*.md) docs/*.md docs/snippets/README.md cudacc/README.md cudacc/extra/README.md cudacc/docs/*.md cudacc/tests/trace/errors/README.md tests/README.md \
               $(chapters:=/exercises/*/README.md))
figures   := $(wildcard tools/measure/figures)

## Change the course: documents
docs:                                     ## rewrite what the documents quote of sources and results
	@perl tools/documents/architecture.pl >docs/architecture.svg
	@$(if $(figures),$(figures) || [ $$? = 77 ])
	@tools/documents/quote $(documents)
	@tools/documents/chinese --readme

# All of them, so that one run names all there is.
docs-check:                               ## fail where a document is not true: quotes, links, commands
	@status=0; perl tools/documents/architecture.pl | cmp - docs/architecture.svg || status=1; \
	tools/documents/quote --check $(documents) || status=1; \
	tools/documents/links $(documents) || status=1; \
	tools/documents/chinese --check || status=1; \
	tools/measure/checksums --check || status=1; \
	$(if $(figures),$(figures) --check || status=1;) \
	tools/documents/commands $(documents) || status=1; exit $$status

book:                                     ## [PYTHON=python]: make an EPUB of the lessons; needs Sphinx
	@tools/documents/site --book $(BUILD)/book

site:                                     ## [PYTHON=python]: make a web site of them; needs Sphinx
	@tools/documents/site $(BUILD)/site
