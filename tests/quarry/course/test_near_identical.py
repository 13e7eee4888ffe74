"""Links between near-identical paragraphs."""

import pytest

from quarry.course.near_identical import near_identical
from quarry.course.paragraph import Paragraph
from tests.fakes import CACHES, HEBREW, LOCKS, TREES

MERGE_SORT = (
    "Merge sort splits the array into two halves, sorts each of them by itself, and then joins the sorted halves "
    "in one pass. In the worst case merge sort needs about n times log n comparisons, and it keeps "
    "the order of equal keys."
)


def paragraphs(*texts: str) -> list[Paragraph]:
    return [
        Paragraph(f"p{number}", "trees", 1, "", text, text)
        for number, text in enumerate(texts)
    ]


def test_same_text_up_to_case_signs_and_added_words_is_linked_to_the_first() -> None:
    for again in (
        TREES.upper(),
        TREES.replace(",", " –").replace(".", "!"),
        TREES.replace("a few steps", "few steps"),
        f"Indeed: {TREES}",
    ):
        duplicates = near_identical(paragraphs(CACHES, TREES, LOCKS, again))
        assert duplicates == {"p3": "p1"}


def test_of_two_equally_similar_paragraphs_the_first_is_the_original() -> None:
    longer = [f"{TREES} It takes {words}." for words in ("few pages", "little room")]
    for first, second in (longer, longer[::-1]):
        course = paragraphs(first, second, f"{TREES} It takes.")
        assert near_identical(course) == {"p2": "p0"}


def test_different_paragraphs_that_look_alike_are_not_linked() -> None:
    for other in (
        MERGE_SORT.replace("Merge", "Quick").replace(
            "merge", "quick"
        ),  # the same template, another subject
        MERGE_SORT.replace(
            "splits the array into two halves", "cuts a list at some pivot"
        ).replace("each", "both"),
        MERGE_SORT.replace("worst case", "best case")
        .replace("two halves", "three parts")
        .replace("equal", "unequal"),
        CACHES,
        MERGE_SORT.replace("sorted halves", "unsorted halves"),
        MERGE_SORT.replace("in one pass", "without one pass"),
        MERGE_SORT.replace("two halves", "halves"),
    ):
        assert near_identical(paragraphs(MERGE_SORT, other)) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The sum is bounded.", "The sum is not bounded."),
        ("The sum is bounded.", "The sum isn't bounded."),
        ("The 3 sums have 5 terms.", "The 5 sums have 3 terms."),
        ("The sum is finite.", "The sum is infinite."),
        ("Let x < y hold.", "Let x ≥ y hold."),
        ("Let A ∪ B be it.", "Let A ∩ B be it."),
        ("Let a ∥ b hold.", "Let a ∦ b hold."),
        ("הסכום חסום.", "הסכום אינו חסום."),
        ("נניח שהסכום חסום ושיש גבול.", "נניח שהסכום חסום ושאין גבול."),
    ],
)
def test_a_negation_a_number_or_a_relation_makes_another_paragraph(
    one: str, other: str
) -> None:
    rest = f"{CACHES} Each of them is read again in the next lecture."
    course = [f"{rest} {text}" for text in (one, other, rest)]
    assert "p1" not in near_identical(paragraphs(*course)), other
    assert near_identical(paragraphs(f"{rest} {one}", f"{rest} {one}"))


def test_events_told_by_one_template_stay_apart() -> None:
    for template, filled in (
        (
            "On {0} evening the members of our society came together in the old library, where {1} spoke for an hour "
            "about the history of {2} in the towns along the coast, and nobody left the room before the very end.",
            [
                ("Monday", "Dana Weiss", "tea"),
                ("Friday", "Omar Levy", "salt"),
                ("Sunday", "Ruth Adler", "glass"),
            ],
        ),
        (
            "בערב יום {0} התכנסו חברי האגודה שלנו בספרייה הישנה, ושם דיברה {1} במשך שעה ארוכה על תולדות {2} בערים "
            "שלאורך החוף, ואיש מן הנוכחים לא עזב את החדר לפני הסוף הגמור של הדברים.",
            [
                ("שני", "דנה", "התה"),
                ("שישי", "רות", "המלח"),
                ("חמישי", "מיכל", "הזכוכית"),
            ],
        ),
        (
            f"{TREES} {{0}}, among others, has found {{1}} of them.",
            [("Adler", "two"), ("Weiss", "two"), ("Weiss", "ten")],
        ),
    ):
        texts = [template.format(*words) for words in filled]

        assert near_identical(paragraphs(*texts)) == {}


def test_a_word_may_be_added_and_may_not_replace_another_one() -> None:
    for text, one, other in (
        (TREES, "at least", "at most"),
        (TREES, "an increasing row of", "a decreasing row of"),
        (TREES, "lists before trees", "trees before lists"),
        (HEBREW, "לכל היותר", "לכל הפחות"),
    ):
        texts = [f"{text} {text} {words}." for words in (one, other, "")]
        assert near_identical(paragraphs(*texts[:2])) == {}, other
        assert near_identical(paragraphs(*texts[1:])) == {"p1": "p0"}, other


def test_no_paragraphs_and_paragraphs_without_words_are_no_error() -> None:
    assert near_identical([]) == {}
    assert near_identical(paragraphs("§ ≤ ∑", "a")) == {}
