"""ingest/paragraphs/from_blocks.py: what a paragraph holds beside its own block, and where pages turn in it."""

import dataclasses
from dataclasses import replace
from typing import Any

import pytest

from configs.settings import IngestSettings
from ingest.paragraphs.blocks import Block
from ingest.paragraphs.from_blocks import make_paragraphs
from quarry.course.paragraph import Paragraph

SETTINGS = IngestSettings(
    timeout_s=60,
    memory_mb=2000,
    min_words=8,
    max_words=60,
    reader="pypdfium2",
)
PROSE = "A queue hands out first whatever came in first, as a fair clerk would."


def block(
    text: str,
    number: str = "",
    page: int = 1,
    **features: Any,
) -> Block:
    return Block(page, "", text, number=number, last_page=page, **features)


def made(*blocks: Block) -> list[Paragraph]:
    return make_paragraphs("a", blocks, [()] * len(blocks), SETTINGS)[0]


def test_the_heading_of_a_paragraph_is_that_of_its_innermost_section() -> None:
    blocks = [block("Waiting lines", is_heading=True), block(PROSE)]
    blocks = [replace(one, heading="The heading before") for one in blocks]
    paths = [("Queues",), ("Queues", "Waiting lines")]
    whole, _ = make_paragraphs("a", blocks, paths, SETTINGS)
    assert [one.heading for one in whole] == ["Queues", "Waiting lines"]


def test_a_lead_in_holds_its_list_and_each_item_is_a_paragraph_too() -> None:
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
    assert (first.kind, first.text) == ("item", "Never wait.")
    assert (second.kind, after.kind) == ("item", "prose")


def test_a_numbered_list_of_references_is_left_out_as_a_whole() -> None:
    dated = "Jones, K. (1972) A study of boats, London: Graham."
    plain = "Robert Allen “All boats of this harbour,” Boats and Tides, 64: 2."
    entries = [block(dated, "1."), block(plain, "2."), block(dated, "3.")]
    assert not made(*entries)
    (kept,) = made(*entries[:2])
    assert kept.text == plain
    heading = block("Exercises for everyone", "7.", is_heading=True)
    exercise = replace(block(PROSE, "1."), heading="Exercises for everyone")
    assert len(made(*entries, heading, exercise)) == 2


def test_a_list_that_the_text_cites_by_its_numbers_is_left_out() -> None:
    boats, tides = "All boats of a harbour", "All tides of a harbour"
    entries = [block(boats, "[1]"), block(tides, "[2]")]
    for text, expected in (
        (f"{PROSE} It is fair [2].", []),
        (f"{PROSE} It is fair [3].", [boats, tides]),
        (f"{PROSE} ## [1] 0.5", [boats, tides]),  # the output of a program
    ):
        _, *kept = made(block(text), *entries)
        assert [paragraph.text for paragraph in kept] == expected


def test_a_lead_in_does_not_hold_the_next_item_of_the_list_around_it() -> None:
    inside = [block("Never wait.", "a.", indent=3.0), block("Run.", "b.", indent=3.0)]
    for indent, expected in ((1.5, "We say: Never wait. Run."), (3.0, None)):
        after = block("Always count.", "2.", indent=indent)
        lead, *_ = made(block("We say:", indent=3.0), *inside, after)
        assert lead.text == (expected or "We say: Never wait. Run. Always count.")


def test_a_display_after_a_colon_belongs_to_the_lead_in() -> None:
    note = block("A note between them.", footnote=True)
    lead, *_ = made(
        block("The sum is:"),
        note,
        block("x + y = 2"),
        block(PROSE),
    )
    assert lead.text == "The sum is: x + y = 2"
    text = "Every queue of this course is fair and hands out its first."
    lead, after = made(block("And now to the point:"), block(text))
    assert lead.text == "And now to the point:"
    assert (after.kind, after.text) == ("prose", text)


def test_words_below_a_list_or_a_lead_in_do_not_belong_to_it() -> None:
    items = [block("Oars", number="•"), block("Nets of two boats", number="•")]
    lead, *_ = made(block("All boats have:"), *items, block("Sails"))
    assert lead.text == "All boats have: Oars Nets of two boats"
    lead, *_ = made(block("All boats have:"), block("Sails"), *items)
    assert lead.text == "All boats have:"


def test_a_sentence_that_introduces_something_does_not_belong_to_a_lead_in() -> None:
    text = "Every queue of this course hands out its first one:"
    lead, after = made(block("And now to the point:"), block(text))
    assert (lead.text, after.text) == ("And now to the point:", text)


def test_a_formula_that_ends_a_sentence_is_in_the_paragraph() -> None:
    text = f"{PROSE} Its length is by definition the number of all that it has"
    (paragraph,) = made(block(text, display="n = 1"))
    assert paragraph.text == f"{text} n = 1"


