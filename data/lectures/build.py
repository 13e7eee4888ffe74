"""Build the bundled lectures: `make lectures`, or `python data/lectures/build.py [FOLDER ...]`.

Read COURSE/sources/*.md, typeset each with Typst and the template of its layout, and write COURSE/*.pdf and
COURSE/truth.jsonl, the same bytes every time. data/README.md describes what a source may hold and the fields of
truth.jsonl. If a source does not follow the format, print the error and write nothing; the exit code is then 2.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import typst
import yaml
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode as Node
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from pydantic import BaseModel, NonNegativeFloat

LECTURES = Path(__file__).resolve().parent
# the same bytes under a second name, as on real course pages
COPIES = {"06-evaluation": ("lecture6_eval_final",)}
TIMESTAMP = datetime.datetime(
    2026, 1, 15, 9, 30, tzinfo=datetime.UTC
)  # every PDF's date

MIN_PLAYABLE_WORDS = {"en": 50, "he": 45}
CAPTION_WORDS = {
    "en": {"table": "Table", "figure": "Figure"},
    "he": {"table": "טבלה", "figure": "איור"},
}
ENUM_NUMBERING = {"en": "1.a.", "he": "1.א."}
"""Patterns that number the items of a list and, with letters, the items below an item."""
TABLE_CAPTION = re.compile(r"(?:Table|טבלה):\s*")
# Kind of the records of blocks under a heading; these headings have no number.
SPECIAL_HEADINGS = {
    "abstract": "abstract", "תקציר": "abstract",
    "references": "reference", "bibliography": "reference", "מקורות": "reference", "ביבליוגרפיה": "reference",
    "contents": "contents", "outline": "contents", "תוכן העניינים": "contents",
}  # fmt: skip
COMMENTS = {
    "<!-- toc -->": "#contents()",
    "<!-- pagebreak -->": "#pagebreak(weak: true)",
}
PLAIN_MATH = {">=": "≥", "<=": "≤", "!=": "≠", "->": "→", '"': ""}
PLAIN_MATH |= {r"\btimes\b": "×", r"\bdots\b": "…", r"\bapprox\b": "≈", r"\bdot\b": "⋅"}

# Abbreviations that a capital, a digit or a bracket may follow inside a sentence, and initials.
_ABBREVIATION = re.compile(
    r"(?:e\.g|i\.e|cf|vs?|al|ca|approx|resp|viz|dr|prof|mrs?|ms|st|figs?|eqs?|sect?|ch|vol|nos?|pp?|eds?|op)\.",
    re.I,
)
_INITIAL = re.compile(r"(?:[A-Zא-ת]\.)(?:-?[A-Z]\.)*$")
_SENTENCE_END = re.compile(
    r"([.!?…]+)([\"'”’»)\]]*)\s+"
)  # the mark, closing quotes and brackets, white space
_LAST_WORD = re.compile(r"[^\s(\[“‘\"'—–]+$")


class SourceError(ValueError):
    """Raised for a source that does not follow the format; the message names its file and, mostly, the line."""


class FrontMatter(BaseModel, extra="forbid"):
    """The `key: value` lines at the top of a source; `pdf_title` overrides the title in the PDF's metadata."""

    title: str
    subtitle: str = ""
    authors: list[str]
    course: str
    lecture: int
    date: str
    lang: Literal["en", "he"]
    layout: Literal["paper", "slides", "notes", "book"]
    running_head: str
    pdf_title: str | None = None


