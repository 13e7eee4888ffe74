"""Build the bundled lectures: `make lectures`, or `python -m tools.lectures [FOLDER ...]`.

Read COURSE/sources/*.md, typeset each with Typst and the template of its layout, and write COURSE/*.pdf and
COURSE/truth.jsonl, the same bytes every time. data/README.md describes what a source may hold and the fields of
truth.jsonl. If a source does not follow the format, print the error and write nothing; the exit code is then 2.
"""

import datetime
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typst
import yaml
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode as Node
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

LECTURES = Path(__file__).resolve().parents[1] / "data" / "lectures"
"""Folder of the lectures."""
COPIES = {"06-evaluation": "lecture6_eval_final"}
"""Names of second copies of lectures, as on real course pages."""
TIMESTAMP = datetime.datetime(2026, 1, 15, 9, 30, tzinfo=datetime.UTC)
"""The date of every PDF."""

MIN_PLAYABLE_WORDS = {"en": 50, "he": 45}
"""Minimum number of words of a playable paragraph, by language."""
CAPTION_WORDS = {
    "en": {"table": "Table", "figure": "Figure"},
    "he": {"table": "טבלה", "figure": "איור"},
}
"""First words of captions, by language."""
ENUM_NUMBERING = {"en": "1.a.", "he": "1.א."}
"""Patterns for the numbers of list items, and the letters of items below an item."""
TABLE_CAPTION = re.compile(r"(?:Table|טבלה):\s*")
SPECIAL_HEADINGS = {
    "abstract": "abstract",
    "references": "reference",
    "contents": "contents",
    "תוכן העניינים": "contents",
}
"""Kinds of the blocks below a heading; these headings have no number."""
HEADING_OPTIONS = {
    "paragraph": "",
    "contents": ", numbering: none, outlined: false",
}
"""Typst options of headings, by the kind of the blocks below."""
COMMENTS = {
    "<!-- toc -->": "#contents()",
    "<!-- pagebreak -->": "#pagebreak(weak: true)",
}
"""Typst text of comments with a meaning."""
PLAIN_MATH = {
    ">=": "≥",
    "<=": "≤",
    "->": "→",
    '"': "",
    r"\btimes\b": "×",
    r"\bdots\b": "…",
    r"\bapprox\b": "≈",
    r"\bdot\b": "⋅",
}
"""Replacements that turn mathematics into the printed characters."""
TYPOGRAPHY = {"---": "—", "--": "–", "...": "…"}
"""Typed signs, and the printed ones."""

# Abbreviations that a capital, a digit or a bracket may follow inside a sentence, and initials.
_NO_END = re.compile(
    r"(?i:(?:e\.g|i\.e|cf|vs?|al|ca|approx|resp|viz|dr|prof|mrs?|ms|st|figs?|eqs?|sect?|ch|vol|nos?|pp?|eds?|op)\.)"
    r"|(?:[A-Zא-ת]\.)(?:-?[A-Z]\.)*"
)
_PRINTED_END = re.compile(r"([.!?…]+)([\"'”’»)\]]*)\s+")
"""The end of a sentence: the mark, closing quotes and brackets, and white space."""
_LAST_WORD = re.compile(r"[^\s(\[“‘\"'—–]+$")


class LectureSourceError(ValueError):
    """Raised for a source that does not follow the format; the message names its file and, mostly, the line."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style.

    Attributes:
        plain: the printed characters.
        source: the Typst text.
        styled: Typst text of the style, in which "{}" is replaced by `source`.
        is_text: whether it is text rather than code, mathematics or the mark of a footnote.
    """

    plain: str
    source: str
    styled: str = "#{};"
    is_text: bool = False

    @property
    def typst(self) -> str:
        """The Typst text of the span."""
        return self.styled.replace("{}", self.source)


Spans = Sequence[Span]


def _text(text: str, styled: str = "#{};") -> Span:
    return Span(text, _literal(text), styled, is_text=True)


def plain(spans: Spans) -> str:
    """Return the text of the spans without styles and footnote marks."""
    return "".join(span.plain for span in spans)


def _typst(spans: Spans) -> str:
    return "".join(span.typst for span in spans)


