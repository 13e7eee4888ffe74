"""HTML, by lxml; Markdown, which markdown-it-py makes HTML; and plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf.pieces import Kind, Piece, TextFile, on_one_line

_HIDDEN = frozenset(
    re.findall(
        r"\S+",
        """
    script style template noscript nav head button select option input textarea svg canvas iframe object
    audio video annotation annotation-xml footer aside
    """,
    )
)
_INLINE = frozenset(
    re.findall(
        r"\S+",
        """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark math q rp rt ruby s samp
    small span strike strong sub sup time tt u var wbr mi mo mn mrow msup msub mfrac mtext semantics mspace
    msqrt mover munder mstyle msubsup munderover mtd mtr mtable mroot mpadded menclose img
    """,
    )
)
_NOTE = re.compile(r"[\d*†‡§,;–\-\[\]\s]{1,8}")
LONG_LINE = 120
"""Characters of half the lines from which on each line of a plain text is a paragraph, whether or not parted."""
_UNDERLINE = re.compile(r"[=\-~#*_]{3,}")


def read_html(path: Path, content: bytes) -> TextFile:
    """An HTML file; without menus, footers and what is not shown.

    Raises:
        SourceError: there is nothing in it.
    """
    import lxml.etree
    import lxml.html

    try:
        root = lxml.html.document_fromstring(content, parser=lxml.html.HTMLParser(encoding=_declared(content)))
    except (lxml.etree.ParserError, ValueError) as error:
        raise SourceError(f"{path}: must be HTML with a text in it, holds none; leave it out") from error
    title = on_one_line(root.findtext(".//title") or "")
    date = next((str(item.get("content"))[:10] for item in root.iterfind(".//meta") if _is_date(item)), "")
    return TextFile(tuple(_pieces_of(root)), "lxml", title, date)


def _declared(content: bytes) -> str | None:
    """UTF-8 if the content is that, None for lxml to find what the page declares."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _is_date(item: Any) -> bool:
    named = (item.get("name") or item.get("property") or "").casefold()
    return named in ("date", "dc.date", "article:published_time") and bool(
        re.match(r"\d{4}-\d\d-\d\d", item.get("content") or "")
    )


def read_markdown(path: Path, content: bytes) -> TextFile:
    """A Markdown file (CommonMark, tables), YAML front matter aside.

    Raises:
        SourceError: it is not UTF-8 or empty.
    """
    import lxml.html
    from markdown_it import MarkdownIt

    text = re.sub(r"\A---\n.*?\n(?:---|\.\.\.)\n", "", _decoded(path, content), flags=re.DOTALL)
    text = re.sub(r"\[\^[^\]\s]+\](?!:)", "", text)  # the mark of a note
    made = MarkdownIt("commonmark").enable("table").render(text)
    pieces = tuple(_pieces_of(lxml.html.fragment_fromstring(made, create_parent="body")))
    title = next((piece.text for piece in pieces if piece.kind == "heading" and piece.level == 1), "")
    return TextFile(pieces, "markdown-it-py", title)


def read_plain_text(path: Path, content: bytes) -> TextFile:
    """A text file whose paragraphs are parted by empty lines, or which has one a line.

    Raises:
        SourceError: it is not UTF-8 or empty.
    """
    lines = [line.strip() for line in re.split(r"\r\n|[\n\r\x0b\x0c\u2028\u2029]", _decoded(path, content))]
    filled = [line for line in lines if line]
    if filled and median(map(len, filled)) >= LONG_LINE:
        return TextFile(tuple(Piece(on_one_line(line)) for line in filled), "text")
    pieces, block = [], list[str]()
    for line in [*lines, ""]:
        if line and not _UNDERLINE.fullmatch(line):
            block.append(line)
        elif block:
            pieces.append(Piece(on_one_line(" ".join(block))))
            block = []
    return TextFile(tuple(pieces), "text")


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: must be UTF-8, byte {error.start} is not; save it as UTF-8") from error


def _pieces_of(root: Any) -> Iterator[Piece]:
    """The pieces of an HTML tree in order."""
    held: list[str] = []
    for event, value in _walked(root, "paragraph", 0):
        if event == "text":
            held.append(value)
            continue
        text = on_one_line("".join(held))
        if text:
            kind, level = value
            yield Piece(text, kind, level)
        held = []


def _walked(element: Any, kind: Kind, level: int) -> Iterator[tuple[str, Any]]:
    """The texts of an element, and after each of its blocks an event with the kind and level of what came before."""
    tag = element.tag.rpartition("}")[2].casefold() if isinstance(element.tag, str) else ""
    if not tag or tag in _HIDDEN or element.get("hidden") is not None or _is_note_mark(element, tag):
        return
    if tag in ("br", "hr"):
        yield ("text", " ") if tag == "br" else ("end", (kind, level))
        return
    is_block = tag not in _INLINE
    own_kind, own_level = _kind(tag, kind, level)
    if is_block:
        yield "end", (kind, level)
    if element.text:
        yield "text", element.text
    for child in element:
        yield from _walked(child, own_kind, own_level)
        if child.tail:
            yield "text", child.tail
    if is_block:
        yield "end", (own_kind, own_level)


def _kind(tag: str, outer: Kind, level: int) -> tuple[Kind, int]:
    """What stands in an element of this tag, in an outer one of that kind."""
    if re.fullmatch(r"h[1-6]", tag):
        return "heading", int(tag[1])
    kinds: dict[str, Kind] = {"pre": "code", "td": "table", "th": "table", "li": "item", "dt": "item", "dd": "item"}
    if outer in ("code", "table"):
        return outer, 0
    return kinds.get(tag, outer), level


def _is_note_mark(element: Any, tag: str) -> bool:
    """Whether a raised sign points to a note or a source, and is no exponent."""
    if tag != "sup":
        return False
    text = element.text_content()
    linked = element.find(".//a") is not None or (element.getparent() is not None and element.getparent().tag == "a")
    return linked and bool(_NOTE.fullmatch(text))
