"""ingest/paragraphs/markers.py: bullets and numbers at the beginning of lines."""

from dataclasses import replace

from ingest.layout.line import PlacedLine, Word
from ingest.paragraphs.markers import (
    clean_start,
    is_next_label,
    marker_words,
    split_items,
)
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
        ("*) Trees are graphs", 1),
        ("(**) Trees are graphs", 1),
        ("(b). Trees are graphs", 1),
        ("3- Trees are graphs", 1),
        ("3- and 4-connected graphs", 0),
        ("− trees are graphs", 1),
        ("− cos x + 1", 0),
        ("− (trees are graphs)", 0),
        ("⃝ Trees are graphs", 1),
        ("❍ Trees are graphs", 1),
        ("△ ABC is right", 0),
        ("™(c) Trees are graphs", 1),
        ("ii) x = 0 is the root", 1),
        ("b) x is the root", 0),
        ("・ 木はグラフである", 1),
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
        ("i.", "ii.", True),
        ("(iii)", "(iv)", True),
        ("I.", "II.", True),
        ("h)", "i)", True),
        ("3-", "4-", True),
        ("i.", "iii.", False),
        ("Trees", "and", False),
    ):
        assert is_next_label(before, label) is is_next, (before, label)


def test_several_numbers_begin_a_line_above_the_next_one_or_a_hanging_text() -> None:
    numbers = line("3. (a) i. Trees are graphs")
    assert marker_words(numbers, line("ii. Graphs are sets", left=60.0, x0=60.0)) == 3
    numbers = line("3. (b) ii. Trees are graphs")
    assert marker_words(numbers, line("iii. Graphs are", left=60.0, x0=60.0)) == 3
    assert marker_words(numbers, line("without any cycles", x0=80.0)) == 1
    for text, expected in (("2. • Trees", 2), ("2. − Trees", 1)):
        assert marker_words(line(text), line("Graphs are sets")) == expected
    below = line("x = y", x0=150.0)
    for text, expected in (("3. (a) Trees", 2), ("3. (a) and", 1), ("3. (b) Trees", 1)):
        assert marker_words(line(f"{text} are graphs"), below) == expected, text


def test_an_icon_beside_a_text_is_no_bullet() -> None:
    text = line("\ufffd Trees grow")
    icon, *words = text.words
    small, large = (replace(icon, size=size, x0=20.0, x1=30.0) for size in (10.0, 20.0))
    for sign, expected in ((small, 3), (large, 2)):
        item = clean_start(replace(text, words=(sign, *words), x0=20.0))
        assert len(item.words) == expected
    assert item.x0 == words[0].x0


def test_a_number_is_parted_from_the_first_word_of_an_item() -> None:
    for text, expected in (
        ("2.Trees grow", ["2.", "Trees", "grow"]),
        ("(2)Trees grow", ["(2)", "Trees", "grow"]),
        ("2.trees grow", ["2.trees", "grow"]),
        ("2.T grow", ["2.T", "grow"]),
        ("2.5 trees", ["2.5", "trees"]),
        ("・木は grow", ["・", "木は", "grow"]),
    ):
        item = clean_start(line(text))
        assert [word.text for word in item.words] == expected
    item = clean_start(line("2.עצים", rtl=True, from_right=True))
    number, tree = item.words
    assert (number.text, tree.text) == ("2.", "עצים")
    assert tree.x0 < tree.x1 == number.x0 < number.x1


def _in_columns(text: str, starts: dict[str, float]) -> PlacedLine:
    """Set a line whose words follow each other, but for those that start at a place of their own."""
    words = []
    x = 50.0
    for word in text.split():
        x = starts.get(word, x)
        words.append(Word(word, x, x + 20, 10, 0, False, False))
        x += 23
    return line("", words=tuple(words), n_gaps=len(starts))


def test_items_in_columns_are_lines_of_their_own() -> None:
    for text, starts, expected in (
        ("(a) even (c) odd", {"(c)": 200.0}, ["(a) even", "(c) odd"]),
        ("(a) even (c) odd", {}, ["(a) even (c) odd"]),
        ("(a) see (b)", {"(b)": 200.0}, ["(a) see (b)"]),
        ("(a) even 2. odd", {"2.": 200.0}, ["(a) even 2. odd"]),
        ("even (c) odd", {"(c)": 200.0}, ["even (c) odd"]),
        ("(c) even (a) odd", {"(a)": 200.0}, ["(c) even (a) odd"]),
        ("1.5 kg of 2.5 kg", {"2.5": 200.0}, ["1.5 kg of 2.5 kg"]),
    ):
        items = split_items(_in_columns(text, starts))
        assert [item.text for item in items] == expected
        assert all(item.start_after(0) == item.words[0].x0 for item in items)
