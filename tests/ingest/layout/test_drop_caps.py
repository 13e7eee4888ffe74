"""ingest/layout/drop_caps.py: letters as high as two lines."""

from ingest.paragraphs.blocks import find_blocks
from tests.contracts.handmade import Run, lines
from tests.ingest.reading import arranged

BESIDE = [
    "very tree has a root, and from the root a",
    "path goes down to every leaf that there is,",
]
BELOW = [
    "so that whoever looks for a key begins at the",
    "root and never has to turn back on the way.",
]


def _blocks(runs: list[Run]) -> list[str]:
    return [block.text for block in find_blocks(arranged(runs))]


def test_a_drop_cap_is_the_first_letter_of_its_paragraph() -> None:
    text = " ".join(BESIDE + BELOW)
    page = lines(BESIDE, 69, 100)
    page += lines(BELOW, 50, 124)
    for baseline in (112, 109):  # that of the second line, or near it
        cap = Run(50, baseline, "E", size=26)
        assert _blocks([cap, *page]) == [f"E{text}"]


def test_a_large_letter_that_is_a_word_is_parted_from_the_next_one() -> None:
    # the first line begins a space farther to the right than the second
    first, second = BESIDE
    page = [
        Run(50, 112, "A", size=26),
        Run(73, 100, first),
        Run(69, 112, second),
        *lines(BELOW, 50, 124),
    ]
    assert _blocks(page)[0].startswith("A very tree")


def test_a_large_letter_with_one_line_beside_it_is_no_drop_cap() -> None:
    page = [
        Run(50, 112, "E", size=26),
        Run(72, 112, "is the letter of this lesson in large print"),
        *lines(BELOW, 50, 140),
    ]
    assert _blocks(page)[0].startswith("E is the letter")


def test_a_large_initial_is_joined_to_the_small_letters_next_to_it() -> None:
    for gap, begins in ((0, "Every tree"), (5, "E very tree")):
        cap = Run(50, 112, "E", size=26)
        first = Run(50 + 18 + gap, 112, "very tree has a root, and from the")
        page = [cap, first, *lines(BELOW, 50, 124)]
        assert _blocks(page)[0].startswith(begins), gap


def test_letters_of_a_formula_stay_where_they_are() -> None:
    page = [
        *lines(BESIDE, 50, 100),
        Run(50, 124, "A"),
        Run(69, 124, "is small"),
        *lines(BELOW, 50, 136),
    ]
    assert "A is small" in " ".join(_blocks(page))