class Figure(BaseModel, extra="forbid"):
    """The content of a fenced block `figure`; boxes have no values."""

    kind: Literal["bar", "line", "boxes"]
    labels: list[str]
    values: list[NonNegativeFloat] = []
    caption: str


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style, of kind text, code, math or footnote; the `text` of a footnote is its number."""

    kind: str
    text: str = ""
    strong: bool = False
    emphasis: bool = False

    @property
    def plain(self) -> str:
        """Return the characters that a reader sees in the line."""
        text = "" if self.kind == "footnote" else self.text
        for pattern, character in PLAIN_MATH.items() if self.kind == "math" else ():
            text = re.sub(pattern, character, text)
        return text


Spans = Sequence[Span]


def plain(spans: Spans) -> str:
    """Return the text of the spans without styles and footnote marks."""
    return "".join(span.plain for span in spans)


def opening_sentence(spans: Spans) -> str:
    """Return the first sentence, by rules that share no code with ingest, which they test.

    It ends at the first `.`, `!`, `?` or ellipsis outside code and mathematics that white space follows, unless an
    abbreviation or a person's initial ends there or a lower-case word follows.
    """
    text = plain(spans).strip()
    prose = ""
    for span in spans:
        prose += span.plain if span.kind == "text" else "#" * len(span.plain)

    for match in _SENTENCE_END.finditer(prose, endpos=len(text)):
        word = _LAST_WORD.search(prose[: match.end(1)])
        is_short = word and (
            _ABBREVIATION.fullmatch(word[0]) or _INITIAL.fullmatch(word[0])
        )
        goes_on = match[1] == "." and not match[2] and is_short
        if not prose[match.end()].islower() and not goes_on:
            return text[: match.end(2)]
    return text


def build_course(folder: Path) -> dict[str, bytes]:
    """Build all sources of a course and return its files by name; raise SourceError for the first bad source."""
    files, lines = dict[str, bytes](), list[str]()
    for source in sorted((folder / "sources").glob("*.md")):
        try:
            pdf, records = Lecture(source).build()
        except (ValueError, yaml.YAMLError, typst.TypstError) as error:
            raise SourceError(
                f"{source.name}: {getattr(error, 'diagnostic', error)}"
            ) from error
        for name in (source.stem, *COPIES.get(source.stem, ())):
            files[f"{name}.pdf"] = pdf
        lines += [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
        n_playable = sum(bool(record["playable"]) for record in records)
        name = f"{folder.name}/{source.stem}"
        print(f"{name}: {n_playable} playable of {len(records)} blocks")

    return files | {"truth.jsonl": "".join(lines).encode()}


class Lecture:
    """Writes one source as Typst text; the records of truth grow as its blocks are written.

    A mark is a placeholder for a page in the truth; Typst returns the pages when the text is complete.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[dict[str, object]] = []
        self.section: list[tuple[int, str]] = []
        self.n_captions = {"table": 0, "figure": 0}
        text = path.read_text(encoding="utf-8")
        front, *_ = MarkdownIt("commonmark").use(front_matter_plugin).parse(text)
        self.front = FrontMatter.model_validate(yaml.safe_load(front.content))
        self.parser = MarkdownIt("commonmark", {"typographer": self.front.lang == "en"})
        self.parser.enable(["table", "smartquotes"]).use(front_matter_plugin).use(
            footnote_plugin, inline=False
        )
        self.parser.use(
            dollarmath_plugin, allow_space=False, allow_digits=False, allow_labels=False
        )

        nodes = Node(self.parser.parse(text)).children[1:]
        self.nodes = [node for node in nodes if node.type != "footnote_block"]
        self.footnotes = {}
        for node in nodes:
            for note in node.children if node.type == "footnote_block" else ():
                self.footnotes[note.meta["id"]] = note.children

    def build(self) -> tuple[bytes, list[dict[str, object]]]:
        """Return the PDF and the records of truth."""
        text = "\n".join(self._document()).encode()
        # A compiler made from bytes serves one call.
        compiler = partial(
            typst.Compiler, text, root=LECTURES / "templates", ignore_system_fonts=True
        )
        pdf, warnings = compiler().compile_with_warnings(
            format="pdf", timestamp=TIMESTAMP, pdf_tags=False
        )
        if warnings:
            raise ValueError(warnings[0].diagnostic)
        assert isinstance(pdf, bytes)

        pages = json.loads(compiler().query("<pages>", field="value", one=True))
        records = sorted(self.records, key=lambda record: record["kind"] == "footnote")
        for ordinal, record in enumerate(records, start=1):
            record["ordinal"] = ordinal
            for key in ("page", "page_end"):
                record[key] = pages[record[key]]
        return pdf, records

    def _document(self) -> Iterator[str]:
        values = self.front.model_dump(exclude={"layout"})
        for key in ("title", "subtitle", "running_head"):
            values[key] = plain(self._inline(values[key]))

        if values["pdf_title"] is None:
            values["pdf_title"] = values["title"]
        arguments = ", ".join(
            f"{key.replace('_', '-')}: {_literal(value)}"
            for key, value in values.items()
        )
        yield f'#import "/{self.front.layout}.typ": *\n#show: lecture.with({arguments})'
        if self.front.layout == "slides":
            yield from self._slides()
        else:
            yield from (text for _, text in self._blocks())
        marks = set()
        for record in self.records:
            marks |= {str(record["page"]), str(record["page_end"])}
        yield f"#pages({_literal(sorted(marks))})"

    def _slides(self) -> Iterator[str]:
        """Yield a divider page for a section heading, a slide for a heading below, and on it what follows."""
        body: list[str] = []
        for node, text in [*self._blocks(), (None, "")]:
            if node and node.tag not in ("h1", "h2") and node.type != "html_block":
                body.append(
                    f"#unbroken[\n{text}]" if node.type == "paragraph" else text
                )
                continue

            if body:
                yield f"#slide(footnotes: {sum(text.count('#footnote[') for text in body)})["
                yield from [*body, "]"]
                body = []
            if node:
                yield {
                    "h1": f"#divider[\n{text}]",
                    "h2": f"#pagebreak(weak: true)\n{text}",
                }.get(node.tag, text)

    def _blocks(self) -> Iterator[tuple[Node, str]]:
        """Yield each top-level block with its Typst text, a table with the caption above it."""
        kind, caption, index = "paragraph", None, 0
        for node in self.nodes:
            if caption and node.type != "table":
                raise _error(
                    caption, "`Table:` must stand directly above a table; move it"
                )
            if node.type == "paragraph" and TABLE_CAPTION.match(
                node.children[0].content
            ):
                caption = node
                continue

            if node.type == "heading":
                kind = SPECIAL_HEADINGS.get(
                    plain(self._spans(node.children[0])).lower(), "paragraph"
                )

            mark = f"b{index}"
            text = (
                self._table(node, mark, caption)
                if node.type == "table"
                else self._block(node, mark, kind)
            )
            yield node, f"{text}\n"
            caption, index = None, index + 1

    def _block(self, node: Node, mark: str, kind: str) -> str:
        """Return a block's Typst text; its paragraphs are recorded as `kind`."""
        match node.type:
            case "heading":
                return self._heading(node, mark, kind)
            case "paragraph":
                text = self._prose(kind, self._spans(node.children[0]), mark)
                return f"#abstract[{text}]" if kind == "abstract" else text
            case "bullet_list" | "ordered_list":
                return self._list(
                    node, mark, "reference" if kind == "reference" else "list_item"
                )
            case "blockquote":
                inner = (
                    self._block(child, f"{mark}-{index}", "quote")
                    for index, child in enumerate(node.children)
                )
                return "#remark[" + "\n\n".join(inner) + "]"
            case "fence" if node.info.strip() == "figure":
                return self._figure(node, mark)
            case "fence":
                text = node.content.rstrip("\n")
                self._record("code", [Span("code", text)], mark)
                return f"#listing({_literal(node.info.strip())}, {_literal(text)}) <{mark}>"
            case "math_block":
                self._record("formula", [Span("code", node.content.strip())], mark)
                return f"$ {node.content.strip()} $ <{mark}>"
            case "html_block" if node.content.strip() in COMMENTS:
                return COMMENTS[node.content.strip()]
            case other:
                raise _error(
                    node,
                    f"{other} is not part of the format: {node.content.strip()[:40]!r}; rewrite it",
                )

    def _heading(self, node: Node, mark: str, kind: str) -> str:
        level, spans = int(node.tag[1:]), self._spans(node.children[0])
        self.section = [(above, text) for above, text in self.section if above < level]
        self._record("heading", spans, mark)
        self.section.append((level, plain(spans)))
        options = {
            "paragraph": "",
            "contents": ", numbering: none, outlined: false",
        }.get(kind, ", numbering: none")
        return f"#heading(level: {level}{options})[{self._typst(spans)}] <{mark}>"

    def _list(self, node: Node, mark: str, kind: str) -> str:
        items = []
        for index, item in enumerate(node.children):
            if not item.children or item.children[0].type != "paragraph":
                raise _error(item, "a list item must begin with text; add it")
            first, *others = item.children
            parts = [
                self._prose(kind, self._spans(first.children[0]), f"{mark}-{index}")
            ]
            parts += [
                self._block(child, f"{mark}-{index}-{i}", "list_item")
                for i, child in enumerate(others)
            ]
            items.append("[" + "\n\n".join(parts) + "]")

        numbering = ENUM_NUMBERING[self.front.lang]
        enum = f'enum(numbering: "{numbering}", start: {node.attrs.get("start", 1)}, '
        call = {"bullet_list": "list(", "ordered_list": enum}[node.type]
        return f"#{'references(' if kind == 'reference' else call}{', '.join(items)})"

    def _table(self, node: Node, mark: str, caption: Node | None) -> str:
        text = "none"
        if caption:
            first, *others = self._spans(caption.children[0])
            text = self._caption(
                "table",
                [replace(first, text=TABLE_CAPTION.sub("", first.text)), *others],
                mark,
            )
        rows = [row.children for part in node.children for row in part.children]
        cells = ""
        for row in rows:
            cells += ", ("
            for cell in row:
                spans = self._spans(cell.children[0])
                if spans:
                    self._record("table_cell", spans, mark)
                cells += f"[{self._typst(spans)}], "
            cells += ")"

        styles = ""
        for cell in rows[0]:
            style = str(cell.attrs.get("style", "start"))
            styles += f"{style.removeprefix('text-align:')}, "
        return f"#data-table(caption: {text}, alignments: ({styles}){cells}) <{mark}>"

    def _figure(self, node: Node, mark: str) -> str:
        figure = Figure.model_validate(yaml.safe_load(node.content))
        if figure.kind != "boxes" and (
            len(figure.values) != len(figure.labels) or not any(figure.values)
        ):
            raise _error(
                node,
                f"a figure needs a value for each label, one above 0, got {figure.values}; add them",
            )
        labels = [self._inline(label) for label in figure.labels]
        for label in labels:
            self._record("figure_label", label, mark)

        caption = self._caption("figure", self._inline(figure.caption), mark)
        values = (
            f"values: {_literal(figure.values)}, {_literal(list(map(plain, labels)))}"
        )
        return f'#drawing(caption: {caption}, kind: "{figure.kind}", {values}) <{mark}>'

    def _caption(self, of: str, spans: Spans, mark: str) -> str:
        self.n_captions[of] += 1
        spans = [
            Span(
                "text", f"{CAPTION_WORDS[self.front.lang][of]} {self.n_captions[of]}: "
            ),
            *spans,
        ]
        mark = f"{mark}-caption"
        self._record("caption", spans, mark)
        return f'[#mark("{mark}");{self._typst(spans)}]'

    def _prose(self, kind: str, spans: Spans, mark: str) -> str:
        """Return recorded text with marks behind its first word and before its last one.

        Typst takes a mark at the very edge of a paragraph out of it, onto the page before or after.
        """
        end = f"{mark}-end"
        self._record(kind, spans, mark, end)
        pieces = list(spans)
        if pieces[-1].kind == "text" and " " in pieces[-1].text:
            before, space, word = pieces[-1].text.rpartition(" ")
            cut = (before + space, word)
            pieces[-1:] = [replace(pieces[-1], text=text) for text in cut]
        if pieces[0].kind == "text" and " " in pieces[0].text:
            word, space, after = pieces[0].text.partition(" ")
            cut = (word, space + after)
            pieces[:1] = [replace(pieces[0], text=text) for text in cut]

        first, inner, last = map(
            self._typst, (pieces[:1], pieces[1:-1], pieces[1:][-1:])
        )
        return f'{first}#mark("{mark}");{inner}#mark("{end}");{last}'

    def _record(self, kind: str, spans: Spans, begins: str, ends: str = "") -> None:
        """Add a record of truth; its pages are marks until Typst returns them."""
        text = plain(spans).strip()
        short = len(text.split()) < MIN_PLAYABLE_WORDS[self.front.lang]
        path = [] if kind == "footnote" else [text for _, text in self.section]
        record = {
            "document": self.path.stem,
            "page": begins,
            "page_end": ends or begins,
            "ordinal": 0,
            "heading": path[-1] if path else "",
            "section_path": path,
            "kind": "short_paragraph" if kind == "paragraph" and short else kind,
            "text": text,
            "opening_sentence": opening_sentence(spans)
            if ends or kind == "caption"
            else "",
            "n_words": len(text.split()),
            "playable": kind in ("paragraph", "abstract") and not short,
        }

        self.records.append(record)

    def _inline(self, text: str) -> Spans:
        return (
            self._spans(Node(self.parser.parseInline(text)).children[0]) if text else ()
        )

    def _spans(
        self, node: Node, strong: bool = False, emphasis: bool = False
    ) -> list[Span]:
        spans: list[Span] = []
        for child in node.children:
            match child.type:
                case "strong":
                    spans += self._spans(child, strong=True, emphasis=emphasis)
                case "em":
                    spans += self._spans(child, strong=strong, emphasis=True)
                case "text" if "[^" in child.content:
                    raise _error(
                        node,
                        f"footnote {child.content!r} has no text; add it at the end",
                    )
                case "text":
                    text = child.content
                    for typed, printed in (("---", "—"), ("--", "–"), ("...", "…")):
                        text = text.replace(typed, printed)
                    spans.append(Span("text", text, strong, emphasis))
                case "softbreak" | "hardbreak":
                    spans.append(Span("text", " ", strong, emphasis))
                case "code_inline" | "math_inline":
                    kind = child.type.removesuffix("_inline")
                    spans.append(Span(kind, child.content.strip(), strong, emphasis))
                case "footnote_ref":
                    spans.append(Span("footnote", str(child.meta["id"])))
                case other:
                    raise _error(
                        node, f"{other} is not part of the format; write plain text"
                    )

        return [span for span in spans if span.text]

    def _typst(self, spans: Spans) -> str:
        return "".join(map(self._span, spans))

    def _span(self, span: Span) -> str:
        if span.kind == "footnote":
            blocks = self.footnotes.pop(int(span.text), [])
            if len(blocks) != 1:
                raise ValueError(
                    f"footnote {span.text} must be one paragraph with one mark; correct it"
                )
            return f"#footnote[{self._prose('footnote', self._spans(blocks[0].children[0]), f'n{span.text}')}];"
        literal = _literal(span.text)
        text = {"math": f"${span.text}$", "code": f"#raw({literal});"}.get(
            span.kind, f"#{literal};"
        )
        text = f"#strong[{text}];" if span.strong else text
        return f"#emph[{text}];" if span.emphasis else text


def _error(node: Node, message: str) -> ValueError:
    return ValueError(f"line {node.map[0] + 1 if node.map else 1}: {message}")


def _literal(value: object) -> str:
    """Return a Typst literal of text, a number or a list; no text of a source can be taken for markup."""
    if isinstance(value, list):
        return "(" + "".join(f"{_literal(item)}, " for item in value) + ")"
    return json.dumps(value, ensure_ascii=False)


def main(folders: Sequence[str]) -> int:
    """Build the courses in these folders, by default ours; return the exit code."""
    default = (LECTURES / "english", LECTURES / "hebrew")
    built = {}
    try:
        for folder in map(Path, folders or default):
            for name, content in build_course(folder).items():
                built[folder / name] = content
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    for path, content in built.items():
        path.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
