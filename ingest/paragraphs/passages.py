"""Passages of a document, made from its blocks; lead-ins are joined to what they introduce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from configs.settings import IngestSettings
from ingest.paragraph import Kind, Paragraph, RejectedParagraph
from ingest.paragraphs.blocks import Block
from ingest.paragraphs.kinds import kind_of
from ingest.paragraphs.sentence import opening_sentence, sentences

MAX_FOLLOWING_WORDS = 250
"""Maximal number of words of the items and displays that a passage introduces."""

MAX_DISPLAY_WORDS = 40
"""Maximal number of words of a display without a number, after a colon."""


@dataclass(frozen=True, slots=True)
class _Judged:
    block: Block
    path: tuple[str, ...]
    kind: Kind
    reason: str

    @property
    def is_body(self) -> bool:
        """Whether it is neither a heading nor a footnote."""
        return self.kind != "heading" and not self.block.footnote


def passages(
    doc_id: str,
    blocks: Iterable[Block],
    paths: Iterable[tuple[str, ...]],
    settings: IngestSettings,
) -> tuple[list[Paragraph], list[RejectedParagraph]]:
    """Return the passages of a document in reading order, and the blocks that are left out.

    Args:
        blocks: in reading order.
        paths: the headings of the sections of each block, outermost first.
    """
    judged = []
    for block, path in zip(blocks, paths, strict=True):
        judged.append(_Judged(block, path, *kind_of(block, settings)))

    ordinals: Counter[str] = Counter()
    paragraphs: list[Paragraph] = []
    rejected: list[RejectedParagraph] = []
    last_page = 0
    for position, item in enumerate(judged):
        block = item.block
        if item.reason:
            rejected.append(
                RejectedParagraph(doc_id, block.page, block.text, item.reason)
            )
            continue

        place = f"{doc_id}:{block.page}:{'' if item.kind == 'prose' else 'x'}"
        ordinals[place] += 1
        paragraph_id = f"{place}{ordinals[place]}"
        on_top = item.is_body and block.page > last_page
        if item.is_body:
            last_page = max(last_page, _last_begun(block))
        follows = _following(block, judged[position + 1 :])
        paragraphs.append(_passage(doc_id, paragraph_id, item, follows, on_top))
    return paragraphs, rejected


def _passage(
    doc_id: str, paragraph_id: str, item: _Judged, follows: str, on_top: bool
) -> Paragraph:
    block = item.block
    leads_in = bool(follows) and item.kind != "prose" and block.text.endswith(":")

    return Paragraph(
        paragraph_id=paragraph_id,
        doc_id=doc_id,
        page=block.page,
        heading=block.heading,
        text=f"{block.text} {follows}" if leads_in else block.text,
        opening_sentence=opening_sentence(block.text),
        section=item.path,
        kind="lead-in" if leads_in else item.kind,
        follows="" if leads_in else follows,
        own_length=len(block.text) if leads_in else 0,
        page_breaks=block.page_breaks,
        on_top=on_top,
    )


def _last_begun(block: Block) -> int:
    """Return the last page on which a sentence of a block begins."""
    if not block.page_breaks:
        return block.page
    begins_there = len(sentences(block.text[block.page_breaks[-1] :])) > 1
    return block.last_page if begins_there else block.page


def _following(block: Block, others: Sequence[_Judged]) -> str:
    """Return the items, and after a colon the displays, that a block introduces; "" if there are none.

    Args:
        others: the blocks after it.
    """
    if block.footnote or block.is_heading:
        return ""
    parts: list[str] = []
    n_words = 0
    for item in others:
        if item.block.footnote:
            continue
        n_words += len(item.block.text.split())
        if n_words > MAX_FOLLOWING_WORDS or not _belongs(block, item, not parts):
            break
        parts.append(item.block.text)
    return " ".join(parts)


def _belongs(block: Block, item: _Judged, is_next: bool) -> bool:
    """Return whether an item or a display belongs to the block that introduces it."""
    if item.block.is_heading:
        return False
    after_colon = block.text.endswith(":")
    style, outer = _style(item.block), _style(block)
    if not style:
        return after_colon and _is_display(item, is_next)
    is_outer = outer and not after_colon and is_next and style > outer
    return style != outer and not is_outer


def _is_display(item: _Judged, is_next: bool) -> bool:
    """Return whether a block without a number is a formula, a listing or a box, and no paragraph."""
    if item.reason in ("symbols", "word", "code", "table"):
        return True
    is_short = len(item.block.text.split()) <= MAX_DISPLAY_WORDS
    return is_next and is_short and item.kind != "prose"


def _style(block: Block) -> str:
    """Return the style of a block's bullet or number: "1." for digits, "a" for letters, else the bullet itself."""
    number = block.number
    if any(map(str.isdigit, number)):
        return "1" + number.strip("0123456789")
    return "a" + number[-1] if any(map(str.isalpha, number)) else number
