# SPDX-License-Identifier: MIT
# Sphinx's configuration for `make site` and `make book`: the lessons as they are, each at its path in the
# repository.
import csv
import os
import pathlib
import re
import subprocess
from html import escape
from posixpath import dirname, join, normpath, relpath
from urllib.parse import urlencode

from docutils import nodes
from sphinx.addnodes import download_reference, pending_xref
from sphinx.locale import _
from sphinx.search.zh import SearchChinese

ROOT = pathlib.Path(__file__).parents[2]
CHINESE = tags.has('zh')    # noqa: F821, Sphinx defines it: are these the pages of zh/?
BOOK = tags.has('book')    # noqa: F821

project = html_title = 'CUDA by Measurement'
SITE, REPOSITORY = (os.environ.get(name, '').rstrip('/') for name in ('SITE', 'REPOSITORY'))    # addresses, if who builds it names them
extensions = ['myst_parser'] + ['sphinx_copybutton'] * (not BOOK)
copybutton_prompt_text, copybutton_only_copy_prompt_lines = '$ ', True
myst_heading_anchors = 4
myst_disable_syntax = ['myst_line_comment']    # a line may begin with %
root_doc = 'README'
exclude_patterns = ['.github', 'build', 'tests', 'cudacc/tests', 'README.zh-CN.md', 'docs/zh_CN']
if CHINESE:
    language, include_patterns = 'zh_CN', subprocess.check_output(['tools/documents/chinese', '--pages'], cwd=ROOT, text=True).split()
highlight_language = 'none'
html_theme = 'furo'
html_static_path = html_css_files = ['site.css']
html_copy_source = html_show_copyright = html_use_index = False
html_favicon = 'favicon.svg'
if REPOSITORY:
    html_theme_options = {'footer_icons': [{'name': name, 'url': REPOSITORY, 'html': name, 'class': ''} for name in ['代码仓库' if CHINESE else 'Repository']]}
if BOOK:
    exclude_patterns += ['docs/site/devices.md']
    author = re.search(r'^  - name: "?(.*?)"?$', (ROOT / 'CITATION.cff').read_text(), re.M)[1]
    version = release = re.search(r'^version: (.*)$', (ROOT / 'CITATION.cff').read_text(), re.M)[1]
    epub_basename, epub_description = 'cuda-by-measurement', 'A course in CUDA C performance'
    epub_identifier = epub_uid = epub_basename    # its contents and its list of files must have the same
    epub_static_path = html_static_path = ['cover.svg']
    epub_cover, epub_css_files, html_css_files = ('_static/cover.svg', 'epub-cover.html'), [], []
    epub_show_urls, epub_tocscope, epub_tocdepth = 'no', 'includehidden', 3
    epub_publisher = epub_contributor = epub_copyright = author
TREE = '\n```{{toctree}}\n:caption: {}\n:hidden:\n:glob:\n{}\n```\n'.format


def devices():
    """The report of each recorded device, and tables of what the programs of each chapter found on it."""
    found, reports = {}, {}
    for file in sorted(ROOT.glob('[0-9][0-9]_*/results/*.csv')):
        date = re.search(r'^# make \w+, (\S+)', file.with_suffix('.txt').read_text())[1]
        reports[file.stem] = f'- <a href="../../reports/{file.stem}.html">{file.stem}</a>, recorded on {date}\n'
        for row in csv.DictReader(file.open()):
            if row['variant'] == 'finding' and row['check'] in ('', 'ok'):
                cells = found.setdefault(row['chapter'], {}).setdefault(f'{row["program"]}: {row["parameter"]}', {})
                cells[file.stem] = re.sub(r'(?<=\d) us\b', ' µs', row['flag']).replace('|', '\\|')
    yield '\n' + ''.join(reports.values())
    for chapter, rows in found.items():
        here = sorted({device for cells in rows.values() for device in cells})
        table = [['finding', *here], ['---'] * (len(here) + 1)]
        table += [[name, *(cells.get(device, '–') for device in here)] for name, cells in rows.items()]
        yield f'\n## {chapter}\n\n' + ''.join(f'| {" | ".join(row)} |\n' for row in table)

