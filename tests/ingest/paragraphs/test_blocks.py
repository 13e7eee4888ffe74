"""ingest/paragraphs/{blocks,decisions,groups,habits,hyphens,markers}.py: paragraphs and where they begin."""

from __future__ import annotations

import pytest
import typst

from ingest.layout.arrange import arrange
from ingest.paragraphs.blocks import Block, split
from tests.contracts.handmade import Run, lines
from tests.ingest.reading import arranged, extracted

# In Helvetica 10 each of these is 250 to 275 points wide, so that no first word of the next line would have fitted.
PROSE = [
    "Sorting puts records in order by comparing the keys",
    "of pairs, and most of its cost lies in moving records",
    "about, which is why a good method moves every one",
    "of them seldom.",
]


def _blocks(*pages: list[Run]) -> list[Block]:
    return list(split(arranged(*pages)))


def _texts(*pages: list[Run]) -> list[str]:
    return [block.text for block in _blocks(*pages)]


def test_an_indent_begins_a_paragraph() -> None:
    first, second = (
        PROSE[:3],
        ["A second thought is set off by an indent of its own", *PROSE[1:]],
    )
    page = [
        *lines(first, 50, 200),
        Run(65, 236, second[0]),
        *lines(second[1:], 50, 248),
    ]
    assert _texts(page) == [" ".join(first), " ".join(second)]


def test_a_short_last_line_ends_a_paragraph() -> None:
    assert _texts(lines([*PROSE, *PROSE], 50, 200)) == [" ".join(PROSE)] * 2


@pytest.mark.parametrize("bullet", ["•", "o"])
def test_a_bullet_begins_an_item_and_is_not_its_text(bullet: str) -> None:
    page = [
        Run(50, 200, bullet),
        Run(62, 200, PROSE[0]),
        *lines(PROSE[1:], 62, 212),
        Run(50, 248, bullet),
        Run(62, 248, "Search finds."),
    ]
    blocks = _blocks(page)
    assert [block.text for block in blocks] == [" ".join(PROSE), "Search finds."]
    assert all(block.number for block in blocks)


def test_the_initial_of_a_name_is_not_the_letter_of_an_item() -> None:
    text = ["K. Jones proposed in 1972 to weigh words by rarity,", *PROSE[1:]]
    assert _texts(lines(text, 50, 200)) == [" ".join(text)]


def test_a_heading_stands_over_the_paragraphs_below_it() -> None:
    page = [
        Run(50, 180, "Sorting", font="bold"),
        *lines(PROSE, 50, 200),
        Run(50, 270, "Search", size=14),
        *lines(PROSE, 50, 290),
    ]
    blocks = _blocks(page)
    assert [(block.heading, block.is_heading) for block in blocks] == [
        ("", True),
        ("Sorting", False),
        ("Sorting", True),
        ("Search", False),
    ]


def test_a_footnote_does_not_part_the_paragraph_it_interrupts() -> None:
    note = Run(50, 700, "1 A note of its own.", size=8)
    blocks = _blocks([*lines(PROSE[:2], 50, 200), note], lines(PROSE[2:], 50, 200))
    assert [(block.text, block.footnote) for block in blocks] == [
        (" ".join(PROSE), False),
        ("A note of its own.", True),
    ]


def test_a_word_broken_at_a_line_end_is_made_whole() -> None:
    text = [
        "Sorting puts records in order by comparing the impor-",
        "tant keys of pairs, and most of its cost lies in moving.",
    ]
    assert _texts(lines(text, 50, 200)) == [
        "Sorting puts records in order by comparing the important keys of pairs, and most of its cost lies in moving."
    ]


def test_a_compound_that_occurs_elsewhere_with_its_hyphen_keeps_it() -> None:
    text = [
        "A task is well-known when it stands in all of the books",
        "and a task that does not stand in them all is not well-",
        "known at all, which is why a good method avoids them.",
    ]
    assert "is not well-known at all" in _texts(lines(text, 50, 200))[0]


def test_a_display_inside_a_sentence_does_not_end_the_paragraph() -> None:
    before, after = (
        [
            "Sorting puts records in order by comparing the keys",
            "of pairs, and needs at least",
        ],
        "comparisons of them.",
    )
    page = [
        *lines(before, 50, 200),
        Run(150, 228, "n log n - n"),
        Run(50, 246, after),
        *lines(PROSE, 50, 280),
    ]

    assert _texts(page) == [
        f"{before[0]} {before[1]} n log n - n {after}",
        " ".join(PROSE),
    ]


def test_a_number_that_stands_no_farther_apart_than_words_is_no_marker() -> None:
    # justified: every space of the first line is 10 points wide
    places = {
        77: "0.95",
        106.5: "looks",
        139.8: "like",
        164.8: "good",
        196.8: "luck",
        224.6: "overall",
    }
    first = [Run(x, 200, word) for x, word in places.items()]
    text = " ".join([*places.values(), *PROSE[1:]])
    assert _texts([*first, *lines(PROSE[1:], 50, 212)]) == [text]


def test_the_number_of_an_exercise_and_the_letter_of_its_part_are_no_text() -> None:
    page = [
        *(
            Run(50, 200, "39."),
            Run(68, 200, "(a)"),
            Run(84, 200, PROSE[0]),
            *lines(PROSE[1:], 84, 212),
        ),
        *(Run(68, 248, "(b)"), Run(84, 248, PROSE[0]), *lines(PROSE[1:], 84, 260)),
    ]
    blocks = _blocks(page)
    assert [block.text for block in blocks] == [" ".join(PROSE)] * 2
    assert [block.number for block in blocks] == ["39.", "(b)"]


@pytest.mark.parametrize(
    ("lang", "caption"),
    [
        ("en", "The running times, as printed, of Merge Sort and Binary Search Trees"),
        ("en", "The running times of all our methods of sorting, on a list of trees"),
        ("he", "זמני הריצה של כל השיטות שלנו למיון רשימות של מספרים טבעיים לפי הספר"),
    ],
)
def test_the_second_line_of_a_centred_caption_belongs_to_it(
    lang: str, caption: str
) -> None:
    source = f"""
#set page(width: 300pt)
#set par(justify: true)
#set text(lang: "{lang}", font: "Libertinus Serif")
{" ".join(PROSE)}
#figure(rect(), caption: [{caption}])
{" ".join(PROSE)}
"""
    (block,) = (
        block.text
        for block in split(arrange(extracted(typst.compile(source.encode()))))
        if caption[:5] in block.text
    )
    assert block.endswith(caption)
