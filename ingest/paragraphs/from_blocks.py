"""Paragraphs of a document, made from its blocks; lead-ins are joined to what they introduce."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from configs.settings import IngestSettings
from ingest.paragraphs.blocks import Block
from ingest.paragraphs.continuations import RELATIONS
from ingest.paragraphs.kinds import kind_of
from quarry.course.paragraph import Paragraph, RejectedParagraph
from quarry.course.sentences import opening_sentence, sentences
from quarry.languages.labels import drawing_label
from quarry.languages.language import ParagraphKind
from quarry.languages.registry import count_words

STYLE_LEVELS = {"1": 4, "a": 3, "-": 1, "–": 1, "—": 1, "◦": 1}
"""Level of an item in nested lists, by the first sign of its style; outer ones have higher levels."""

LEVEL_OF_BULLETS = 2
"""Level of an item with another bullet."""

MAX_HEAD_WORDS = 20
"""Maximum number of words of a title, name or date at the head of a document."""

MAX_TITLES = 2
"""Number of headings below which text at the margin is none of the names at the head of a document."""

MIN_TEXT_WORDS = 5
"""Minimum number of words of such a text."""

MAX_TEXT_INDENT = 0.5
"""Maximum indent of such a text, and maximum difference of the indents of items of one list, in font sizes."""

MAX_FOLLOWING_WORDS = 250
"""Maximum number of words of the items and formulas that a paragraph introduces."""


_NUMBERS = re.compile(r"[\d ]+")
"""Numbers of lines, or those of a figure."""


@dataclass(frozen=True, slots=True)
class _Classified:
    block: Block
    path: tuple[str, ...]
    kind: ParagraphKind
    reason: str


def make_paragraphs(
    doc_id: str,
    blocks: Iterable[Block],
    paths: Iterable[tuple[str, ...]],
    settings: IngestSettings,
) -> tuple[list[Paragraph], list[RejectedParagraph]]:
    """Return the paragraphs of a document in reading order, and the blocks that are left out.

    Args:
        blocks: in reading order.
        paths: the headings of the sections of each block, outermost first.
    """
    classified = _with_whole_bibliographies(_classify(blocks, paths, settings))
    ordinals: Counter[str] = Counter()
    paragraphs = []
    rejected = []
    last_page = 0
    for position, item in enumerate(classified):
        block = item.block
        if item.reason:
            text = _text_with_display(block)
            rejected.append(RejectedParagraph(doc_id, block.page, text, item.reason))
            continue

        place = f"{doc_id}:{block.page}:{'' if item.kind == 'prose' else 'x'}"
        ordinals[place] += 1
        following = _following(block, classified[position + 1 :])
        follows = " ".join([other.block.text for other in following])
        paragraph = _make_paragraph(doc_id, item, follows, f"{place}{ordinals[place]}")
        if _is_in_body(block):
            paragraph = replace(paragraph, on_top=block.page > last_page)
            last_page = max(last_page, _last_begun(block))
        paragraphs.append(paragraph)
    return paragraphs, rejected


def _make_paragraph(
    doc_id: str, item: _Classified, follows: str, paragraph_id: str
) -> Paragraph:
    """Make the paragraph of a block; a lead-in that ends with a colon holds what follows it."""
    block = item.block
    text = _text_with_display(block)

    paragraph = Paragraph(
        paragraph_id=paragraph_id,
        doc_id=doc_id,
        page=block.page,
        heading=item.path[-1] if item.path else "",
        text=text,
        opening_sentence=opening_sentence(
            text[: block.n_first or None], block.n_title, block.indices
        ),
        section=item.path,
        kind=item.kind,
        follows=follows,
        page_breaks=block.page_breaks,
    )

    if not follows or item.kind == "prose" or not text.endswith(":"):
        return paragraph
    return replace(
        paragraph,
        kind="lead-in",
        text=f"{text} {follows}",
        own_length=len(text),
        follows="",
    )


def _text_with_display(block: Block) -> str:
    """Return the text of a block with the displayed formulas that end its last sentence."""
    return f"{block.text} {block.display}".rstrip()


def _is_in_body(block: Block) -> bool:
    """Return whether a block is neither a heading nor a footnote."""
    return not (block.is_heading or block.footnote)


def _classify(
    blocks: Iterable[Block],
    paths: Iterable[tuple[str, ...]],
    settings: IngestSettings,
) -> list[_Classified]:
    """Find the kinds of blocks; names and dates at the head of the first page are left out."""
    classified = []
    in_head = True
    n_titles = 0
    for block, path in zip(blocks, paths, strict=True):
        kind, reason = kind_of(block, settings)
        n_titles += block.is_heading
        is_text = n_titles >= MAX_TITLES and _is_set_as_text(block)
        is_name = kind == "heading" or (kind == "other" and not is_text)
        is_title = is_name and _is_short(block)
        in_head &= block.page == 1 and (is_title or reason not in ("", "code"))
        if in_head and kind == "other":
            reason = reason or "word"
        classified.append(_Classified(block, path, kind, reason))
    return classified


def _is_short(block: Block) -> bool:
    """Return whether a block is as short as a title, has no stop, and is no text that begins inside a sentence."""
    n_words = count_words(block.text)
    is_inside = block.text[0].islower() and n_words >= MIN_TEXT_WORDS
    has_stop = block.text[-1] in ".!?:…؟。！？："
    return n_words <= MAX_HEAD_WORDS and not (is_inside or has_stop)


def _is_set_as_text(block: Block) -> bool:
    """Return whether a block of several words begins at the margin, as text does, and has no label as names do."""
    is_at_margin = abs(block.indent) < MAX_TEXT_INDENT
    n_words = count_words(block.text)
    return is_at_margin and n_words >= MIN_TEXT_WORDS and ": " not in block.text


def _with_whole_bibliographies(items: Sequence[_Classified]) -> list[_Classified]:
    """Leave out the other items of a numbered list of which most are entries of a bibliography.

    A list with numbers in square brackets is one if the text cites it, as in "by assumption [7]".
    """
    whole = []
    for _, run in itertools.groupby(items, key=_place_in_lists):
        members = list(run)
        n_entries = sum(item.reason == "references" for item in members)
        numbers = [item.block.number for item in members]
        is_counted = numbers[0].startswith("[") and len(set(numbers)) > 1
        is_cited = is_counted and _are_cited(numbers, items)
        if is_cited or (members[0].block.is_numbered and 2 * n_entries > len(members)):
            members = [replace(item, reason="references") for item in members]
        whole += members
    return whole


def _are_cited(numbers: Iterable[str], items: Iterable[_Classified]) -> bool:
    """Return whether a paragraph has one of some numbers after a word."""
    cites = re.compile(rf"\w,? (?:{'|'.join(map(re.escape, numbers))})")
    return any(not item.reason and cites.search(item.block.text) for item in items)


def _place_in_lists(item: _Classified) -> tuple[str, str, bool]:
    """Return what all items of a list have in common."""
    block = item.block
    return block.style, block.heading, block.is_heading


def _last_begun(block: Block) -> int:
    """Return the last page on which a sentence of a block begins."""
    if not block.page_breaks:
        return block.page
    begins_there = len(sentences(block.text[block.page_breaks[-1] :])) > 1
    return block.last_page if begins_there else block.page


def _following(block: Block, others: Sequence[_Classified]) -> list[_Classified]:
    """Return the items, and after a colon the displayed formulas, that a block introduces.

    Args:
        others: the blocks after it.
    """
    if not (_is_in_body(block) or block.text.endswith(":")):
        return []
    parts: list[_Classified] = []
    n_words = 0
    for item in others:
        if item.block.footnote:
            continue
        n_words += len(item.block.text.split())
        if n_words > MAX_FOLLOWING_WORDS or not _belongs(block, item, parts):
            if drawing_label(item.block.text):  # the signs of a figure
                parts = [part for part in parts if not part.reason]
            break
        parts.append(item)
    return parts


def _belongs(block: Block, item: _Classified, parts: Sequence[_Classified]) -> bool:
    """Return whether an item or a displayed formula belongs to the block that introduces it.

    Args:
        parts: what belongs to it before; an item below a display does not.
    """
    if item.block.is_heading:
        return False
    after_colon = block.text.endswith(":")
    style, outer = item.block.style, block.style
    if style:
        if parts:
            first = parts[0].block
            is_outside = item.block.indent < first.indent - MAX_TEXT_INDENT
            is_next = style == first.style or not is_outside
            return style != outer and first.number != "" and is_next
        is_outer = not after_colon and _level(style) > _level(outer) > 0
        return style != outer and not is_outer

    is_formula = item.reason == "symbols" and not _NUMBERS.fullmatch(item.block.text)
    is_formula |= item.reason == "table" and not RELATIONS.isdisjoint(item.block.text)
    return after_colon and is_formula


def _level(style: str) -> int:
    """Return how far out in nested lists a style usually is: 4 for numbers to 1 for dashes, 0 without a style."""
    return STYLE_LEVELS.get(style[0], LEVEL_OF_BULLETS) if style else 0
