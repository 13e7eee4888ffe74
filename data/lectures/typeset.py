"""A parsed lecture as Typst text for the template of its layout, and as a PDF."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typst

from data.lectures.lecture import (
    Block,
    Code,
    Contents,
    Figure,
    Formula,
    Heading,
    ItemList,
    Lecture,
    LectureError,
    PageBreak,
    Paragraph,
    Quote,
    SourceError,
    Span,
    Spans,
    Table,
)

TEMPLATES = Path(__file__).parent / "templates"
TIMESTAMP = datetime.datetime(
    2026, 1, 15, 9, 30, tzinfo=datetime.UTC
)  # every PDF's date: the same bytes on every build

# PDF titles are often empty or left over from another file; ingest must cope, so two lectures have such ones.
PDF_TITLES = {"03-neural-networks": "Microsoft Word - draft_v2", "05-databases-and-indexes": ""}
WIDE_TABLE_COLUMNS = 4  # from here on a table of a two-column paper spans both
WIDE_FIGURE_LABELS = 5  # the same for a row of boxes

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "he": "בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר",
}


@dataclass(frozen=True, slots=True)
class Typeset:
    """A PDF and the 1-based page of each mark in it."""

    pdf: bytes
    pages: dict[str, int]


def typeset(lecture: Lecture) -> Typeset:
    """The lecture's PDF, the same bytes on every call.

    Raises:
        SourceError: If Typst rejects the text, which only a formula can cause, or warns of it.
    """
    text = typst_text(lecture)

    def compiler() -> typst.Compiler:  # one made from bytes serves one call
        return typst.Compiler(text.encode(), root=TEMPLATES, ignore_system_fonts=True)

    try:
        pdf, warnings = compiler().compile_with_warnings(format="pdf", timestamp=TIMESTAMP, pdf_tags=False)
        places = json.loads(compiler().query("<pages>", field="value", one=True))
    except typst.TypstError as error:
        raise _error(lecture, text, error.message, error.diagnostic) from error
    if warnings:
        raise _error(lecture, text, warnings[0].message, warnings[0].diagnostic)
    assert isinstance(pdf, bytes)
    return Typeset(pdf, {place["mark"]: place["page"] for place in places})


def _error(lecture: Lecture, text: str, message: str, diagnostic: str) -> LectureError:
    """Typst's complaint at the line of the source that made the offending Typst line, or about the template."""
    found = re.search(r"__typst_py_bytes__\.typ:(\d+):\d+", diagnostic)
    if not found:
        return LectureError(
            f"{lecture.path.name} with templates/{lecture.layout}.typ: Typst: {message}; mend the template"
        )
    made_from = [
        int(line)
        for line in re.findall(r"^// source line (\d+)$", "\n".join(text.split("\n")[: int(found[1])]), re.MULTILINE)
    ]
    line = made_from[-1] if made_from else 1
    return SourceError(lecture.path, line, f"Typst: {message}; write formulas in Typst's mathematics, words in quotes")


def typst_text(lecture: Lecture) -> str:
    """The whole Typst document."""
    return "\n".join(_Writer(lecture).document()) + "\n"


