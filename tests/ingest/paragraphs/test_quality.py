"""ingest/paragraphs/quality.py: what is playable, and why the rest is not."""

from __future__ import annotations

import pytest

from quarry.configs.settings import IngestSettings
from quarry.ingest.paragraphs.quality import rejection
from quarry.ingest.paragraphs.split import Block

SETTINGS = IngestSettings(workers=1, timeout_s=60, memory_mb=2000, min_words=25, max_words=60, reader="auto")
PROSE = (
    "The pivot should fall somewhere in the middle of the array, because a lopsided split leaves almost all of the "
    "work undone. Random choice makes that likely, whatever the input happens to be."
)
HEBREW = (
    "דוגמה נוספת היא חלוקת עוגת יום-הולדת בין ילדים. אנחנו מניחים שלכל ילד יש זכויות שוות, אבל יש להם טעמים שונים - "
    "אחד אוהב שוקולד, אחד אוהב קצפת וכו'. הם עלולים לקנא ולריב וזה לא יהיה נעים."
)


def _reason(text: str, **features: float | bool | str) -> str:
    return rejection(Block(page=1, heading="", text=text, **features), SETTINGS)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [PROSE, HEBREW])
def test_prose_is_kept_in_any_language(text: str) -> None:
    assert _reason(text) == ""


def test_the_limits_count_words_by_white_space() -> None:
    assert _reason(" ".join(["word"] * 24) + " end") == "list"  # 25 words pass the limit, but no sentence ends
    assert _reason(" ".join(["word"] * 23) + " end.") == "short"
    assert _reason(" ".join(["word"] * 24) + " end.") == ""
    assert _reason(" ".join(["word"] * 59) + " end.") == ""
    assert _reason(" ".join(["word"] * 60) + " end.") == "long"


def test_a_bullet_that_holds_whole_sentences_is_kept() -> None:
    assert _reason(PROSE, number="1.") == ""


def test_what_geometry_tells_is_believed() -> None:
    assert _reason(PROSE, footnote=True) == "footnote"
    assert _reason(PROSE, is_heading=True) == "heading"
    assert _reason(PROSE, in_table=True) == "table"
    assert _reason(PROSE, mono=0.9) == "code"
    assert _reason(PROSE, gap_share=0.8) == "table"
    assert _reason(PROSE, unknown_share=0.3) == "broken"


def test_a_footnote_as_long_as_a_paragraph_is_one() -> None:
    assert _reason(f"{PROSE} {PROSE}".removesuffix("whatever the input happens to be."), footnote=True) == ""


def test_contents_are_told_by_their_leaders() -> None:
    assert _reason("1.2 Simplify and Delegate . . . . . . . . . . . . . 22") == "contents"


def test_formulas_are_told_by_their_few_letters() -> None:
    assert (
        _reason("T(n) = 2T(n/2) + O(n) = O(n log n), x + y = 3 · (2 − z) ≤ 7 · (1 + 2) = 21, f(x) → 0, g(x) ≥ 1.")
        == "formula"
    )


def test_tables_are_told_by_their_digits() -> None:
    assert _reason(" ".join(f"run {number} 0.{number}7 91.{number}" for number in range(10, 20)) + ".") == "table"


def test_captions_are_told_by_their_number_and_small_print() -> None:
    assert _reason(f"Figure 1.6. {PROSE}", size_ratio=0.9) == "caption"
    assert _reason(f"Figure 1.6 shows that {PROSE}", size_ratio=1.0) == ""


def test_references_are_told_by_initials_and_a_year() -> None:
    assert (
        _reason(
            "K. Jones, A. Smith, B. Gale, C. Yarowsky and D. Church. A Statistical Interpretation of Term Specificity. "
            "Journal of Documentation, London, 1972. Reprinted by Taylor Graham."
        )
        == "references"
    )


def test_references_are_told_by_a_year_that_stands_alone() -> None:
    assert (
        _reason(
            "Ting-En Lin and Hua Xu. 2019. Deep unknown intent detection with margin loss. In Proceedings of the "
            "Annual Meeting of the Association for Computational Linguistics (ACL)."
        )
        == "references"
    )


def test_sentences_rich_in_symbols_are_prose() -> None:
    text = (
        "For A ⊆ V with s ∈ A write c ( A ) for the sum of c ( u , v ) over all v ∉ A . "
        "Then f ≤ c ( A ) for every flow f , and c is full."
    )
    assert _reason(text) == ""
    assert _reason(text.removeprefix("For ").replace("A ⊆", "x ⊆", 1)) == "formula"  # it begins in the middle
    assert _reason(text.replace(".", "")) == "formula"


def test_comments_of_a_listing_in_the_font_of_the_text_are_code() -> None:
    assert _reason(f"# {PROSE}") == "code"