def opening_sentence(spans: Spans) -> str:
    """Return the first sentence, by rules that share no code with ingest, which they test.

    It ends at the first `.`, `!`, `?` or ellipsis outside code and mathematics that white space follows, unless an
    abbreviation or a person's initial ends there or a lower-case word follows.
    """
    text = plain(spans).strip()
    prose = ""
    for span in spans:
        prose += span.plain if span.is_text else "#" * len(span.plain)

    for match in _PRINTED_END.finditer(prose, endpos=len(text)):
        word = _LAST_WORD.search(prose[: match.end(1)])
        is_short = word is not None and _NO_END.fullmatch(word[0])
        goes_on = is_short and match[1] == "." and not match[2]
        if not goes_on and not prose[match.end()].islower():
            return text[: match.end(2)]
    return text


def build_course(folder: Path) -> dict[str, bytes]:
    """Build all sources of a course, and return its files by name.

    Raises:
        LectureSourceError: a source does not follow the format.
    """
    files: dict[str, bytes] = {}
    truth = ""
    for source in sorted((folder / "sources").glob("*.md")):
        try:
            pdf, records = Lecture(source).build()
        except (LookupError, ValueError, yaml.YAMLError, typst.TypstError) as error:
            fault = getattr(error, "diagnostic", error)
            raise LectureSourceError(f"{source.name}: {fault}") from error

        files[f"{source.stem}.pdf"] = pdf
        if source.stem in COPIES:
            files[f"{COPIES[source.stem]}.pdf"] = pdf
        for record in records:
            truth += json.dumps(record, ensure_ascii=False) + "\n"
        n_playable = sum(bool(record["playable"]) for record in records)
        name = f"{folder.name}/{source.stem}"
        print(f"{name}: {n_playable} playable of {len(records)} blocks")

    return files | {"truth.jsonl": truth.encode()}