class _Writer:
    """Writes one lecture; a mark is set at every place whose page the truth tells."""

    def __init__(self, lecture: Lecture) -> None:
        self.lecture = lecture
        self.marks: list[str] = []

    def document(self) -> Iterator[str]:
        lecture = self.lecture
        title = PDF_TITLES.get(lecture.name, lecture.title) if lecture.pdf_title is None else lecture.pdf_title
        yield f'#import "/{lecture.layout}.typ": *'
        yield "#show: lecture.with("
        for key, value in (
            ("title", lecture.title),
            ("subtitle", lecture.subtitle),
            ("course", lecture.course),
            ("date", _date(lecture)),
            ("lang", lecture.lang),
            ("running-head", lecture.running_head),
            ("pdf-title", title),
        ):
            yield f"  {key}: {_string(value)},"
        yield f"  authors: ({', '.join(map(_string, lecture.authors))},),"
        yield f"  number: {lecture.number},"
        yield ")"
        yield from self._slides() if lecture.layout == "slides" else self._flow()
        yield f"#pages(({', '.join(map(_string, self.marks))},))"

    def _flow(self) -> Iterator[str]:
        for index, block in enumerate(self.lecture.blocks):
            yield f"// source line {block.line}"
            yield self._block(block, f"b{index}")
            yield ""

    def _slides(self) -> Iterator[str]:
        """Each section heading a divider page, each heading below it a slide; what follows goes on it."""
        body: list[str] = []
        for index, block in enumerate(self.lecture.blocks):
            lines = [f"// source line {block.line}", self._block(block, f"b{index}")]
            if isinstance(block, PageBreak) or (isinstance(block, Heading) and block.level <= 2):
                yield from self._slide(body)
                body = []
                if isinstance(block, Heading):
                    yield "#divider[" if block.level == 1 else "#pagebreak(weak: true)"
                yield from lines
                if isinstance(block, Heading) and block.level == 1:
                    yield "]"
            elif isinstance(block, Paragraph):
                body += [lines[0], f"#unbroken[{lines[1]}]", ""]
            else:
                body += [*lines, ""]
        yield from self._slide(body)

    def _slide(self, body: Sequence[str]) -> Iterator[str]:
        if body:
            yield f"#slide(footnotes: {sum(line.count('#footnote[') for line in body)})["
            yield from body
            yield "]"

    def _mark(self, name: str) -> str:
        self.marks.append(name)
        return name

    def _marked(self, spans: Spans, name: str) -> str:
        """The spans with a mark behind the first word and one before the last, on the pages of these words.

        Typst takes a mark at the very edge of a paragraph out of it, onto the page before or after.
        """
        pieces = [span for span in spans if span.kind != "sentence_end"]
        last = pieces[-1]
        if last.kind == "text" and " " in last.text:
            before, space, word = last.text.rpartition(" ")
            pieces[-1:] = [replace(last, text=before + space), replace(last, text=word)]
        first = pieces[0]
        if first.kind == "text" and " " in first.text:
            word, space, after = first.text.partition(" ")
            pieces[:1] = [replace(first, text=word), replace(first, text=space + after)]
        inner = self._spans(tuple(pieces[1:-1]))
        tail = self._span(pieces[-1]) if len(pieces) > 1 else ""
        start, end = self._mark(name), self._mark(f"{name}-end")
        return f'{self._span(pieces[0])}#mark("{start}");{inner}#mark("{end}");{tail}'

    def _block(self, block: Block, mark: str) -> str:
        match block:
            case Heading():
                options = "" if block.numbered else ", numbering: none"
                options += "" if block.listed else ", outlined: false"
                return f"#heading(level: {block.level}{options})[{self._spans(block.spans)}] <{self._mark(mark)}>"
            case Paragraph():
                text = self._marked(block.spans, mark)
                return f"#abstract[{text}]" if block.abstract else text
            case ItemList():
                items = ", ".join(f"[{self._item(block, index, mark)}]" for index in range(len(block.items)))
                if block.references:
                    return f"#references({items})"
                return f"#enum(start: {block.start}, {items})" if block.ordered else f"#list({items})"
            case Quote():
                inner = [self._block(inner, f"{mark}-{index}") for index, inner in enumerate(block.blocks)]
                return "#remark[" + "\n\n".join(inner) + "]"
            case Code():
                return f"#listing({_string(block.language)}, {_string(block.text)}) <{self._mark(mark)}>"
            case Formula():
                return f"$ {block.text} $ <{self._mark(mark)}>"
            case Table():
                return self._table(block, mark)
            case Figure():
                return self._figure(block, mark)
            case Contents():
                return "#contents()"
            case PageBreak():
                return "#pagebreak(weak: true)"

    def _item(self, block: ItemList, index: int, mark: str) -> str:
        item = block.items[index]
        inner = (self._block(inner, f"{mark}-{index}-{number}") for number, inner in enumerate(item.blocks))
        return "\n\n".join((self._marked(item.spans, f"{mark}-{index}"), *inner))

    def _table(self, block: Table, mark: str) -> str:
        caption = self._caption(block.caption, mark) if block.caption else "none"
        rows = ["(" + ", ".join(f"[{self._spans(cell)}]" for cell in row) + ",)" for row in block.rows]
        alignments = ", ".join(f"({alignment})" for alignment in block.alignments)
        wide = len(block.alignments) >= WIDE_TABLE_COLUMNS
        options = f"caption: {caption}, wide: {str(wide).lower()}, alignments: ({alignments},)"
        return f"#data-table({options}, {', '.join(rows)}) <{self._mark(mark)}>"

    def _figure(self, block: Figure, mark: str) -> str:
        caption = self._caption(block.caption, mark)
        labels = ", ".join(map(_string, block.labels))
        values = f", ({', '.join(f'{value:g}' for value in block.values)},)" if block.values else ""
        wide = block.kind == "boxes" and len(block.labels) >= WIDE_FIGURE_LABELS
        call = f"#drawing(caption: {caption}, wide: {str(wide).lower()}, {block.kind}-chart(({labels},){values}))"
        return f"{call} <{self._mark(mark)}>"

    def _caption(self, spans: Spans, mark: str) -> str:
        return f'[#mark("{self._mark(f"{mark}-caption")}");{self._spans(spans)}]'

    def _spans(self, spans: Spans) -> str:
        return "".join(map(self._span, spans))

    def _span(self, span: Span) -> str:
        match span.kind:
            case "sentence_end":
                return ""
            case "footnote":
                text = self._marked(self.lecture.footnotes[int(span.text)], f"n{span.text}")
                return f"#footnote[{text}];"
            case "math":
                text = f"${span.text}$"
            case "code":
                text = f"#raw({_string(span.text)});"
            case "text":
                text = f"#{_string(span.text)};"
        for wrap, wanted in (("strong", span.strong), ("emph", span.emphasis)):
            if wanted:
                text = f"#{wrap}[{text}];"
        return text


def _string(text: str) -> str:
    """A Typst string literal; in it nothing but these is special, so no text of a source can be taken for markup."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _date(lecture: Lecture) -> str:
    date = lecture.date
    if isinstance(date, str):
        try:
            date = datetime.date.fromisoformat(date)
        except ValueError:
            return lecture.date if isinstance(lecture.date, str) else ""
    return f"{date.day} {MONTHS[lecture.lang].split()[date.month - 1]} {date.year}"