# What stands beside the lessons, by the words that one looks for. (Sphinx names a page that is missing here.)
PAGES = {'Reference': '''Cheat sheet: the rules <docs/cheat_sheet>
On your GPU: T4 to B200 <docs/on_your_gpu>
Snippets to copy <docs/snippets/README>
cudacc, without a GPU <cudacc/README>
libcu++, CUB and the rest of extra/ <cudacc/extra/README>
Access report: sectors <cudacc/docs/access>
Errors and races <cudacc/docs/errors>
Profilers: Nsight, ncu <docs/profilers>
Glossary 词汇表 <docs/glossary>
All commands <docs/commands>''', 'Results': 'Devices and findings <docs/site/devices>\n' * (not BOOK) + '''Method and trust <docs/method>
Our times beside other timers <docs/timers>
What changed since five articles <docs/what_changed>
Further reading <docs/reading>''', 'Teach and contribute': '''For instructors <docs/for_instructors>
Add a device <docs/add_a_device>
Add a chapter <docs/add_a_chapter>
Add an exercise <docs/add_an_exercise>
Architecture <docs/architecture>
Contributing <CONTRIBUTING>
Changes <CHANGELOG>'''}
CONTENTS = {'README': TREE('课程', '[0-9][0-9]_*/*') + TREE('参考', 'docs/*'), 'lesson': TREE('练习', 'exercises/*/README')} if CHINESE else {
    'README': TREE('Lessons', '[0-9][0-9]_*/*') + ''.join(TREE(*group) for group in PAGES.items()),
    'lesson': TREE('Exercises', 'exercises/*/README'), 'docs/site/devices': ''.join(devices())}


def add_contents(app, page, source):
    """Its Chinese, contents and tables."""
    if CHINESE:
        source[0] = subprocess.check_output(['tools/documents/chinese', page + '.md'], cwd=ROOT, text=True)
    added = CONTENTS.get(re.sub(r'^\d\w+/README$', 'lesson', page), '')
    source[0] = re.sub(r'\[(?:简体中文|English)\]\(README[\w.-]*\) · ', '', source[0]) + added


def playground(page, code, source=None):
    """A link that opens kernels in the playground, with what they need of their file."""
    known = r'^(?:#define .*|(?:struct \w+|enum \w*) ?\{.*?\};.*|static const \w+ \w+ = .*;)$'
    around = re.findall(known, source, re.M) + re.findall(r'^struct \w+ \{\n.*?^\};$', source, re.M | re.S) if source else []
    to = relpath('../' * CHINESE + 'docs/site/playground.html', dirname(page) or '.')
    fragment = urlencode({'code': '\n'.join(around + [code])} | ({'lang': 'zh'} if CHINESE else {}))
    return f'<p class="playground"><a href="{to}#{escape(fragment)}">{"在浏览器里试" if CHINESE else "Open in the playground"}</a></p>'


def is_english(file): return CHINESE and file.endswith(('.md', '.html'))    # not among the Chinese pages


def link_files(app, tree):
    """A link to a file leads to a page that shows it, in the book nowhere."""
    page = app.env.current_document.docname
    for raw in list(tree.findall(nodes.raw)) * BOOK:    # XML has no -- in a comment
        raw.replace_self(nodes.raw('', re.sub('<!--.*?-->', '', raw.astext(), flags=re.S), format='html'))
    for block in list(tree.findall(nodes.literal_block)) * (not BOOK):
        code, before = block.astext(), block.parent[max(block.parent.index(block) - 1, 0)].astext()
        if block.get('language') in ('c', 'cuda', 'cpp') and '__global__' in code and 'template' not in code and '#if' not in code:
            snippet = re.search(r'<!-- snippet: (\S+)', before)
            source = (ROOT / dirname(page) / snippet[1]).read_text() if snippet and 'int main' not in code else None
            block.parent.insert(block.parent.index(block) + 1, nodes.raw('', playground(page, code, source), format='html'))
            app.shown_files.add('docs/site/playground.html')
    for link in list(tree.findall(lambda node: isinstance(node, (download_reference, pending_xref)))):
        file = link['reftarget'] + '.md' * (link.get('refdomain') == 'doc')
        if isinstance(link, download_reference):
            file = normpath(join(dirname(page), file))
        name = re.sub(r'\.(md|html)$', '', file)
        if link.get('reftargetid') and f'<a id="{link["reftargetid"]}">' in (ROOT / file).read_text() and name in app.env.found_docs:
            to = relpath(name, dirname(page) or '.') + app.builder.out_suffix    # MyST knows anchors of headings alone
            link.replace_self(nodes.reference('', '', *link.children, refuri=f'{to}#{link["reftargetid"]}'))
            continue
        if name in app.env.found_docs or not (ROOT / file).is_file():
            continue
        if BOOK:
            link.replace_self(link.children)
            continue
        app.shown_files.add(file)
        to = [relpath('../' * is_english(file) + name + '.html', dirname(page) or '.'), link.get('reftargetid') or 'lang=zh' * (CHINESE and file.endswith('.html'))]
        link.replace_self(nodes.reference('', '', *link.children, refuri='#'.join(filter(None, to))))


