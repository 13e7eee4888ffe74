"""Reads a lecture source: Markdown with front matter, each construct that the format allows and no other."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from data.lectures.lecture import (
    MAX_PLAYABLE_WORDS,
    MIN_PLAYABLE_WORDS,
    MIN_UNCLEAR_WORDS,
    Block,
    Code,
    Contents,
    Figure,
    Formula,
    Heading,
    Item,
    ItemList,
    Lecture,
    PageBreak,
    Paragraph,
    Quote,
    SourceError,
    Span,
    Spans,
    Table,
    n_words,
    plain,
)

LAYOUTS = ("paper", "slides", "notes", "book")
LANGUAGES = ("en", "he")
REQUIRED_KEYS = ("title", "authors", "course", "lecture", "date", "lang", "layout", "running_head")
OPTIONAL_KEYS = ("subtitle", "pdf_title")
FIGURE_KINDS = ("bar", "line", "boxes")

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {"table": "Table", "figure": "Figure", "contents": "Contents", "references": "References"},
    "he": {"table": "טבלה", "figure": "איור", "contents": "תוכן העניינים", "references": "מקורות"},
}
UNNUMBERED_HEADINGS = frozenset(
    {"abstract", "תקציר", "references", "bibliography", "contents", "outline", "מקורות", "ביבליוגרפיה", "תוכן העניינים"}
)
ABSTRACT_HEADINGS = frozenset({"abstract", "תקציר"})


def read_lecture(path: Path) -> Lecture:
    """The parsed lecture.

    Raises:
        SourceError: At the first thing the format does not allow.
    """
    return _Reader(path, path.read_text(encoding="utf-8")).lecture()


def length_errors(lecture: Lecture) -> list[SourceError]:
    """One error for each top-level paragraph that is too long, or neither clearly short nor long enough to play."""
    errors = []
    minimum = MIN_PLAYABLE_WORDS[lecture.lang]
    for block in lecture.blocks:
        if isinstance(block, Paragraph):
            words = n_words(plain(block.spans))
            if MIN_UNCLEAR_WORDS <= words < minimum or words > MAX_PLAYABLE_WORDS:
                allowed = f"below {MIN_UNCLEAR_WORDS} or {minimum}..{MAX_PLAYABLE_WORDS}"
                remedy = "split or shorten it" if words > MAX_PLAYABLE_WORDS else "lengthen or shorten it"
                errors.append(
                    SourceError(
                        lecture.path, block.line, f"a paragraph must have {allowed} words, got {words}; {remedy}"
                    )
                )
    return errors


class _Reader:
    """Reads one source; holds what the blocks of a file share: its parser, counters and footnotes."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.lang = "en"
        self.layout = ""
        self.n_tables = 0
        self.n_figures = 0
        self.footnotes: dict[int, Spans] = {}
        self.footnotes_seen: list[int] = []

    def lecture(self) -> Lecture:
        keys = self._front_matter()
        self.lang, self.layout = keys["lang"], keys["layout"]
        env: dict[str, Any] = {}
        tokens = self._parser().parse(self.text, env)
        self._read_footnotes(tokens)
        refs: dict[str, int] = env.get("footnotes", {}).get("refs", {})
        blocks = self._top_level([token for token in _without_footnotes(tokens) if token.type != "front_matter"])
        return Lecture(
            path=self.path,
            title=self._typographic(keys["title"]),
            subtitle=self._typographic(keys.get("subtitle") or ""),
            authors=tuple(keys["authors"]),
            course=keys["course"],
            number=keys["lecture"],
            date=keys["date"],
            lang=self.lang,
            layout=keys["layout"],
            running_head=self._typographic(keys["running_head"]),
            pdf_title=keys.get("pdf_title"),
            blocks=tuple(blocks),
            unused_footnotes=tuple(label[1:] for label, number in refs.items() if number < 0),
            footnotes=tuple(self.footnotes[footnote_id] for footnote_id in self.footnotes_seen),
        )

    def _error(self, line: int, message: str) -> SourceError:
        return SourceError(self.path, line, message)

    def _parser(self) -> MarkdownIt:
        parser = MarkdownIt("commonmark", {"typographer": self.lang == "en"}).enable(["table", "smartquotes"])
        parser.use(front_matter_plugin).use(footnote_plugin, inline=False)
        return parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, allow_labels=False)

    # -- front matter

    def _front_matter(self) -> dict[str, Any]:
        tokens = MarkdownIt("commonmark").use(front_matter_plugin).parse(self.text)
        if not tokens or tokens[0].type != "front_matter":
            raise self._error(1, "the file must begin with front matter between --- lines; add it")
        try:
            keys = yaml.safe_load(tokens[0].content)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 2 if mark else 1
            raise self._error(
                line, f"the front matter is no YAML ({getattr(error, 'problem', error)}); quote the value"
            ) from error
        if not isinstance(keys, dict):
            raise self._error(1, "the front matter must be `key: value` lines; rewrite it")
        for key in REQUIRED_KEYS:
            if keys.get(key) in (None, "", []):
                raise self._error(1, f"the front matter lacks `{key}`; add it")
        for key in keys:
            if key not in REQUIRED_KEYS + OPTIONAL_KEYS:
                allowed = ", ".join(REQUIRED_KEYS + OPTIONAL_KEYS)
                raise self._error(self._key_line(key), f"unknown front matter key `{key}`; the keys are {allowed}")
        for key, allowed_values in (("layout", LAYOUTS), ("lang", LANGUAGES)):
            if keys[key] not in allowed_values:
                raise self._error(
                    self._key_line(key), f"{key} must be one of {', '.join(allowed_values)}, got {keys[key]!r}"
                )
        if not isinstance(keys["authors"], list) or not all(isinstance(author, str) for author in keys["authors"]):
            raise self._error(self._key_line("authors"), f"authors must be a list of names, got {keys['authors']!r}")
        if not isinstance(keys["lecture"], int):
            raise self._error(self._key_line("lecture"), f"lecture must be a number, got {keys['lecture']!r}")
        if not isinstance(keys["date"], (datetime.date, str)):
            raise self._error(self._key_line("date"), f"date must be a date or text, got {keys['date']!r}")
        for key in ("title", "subtitle", "course", "running_head", "pdf_title"):
            if not isinstance(keys.get(key), (str, type(None))):
                raise self._error(self._key_line(key), f"{key} must be text, got {keys[key]!r}; put it in quotes")
        return keys

    def _key_line(self, key: str) -> int:
        for number, line in enumerate(self.text.splitlines(), start=1):
            if line.startswith(f"{key}:"):
                return number
        return 1

    # -- footnotes

    def _read_footnotes(self, tokens: Sequence[Token]) -> None:
        footnote_id, label = -1, ""
        spans: Spans = ()
        for token in tokens:
            if token.type == "footnote_open":
                footnote_id, label, spans = token.meta["id"], token.meta["label"], ()
            elif token.type == "inline" and footnote_id >= 0:
                if spans:
                    raise self._error(self._footnote_line(label), f"footnote [^{label}] must be one paragraph; join it")
                spans = self._spans(token, self._footnote_line(label))
                if self.footnotes_seen:
                    raise self._error(
                        self._footnote_line(label), f"footnote [^{label}] refers to another; tell both in one"
                    )
                self.footnotes[footnote_id] = spans
            elif token.type == "footnote_close":
                footnote_id = -1

    def _footnote_line(self, label: str) -> int:
        for number, line in enumerate(self.text.splitlines(), start=1):
            if line.startswith(f"[^{label}]:"):
                return number
        return 1

    # -- blocks

    def _top_level(self, tokens: Sequence[Token]) -> list[Block]:
        blocks: list[Block] = []
        in_abstract = False
        references_line = 0
        for block in self._blocks(tokens):
            if isinstance(block, _Comment):
                if block.text == "toc":
                    self._head(blocks, block.line, "contents")
                    blocks.append(Contents(block.line))
                elif block.text == "pagebreak":
                    blocks.append(PageBreak(block.line))
                elif block.text == "references":
                    self._head(blocks, block.line, "references")
                    references_line = block.line
                else:
                    raise self._error(
                        block.line, f"unknown comment <!-- {block.text} -->; known: toc, references, pagebreak, s"
                    )
                continue
            if references_line:
                if not isinstance(block, ItemList) or not block.ordered:
                    raise self._error(references_line, "after <!-- references --> a numbered list must come; add it")
                block = ItemList(block.line, block.items, ordered=True, start=block.start, references=True)
                references_line = 0
            if isinstance(block, Heading):
                in_abstract = plain(block.spans).lower() in ABSTRACT_HEADINGS
            elif isinstance(block, Paragraph) and in_abstract:
                block = Paragraph(block.line, block.spans, abstract=True)
            blocks.append(block)
        if references_line:
            raise self._error(references_line, "after <!-- references --> a numbered list must come; add it")
        return blocks

    def _head(self, blocks: list[Block], line: int, word: str) -> None:
        """Gives contents and references a heading unless the source has just written one."""
        if not blocks or not isinstance(blocks[-1], Heading):
            level = 2 if self.layout == "slides" else 1
            spans = (Span("text", WORDS[self.lang][word]),)
            blocks.append(Heading(line, level, spans, numbered=False, listed=word != "contents"))

    def _blocks(self, tokens: Sequence[Token]) -> Iterator[Block | _Comment]:
        caption: tuple[int, Spans] | None = None
        for group in _groups(tokens):
            token = group[0]
            line = token.map[0] + 1 if token.map else 1
            if token.type == "paragraph_open" and group[1].content.startswith(("Table:", "טבלה:")):
                if caption:
                    raise self._error(caption[0], "`Table:` must stand directly above a table; move it")
                caption = line, self._spans(group[1], line)
                continue
            if caption and token.type != "table_open":
                raise self._error(caption[0], "`Table:` must stand directly above a table; move it")
            if token.type == "table_open":
                yield self._table(group, line, caption[1] if caption else ())
                caption = None
            elif token.type == "html_block":
                match = re.fullmatch(r"<!--\s*(.*?)\s*-->", token.content.strip())
                if not match:
                    raise self._error(line, f"HTML is not allowed: {token.content.strip()[:40]!r}; write Markdown")
                yield _Comment(line, match[1])
            else:
                yield self._block(group, line)
        if caption:
            raise self._error(caption[0], "`Table:` must stand directly above a table; move it")

    def _block(self, group: Sequence[Token], line: int) -> Block:
        token = group[0]
        match token.type:
            case "heading_open":
                level = int(token.tag[1:])
                if level > 3:
                    raise self._error(line, f"headings have one to three #, got {level}; use a higher level")
                spans = self._spans(group[1], line)
                return Heading(line, level, spans, numbered=plain(spans).lower() not in UNNUMBERED_HEADINGS)
            case "paragraph_open":
                return Paragraph(line, self._spans(group[1], line))
            case "bullet_list_open" | "ordered_list_open":
                items = tuple(self._item(item) for item in _groups(group[1:-1]))
                return ItemList(line, items, token.type == "ordered_list_open", int(token.attrGet("start") or 1))
            case "blockquote_open":
                return Quote(line, self._inner(group[1:-1]))
            case "fence" if token.info.strip() == "figure":
                return self._figure(token.content, line)
            case "fence":
                return Code(line, token.info.strip(), token.content.rstrip("\n"))
            case "math_block":
                return Formula(line, token.content.strip())
            case "hr":
                raise self._error(line, "a rule (---) is not part of the format; use a heading or <!-- pagebreak -->")
            case "code_block":
                raise self._error(line, "indented code is not part of the format; fence it or remove the indent")
            case other:
                raise self._error(line, f"{other.removesuffix('_open')} is not part of the format; rewrite it")

    def _inner(self, tokens: Sequence[Token]) -> tuple[Block, ...]:
        blocks: list[Block] = []
        for block in self._blocks(tokens):
            if isinstance(block, (_Comment, Heading, Quote, Table, Figure)):
                raise self._error(
                    block.line, f"{type(block).__name__.strip('_').lower()} inside a list or quote; move it out"
                )
            blocks.append(block)
        return tuple(blocks)

    def _item(self, group: Sequence[Token]) -> Item:
        blocks = self._inner(group[1:-1])
        line = group[0].map[0] + 1 if group[0].map else 1
        if not blocks or not isinstance(blocks[0], Paragraph):
            raise self._error(line, "a list item must begin with text; add it")
        return Item(line, blocks[0].spans, blocks[1:])

    def _table(self, group: Sequence[Token], line: int, caption: Spans) -> Table:
        rows: list[list[Spans]] = []
        alignments: list[str] = []
        for index, token in enumerate(group):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                rows[-1].append(self._spans(group[index + 1], line + len(rows) - 1 + (len(rows) > 1)))
                if token.type == "th_open":
                    style = str(token.attrGet("style") or "")
                    alignments.append(style.removeprefix("text-align:") or "start")
        if caption:
            self.n_tables += 1
            head = Span("text", f"{WORDS[self.lang]['table']} {self.n_tables}: ")
            caption = (head, Span("text", re.sub(r"^(Table|טבלה):\s*", "", caption[0].text)), *caption[1:])
        return Table(line, caption, tuple(tuple(row) for row in rows), tuple(alignments))

    def _figure(self, content: str, line: int) -> Figure:
        try:
            keys = yaml.safe_load(content)
        except yaml.YAMLError as error:
            raise self._error(
                line, f"the figure is no YAML ({getattr(error, 'problem', error)}); quote its texts"
            ) from error
        if not isinstance(keys, dict):
            raise self._error(line, "a figure must be `key: value` lines; rewrite it")
        unknown = set(keys) - {"kind", "labels", "values", "caption"}
        if unknown:
            raise self._error(line, f"unknown figure key {min(unknown)!r}; the keys are kind, labels, values, caption")
        if keys.get("kind") not in FIGURE_KINDS:
            raise self._error(
                line, f"the figure's kind must be one of {', '.join(FIGURE_KINDS)}, got {keys.get('kind')!r}"
            )
        labels, values, caption = keys.get("labels"), keys.get("values", []), keys.get("caption")
        if not isinstance(labels, list) or not labels:
            raise self._error(line, "a figure needs `labels: [..]`; add them")
        if not isinstance(caption, str):
            raise self._error(line, 'a figure needs `caption: "..."`; add it')
        if keys["kind"] != "boxes":
            if not isinstance(values, list) or not all(
                isinstance(value, (int, float)) and value >= 0 for value in values
            ):
                raise self._error(line, f"a figure's values must be a list of numbers from 0 up, got {values!r}")
            if len(values) != len(labels) or not any(values):
                raise self._error(
                    line, f"a figure needs a value for each label, one above 0: {len(labels)} labels, values {values}"
                )
        self.n_figures += 1
        spans = self._spans(self._parser().parseInline(caption)[0], line)
        head = Span("text", f"{WORDS[self.lang]['figure']} {self.n_figures}: ")
        texts = tuple(self._typographic(str(label)) for label in labels)
        return Figure(line, keys["kind"], (head, *spans), texts, tuple(float(value) for value in values))

    # -- inline

    def _spans(self, inline: Token, line: int) -> Spans:
        spans: list[Span] = []
        strong = emphasis = 0
        for token in inline.children or []:
            match token.type:
                case "strong_open" | "strong_close":
                    strong += token.nesting
                case "em_open" | "em_close":
                    emphasis += token.nesting
                case "text":
                    if "[^" in token.content:
                        mark = token.content[token.content.index("[^") :][:8]
                        raise self._error(line, f"footnote {mark!r} has no text; add it at the end")
                    spans.append(Span("text", _dashes(token.content), bool(strong), bool(emphasis)))
                case "softbreak" | "hardbreak":
                    spans.append(Span("text", " ", bool(strong), bool(emphasis)))
                case "code_inline":
                    spans.append(Span("code", token.content, bool(strong), bool(emphasis)))
                case "math_inline":
                    spans.append(Span("math", token.content.strip()))
                case "footnote_ref":
                    if token.meta["id"] in self.footnotes_seen:
                        raise self._error(
                            line, f"footnote [^{token.meta['label']}] is referred to twice; give the second its own"
                        )
                    self.footnotes_seen.append(token.meta["id"])
                    spans.append(Span("footnote", str(len(self.footnotes_seen) - 1)))
                case "html_inline" if re.fullmatch(r"<!--\s*s\s*-->", token.content):
                    spans.append(Span("sentence_end"))
                case "footnote_anchor":
                    pass
                case other:
                    raise self._error(
                        line, f"{other.removesuffix('_open')} is not part of the format; write plain text"
                    )
        return tuple(span for span in spans if span.text or span.kind == "sentence_end")

    def _typographic(self, text: str) -> str:
        """Text that is no Markdown (titles, labels) with the quotes and dashes the paragraphs get."""
        escaped = re.sub(r"([\\`*_\[\]<>$#&!])", r"\\\1", text)
        return plain(self._spans(self._parser().parseInline(escaped)[0], 1))


@dataclass(frozen=True, slots=True)
class _Comment:
    line: int
    text: str


def _dashes(text: str) -> str:
    return text.replace("---", "—").replace("--", "–").replace("...", "…")


def _groups(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The tokens of each block, from its opening to its closing one."""
    start, depth = 0, 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : index + 1]
            start = index + 1


def _without_footnotes(tokens: Sequence[Token]) -> list[Token]:
    for index, token in enumerate(tokens):
        if token.type == "footnote_block_open":
            return list(tokens[:index])
    return list(tokens)
