"""quarry/course/sentences.py: the opening sentence, word for word."""

from pathlib import Path

import pytest

from quarry.course.sentences import alternative_openings, opening_sentence, sentences

SENTENCES = Path(__file__).with_name("sentences.txt")
"""Texts, one a line, their sentences parted by a bar."""


def test_sentences_end_where_they_end() -> None:
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 280
    for line in lines:
        parts = line.split("|")
        text = " ".join(parts)
        assert sentences(text) == parts
        assert opening_sentence(text) == parts[0]


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("הלוח מחומם.המשוואות נתונות.", "הלוח מחומם."),
        ("היא מקבלת קלט (צומת) .פונקציה אחרת היא.", "היא מקבלת קלט (צומת) ."),
        ("He taught Technology.His book sold well.", "He taught Technology."),
        ("Call Math.Random and java.util.List here.", None),
        ("The method Array.Find with Node.Is empty shows it.", None),
        ("By ineq. (a) we get a bound of max. x here.", None),
        ("הפונקציה Node.שם מחזירה ערך.", None),
        ("По Н. Wiener это так.", None),
        ("נכתב בקובץ main.py של א.ב.ג. כאן.", None),
    ],
)
def test_a_space_after_the_stop_may_be_missing_or_before_it(
    text: str, opening: str | None
) -> None:
    assert opening_sentence(text) == (opening or text)


def test_chinese_and_japanese_sentences_end_at_any_stop_without_a_space() -> None:
    for parts in (
        ["水在零度结冰.", "冰比水轻,所以浮在水面."],
        ["力的单位是N.", "那么能量的单位是什么呢?", "它是J."],
        ["什么是熵?", "它从不减少！"],
        ["水は零度で凍る．", "つまり，氷になる．"],
        ["見よ(図 3)．", "次に進む。"],
        ["例 3．5 を考える。"],
        ["用Node.js等工具写程序."],
        ["图1.2中的曲线"],
    ):
        assert sentences("".join(parts)) == parts


def test_a_word_with_a_stop_that_is_an_index_ends_no_sentence() -> None:
    text = "It is ∏p prime. (1 + p) here. The rest follows."
    assert opening_sentence(text) == "It is ∏p prime."
    assert opening_sentence(text, indices=["prime."]) == "It is ∏p prime. (1 + p) here."


def test_text_without_an_end_is_its_own_opening_sentence() -> None:
    assert opening_sentence("no end here") == "no end here"
    assert opening_sentence("") == ""


def test_what_else_may_be_the_first_sentence() -> None:
    heading = "Stratified samples. Parts that differ are sampled."
    abbreviated = "Trees are graphs, e.g."
    for text, *openings in (
        (f"{heading} The rest follows.", heading),
        (f"{abbreviated} of dependence. And more follows here.", abbreviated),
        ("A sentence of more than five words. Another one.",),
    ):
        assert [*alternative_openings(text)] == openings
