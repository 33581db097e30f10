# SPDX-License-Identifier: MIT
# Sphinx's configuration for `make site`: the lessons as they are, each at its path in the repository.
import csv
import pathlib
import posixpath
import re
import shutil
import subprocess

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.addnodes import download_reference, pending_xref
from sphinx.search.zh import SearchChinese

ROOT = pathlib.Path(__file__).parents[2]
VISUALIZER = 'docs/site/sectors.html'

project = html_title = 'CUDA by Measurement'
html_short_title = 'Home'
extensions = ['myst_parser']
myst_enable_extensions = ['dollarmath']
myst_heading_anchors = 4
root_doc = 'README'
exclude_patterns = ['build', 'tests', 'README.zh-CN.md', 'docs/zh_CN']
CHINESE_PAGES = subprocess.check_output(['docs/tools/chinese', '--pages'], cwd=ROOT, text=True).split()
CHINESE = tags.has('chinese')    # noqa: F821, Sphinx defines it: are these the pages of zh/?
if CHINESE:
    language = 'zh_CN'
    include_patterns = CHINESE_PAGES
    html_short_title = '首页'
highlight_language = 'none'
html_theme = 'furo'
html_static_path = ['site.css']
html_css_files = ['site.css']
html_copy_source = False
html_show_copyright = False
html_math_renderer = 'mathml'


def contents(captions):
    return ''.join(f'\n```{{toctree}}\n:caption: {caption}\n:hidden:\n:glob:\n{pages}\n```\n'
                   for caption, pages in captions.items())


CONTENTS = contents({'Lessons': '[0-9][0-9]_*/*', 'Exercises': '*/exercises/*/README',
                     'Reference': 'docs/site/devices\ndocs/*\ncommon/cpu_device/README\nC[A-Z]*'})
CHINESE_CONTENTS = contents({'课程': '[0-9][0-9]_*/*'})


def devices():
    """Tables of the recorded devices, and of what the programs of each chapter found on them."""
    found, dates, names, gpus = {}, {}, {}, []
    for file in sorted(ROOT.glob('[0-9][0-9]_*/results/*.csv')):
        text = file.with_suffix('.txt').read_text()
        gpus.append(file.stem)
        dates[file.stem] = re.search(r'^# make \w+, (\S+)', text)[1]
        names[file.stem] = re.search(r'^Device \d+: ([^,\n]+)', text, re.M)[1]
        for row in csv.DictReader(file.open()):
            if row['variant'] == 'finding' and row['check'] in ('', 'ok'):
                chapter = found.setdefault(row['chapter'], {})
                chapter.setdefault((row['program'], row['parameter']), {})[file.stem] = re.sub(r'(?<=\d) us\b', ' µs', row['flag'])
    gpus = sorted(set(gpus), key=lambda device: (device == 'cpu_device', device))
    names = {d: names[d] + re.sub(r'^.*?(?:_(x)(\d+))?(?:_(at)_(\w+))?$',
                                  lambda m: ''.join(f' {part}' for part in m.groups() if part), d) for d in gpus}
    yield '| device | recorded | findings | |\n| --- | --- | ---: | --- |\n'
    for device in gpus:
        count = sum(device in cells for rows in found.values() for cells in rows.values())
        yield (f'| {names[device]} | {dates[device]} | {count} '
               f'| <a href="../../reports/{device}.html">report</a> |\n')
    for chapter, rows in found.items():
        here = [device for device in gpus if any(device in cells for cells in rows.values())]
        yield f'\n## {chapter}\n\n| finding | {" | ".join(names[d] for d in here)} |\n'
        yield '| --- ' * (len(here) + 1) + '|\n'
        for (program, finding), cells in rows.items():
            yield f'| {program}: {finding} | ' + ' | '.join(
                cells.get(d, '–').replace('|', '\\|') for d in here) + ' |\n'


def add_contents(app, page, source):
    if CHINESE:
        source[0] = subprocess.check_output(['docs/tools/chinese', page + '.md'], cwd=ROOT, text=True)
    source[0] = source[0].replace('[简体中文](README.zh-CN.md)\n', '')
    source[0] += {'README': CHINESE_CONTENTS if CHINESE else CONTENTS, 'docs/site/devices': ''.join(devices())}.get(page, '')