def test_a_colon_introduces_formulas_and_neither_code_nor_cells() -> None:
    (lead,) = made(block("For example:"), block("f(x) = 1"))
    assert (lead.kind, lead.text) == ("lead-in", "For example: f(x) = 1")
    for text, in_table, expected in (
        ("# wait for the boat", False, "For example:"),
        ("x1 x2", True, "For example:"),
        ("6 12", False, "For example:"),  # numbers of lines
        ("x = y", True, "For example: x = y"),
    ):
        (lead,) = made(block("For example:"), block(text, in_table=in_table))
        assert lead.text == expected


def test_the_signs_of_a_figure_do_not_belong_to_a_lead_in() -> None:
    for caption, text in (
        ("Figure 3: Boats of the harbour", "For example:"),
        ("All boats have oars.", "For example: e1 v2"),
    ):
        lead, *_ = made(*map(block, ("For example:", "e1", "v2", caption)))
        assert lead.text == text


def test_a_heading_with_a_colon_introduces_its_list() -> None:
    lead, _ = made(block("The rules:", is_heading=True), block("Never wait.", "•"))
    assert (lead.kind, lead.text) == ("lead-in", "The rules: Never wait.")


def test_an_item_below_a_display_does_not_belong_to_a_lead_in() -> None:
    lead, _ = made(
        block("The sum is:"), block("x + y = 2"), block("Never wait at all.", "1.")
    )
    assert lead.text == "The sum is: x + y = 2"


def test_names_at_the_head_of_a_document_are_no_paragraphs() -> None:
    title = block("Heaps", is_heading=True, size_ratio=1.25)
    name, sentence = block("Lecturer Noa Levi"), block("Here is a short sentence.")
    assert made(name, title, name, sentence, name) == made(title, sentence, name)
    code = block("def moor(boat):", mono_share=1.0)
    assert not made(title, name)
    assert made(title, block("nodes of a heap hold the least key on top"))
    assert [paragraph.text for paragraph in made(title, code, name)] == [name.text]


def test_a_text_at_the_margin_below_two_headings_is_no_name() -> None:
    titles = [block(text, is_heading=True) for text in ("Queues", "Definition")]
    text = block("Let X be the number of clerks who wait")
    assert made(*titles, text)
    assert not made(titles[0], text)
    assert not made(*titles, replace(text, text="Lecturer: Noa Levi of the Ministry"))
    assert not made(*titles, replace(text, indent=6.0))
    assert not made(*titles, block("Noa Levi and Dan"))


def test_the_opening_sentence_of_a_text_with_a_bold_title_begins_with_it() -> None:
    title = "Cauchy criterion."
    (text,) = made(block(f"{title} {PROSE} {PROSE}", n_title=len(title)))
    assert text.opening_sentence == f"{title} {PROSE}"


def test_the_opening_sentence_ends_where_the_next_one_opens_without_a_stop() -> None:
    beginning = "We obtain x = 1"
    (text,) = made(block(f"{beginning} Then {PROSE}", n_first=len(beginning)))
    assert text.opening_sentence == beginning


def test_prose_before_a_list_stays_as_it_was_and_knows_the_list() -> None:
    items = [block("Never wait.", "(1)"), block("Always count.", "(2)")]
    prose, *_ = made(block(PROSE), *items, block("Heap", is_heading=True))
    assert (prose.kind, prose.text) == ("prose", PROSE)
    assert prose.follows == "Never wait. Always count."


@pytest.mark.parametrize("numbers", [("•", "•"), ("(1)", "(2)"), ("1.", "2.")])
def test_items_of_one_style_do_not_belong_to_each_other(
    numbers: tuple[str, str],
) -> None:
    first, *_ = made(
        block("Wait for this:", numbers[0]),
        block("an inner one here", "–"),
        block("Always count.", numbers[1]),
    )
    assert first.text == "Wait for this: an inner one here"


@pytest.mark.parametrize(
    ("inner", "outer"), [("•", "2."), ("–", "•"), ("-", "2."), ("a)", "2.")]
)
def test_an_item_of_an_outer_list_does_not_belong_to_an_inner_one(
    inner: str, outer: str
) -> None:
    _, first, _ = made(
        block(PROSE),
        block("Never wait at all.", inner),
        block("Always count.", outer),
    )
    assert (first.text, first.follows) == ("Never wait at all.", "")


def test_the_first_paragraph_that_begins_on_a_page_is_on_top() -> None:
    turned = block(f"{PROSE} {PROSE}", page_breaks=(20,))
    paragraphs = made(
        block("Queues and clerks", is_heading=True),
        block(PROSE),
        dataclasses.replace(turned, last_page=2),
        block(PROSE, page=2),
        block(PROSE, page=3),
    )
    assert [item.on_top for item in paragraphs] == [False, True, False, False, True]


def test_what_is_no_text_is_left_out_with_a_reason() -> None:
    blocks = [block("x = 1 + 2"), block("Heap", mono_share=1.0)]
    kept, left_out = make_paragraphs("a", blocks, [(), ()], SETTINGS)
    assert kept == []
    assert [item.reason for item in left_out] == ["symbols", "code"]
