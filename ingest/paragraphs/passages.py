"""Passages of a document, made from its blocks; lead-ins are joined to the lists and displays that they introduce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from quarry.configs.settings import IngestSettings
from quarry.ingest.paragraph import Kind, Paragraph, RejectedParagraph
from quarry.ingest.paragraphs.blocks import Block
from quarry.ingest.paragraphs.kinds import kind_of
from quarry.ingest.paragraphs.sentence import opening_sentence, sentences

MAX_FOLLOWING_WORDS = 250
"""Maximal number of words of the items and displays that a passage introduces."""

MAX_DISPLAY_WORDS = 40
"""Maximal number of words of a display without a number, after a colon."""


@dataclass(frozen=True, slots=True)
class _Judged:
    block: Block
    path: tuple[str, ...]
    kind: Kind
    left_out: str


def passages(
    doc_id: str,
    blocks: Iterable[Block],
    paths: Iterable[tuple[str, ...]],
    settings: IngestSettings,
    reader_of: Callable[[int], str],
) -> tuple[list[Paragraph], list[RejectedParagraph]]:
    """Return the passages of a document in reading order, and the blocks that are left out.

    Args:
        blocks: in reading order.
        paths: the headings of the sections of each block, outermost first.
        reader_of: returns the name of the reader of a page, 1-based.
    """
    judged = [_Judged(block, path, *kind_of(block, settings)) for block, path in zip(blocks, paths, strict=True)]
    ordinals: Counter[tuple[int, bool]] = Counter()
    kept: list[Paragraph] = []
    left_out: list[RejectedParagraph] = []
    begun = 0
    for position, item in enumerate(judged):
        block = item.block
        if item.left_out:
            left_out.append(RejectedParagraph(doc_id, block.page, block.text, item.left_out))
            continue
        is_prose = item.kind == "prose"
        ordinals[block.page, is_prose] += 1
        follows = _following(judged, position)
        leads_in = bool(follows) and not is_prose and block.text.endswith(":")
        text = f"{block.text} {follows}" if leads_in else block.text
        on_top = item.kind != "heading" and not block.footnote and block.page > begun
        if item.kind != "heading" and not block.footnote:
            begun = max(begun, _last_begun(block))
        kept.append(
            Paragraph(
                paragraph_id=f"{doc_id}:{block.page}:{'' if is_prose else 'x'}{ordinals[block.page, is_prose]}",
                doc_id=doc_id,
                page=block.page,
                heading=block.heading,
                text=text,
                opening_sentence=opening_sentence(block.text),
                section=item.path,
                sureness=round(block.sureness, 3),
                reader=reader_of(block.page),
                kind="lead-in" if leads_in else item.kind,
                follows="" if leads_in else follows,
                own_length=len(block.text) if leads_in else 0,
                page_breaks=block.page_breaks,
                on_top=on_top,
            )
        )
    return kept, left_out


def _last_begun(block: Block) -> int:
    """Return the last page on which a sentence of a block begins."""
    begins_there = bool(block.page_breaks) and len(sentences(block.text[block.page_breaks[-1] :])) > 1
    return block.last_page if begins_there else block.page


def _following(judged: Sequence[_Judged], position: int) -> str:
    """Return the items, and after a colon the displays, that a block introduces; "" if there are none."""
    block = judged[position].block
    if block.footnote or block.is_heading:
        return ""
    after_colon = block.text.endswith(":")
    own = _style(block)
    found: list[str] = []
    n_words = 0
    for item in judged[position + 1 :]:
        other = item.block
        if other.footnote:
            continue
        style = _style(other)
        is_display = after_colon and not style and _is_display(item, found)
        if other.is_heading or (not style and not is_display) or (style and style == own):
            break
        if style and own and not after_colon and not found and style > own:
            break
        n_words += len(other.text.split())
        if n_words > MAX_FOLLOWING_WORDS:
            break
        found.append(other.text)
    return " ".join(found)


def _is_display(item: _Judged, found: Sequence[str]) -> bool:
    """Return whether a block without a number is a formula, a listing or a box, and no paragraph."""
    if item.left_out in ("symbols", "code", "table"):
        return True
    return not found and item.kind != "prose" and len(item.block.text.split()) <= MAX_DISPLAY_WORDS


def _style(block: Block) -> str:
    """Return the style of a block's bullet or number: "1." for digits, "a" for letters, else the bullet itself."""
    number = block.number
    if not number:
        return ""
    if any(char.isdigit() for char in number):
        return "1" + number.strip("0123456789")
    return "a" + number[-1] if any(char.isalpha() for char in number) else number
