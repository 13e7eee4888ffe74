"""Words and stems in several scripts."""

import pytest

from quarry.languages.words import is_common, stems, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", "hello world"),
        ("a 3-way merge of 10 runs", "a 3 way merge of 10 runs"),
        ("don't panic: it’s O(n)", "don't panic it's o n"),
        ("STRASSE and Straße", "strasse and strasse"),
        ("ﬁnal ① ２", "final 1 2"),
        ("cafe\u0301 = café", "café café"),
        ("snake_case x.y", "snake case x y"),
        ("עץ חיפוש, וצה״ל", "עץ חיפוש וצה״ל"),
        ("דו\"ח וצ'ק", "דו\"ח וצ'ק"),
        ("'quoted' “words”", "quoted words"),
        (" \n\t…!? ", ""),
    ],
)
def test_words_are_folded_and_in_order(text: str, expected: str) -> None:
    assert words(text) == expected.split()


def test_english_words_are_stemmed_and_others_stay() -> None:
    assert stems("Sorting sorted sorts") == ["sort"] * 3
    assert stems("the recursions: 42 עצים") == ["the", "recurs", "42", "עצים"]


def test_common_words_are_those_of_general_language_in_any_inflected_form() -> None:
    for word in ("people", "wrote", "quieter", "kneading", "remedies", "ילדים"):
        assert is_common(word), word
    # no form of "regular"
    for word in ("quicksort", "heapsorts", "regularization", "פולינומיאלי"):
        assert not is_common(word), word