def link_files(app, tree):
    """A link to a file leads to a page that shows it, with a download; one to the visualizer is
    followed by the visualizer itself. What zh/ lacks, it links in the folder above."""
    page = app.env.current_document.docname

    def path_to(target):
        return posixpath.relpath('../' * CHINESE + target, posixpath.dirname(page) or '.')

    for link in list(tree.findall(pending_xref)):
        if link['refdomain'] == 'doc' and link['reftarget'] not in app.env.found_docs:
            page_there = link['reftarget'] + ('.html' if CHINESE else '.md.html')
            if not CHINESE:
                app.shown_files.add(link['reftarget'] + '.md')
            to = path_to(page_there) + ('#' + link['reftargetid'] if link['reftargetid'] else '')
            link.replace_self(nodes.reference('', '', *link.children, refuri=to))
    for link in list(tree.findall(download_reference)):
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), link['reftarget']))
        if not (ROOT / file).is_file():
            continue
        shown = file if file == VISUALIZER else file + '.html'
        if not CHINESE:
            app.shown_files.add(file)
        if file == VISUALIZER:
            html = (ROOT / file).read_text()
            parts = re.findall(r'<style>.*?</style>|<section.*</script>', html, re.S)
            link.parent.parent.insert(link.parent.parent.index(link.parent) + 1,
                                      nodes.raw('', parts[0] + parts[-1], format='html'))
        link.replace_self(nodes.reference('', '', *link.children, refuri=path_to(shown)))


def file_pages(app):
    for file in sorted(app.shown_files):
        (app.outdir / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, app.outdir / file)
        if file != VISUALIZER:
            language = 'cuda' if file.endswith(('.cu', '.h')) else 'none'
            code = app.builder.highlighter.highlight_block((ROOT / file).read_text(), language)
            name = posixpath.basename(file)
            yield file, {'title': name, 'parents': [], 'body':
                         f'<h1>{file}</h1><p><a href="{name}" download>Download</a></p>{code}'}, 'page.html'


def by_keyboard(app, page, template, context, tree):
    """What scrolls sideways can be reached by keyboard; a heading of the contents has its level."""
    context['body'] = re.sub(r'<pre>|<div class="table-wrapper[^>]*(?=>)',
                             lambda m: m[0].rstrip('>') + ' tabindex="0"' + '>' * m[0].endswith('>'),
                             context.get('body', ''))
    context['furo_navigation_tree'] = context.get('furo_navigation_tree', '').replace('role="heading"', 'role="heading" aria-level="2"')


def other_language(app, page, template, context, tree):
    """A page in Chinese and the English one link each other."""
    if page + '.md' in CHINESE_PAGES:
        there, language, name = ('../', 'en', 'English') if CHINESE else ('zh/', 'zh-CN', '中文')
        to = posixpath.relpath(f'{there}{page}.html', posixpath.dirname(page) or '.')
        link = f'<p class="language"><a href="{to}" lang="{language}" hreflang="{language}">{name}</a></p>'
        context['body'] = link + context.get('body', '')


class Pairs(SearchChinese):
    """Each two neighboring characters are a word of the search: it finds every term without a dictionary."""
    language_name = 'English'    # its stemmer is the English one: the pages look for it by this name
    js_splitter_code = r'''
var splitQuery = query => (query.match(/\w+/g) || []).concat(
    Array.from(query.matchAll(/(?=([\u4e00-\u9fff]{2}))/g), pair => pair[1]));
'''

    def split(self, text):
        self.latin_terms.update(re.findall(r'[A-Za-z0-9_]+', text))
        return re.findall(r'[A-Za-z0-9_]+', text) + re.findall('(?=([\u4e00-\u9fff]{2}))', text)


def math(block):
    def visit(self, node):
        self.body.append(latex2mathml.tex2mathml(node.astext(), as_block=block))
        raise nodes.SkipNode
    return visit, None


def setup(app):
    app.shown_files = set()
    app.connect('source-read', add_contents)
    app.connect('doctree-read', link_files, priority=400)    # before Sphinx collects downloads
    app.connect('html-collect-pages', file_pages)
    app.connect('html-page-context', by_keyboard, priority=900)    # after the theme
    app.connect('html-page-context', other_language)
    app.add_search_language(Pairs)
    app.add_html_math_renderer('mathml', math(False), math(True))
