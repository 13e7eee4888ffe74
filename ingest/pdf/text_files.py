"""Word, PowerPoint, Markdown, HTML and plain text files -> Reading, by the rules of quality and sections of PDFs.

pandoc converts Word, PowerPoint and Markdown to HTML, which is read by lxml.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from quarry.configs.settings import IngestSettings
from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Alias, Reading
from quarry.ingest.paragraphs.front_page import number_of
from quarry.ingest.paragraphs.sections import outline
from quarry.ingest.paragraphs.split import Block
from quarry.ingest.pipeline.read_document import MAX_HEADINGS, judged, reading_of

LONG_LINE = 120
"""Median length of the lines of a plain text, in characters, from which each line is a paragraph."""
HEADING_SIZE, HEADING_STEP = 2.0, 0.15
"""Size of a title relative to the text, and how much smaller each level of headings is, for the rules of sections."""

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
_UNDERLINE = re.compile(r"[=\-~#*_]{3,}")


def read_text_file(path: Path, doc_id: str, content: str, settings: IngestSettings) -> Reading:
    """Return the paragraphs of such a file, kept and rejected, and its document.

    Raises:
        SourceError: it is damaged, or has no text.
    """
    suffix = path.suffix.lower()
    reader = {".html": "lxml", ".htm": "lxml", ".txt": "text"}.get(suffix, "pandoc")
    try:
        made = READERS[suffix](path, path.read_bytes())
    except OSError as error:
        raise SourceError(f"{path}: must be readable: {error.strerror}; check its permissions") from error
    blocks = [block for block in _under_headings(made) if any(map(str.isalnum, block.text))]
    if not blocks:
        raise SourceError(f"{path}: must hold text, holds none; leave it out")
    title = next((block.text for block in blocks if block.is_heading), "")
    sections = outline(blocks, title)
    kept, rejected = judged(doc_id, blocks, sections.paths, settings, lambda _page: reader)
    aliases = [Alias(path.stem, "stem")]
    aliases += [Alias(title, "title")] if title else []
    aliases += [Alias(heading, "heading") for heading in sections.outermost[:MAX_HEADINGS]]
    n_slides = blocks[-1].page if suffix == ".pptx" else 0
    reading = reading_of(path, doc_id, content, settings, aliases, n_slides, kept, rejected)
    document = replace(reading.document, lecture_number=number_of([path.stem, title]), reader=reader)
    return replace(reading, document=document)


def _under_headings(blocks: Iterable[Block]) -> Iterator[Block]:
    heading = ""
    for block in blocks:
        yield replace(block, heading=heading)
        heading = block.text if block.is_heading else heading


def _read_docx(path: Path, content: bytes) -> Iterator[Block]:
    # standalone output has the title of the document
    return _html_blocks(path, _pandoc(path, content, "docx", "--standalone"))


def _read_pptx(path: Path, content: bytes) -> Iterator[Block]:
    return _html_blocks(path, _pandoc(path, content, "pptx"), slides=True)


def _read_markdown(path: Path, content: bytes) -> Iterator[Block]:
    return _html_blocks(path, _pandoc(path, _decoded(path, content).encode(), "commonmark_x"))


def _read_html(path: Path, content: bytes) -> Iterator[Block]:
    return _html_blocks(path, content)


def _read_plain_text(path: Path, content: bytes) -> Iterator[Block]:
    """Yield paragraphs parted by empty lines, or one a line where lines are long."""
    lines = [line.strip() for line in re.split(r"\r\n|[\n\r\x0b\x0c\u2028\u2029]", _decoded(path, content))]
    filled = [line for line in lines if line]
    if filled and median(map(len, filled)) >= LONG_LINE:
        lines = [part for line in filled for part in (line, "")]
    held: list[str] = []
    for line in [*lines, ""]:
        if line and not _UNDERLINE.fullmatch(line):
            held.append(line)
        elif held:
            yield Block(1, "", _on_one_line(" ".join(held)))
            held = []


OFFICE: dict[str, Callable[[Path, bytes], Iterator[Block]]] = {".docx": _read_docx, ".pptx": _read_pptx}
"""Readers of the files that are read from folders, as PDFs are."""

READERS = OFFICE | {
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".html": _read_html,
    ".htm": _read_html,
    ".txt": _read_plain_text,
}
"""Readers by suffix; files with the other suffixes are read only if they are named, as folders hold many of them."""


def _pandoc(path: Path, content: bytes, form: str, *options: str) -> bytes:
    """Convert a file to HTML.

    Raises:
        SourceError: pandoc is missing or cannot read the file.
    """
    import pypandoc

    if content[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise SourceError(f"{path}: must be a .{form} file without a password, is encrypted or of an old format")
    try:
        command = [pypandoc.get_pandoc_path(), "--sandbox", "--mathml", "--wrap=none", "-f", form, "-t", "html"]
        return subprocess.run([*command, *options], input=content, capture_output=True, check=True).stdout
    except OSError as error:
        raise SourceError(f"{path}: needs pandoc, which is not installed; pip install pypandoc-binary") from error
    except subprocess.CalledProcessError as error:
        raise SourceError(f"{path}: must be a whole .{form} file, is damaged; get the file again") from error


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: must be UTF-8, byte {error.start} is not; save it as UTF-8") from error


def _on_one_line(text: str) -> str:
    return " ".join(text.replace("\u00ad", "").split())


def _html_blocks(path: Path, content: bytes, *, slides: bool = False) -> Iterator[Block]:
    """Yield the blocks of HTML in order, without menus, footers and what is not shown.

    Args:
        slides: whether each heading of pandoc's "slide-12" begins a page.

    Raises:
        SourceError: there is nothing in it.
    """
    import lxml.etree
    import lxml.html

    try:
        content.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # lxml finds what the page declares
    try:
        root = lxml.html.document_fromstring(content, parser=lxml.html.HTMLParser(encoding=encoding))
    except (lxml.etree.ParserError, ValueError) as error:
        raise SourceError(f"{path}: must be HTML with a text in it, holds none; leave it out") from error
    held: list[str] = []
    page = 1
    for text, features in _walked(root, {}):
        if features is None:
            held.append(text)
            continue
        found = _on_one_line("".join(held))
        slide = re.fullmatch(r"slide-(\d+)", text) if slides else None
        page = int(slide[1]) if slide else page
        if found:
            yield Block(page, "", found, **features)
        held = []


def _walked(element: Any, features: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield the texts of an element, and at each end of a block its `id` and what it is, by the names of `Block`."""
    tag = element.tag.rpartition("}")[2].casefold() if isinstance(element.tag, str) else ""
    if not tag or tag in _HIDDEN or element.get("hidden") is not None or _is_note(element, tag):
        return
    if tag in ("br", "hr"):
        yield (" ", None) if tag == "br" else ("", features)
        return
    own, is_block = _features(element, tag, features), tag not in _INLINE
    if is_block:
        yield "", features
    if element.text:
        yield element.text, None
    for child in element:
        yield from _walked(child, own)
        if child.tail:
            yield child.tail, None
    if is_block:
        yield element.get("id") or "", own


def _features(element: Any, tag: str, outer: dict[str, Any]) -> dict[str, Any]:
    """Return what an element of this tag is inside an outer one, by the names of `Block`."""
    if re.fullmatch(r"h[1-6]", tag):
        level = 0 if element.get("class") == "title" else int(tag[1])
        return {"is_heading": True, "size_ratio": HEADING_SIZE - HEADING_STEP * level}
    if outer.get("mono") or outer.get("in_table"):
        return outer
    of_tag: dict[str, dict[str, Any]] = {"pre": {"mono": 1.0}, "td": {"in_table": True}, "th": {"in_table": True}}
    return of_tag.get(tag, outer)


def _is_note(element: Any, tag: str) -> bool:
    """Whether an element holds the notes of a page, or is a raised sign that points to a note and is no exponent."""
    if tag == "section":
        return "footnotes" in (element.get("class") or "").split()
    linked = element.find(".//a") is not None or (element.getparent() is not None and element.getparent().tag == "a")
    return tag == "sup" and linked and bool(_NOTE.fullmatch(element.text_content()))
