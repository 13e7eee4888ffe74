"""ingest/paragraphs/passages.py: what a passage holds beside its own block, and where pages turn in it."""

from __future__ import annotations

import dataclasses

from configs.settings import IngestSettings
from ingest.paragraph import Paragraph, RejectedParagraph
from ingest.paragraphs.blocks import Block
from ingest.paragraphs.passages import passages

SETTINGS = IngestSettings(
    workers=1, timeout_s=60, memory_mb=2000, min_words=8, max_words=60, reader="auto"
)
PROSE = "A queue hands out first whatever came in first, as a fair clerk would."


def block(text: str, number: str = "", page: int = 1, **features: object) -> Block:
    return Block(
        page=page,
        heading="",
        text=text,
        number=number,
        last_page=page,
        **features,  # type: ignore[arg-type]
    )


def parted(*blocks: Block) -> tuple[list[Paragraph], list[RejectedParagraph]]:
    return passages("a", blocks, [()] * len(blocks), SETTINGS)


def made(*blocks: Block) -> list[Paragraph]:
    return parted(*blocks)[0]


def test_a_lead_in_holds_its_list_and_each_item_is_a_passage_too() -> None:
    lead, first, second, after = made(
        block("Three rules hold:"),
        block("Never wait.", "•"),
        block("Always count.", "•"),
        block(PROSE),
    )
    assert lead.kind == "lead-in"
    assert lead.text == "Three rules hold: Never wait. Always count."
    assert lead.opening_sentence == "Three rules hold:"
    assert lead.text[: lead.own_length] == "Three rules hold:"
    assert [first.kind, second.kind, after.kind] == ["item", "item", "prose"]
    assert first.text == "Never wait."


def test_a_display_after_a_colon_belongs_to_the_lead_in() -> None:
    lead, *_ = made(block("The sum is:"), block("x + y = 2"), block(PROSE))
    assert lead.text == "The sum is: x + y = 2"


def test_prose_before_a_list_stays_as_it_was_and_knows_the_list() -> None:
    prose, *_ = made(
        block(PROSE), block("Never wait.", "(a)"), block("Always count.", "(b)")
    )
    assert (prose.kind, prose.text) == ("prose", PROSE)
    assert prose.follows == "Never wait. Always count."


def test_items_of_one_style_do_not_belong_to_each_other() -> None:
    first, *_ = made(
        block("Wait for this:", "•"),
        block("an inner one here", "–"),
        block("Always count.", "•"),
    )
    assert first.text == "Wait for this: an inner one here"


def test_the_first_passage_that_begins_on_a_page_is_on_top() -> None:
    found = made(
        block("Queues and clerks", is_heading=True),
        block(PROSE),
        dataclasses.replace(block(f"{PROSE} {PROSE}"), last_page=2, page_breaks=(20,)),
        block(PROSE, page=2),
        block(PROSE, page=3),
    )
    assert [item.on_top for item in found] == [False, True, False, False, True]


def test_what_is_no_text_is_left_out_with_a_reason() -> None:
    kept, left_out = parted(block("x = 1 + 2"), block("Heap", mono=1.0))
    assert kept == []
    assert [item.reason for item in left_out] == ["symbols", "word"]
