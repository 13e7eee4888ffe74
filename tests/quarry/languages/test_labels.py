"""quarry/languages/labels.py: the labels of captions."""

import pytest

from quarry.languages.labels import caption_label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Figure 3: A tree", "Figure 3: "),
        ("Notation 3.3: A tree", "Notation 3.3: "),
        ("Figure 2.3 – Un arbre", "Figure 2.3 – "),
        ("Figure 3 : Un arbre", "Figure 3 : "),
        ("איור 3 : עץ", "איור 3 : "),
        ("Figure 3 - 5 are trees", ""),
        ("Figure 3 shows a tree", ""),
        ("FIGURE 3 A tree", "FIGURE 3 "),
        ("PART 3 Trees", ""),
        ("Part 1 – Trees", ""),
    ],
)
def test_a_stop_a_colon_or_a_dash_after_the_number_ends_a_label(
    text: str, label: str
) -> None:
    assert caption_label(text) == label
