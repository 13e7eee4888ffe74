"""Readers of Word, PowerPoint, Markdown, HTML and plain text files, with the same kinds and sections as for PDFs.

pandoc converts all but HTML to HTML, which lxml parses. Plain text is read as Markdown.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from quarry.configs.settings import IngestSettings
from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Alias, Reading
from quarry.ingest.paragraphs.blocks import Block
from quarry.ingest.paragraphs.front_page import number_of
from quarry.ingest.paragraphs.passages import passages
from quarry.ingest.paragraphs.sections import outline
from quarry.ingest.pipeline.read_document import MAX_HEADINGS, reading_of

HEADING_SIZE, HEADING_STEP = 2.0, 0.15
"""Font size of a title relative to the text, and the difference between levels of headings, for the sections."""

OFFICE = {".docx": ("docx", "--standalone"), ".pptx": ("pptx",)}
"""Options of pandoc for the files that are read from folders, as PDFs are; standalone output has the title."""

_MARKDOWN = ("commonmark_x",)
READERS = OFFICE | {".md": _MARKDOWN, ".markdown": _MARKDOWN, ".html": (), ".htm": (), ".txt": _MARKDOWN}
"""Options of pandoc by suffix; files with other suffixes than `OFFICE` are read only if they are named."""

_HIDDEN = re.compile(
    "script|style|template|noscript|nav|head|button|select|option|input|textarea|svg|canvas|iframe|object|audio|video"
    "|annotation|annotation-xml|footer|aside"
)
_BLOCK = re.compile(
    "html|body|article|section|main|header|hgroup|figure|figcaption|details|summary|address|blockquote|center|dd|div|dl"
    "|dt|fieldset|form|legend|h[1-6]|li|ol|ul|menu|p|pre|caption|table|tbody|td|tfoot|th|thead|tr"
)
_NOTE = re.compile(r"[\d*†‡§,;–\-\[\]\s]{1,8}")


def read_text_file(path: Path, doc_id: str, content: str, settings: IngestSettings) -> Reading:
    """Return the paragraphs of a file, kept and rejected, and its document.

    Raises:
        SourceError: the file is damaged, or has no text.
    """
    suffix = path.suffix.lower()
    options = READERS[suffix]
    reader = "pandoc" if options else "lxml"
    try:
        html = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: must be readable: {error.strerror}; check its permissions") from error
    if options:
        html = _pandoc(path, html, *options)
    found = _under_headings(_html_blocks(path, html, slides=suffix == ".pptx"))
    blocks = [block for block in found if any(map(str.isalnum, block.text))]
    if not blocks:
        raise SourceError(f"{path}: must contain text, is empty; leave it out")
    title = next((block.text for block in blocks if block.is_heading), "")
    sections = outline(blocks, title)
    kept, rejected = passages(doc_id, blocks, sections.paths, settings, lambda _page: reader)
    aliases = [Alias(path.stem, "stem")]
    aliases += [Alias(title, "title")] if title else []
    aliases += [Alias(heading, "heading") for heading in sections.outermost[:MAX_HEADINGS]]
    n_slides = blocks[-1].page if suffix == ".pptx" else 0
    reading = reading_of(path, doc_id, content, settings, aliases, n_slides, kept, rejected)
    document = replace(reading.document, lecture_number=number_of([path.stem, title]), reader=reader)
    return replace(reading, document=document)


def _under_headings(blocks: Iterable[Block]) -> Iterator[Block]:
    """Give each block the heading before it."""
    heading = ""
    for block in blocks:
        yield replace(block, heading=heading)
        heading = block.text if block.is_heading else heading


def _pandoc(path: Path, content: bytes, form: str, *options: str) -> bytes:
    """Convert a file to HTML.

    Raises:
        SourceError: pandoc is missing or cannot read the file.
    """
    import pypandoc

    if content[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise SourceError(f"{path}: must be a .{form} file without a password, is encrypted or of an old format")
    if form == "commonmark_x":
        try:
            content = content.decode("utf-8-sig").encode()
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: must be UTF-8, byte {error.start} is not; save it as UTF-8") from error
    try:
        command = [pypandoc.get_pandoc_path(), "--sandbox", "--mathml", "--wrap=none", "-f", form, "-t", "html"]
        return subprocess.run([*command, *options], input=content, capture_output=True, check=True).stdout
    except OSError as error:
        raise SourceError(f"{path}: needs pandoc, which is not installed; pip install pypandoc-binary") from error
    except subprocess.CalledProcessError as error:
        raise SourceError(f"{path}: must be a whole .{form} file, is damaged; get the file again") from error


def _html_blocks(path: Path, content: bytes, *, slides: bool) -> Iterator[Block]:
    """Yield the blocks of HTML in order, without menus, footers and hidden elements.

    Args:
        slides: whether each element with an id such as "slide-12" begins a page.

    Raises:
        SourceError: the HTML is empty.
    """
    import lxml.etree
    import lxml.html

    try:
        content.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # lxml reads the encoding that the page declares
    try:
        root = lxml.html.document_fromstring(content, parser=lxml.html.HTMLParser(encoding=encoding))
    except (lxml.etree.ParserError, ValueError) as error:
        raise SourceError(f"{path}: must be HTML with text, is empty; leave it out") from error
    held: list[str] = []
    page = 1
    for text, features in _walked(root, {}):
        if features is None:
            held.append(text)
            continue
        found = " ".join("".join(held).replace("\u00ad", "").split())
        slide = re.fullmatch(r"slide-(\d+)", text) if slides else None
        page = int(slide[1]) if slide else page
        if found:
            yield Block(page, "", found, **features)
        held = []


def _walked(element: Any, features: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield the texts of an element, and at the end of each block its `id` and its attributes of `Block`."""
    tag = element.tag.rpartition("}")[2].casefold() if isinstance(element.tag, str) else ""
    if not tag or _HIDDEN.fullmatch(tag) or element.get("hidden") is not None or _is_note(element, tag):
        return
    if tag in ("br", "hr"):
        yield (" ", None) if tag == "br" else ("", features)
        return
    own, is_block = _features(element, tag, features), bool(_BLOCK.fullmatch(tag))
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
    """Return the attributes of `Block` of an element inside an outer one."""
    if re.fullmatch(r"h[1-6]", tag):
        level = 0 if element.get("class") == "title" else int(tag[1])
        return {"is_heading": True, "size_ratio": HEADING_SIZE - HEADING_STEP * level}
    if outer.get("mono") or outer.get("in_table"):
        return outer
    of_tag: dict[str, dict[str, Any]] = {
        "pre": {"mono": 1.0},
        "li": {"number": "•"},
        "td": {"in_table": True},
        "th": {"in_table": True},
    }
    return of_tag.get(tag, outer)


def _is_note(element: Any, tag: str) -> bool:
    """Return whether an element holds the notes of a page, or is a superscript that points to a note."""
    if tag == "section":
        return "footnotes" in (element.get("class") or "").split()
    linked = element.find(".//a") is not None or (element.getparent() is not None and element.getparent().tag == "a")
    return tag == "sup" and linked and bool(_NOTE.fullmatch(element.text_content()))
