"""ingest/paragraphs/markers.py: bullets and numbers at the beginning of lines."""

from ingest.paragraphs.markers import is_next_label, marker_words
from tests.ingest.paragraphs.lines import line


def test_a_letter_numbers_an_item_unless_it_is_an_initial_or_inside_a_sentence() -> (
    None
):
    for text, n_words in (
        ("a. Trees are graphs", 1),
        ("a. trees are graphs", 0),
        ("a. עצים הם גרפים", 1),
        ("א. עצים הם גרפים", 1),
        ("א. ב. יהושע כתב", 0),
        ("α) Δέντρα και γράφοι", 1),
        ("г. Москва стоит", 0),
        ("o עצים הם גרפים", 1),
        ("o terra mar", 0),
        ("--- Trees are graphs", 1),
        ("− trees are graphs", 1),
        ("− cos x + 1", 0),
        ("− (trees are graphs)", 0),
        ("⃝ Trees are graphs", 1),
        ("❍ Trees are graphs", 1),
        ("△ ABC is right", 0),
        ("™(c) Trees are graphs", 1),
    ):
        assert marker_words(line(text)) == n_words, text


def test_a_label_follows_the_one_before_it_in_the_same_style() -> None:
    for before, label, is_next in (
        ("a)", "b)", True),
        ("(9)", "(10)", True),
        ("א.", "ב.", True),
        ("a)", "c)", False),
        ("a)", "b.", False),
        ("1)", "1)", False),
        ("Trees", "and", False),
    ):
        assert is_next_label(before, label) is is_next, (before, label)