class Lecture:
    """Writes one source as Typst text, and adds a record of truth for each block.

    In the records, marks stand for pages until Typst returns the pages of all marks.
    """

    def __init__(self, path: Path) -> None:
        self.stem = path.stem
        self.records: list[dict[str, object]] = []
        self.section: list[tuple[int, str]] = []
        self.n_captions = {"table": 0, "figure": 0}
        text = path.read_text(encoding="utf-8")
        self.front: dict[str, Any] = next(yaml.safe_load_all(text))
        self.lang = self.front["lang"]

        parser = MarkdownIt("commonmark", {"typographer": self.lang == "en"})
        parser.enable(["table", "smartquotes"])
        parser.use(front_matter_plugin).use(footnote_plugin, inline=False)
        parser.use(
            dollarmath_plugin, allow_space=False, allow_digits=False, allow_labels=False
        )
        self.parser = parser
        _, *self.nodes = Node(parser.parse(text)).children
        self.footnotes: Sequence[Node] = ()
        if self.nodes and self.nodes[-1].type == "footnote_block":
            self.footnotes = self.nodes.pop().children

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
        values = {"subtitle": "", **self.front}
        layout = values.pop("layout")
        for key in ("title", "subtitle", "running_head"):
            values[key] = plain(self._inline(values[key]))
        values.setdefault("pdf_title", values["title"])
        arguments = ""
        for key, value in values.items():
            arguments += f"{key.replace('_', '-')}: {_literal(value)}, "
        yield f'#import "/{layout}.typ": *\n#show: lecture.with({arguments})'

        if layout == "slides":
            yield from self._slides()
        else:
            for _, text in self._blocks():
                yield text
        marks = set()
        for record in self.records:
            marks |= {str(record["page"]), str(record["page_end"])}
        yield f"#pages({_literal(sorted(marks))})"

    def _slides(self) -> Iterator[str]:
        """Yield a divider page for each section heading, and a slide for each lower heading with its blocks."""
        body = ""
        for node, text in self._blocks():
            if node.tag in ("h1", "h2") or node.type == "html_block":
                yield _slide(body)
                body = ""
            if node.tag == "h1":
                yield f"#divider[\n{text}]"
            elif node.tag == "h2":
                yield f"#pagebreak(weak: true)\n{text}"
            elif node.type == "html_block":
                yield text
            else:
                body += f"#unbroken[\n{text}]\n" if node.type == "paragraph" else text
        yield _slide(body)

    def _blocks(self) -> Iterator[tuple[Node, str]]:
        """Yield each top-level block with its Typst text, a table with the caption above it."""
        kind = "paragraph"
        caption: Spans = ()
        index = 0
        for node in self.nodes:
            text = node.children[0].content if node.children else ""
            if node.type == "paragraph" and TABLE_CAPTION.match(text):
                first, *others = self._spans(node.children[0])
                first = _text(TABLE_CAPTION.sub("", first.plain), first.styled)
                caption = first, *others
                continue
            if caption and node.type != "table":
                raise _error(node, "`Table:` is not directly above a table; move it")

            if node.type == "heading":
                kind = SPECIAL_HEADINGS.get(text.lower(), "paragraph")
            mark = f"b{index}"
            if node.type == "table":
                yield node, f"{self._table(node, mark, caption)}\n"
            else:
                yield node, f"{self._block(node, mark, kind)}\n"
            caption, index = (), index + 1

    def _block(self, node: Node, mark: str, kind: str) -> str:
        """Return the Typst text of a block, and record its paragraphs as `kind`."""
        content = node.content.strip()

        match node.type:
            case "heading":
                level, spans = int(node.tag[1:]), self._spans(node.children[0])
                while self.section and self.section[-1][0] >= level:
                    self.section.pop()
                self._record("heading", spans, mark)
                self.section.append((level, plain(spans)))
                options = HEADING_OPTIONS.get(kind, ", numbering: none")
                return f"#heading(level: {level}{options})[{_typst(spans)}] <{mark}>"
            case "paragraph":
                text = self._prose(kind, node, mark)
                return f"#abstract[{text}]" if kind == "abstract" else text
            case "bullet_list" | "ordered_list":
                return self._list(node, mark, kind)
            case "blockquote":
                return f"#remark[{self._inside(node.children, mark, 'quote')}]"
            case "fence" if node.info == "figure":
                return self._figure(yaml.safe_load(content), mark)
            case "fence":
                code = node.content.rstrip("\n")
                self._record("code", [Span(code, "")], mark)
                return f"#listing({_literal(node.info)}, {_literal(code)}) <{mark}>"
            case "math_block":
                self._record("formula", [Span(content, "")], mark)
                return f"$ {content} $ <{mark}>"
            case "html_block" if content in COMMENTS:
                return COMMENTS[content]
            case other:
                raise _error(
                    node, f"{other} is not part of the format: {content!r}; rewrite it"
                )

    def _inside(self, nodes: Sequence[Node], mark: str, kind: str) -> str:
        """Return the Typst text of the blocks inside a block."""
        parts = []
        for index, child in enumerate(nodes):
            parts.append(self._block(child, f"{mark}-{index}", kind))
        return "\n\n".join(parts)

    def _list(self, node: Node, mark: str, kind: str) -> str:
        numbering = ENUM_NUMBERING[self.lang]
        call = f'enum(numbering: "{numbering}", start: {node.attrs.get("start", 1)}, '
        if node.type == "bullet_list":
            call = "list("
        if kind == "reference":
            call = "references("
        else:
            kind = "list_item"

        items = ""
        for index, item in enumerate(node.children):
            items += f"[{self._inside(item.children, f'{mark}-{index}', kind)}], "
        return f"#{call}{items})"

    def _table(self, node: Node, mark: str, spans: Spans) -> str:
        caption = self._caption("table", spans, mark) if spans else "none"

        styles = cells = ""
        for part in node.children:
            for row in part.children:
                cells += ", ("
                for cell in row.children:
                    text = self._spans(cell.children[0])
                    if text:
                        self._record("table_cell", text, mark)
                    cells += f"[{_typst(text)}], "
                cells += ")"
        for cell in node.children[0].children[0].children:
            style = str(cell.attrs.get("style", "start"))
            styles += f"{style.removeprefix('text-align:')}, "
        return (
            f"#data-table(caption: {caption}, alignments: ({styles}){cells}) <{mark}>"
        )

    def _figure(self, figure: dict[str, Any], mark: str) -> str:
        labels = [self._inline(text) for text in figure["labels"]]
        for label in labels:
            self._record("figure_label", label, mark)
        caption = self._caption("figure", self._inline(figure["caption"]), mark)
        values = _literal(figure.get("values", []))
        drawn = f"values: {values}, {_literal(list(map(plain, labels)))}"
        return (
            f'#drawing(caption: {caption}, kind: "{figure["kind"]}", {drawn}) <{mark}>'
        )

    def _caption(self, of: str, spans: Spans, mark: str) -> str:
        self.n_captions[of] += 1
        label = f"{CAPTION_WORDS[self.lang][of]} {self.n_captions[of]}: "
        spans = [_text(label), *spans]
        mark = f"{mark}-caption"
        self._record("caption", spans, mark)
        return f'[#mark("{mark}");{_typst(spans)}]'

    def _prose(self, kind: str, node: Node, mark: str) -> str:
        """Record a paragraph, and return its text with marks after its first word and before its last one.

        Typst would move a mark at the very edge of a paragraph to the page before or after.
        """
        spans = self._spans(node.children[0])
        end = f"{mark}-end"
        self._record(kind, spans, mark, end)
        before, space, word = spans[-1].plain.rpartition(" ")
        if spans[-1].is_text and space:
            spans[-1:] = [
                _text(part, spans[-1].styled) for part in (before + " ", word)
            ]
        word, space, after = spans[0].plain.partition(" ")
        if spans[0].is_text and space:
            spans[:1] = [_text(part, spans[0].styled) for part in (word, " " + after)]

        first, inner, last = spans[:1], spans[1:-1], spans[1:][-1:]
        return f'{_typst(first)}#mark("{mark}");{_typst(inner)}#mark("{end}");{_typst(last)}'

    def _record(self, kind: str, spans: Spans, begins: str, ends: str = "") -> None:
        """Add a record of truth; its pages are marks until Typst returns them."""
        text = plain(spans).strip()
        n_words = len(text.split())
        is_long = n_words >= MIN_PLAYABLE_WORDS[self.lang]
        path = [] if kind == "footnote" else [text for _, text in self.section]
        has_opening = ends or kind == "caption"

        record = {
            "document": self.stem,
            "page": begins,
            "page_end": ends or begins,
            "ordinal": 0,
            "heading": path[-1] if path else "",
            "section_path": path,
            "kind": kind if kind != "paragraph" or is_long else "short_paragraph",
            "text": text,
            "opening_sentence": opening_sentence(spans) if has_opening else "",
            "n_words": n_words,
            "playable": kind in ("paragraph", "abstract") and is_long,
        }
        self.records.append(record)

    def _inline(self, text: str) -> Spans:
        return self._spans(Node(self.parser.parseInline(text)).children[0])

    def _spans(self, node: Node, styled: str = "#{};") -> list[Span]:
        """Return the inline text of a node; `styled` is the style around it."""
        spans: list[Span] = []

        for child in node.children:
            text = child.content
            match child.type:
                case "strong" | "em" as tag:
                    name = {"strong": "strong", "em": "emph"}[tag]
                    spans += self._spans(
                        child, styled.replace("#{};", f"#{name}[#{{}};];")
                    )
                case "text" if "[^" in text:
                    message = f"footnote {text!r} has no text; add it at the end"
                    raise _error(node, message)
                case "text" if not text:
                    continue
                case "text":
                    for typed, printed in TYPOGRAPHY.items():
                        text = text.replace(typed, printed)
                    spans.append(_text(text, styled))
                case "softbreak":
                    spans.append(_text(" ", styled))
                case "code_inline":
                    code = f"raw({_literal(text.strip())})"
                    spans.append(Span(text.strip(), code, styled))
                case "math_inline":
                    printed = text.strip()
                    for pattern, character in PLAIN_MATH.items():
                        printed = re.sub(pattern, character, printed)
                    math = f"${text.strip()}$"
                    spans.append(Span(printed, math, styled.replace("#{};", "{}")))
                case "footnote_ref":
                    number = child.meta["id"]
                    (paragraph,) = self.footnotes[number].children
                    note = self._prose("footnote", paragraph, f"n{number}")
                    spans.append(Span("", f"#footnote[{note}];", "{}"))
                case other:
                    message = f"{other} is not part of the format; write plain text"
                    raise _error(node, message)
        return spans


def _slide(body: str) -> str:
    return f"#slide(footnotes: {body.count('#footnote[')})[\n{body}\n]" if body else ""


def _error(node: Node, message: str) -> ValueError:
    return ValueError(f"line {node.map[0] + 1 if node.map else 1}: {message}")


def _literal(value: object) -> str:
    """Return the Typst literal of a text, a number or a list; no text of a source becomes markup."""
    if isinstance(value, list):
        return "(" + "".join(f"{_literal(item)}, " for item in value) + ")"
    return json.dumps(value, ensure_ascii=False)


def main(folders: Sequence[str] = ()) -> int:
    """Build the courses in these folders, by default ours; return the exit code."""
    files: dict[Path, bytes] = {}
    try:
        for folder in folders or (LECTURES / "english", LECTURES / "hebrew"):
            for name, content in build_course(Path(folder)).items():
                files[Path(folder, name)] = content
    except LectureSourceError as error:
        print(error, file=sys.stderr)
        return 2
    for path, content in files.items():
        path.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
