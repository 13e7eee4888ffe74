"""The ground truth of a lecture: one record for each block of prose-like text, in the order of the source.

`text` holds the characters that the PDF prints: typographic quotes, dashes and ellipses in English, straight quotes in
Hebrew. Left out are footnote marks and the numbers of headings, of list items and of references. Simple maths inside
paragraphs is written in plain characters (`n ≥ 10`), where the PDF has mathematical italics; a displayed formula is its
Typst source. Words broken at the end of a line are whole. Title blocks, running heads, page numbers and the entries of
tables of contents have no record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from data.lectures.lecture import (
    MIN_PLAYABLE_WORDS,
    Block,
    Code,
    Figure,
    Formula,
    Heading,
    ItemList,
    Lecture,
    Paragraph,
    Quote,
    Spans,
    Table,
    n_words,
    plain,
)
from data.lectures.opening import opening_sentence


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of one block.

    `page` and `page_end` are 1-based physical pages; `ordinal` counts the document's records from 1. `kind` is one of
    heading, paragraph, short_paragraph, abstract, list_item, reference, caption, table_cell, figure_label, quote, code,
    formula, footnote. `section_path` holds the headings from the outermost to `heading`; footnotes come last and have
    none. A paragraph or abstract is playable from 50 words up, in Hebrew from 45.
    """

    document: str
    page: int
    page_end: int
    ordinal: int
    heading: str
    section_path: tuple[str, ...]
    kind: str
    text: str
    opening_sentence: str
    n_words: int
    playable: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Text of one kind with the marks that the typesetter sets where it begins and ends."""

    kind: str
    text: str
    opening: str
    begins: str
    ends: str


def truth(lecture: Lecture, pages: Mapping[str, int]) -> list[dict[str, object]]:
    """The records of a lecture, ready for JSON.

    Args:
        lecture: The parsed source.
        pages: The page of each mark, as the typesetter tells them.
    """
    records: list[dict[str, object]] = []
    path: list[tuple[int, str]] = []
    minimum = MIN_PLAYABLE_WORDS[lecture.lang]
    for index, block in enumerate(lecture.blocks):
        if isinstance(block, Heading):
            path = [(level, text) for level, text in path if level < block.level]
        headings = tuple(text for _, text in path)
        for place in _places(block, f"b{index}"):
            words = n_words(place.text)
            kind = "short_paragraph" if place.kind == "paragraph" and words < minimum else place.kind
            record = Truth(
                document=lecture.name,
                page=pages[place.begins],
                page_end=pages[place.ends],
                ordinal=len(records) + 1,
                heading=headings[-1] if headings else "",
                section_path=headings,
                kind=kind,
                text=place.text,
                opening_sentence=place.opening,
                n_words=words,
                playable=kind in ("paragraph", "abstract") and words >= minimum,
            )
            records.append(asdict(record))
        if isinstance(block, Heading):
            path.append((block.level, plain(block.spans)))
    for index, spans in enumerate(lecture.footnotes):
        record = Truth(
            lecture.name, pages[f"n{index}"], pages[f"n{index}-end"], len(records) + 1, "", (), "footnote",
            plain(spans).strip(), opening_sentence(spans), n_words(plain(spans)), False,
        )  # fmt: skip
        records.append(asdict(record))
    return records


def _places(block: Block, mark: str) -> Iterator[Place]:
    match block:
        case Heading():
            yield Place("heading", plain(block.spans).strip(), "", mark, mark)
        case Paragraph():
            yield _prose("abstract" if block.abstract else "paragraph", block.spans, mark)
        case ItemList():
            for index, item in enumerate(block.items):
                yield _prose("reference" if block.references else "list_item", item.spans, f"{mark}-{index}")
                for inner_index, inner in enumerate(item.blocks):
                    yield from _inside(inner, "list_item", f"{mark}-{index}-{inner_index}")
        case Quote():
            for index, inner in enumerate(block.blocks):
                yield from _inside(inner, "quote", f"{mark}-{index}")
        case Code():
            yield Place("code", block.text, "", mark, mark)
        case Formula():
            yield Place("formula", block.text, "", mark, mark)
        case Table():
            if block.caption:
                yield _prose("caption", block.caption, f"{mark}-caption", ends=f"{mark}-caption")
            for row in block.rows:
                for cell in row:
                    if plain(cell).strip():
                        yield Place("table_cell", plain(cell).strip(), "", mark, mark)
        case Figure():
            for label in block.labels:
                yield Place("figure_label", label, "", mark, mark)
            yield _prose("caption", block.caption, f"{mark}-caption", ends=f"{mark}-caption")


def _inside(block: Block, kind: str, mark: str) -> Iterator[Place]:
    """Places of a block inside a list or quote, whose paragraphs are of the outer kind."""
    if isinstance(block, Paragraph):
        yield _prose(kind, block.spans, mark)
    else:
        yield from _places(block, mark)


def _prose(kind: str, spans: Spans, mark: str, ends: str = "") -> Place:
    return Place(kind, plain(spans).strip(), opening_sentence(spans), mark, ends or f"{mark}-end")