def file_pages(app):
    for file in sorted(file for file in app.shown_files if not is_english(file)):
        text = (ROOT / file).read_text() if not file.endswith('.html') else subprocess.check_output(['tools/documents/playground'], cwd=ROOT, text=True)
        if not file.endswith('.html'):
            code = app.builder.highlighter.highlight_block(text, 'cuda' if file.endswith(('.cu', '.h')) else 'none')
            to_play = playground(file, text) if re.fullmatch(r'\d\d_\w+/(?:\w+|exercises/\w+/exercise)\.cu|docs/naive_\w+\.cu', file) and '__global__' in text else ''
            body = f'<h1>{file}</h1><p><a href="{pathlib.Path(file).name}" download>{"下载" if CHINESE else "Download"}</a></p>{to_play}{code}'
            yield file.removesuffix('.md'), {'title': file, 'parents': [], 'body': body}, 'page.html'
        else:    # the playground, one file; its links to pages lead to those of the site
            text = text.replace('</title>', '</title>' + preview('The playground: what does a warp request of memory?'), 1).replace('README.zh-CN.md"', 'zh/index.html"').replace('README.md"', 'index.html"')
            (app.outdir / file).parent.mkdir(parents=True, exist_ok=True)
        (app.outdir / file).write_text(text)    # into the folder that the page has made


def preview(title):
    """What a page that links this one shows of it. Its image has to have an address."""
    said = {'title': title, 'site_name': project, 'type': 'website', 'description': 'CUDA C performance by counting and measuring: lessons, exercises, a playground. No GPU needed.'}
    said |= {'image': f'{SITE}/preview.png', 'image:width': '1200', 'image:height': '630', 'image:alt': 'The useful rate of a kernel falls with its stride'} if SITE else {}
    return ''.join(f'<meta property="og:{name}" content="{escape(text)}">' for name, text in said.items())


def frame(app, page, template, context, tree):
    """The contents beside a page: the playground, and lessons by their topics; what scrolls sideways can be reached by keyboard."""
    context['body'] = re.sub(r'<(?:pre\b|div(?= class="table-wrapper))', r'\g<0> tabindex="0"', context.get('body', ''))
    here = context.get('furo_navigation_tree', '').replace('role="heading"', 'role="heading" aria-level="2"')
    here = re.sub(r'(?<=">)(\d\d)(?:,? ?(?:second page|第二页)[:：] ?([^<]*)|( [^<:：]*)[:：][^<]*)(?=</a>)', r'\1 \2\3', here).replace('  ', ' ')
    to = relpath('../' * CHINESE + 'docs/site/playground.html', dirname(page) or '.') + '#lang=zh' * CHINESE
    context['furo_navigation_tree'] = f'<ul><li class="toctree-l1"><a class="reference internal" href="{to}">{"演练场" if CHINESE else "Playground"}</a></li></ul>{here}'
    context['metatags'] = context.get('metatags', '') + preview(re.sub('<[^>]*>', '', context.get('title', project)))


def other_language(app, problem):
    """On every page a link to the same page in the other language; where there is none, to that language's first page."""
    english, begin = app.outdir.parent, '<article role="main" id="furo-main-content">'
    for page in english.rglob('*.html'):    # the Chinese ones are made last
        here = page.relative_to(english).as_posix()
        name = here.removeprefix('zh/')
        both = (app.outdir / re.sub('^index', 'README', name)).exists()    # its copy
        there, code, text = (name, 'en', 'English') if here != name else ('zh/' + (name if both else 'index.html'), 'zh-CN', '中文' if both else '中文首页')
        to = relpath(there, dirname(here) or '.')
        page.write_text(page.read_text().replace(begin, f'{begin}<p class="language"><a href="{to}" lang="{code}" hreflang="{code}">{text}</a></p>', 1))


def in_chinese(app, problem):
    """The labels of figures, and what the theme says to a screen reader in English alone."""
    for figure, name in app.builder.images.items():
        chinese = subprocess.check_output(['tools/documents/chinese', figure], cwd=ROOT, text=True)
        (app.outdir / '_images' / name).write_text(chinese)
    for page in app.outdir.rglob('*.html'):
        page.write_text(re.sub('(?<=aria-label=")[^"]+|(?<=<title>)[^<]+', lambda found: _(found[0]), page.read_text()))


class Pairs(SearchChinese):
    """Each two neighboring characters are a word of the search: it finds every term without a dictionary."""
    language_name = 'English'    # its stemmer is the English one: the pages look for it by this name
    js_splitter_code = r"""
var splitQuery = query => (query.match(/\w+/g) || []).concat(
    Array.from(query.matchAll(/(?=([\u4e00-\u9fff]{2}))/g), pair => pair[1]));
"""

    def split(self, text):
        return super().split(text) + re.findall('(?=([\u4e00-\u9fff]{2}))', text)


def setup(app):
    app.shown_files = set()
    app.connect('source-read', add_contents)
    app.connect('doctree-read', link_files, priority=400)    # before Sphinx collects downloads
    app.connect('html-collect-pages', file_pages)
    app.connect('html-page-context', frame, priority=900)    # after the theme
    if CHINESE:
        app.connect('build-finished', other_language)
        app.connect('build-finished', in_chinese)
    app.add_search_language(Pairs)
