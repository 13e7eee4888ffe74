"""ingest/paragraphs/beginnings.py: where a paragraph begins, on lines set by hand."""

from dataclasses import replace
from typing import Any

from ingest.layout.line import PlacedLine, Word
from ingest.paragraphs.beginnings import Break, deciding_rule, group_lines
from ingest.paragraphs.continuations import join_continuations
from ingest.paragraphs.habits import TypesettingHabits
from ingest.paragraphs.line_group import LineGroup
from tests.ingest.paragraphs.lines import HABITS, OPEN, line


def begins(
    group: LineGroup,
    after: PlacedLine,
    below: PlacedLine | None = None,
    habits: TypesettingHabits = HABITS,
) -> bool:
    _, is_new = deciding_rule(Break(group, after, below, habits))
    return is_new


def item_line(text: str, **features: Any) -> PlacedLine:
    """Return the first line of an item with the number 3 before its text."""
    words = line(text).words
    marker = replace(words[0], text="3.", x0=40.0, x1=45.0)
    return line("", words=(marker, *words), x0=40.0, **features)


def labelled(text: str, is_bold: bool = True, **features: Any) -> PlacedLine:
    """Return a line whose first word is a label in bold."""
    label, *others = line(text).words
    words = (replace(label, bold=is_bold), *others)
    return line("", words=words, **features)


def test_a_line_without_an_initial_is_not_inside_a_sentence() -> None:
    assert not line("(").is_inside_sentence
    assert line(", where n").is_inside_sentence
    assert not line("pop() היא פונקציה", rtl=True).is_inside_sentence


def test_an_item_begins_below_a_hyphen_after_which_a_word_goes_on() -> None:
    group = LineGroup([line("דוגמאות לעצים שאינם גדלים-")])
    assert begins(group, line("a. לא סימטרי", y=112.0, x0=65.0))
    assert not begins(group, line("graphs של עצים", y=112.0))


def test_gaps_and_hanging_lines_decide_where_a_paragraph_begins() -> None:
    group = LineGroup([line("Trees are graphs")])
    for features, start_below, expected in (
        ({}, 50.0, False),
        ({"in_table": True}, 50.0, True),
        ({"n_gaps": 1}, 50.0, False),
        ({"n_gaps": 2}, 50.0, True),
        ({"x0": 65.0}, 50.0, True),
        ({"x0": 65.0}, 65.0, False),
    ):
        below = line("and more", x0=start_below)
        after = line("Without cycles", y=112.0, **features)
        assert begins(group, after, below) is expected, features


def test_an_open_sentence_of_an_item_goes_on_below_its_text_at_any_height() -> None:
    group = LineGroup([item_line("Trees that grow", left=20.0)], 1)
    for text, y, start, expected in (
        ("and fall", 118.0, 50.0, False),
        ("“and fall", 118.0, 50.0, False),
        ("and fall", 118.0, 58.0, True),
        ("Then fall", 118.0, 50.0, True),
        ("and fall", 112.0, 68.0, False),
        ("and fall", 112.0, 88.0, True),
        ("and fall", 130.0, 50.0, False),
        ("and fall", 140.0, 50.0, True),
    ):
        after = line(text, y=y, x0=start)
        assert begins(group, after) is expected, (text, start)
    words = line("Trees that grow").words
    short = LineGroup([line("Trees that grow", x1=240.0)])
    long = replace(line("lanternkeepers").words[0], x1=105.0)
    for first, expected in ((long, False), (words[0], True)):
        after = line("", words=(replace(first, text="lanterns"), *words), y=130.0)
        assert begins(short, after) is expected
    apart = line("and fall", y=112.0, n_gaps=1)

    assert not begins(group, apart)


def test_a_paragraph_ends_short_of_the_edge_at_which_all_its_other_lines_end() -> None:
    habits = replace(HABITS, spaced=True)
    full = [line("Trees are graphs", x1=295.0), line("that have no", x1=295.0, y=112.0)]
    after = line("Every tree", x1=295.0, y=136.0)
    for text, end, expected in (
        ("cycles.", 200.0, True),
        ("cycles and no more.", 294.0, False),
    ):
        group = LineGroup([*full, line(text, x1=end, y=124.0)])
        assert begins(group, after, habits=habits) is expected, text
    ragged = replace(full[1], x1=270.0)
    group = LineGroup([full[0], ragged, line("cycles.", x1=200.0, y=124.0)])
    assert not begins(group, after, habits=habits)


def test_an_item_that_the_structure_names_begins_below_an_open_line() -> None:
    above = LineGroup([line("Trees are the graphs that", x1=250.0, element=1)])
    for text, expected in (("α) Δέντρα και", True), ("have no cycles", False)):
        after = line(text, y=112.0, element=2)
        assert begins(above, after) is expected, text


def test_a_wrapped_line_of_an_element_goes_on_at_any_height() -> None:
    for end, y, expected in (
        (300.0, 130.0, False),
        (250.0, 130.0, True),
        (250.0, 112.0, False),
    ):
        above = LineGroup([line("עצים הם גרפים של", x1=end, element=1)])
        after = line("צמתים וקשתות.", y=y, element=1)
        assert begins(above, after) is expected, (end, y)


def test_a_bold_label_with_a_colon_begins_a_paragraph_below_a_line_with_room() -> None:
    for element in (0, 1):
        for text, end, label, expected in (
            ("כל העצים שהם גרפים", 250.0, "שימוש: עצים", True),
            ("כל העצים שהם גרפים", 300.0, "שימוש: עצים", False),
            ("כל העצים הם גרפים.", 300.0, "שימוש: עצים", True),
            ("כל העצים שהם גרפים", 250.0, "שימוש עצים", False),
        ):
            above = LineGroup([item_line(text, x1=end, element=element)], 1)
            after = labelled(label, y=112.0, element=element)
            assert begins(above, after) is expected, (element, text, end, label)


def test_a_bold_line_with_room_is_a_title_in_an_element_of_its_text() -> None:
    for end, is_bold, expected in (
        (200.0, True, True),
        (300.0, True, False),
        (200.0, False, False),
    ):
        words = [replace(word, bold=is_bold) for word in line("ילבש לכ").words]
        above = line(
            "", words=tuple(words), bold_share=float(is_bold), x1=end, element=1
        )
        after = line("צמתים וקשתות", y=112.0, element=1)
        assert begins(LineGroup([above]), after) is expected, (end, is_bold)


def test_a_full_first_line_of_right_to_left_text_goes_on_on_the_next_page() -> None:
    hebrew = {"rtl": True, "from_right": True, "left": -300.0, "right": -50.0}
    for text, end, page, expected in (
        ("ישנם עצים שהם גרפים של", 50.0, 2, False),
        ("ישנם עצים שהם גרפים של", 100.0, 2, True),
        ("ישנם עצים שהם גרפים (א)", 50.0, 2, True),
        ("ישנם עצים שהם גרפים של", 50.0, 1, True),
    ):
        above = LineGroup([line(text, x0=end, **hebrew)])
        after = line("צמתים וקשתות.", column=1, page=page, **hebrew)
        assert begins(above, after) is expected, (text, end, page)


def test_a_full_first_line_of_justified_text_goes_on_on_the_next_page() -> None:
    above = LineGroup([line("Trees are only written as a list of")])
    after = line("Oaks and elms.", column=1, page=2)
    for justified in (True, False):
        habits = replace(HABITS, justified=justified)
        assert begins(above, after, habits=habits) is not justified


def test_an_element_further_out_with_a_capital_begins_below_an_open_line() -> None:
    above = LineGroup([line("Trees are the graphs that", x0=80.0, element=1)])
    for text, start, expected in (
        ("Oligarchs", 50.0, True),
        ("oligarchs", 50.0, False),
        ("Oligarchs", 80.0, False),
    ):
        after = line(text, x0=start, y=112.0, element=2)
        assert begins(above, after) is expected, (text, start)


def test_an_element_below_more_space_begins_unless_a_small_letter_goes_on() -> None:
    above = LineGroup([line("כל העצים הם גרפים של", element=1)])
    for text, y, expected in (
        ("צמתים וקשתות", 130.0, True),
        ("צמתים וקשתות", 112.0, False),
        ("nodes and arcs", 130.0, False),
    ):
        after = line(text, y=y, element=2)
        assert begins(above, after) is expected, (text, y)


def test_a_sentence_that_an_author_broke_goes_on_in_the_next_element() -> None:
    for text, begins_small, expected in (
        ("Suppose that the graph is split into", True, False),
        ("Suppose that the graph is split into", False, True),
        ("the graph is split into", True, True),
    ):
        above = LineGroup([line(text, x1=200.0, element=1)])
        after = "parts without edges" if begins_small else "Parts without edges"
        begun = begins(above, line(after, y=112.0, element=2))
        assert begun is expected, (text, after)


def test_a_line_of_an_element_beside_a_picture_goes_on() -> None:
    above = LineGroup([line("Trees are graphs.", x1=250.0, element=1)])
    for end, expected in ((250.0, False), (300.0, True)):
        after = line("Nodes have arcs", x1=end, y=112.0, element=1)
        assert begins(above, after) is expected, end


def test_a_full_line_of_a_script_without_capitals_goes_on_below_more_space() -> None:
    for end, text, expected in (
        (300.0, "צמתים וקשתות.", False),
        (250.0, "צמתים וקשתות.", True),
        (300.0, "הגדרה. קשתות הן", True),
        (300.0, "Nodes and arcs", True),
    ):
        above = LineGroup([line("כל העצים הם גרפים גדולים", x1=end)])
        assert begins(above, line(text, y=118.0)) is expected, (end, text)


def test_a_term_goes_on_below_more_space_after_a_word_that_needs_another() -> None:
    for end, text, expected in (
        (300.0, "We call a graph with roots and the set of", False),
        (300.0, "We call a graph with roots and leaves", True),
        (200.0, "We call a graph with roots and the set of", True),
    ):
        above = LineGroup([line(text, x1=end)])
        assert begins(above, line("X = Y a tree", y=118.0)) is expected, (end, text)


def test_a_line_of_code_is_no_part_of_the_open_sentence_above_it() -> None:
    above = LineGroup([line("Trees are graphs with a certain root")])
    for text, expected in (("array of nodes: roots;", True), ("node.root", False)):
        words = tuple(replace(word, mono=True) for word in line(text).words)
        after = line("", words=words, y=112.0, mono_share=1.0)
        assert begins(above, after) is expected, text


def test_a_sentence_goes_on_in_a_line_of_which_most_is_bold() -> None:
    address = "of https://trees.example"
    for above, text, is_bold, expected in (
        ("Trees are listed below under", address, False, False),
        ("Trees are listed below under", address, True, True),
        ("Trees are listed below under", "Of trees", False, True),
        ("Trees are listed below it.", address, False, True),
    ):
        words = list(line(text).words)
        words[0] = replace(words[0], bold=is_bold)
        after = line("", words=tuple(words), y=112.0, bold_share=0.96)
        group = LineGroup([line(above, x1=180.0)])
        assert begins(group, after) is expected, (above, text)


def test_a_caption_or_a_sentence_goes_on_in_a_line_that_ends_where_it_does() -> None:
    for above, text, next_start, expected in (
        ("Figure 3: Reconstruction", "of trees", 50.0, False),
        ("A modern reconstruction", "of trees", 220.0, False),
        ("A modern reconstruction", "of trees", 50.0, True),
        ("A modern reconstruction", "Trees", 220.0, True),
        ("a modern reconstruction", "of trees", 220.0, True),
    ):
        after = line(text, x0=200.0, y=114.0)
        following = line("that grow", x0=next_start, y=128.0)
        assert begins(LineGroup([line(above)]), after, following) is expected, text


def test_a_word_with_a_stop_goes_on_where_lines_end_alike_before_the_margin() -> None:
    for text, expected in (("cycles.", False), ("Cycles.", True), ("3.14", True)):
        after = line(text, x0=200.0, x1=260.0, y=114.0)
        group = LineGroup([line("A modern reconstruction of", x1=260.0)])
        assert begins(group, after) is expected, text


def test_a_line_after_a_comma_goes_on_unless_it_begins_with_a_capital() -> None:
    group = LineGroup([line("Trees are few,", x1=150.0)])
    for after, expected in (
        (line("and tall", y=112.0), False),
        (line("Oaks are tall", y=112.0), True),
    ):
        assert begins(group, after) is expected, after.text


def test_a_short_line_that_ends_with_an_open_word_goes_on_with_a_capital() -> None:
    for above, is_new in (
        ("Now for a tree T with roots, let", False),
        ("Now for a tree T with roots", True),
        ("כעת בחרו עם כל הסטודנטים את", False),
    ):
        group = LineGroup([line(above, x1=200.0)])
        assert begins(group, line("A = (T, R) hold.", y=112.0)) is is_new, above


def test_signs_that_the_file_does_not_explain_are_part_of_a_display() -> None:
    display = LineGroup([line("\ufffd \ufffd", x0=150.0, x1=180.0)], 1)
    below = LineGroup([line("where all of them grow")])
    (whole,) = join_continuations([LineGroup(OPEN.lines[:]), display, below], HABITS)
    assert whole.last.text == "where all of them grow"


def test_a_line_with_a_small_letter_goes_on_below_the_short_line_of_an_item() -> None:
    words = item_line("Trees that grow", x1=120.0)
    formula = item_line("f(x) = x + 1", x1=120.0)
    for item, text, start, expected in (
        (words, "and fall", 50.0, False),
        (words, "and fall", 65.0, False),
        (words, "and fall", 40.0, True),
        (words, "and fall", 90.0, True),
        (words, "And fall", 50.0, True),
        (words, "x = y", 50.0, True),
        (formula, "is called a line", 50.0, False),
        (formula, "is called a line", 65.0, True),
        (formula, "Is called a line", 50.0, True),
        (formula, "g is called a line", 50.0, True),
    ):
        after = line(text, y=112.0, x0=start)
        assert begins(LineGroup([item], 1), after) is expected, (text, start)
    after = line("and fall", y=112.0)
    assert begins(LineGroup([words]), after)


def test_an_item_with_the_indent_of_a_paragraph_goes_on_at_the_margin() -> None:
    first = item_line("Count every boat that sails from", x1=200.0, left=30.0)
    group = LineGroup([first], marker=1)
    for text, is_new in (("the harbour today", False), ("The harbour today", True)):
        assert begins(group, line(text, y=112.0, x0=30.0, left=30.0)) is is_new


def test_the_text_of_an_item_goes_on_in_bold_and_below_a_wide_space() -> None:
    item = LineGroup([item_line("Trees are graphs", x1=120.0)], 1)
    for text, start, expected in (
        ("have no cycles", 50.0, False),
        ("Have no cycles", 50.0, True),
        ("have no cycles", 40.0, True),
    ):
        after = line(text, y=112.0, x0=start, bold_share=1.0)
        assert begins(item, after) is expected, (text, start)

    whole = LineGroup([item_line("Trees are graphs.", x1=120.0, left=20.0)], 1)
    assert begins(whole, line("Exercise 12", y=112.0, left=20.0, bold_share=1.0))

    spaced = LineGroup([item_line("Trees are graphs that", n_gaps=1, left=20.0)], 1)
    for start, expected in ((50.0, False), (70.0, True)):
        after = line("Have no cycles", y=112.0, x0=start, left=20.0)
        assert begins(spaced, after) is expected, start


def test_a_line_below_the_text_of_an_item_goes_on_in_it_after_a_sentence() -> None:
    item = item_line("Trees that grow.", x1=120.0, left=20.0)
    for text, left, expected in (
        ("And fall.", 20.0, False),
        ("And fall.", 50.0, True),
        ("Such as these:", 20.0, True),
    ):
        after = line(text, y=112.0, left=left)
        assert begins(LineGroup([item], 1), after) is expected

    for end, expected in ((300.0, True), (200.0, False)):  # of lines in justified text
        wrapped = line("that stand in the", y=112.0, x1=end, left=20.0)
        last = line("park and fall.", y=124.0, x1=120.0, left=20.0)
        whole = LineGroup([replace(item, x1=300.0), wrapped, last], 1)
        after = line("Others stand.", y=136.0, left=20.0)
        assert begins(whole, after) is expected, end


def test_a_lettered_part_does_not_go_on_in_the_item_above_it() -> None:
    item = item_line("Trees that grow", x1=300.0)
    group = LineGroup([item, line("in spring, find", y=112.0, x1=120.0)], 1)
    for text, expected in (("(a) the leaves", True), ("and fall", False)):
        after = line(text, y=124.0)
        assert begins(group, after) is expected, text


def test_a_line_with_a_label_begins_a_paragraph_after_a_sentence_or_column() -> None:
    over = LineGroup([line("Trees are graphs.")])
    assert begins(over, line("Note 2. leaves", y=112.0))
    after = line("Note 2. leaves are few", column=1)
    assert begins(OPEN, after)
    assert len(join_continuations([OPEN, LineGroup([after])], HABITS)) == 2


def test_a_number_inside_a_sentence_begins_no_item() -> None:
    words = line("Trees are in the table").words
    bullet = replace(words[0], text="•", x0=40.0, x1=45.0)
    item = LineGroup([line("", words=(bullet, *words), x0=40.0, left=40.0)], 1)
    indented = LineGroup([line("Trees are in the table", x0=65.0)])
    for group, text, expected in (
        (item, "[7] of graphs", False),
        (item, "• Graphs", True),
        (indented, "[7] of graphs", False),
        (LineGroup([line("Trees are", x0=65.0, x1=250.0)]), "[7] graphs", True),
    ):
        after = line(text, y=112.0)
        assert begins(group, after) is expected, text
    # its text begins where the line above begins
    words = line("3. Graphs").words
    hung = (replace(words[0], x0=35.0, x1=40.0), words[1])
    after = line("", words=hung, y=112.0, x0=35.0, left=35.0)
    for end, expected in ((300.0, False), (250.0, True)):
        group = LineGroup([line("Trees are in the table", x1=end)])
        assert begins(group, after) is expected

    # below a bullet that is drawn inside the text
    for text in ("of graphs", "[7] of graphs", "k. Graphs are"):
        for left in (20.0, 33.5):
            after = line(text, y=112.0, x0=33.5, left=left)
            assert not begins(item, after), text


def test_a_line_outside_the_page_is_no_right_to_left_one() -> None:
    for left in (50.0, -150.0):
        edges = {"left": left, "right": left + 250, "x1": left + 250}
        group = LineGroup([line("Trees are graphs", x0=left, **edges)])
        after = line("that have no cycles", y=112.0, x0=left + 30, **edges)
        assert not begins(group, after)


def test_a_bold_line_inside_a_paragraph_parts_nothing() -> None:
    bold = line("have no cycles.", y=112.0, bold_share=1.0)
    words = [replace(word, bold=True) for word in line("All of the graphs").words]
    title = line("", words=tuple(words), y=112.0, x1=260.0, bold_share=1.0)
    for lines, text, expected in (
        ([line("Trees are graphs and"), bold], "They grow", False),
        ([bold], "They grow", True),
        ([line("Trees are graphs which", y=112.0, bold_share=1.0)], "grow", False),
        ([title], "let them", False),
        ([title], "x = 1", True),
    ):
        after = line(text, y=124.0)
        group = LineGroup(lines)
        assert begins(group, after) is expected, text


def test_a_bold_title_is_below_a_full_line_with_a_stop_and_above_regular_print() -> (
    None
):
    full = LineGroup([line("Count all the trees without cycles.", x1=290.0)])
    for title, below, is_new in (
        ("Exercise 12", line("Ten books stand on a shelf", y=124.0), True),
        ("Exercise 12", line("stand on a shelf", y=124.0), False),
        ("Exercise 12", None, False),
    ):
        after = line(title, y=112.0, x1=110.0, bold_share=1.0)
        assert begins(full, after, below) is is_new, (title, below)


def test_an_asterisk_may_go_on_in_the_sentence_of_an_item() -> None:
    for text, is_new in (("so we had int * and char", False), ("It points:", True)):
        item = LineGroup([item_line(text, x1=290.0)], 1)
        after = line("* and others.", y=112.0)
        star, first, *others = after.words
        words = (replace(star, x1=54.0), replace(first, x0=60.0), *others)
        assert begins(item, replace(after, words=words)) is is_new, text


def test_a_formula_goes_on_with_a_number_below_a_sign() -> None:
    for text, is_new in (("so that 410 − 32 = 88 =", False), ("so it is 88", True)):
        item = LineGroup([item_line(text, left=25.0)], 1)
        after = line("3 · 52 + 2 · 5 + 3 = 323.", y=112.0, x0=25.0, left=25.0)
        assert begins(item, after) is is_new, text


def test_a_line_that_fills_a_box_ends_no_paragraph() -> None:
    justified = replace(HABITS, justified=True)
    for end, expected in ((290.0, False), (280.0, True)):
        group = LineGroup([line("Trees are graphs.", x0=60.0, x1=end)])
        after = line("They grow", y=112.0, x0=60.0)
        assert begins(group, after, None, justified) is expected


def test_more_space_than_between_the_lines_of_a_group_begins_a_paragraph() -> None:
    cases = ((142.0, 10.0, False), (142.0, 7.0, False), (146.5, 10.0, True))
    for y, size, expected in cases:
        group = LineGroup([line("Trees are"), line("graphs.", y=121.0)])
        after = line("They grow", y=y, size=size)
        assert begins(group, after) is expected, (y, size)


def test_an_open_sentence_goes_on_in_evenly_spaced_lines_that_end_anywhere() -> None:
    group = LineGroup([line("Trees are graphs which have no cycles", x1=200.0)])
    after = line("and are often drawn upside down", y=122.0, x1=190.0)
    for y, is_alone in ((144.0, False), (150.0, True)):
        assert begins(group, after, line("as if they grew", y=y)) == is_alone
    assert begins(group, after)


def test_a_term_that_did_not_fit_after_an_operator_goes_on_below_more_space() -> None:
    for text, is_new in (("Here we take f(x) =", False), ("Here we take f(x)", True)):
        group = LineGroup([line(text)])
        assert begins(group, line("{2, 3, 5}.", y=118.0)) == is_new


def test_a_little_more_space_parts_paragraphs_of_any_font_size() -> None:
    for y, expected in ((117.0, False), (119.6, True)):
        group = LineGroup([line("Trees are graphs.", x1=270.0, size=14.0)])
        after = line("They grow", y=y, size=14.0)
        assert begins(group, after) is expected, y


def test_a_line_with_the_indent_of_an_item_above_the_margin_begins_a_paragraph() -> (
    None
):
    indented = replace(HABITS, indented=True)
    item = LineGroup([line("• Trees are graphs."), line("Or not.", x0=61.0)], 1)
    after = line("They grow", y=112.0, x0=62.0)
    for below, habits, expected in (
        (line("and fall"), indented, True),
        (line("and fall"), HABITS, False),
        (line("and fall", x0=61.0), indented, False),
        (line("• They fall"), indented, False),
    ):
        assert begins(item, after, below, habits) is expected


def test_an_indent_begins_a_paragraph_below_a_heading_with_room() -> None:
    indented = replace(HABITS, indented=True)
    for end, text, below, expected in (
        (270.0, "Trees are a kind of", 50.0, True),
        (300.0, "Trees are a kind of", 50.0, False),
        (270.0, "trees are a kind of", 50.0, False),
        (270.0, "Trees are a kind of", 61.0, False),
    ):
        heading = item_line("Trees and forests of graphs", x1=end)
        after = line(text, x0=60.0, y=112.0)
        following = line("graphs without cycles", x0=below, y=124.0)
        group = LineGroup([heading], 1)
        assert begins(group, after, following, indented) is expected, (end, text)


def test_no_cell_nor_a_single_line_goes_on_in_another_column_with_a_capital() -> None:
    single = LineGroup(OPEN.lines[:1])
    for above, text, right, expected in (
        (OPEN, "Graphs grow", 300.0, False),
        (OPEN, "Graphs grow", 600.0, True),
        (OPEN, "grow", 600.0, False),
        (single, "Graphs grow", 300.0, True),
        (single, "grow", 300.0, False),
    ):
        after = line(text, column=1, right=right)
        assert begins(above, after) is expected, text


def test_a_line_that_ends_with_an_abbreviation_ends_no_sentence() -> None:
    for above, below, n_groups in (
        ("Trees and graphs, e.g.", "Oaks by Dr. May", 1),
        ("Trees and graphs.", "Oaks by Dr. May", 2),
    ):
        lines = [line(above, x1=285.0), line(below, y=112.0)]
        habits = replace(HABITS, justified=True)
        assert len(group_lines(lines, habits)) == n_groups, above
    assert not line("Trees (cf. Sec. 2.1)").ends_sentence
    assert line("Trees are graphs.12").ends_sentence


def test_the_next_label_of_a_list_begins_an_item_below_an_open_sentence() -> None:
    group = LineGroup([line("a) Trees are graphs"), line("without cycles = 1")], 1)
    assert begins(group, line("b) Then the trees grow", y=124.0))
    assert not begins(group, line("d) Then the trees grow", y=124.0))


def test_a_number_that_would_fit_in_the_line_above_begins_an_item() -> None:
    words = line("1. Graphs have nodes").words
    number = replace(words[0], text="1.", x0=50.0, x1=55.0)
    for end, word, expected in (
        (250.0, "Graphs", True),
        (285.0, "Graphs", False),
        (250.0, "graphs", False),
    ):
        rest = (replace(words[1], text=word, x0=60.0, x1=80.0), *words[2:])
        after = line("", words=(number, *rest), y=112.0)
        group = LineGroup([line("Trees are the subject of 1.2", x1=end)])
        assert begins(group, after) is expected, (end, word)


def test_a_dash_at_the_edge_of_another_one_begins_an_item() -> None:
    for first, text, expected in (
        ("-trees that are never", "-graphs that grow", True),
        ("- trees that are never", "- graphs that grow", True),
        ("trees that are never", "-ending graphs", False),
    ):
        group = LineGroup([line(first)], marker=int(first[1] == " "))
        assert begins(group, line(text, y=112.0)) is expected, text


def test_a_dot_set_apart_begins_an_item_below_an_open_sentence() -> None:
    group = LineGroup([line("All subsets are events of")])
    after = line("· Coins land twice", y=112.0)
    assert not begins(group, after)
    assert not begins(group, line("·", y=112.0))

    dot, first, *others = after.words
    words = (replace(dot, x0=40.0, x1=44.0), first, *others)
    assert begins(group, replace(after, words=words))


def test_a_full_first_line_has_its_sentence_end_above_hanging_lines() -> None:
    below = line("and more", x0=65.0)
    after = line("They grow", y=112.0, x0=65.0)
    for end, expected in ((300.0, False), (290.0, True)):
        group = LineGroup([line("Trees are graphs.", x1=end)])
        assert begins(group, after, below) is expected


def test_a_formula_hangs_below_a_full_line_that_begins_with_a_bold_label() -> None:
    formula = line("x = (1 − C) d.", y=112.0, x0=65.0)
    below = line("Trees")
    for text, is_bold, expected in (
        ("Tree is a graph if", True, False),
        ("Tree is a graph if", False, True),
        ("Tree is a graph.", True, True),
    ):
        group = LineGroup([labelled(text, is_bold)])
        assert begins(group, formula, below) is expected, (text, is_bold)


def test_a_sentence_hangs_below_a_full_line_with_a_bold_label_and_a_stop() -> None:
    above = LineGroup([labelled("Trees are graphs.", x1=300.0)])
    for end, expected in ((200.0, False), (320.0, True)):  # in a narrow column
        below = line("They grow", y=112.0, x0=65.0, x1=end)
        assert begins(above, below) is expected


def test_the_last_line_of_an_entry_hangs_below_a_word_that_needs_another() -> None:
    for above, is_new in (("All of the trees grow in the", False), ("All trees", True)):
        group = LineGroup([line(above, x1=300.0)])
        last = line("Garden grow", y=112.0, x0=65.0, x1=200.0)
        assert begins(group, last) is is_new, above


def test_a_bold_label_of_a_statement_with_a_number_begins_below_a_sentence() -> None:
    words = line("Claim 3 x = y").words
    claim = [replace(word, bold=position < 2) for position, word in enumerate(words)]
    below = line("", words=tuple(claim), y=112.0)
    for text, expected in (("Trees grow.", True), ("Trees grow by", False)):
        assert begins(LineGroup([line(text)]), below) is expected, text


def test_a_paragraph_begins_below_the_sign_that_ends_a_proof() -> None:
    for text, expected in (("Trees grow. □", True), ("Trees grow □", False)):
        above = LineGroup([line(text, x1=300.0)])
        assert begins(above, line("They are graphs", y=112.0)) is expected, text


def test_a_bold_label_with_a_colon_begins_below_the_end_of_a_sentence() -> None:
    for above, label, expected in (
        ("Trees are graphs.", "Note: they", True),
        ("Trees are graphs", "Note: they", False),
        ("Trees are graphs.", "Note they", False),
    ):
        after = labelled(f"{label} have no cycles", y=112.0)
        assert begins(LineGroup([line(above)]), after) is expected, (above, label)


def test_the_label_of_a_statement_begins_a_paragraph_below_a_sentence() -> None:
    over, item = line("Trees are graphs."), item_line("Trees are graphs.")
    for above, n_marker, label, expected in (
        (over, 0, "Théorème (Euler).", True),
        (over, 0, "Proof.", True),
        (over, 0, "Доказательство:", True),
        (over, 0, "הוכחה.", True),
        (over, 0, "Theorem", False),
        (over, 0, "Proofs.", False),
        (line("Trees are graphs by the"), 0, "Theorem (Euler).", False),
        (item, 1, "Hint:", False),
    ):
        after = line(f"{label} Trees have no cycles", y=112.0)
        assert begins(LineGroup([above], n_marker), after) is expected, label


def test_a_label_alone_on_its_line_begins_a_paragraph_in_an_item_too() -> None:
    item = LineGroup([item_line("Trees are graphs with")], 1)
    ended = LineGroup([item_line("Trees are graphs.")], 1)
    assert begins(ended, line("Proof:", y=112.0))
    assert not begins(item, line("Problem:", y=112.0))
    assert begins(item, line("הוכחה:", y=112.0, bold_share=1.0))
    assert not begins(item, line("הוכחה:", y=112.0))
    assert not begins(item, line("proof:", y=112.0))


def test_a_name_below_another_one_begins_a_paragraph_if_the_line_above_has_room() -> (
    None
):
    for above, text, end, expected in (
        ("Aim: to grow trees that are", "Final test: none", 270.0, True),
        ("Aim : to grow trees that are", "Final test : none", 270.0, True),
        ("Aim: to grow trees that are", "Final test: none", 300.0, False),
        ("Aim: to grow trees that are", "https://trees.example", 270.0, False),
        ("We grow trees that are", "Final test: none", 270.0, False),
    ):
        group = LineGroup([line(above, x1=end)])
        assert begins(group, line(text, y=112.0)) is expected, (above, text, end)


def test_a_bold_label_below_another_one_begins_a_paragraph() -> None:
    labels = LineGroup([labelled("Trees are graphs")])
    plain = LineGroup([line("Trees are graphs")])
    roots = labelled("Roots are vertices", y=112.0)
    assert begins(labels, roots)
    assert not begins(plain, roots)
    assert not begins(labels, labelled("without any cycles", y=112.0))
    assert not begins(labels, line("Roots are vertices", y=112.0))
    unfinished = LineGroup([labelled("Trees are graphs without cycles. The")])
    assert not begins(unfinished, roots)


def test_a_sign_of_a_formula_begins_a_wrapped_line_and_no_item() -> None:
    for above, end, sign, expected in (
        ("Trees of all lengths", 300.0, "♢", False),
        ("Trees of all lengths", 300.0, "•", True),
        ("Trees of all lengths", 200.0, "♢", True),
        ("Trees of all lengths.", 300.0, "♢", True),
        ("♢ trees of all lengths", 300.0, "♢", True),
    ):
        group = LineGroup([line(above, x1=end)])
        after = line(f"{sign} P is necessary", y=112.0)
        assert begins(group, after) is expected, (above, end, sign)


def test_a_formula_in_larger_print_ends_the_sentence_of_a_full_line() -> None:
    group = LineGroup([line("Trees are graphs if")])
    for text, n_larger, expected in (
        ("x = 1", 3, False),
        ("Larger print", 2, True),
        ("Larger print", 1, False),  # it has a word in the same print
    ):
        words = list(line(text).words)
        for place in range(n_larger):
            words[place] = replace(words[place], size=12.5)
        after = line(text, y=112.0, size=12.5, words=tuple(words))
        assert begins(group, after) is expected


def test_a_sentence_on_a_line_of_its_own_goes_on_where_space_parts_paragraphs() -> None:
    spaced = replace(HABITS, spaced=True)
    group = LineGroup([line("Trees are graphs.", x1=150.0)])
    for text, y, habits, expected in (
        ("Roots are vertices", 112.0, spaced, False),
        ("Roots are vertices", 112.0, HABITS, True),
        ("Roots are vertices", 112.0, replace(spaced, justified=True), True),
        ("Roots are vertices", 116.0, spaced, True),
        ("Roots: they are vertices", 112.0, spaced, True),
        ("Roots are as follows:", 112.0, spaced, True),
        ("B. Roots are vertices", 112.0, spaced, True),
        ("Proof. Roots are vertices", 112.0, spaced, True),
    ):
        after = line(text, y=y)
        assert begins(group, after, None, habits) is expected, text

    for is_bold in (False, True):
        after = labelled("Solution Roots are vertices", is_bold, y=112.0)
        assert begins(group, after, None, spaced) is is_bold

    hebrew = LineGroup([line("עצים הם גרפים.", x1=150.0, rtl=True)])
    after = line("שורשים הם צמתים", y=112.0, rtl=True)
    assert begins(hebrew, after, None, spaced)
    assert not begins(hebrew, after, None, replace(spaced, typeset=True))


def test_a_paragraph_begins_between_several_lines_and_several_more() -> None:
    spaced = replace(HABITS, spaced=True)
    above = [line("Trees are graphs"), line("without cycles.", x1=200.0, y=112.0)]
    after = line("Roots are vertices", y=124.0)
    below = line("without parents.", x1=200.0, y=136.0)
    for lines, following, expected in (
        (above, below, True),
        (above[1:], below, False),
        (above, replace(below, x0=70.0), False),
        (above, None, False),
        ([above[0], replace(above[1], x1=300.0)], below, False),
    ):
        assert begins(LineGroup(lines), after, following, spaced) is expected
    short = replace(after, x1=180.0)
    assert not begins(LineGroup(above), short, below, spaced)


def test_a_word_that_is_broken_goes_on_wherever_its_line_begins() -> None:
    for above, below, is_new in (
        ("Trees are con-", "nected graphs.", False),
        ("Trees are con-", "Nected graphs.", True),
        ("Trees are connected.", "nected graphs.", True),
    ):
        group = LineGroup([line(above, x0=120.0)])
        assert begins(group, line(below, y=112.0)) is is_new, below


def test_a_deep_indent_is_half_an_inch_in_small_print_unless_a_small_letter_follows() -> (
    None
):
    for x0, y, text, is_new in (
        (86.0, 112.0, "cycles that grow.", False),
        (170.0, 112.0, "cycles that grow.", False),
        (170.0, 127.0, "cycles that grow.", True),
        (86.0, 112.0, "Cycles that grow.", False),
        (105.0, 112.0, "Cycles that grow.", True),
    ):
        group = LineGroup([line("Trees are the graphs without", x0=x0)])
        assert begins(group, line(text, y=y)) is is_new, (x0, y, text)


def test_an_indented_line_beside_a_picture_goes_on_at_the_margin() -> None:
    for text, is_new in (("are graphs of nodes.", False), ("Are they graphs?", True)):
        group = LineGroup([line("Trees that have grown there", x0=90.0, x1=200.0)])
        assert begins(group, line(text, y=112.0)) is is_new, text


def test_a_footnote_begins_with_a_number_joined_to_its_first_word() -> None:
    group = LineGroup([line("7Trees are graphs and", footnote=True)])
    for text, is_new in (("8Forests are more", True), ("forests are more", False)):
        below = line(text, y=112.0, footnote=True)
        assert begins(group, below) is is_new, text


def test_a_bold_label_with_a_colon_begins_below_a_centred_title() -> None:
    words = [replace(word, bold=True) for word in line("Trees of Even Height").words]
    title = LineGroup([line("", words=tuple(words), bold_share=1.0, x0=80.0)])
    for text, is_new in (
        ("Statement: Let a tree", True),
        ("statement: let a tree", False),
    ):
        assert begins(title, labelled(text, y=112.0)) is is_new


def test_a_note_begins_with_a_raised_number_in_small_print() -> None:
    text = line("8 Trees are graphs")
    number, *others = text.words
    raised = replace(number, size=5.0, raised=3.0)
    for size, first, is_new in ((8.0, raised, True), (10.0, raised, False)):
        after = line("", words=(first, *others), y=112.0, size=size)
        group = LineGroup([line("Graphs have edges and", size=size)])
        assert begins(group, after) is is_new


def test_a_map_that_did_not_fit_goes_on_below_the_first_line_of_an_item() -> None:
    item = item_line("Let the sets be given and with them")
    group = LineGroup([replace(item, x0=55.0)], 1)
    for text, is_new in (
        ("f : A → B and all their edges", False),
        ("f : one more letter", True),
    ):
        assert begins(group, line(text, y=112.0, x0=40.0, left=40.0)) is is_new


def test_a_justified_line_with_stretched_spaces_goes_on_in_a_term() -> None:
    above = line("We say that the trees of this wood converge", n_gaps=2)
    for justified in (True, False):
        habits = replace(HABITS, justified=justified)
        after = line("{S} of the graph of it", y=112.0)
        assert begins(LineGroup([above]), after, habits=habits) is not justified


def test_a_sentence_goes_on_in_lower_case_below_a_line_with_room() -> None:
    for above, below, is_new in (
        ("The trees that we have seen", "grow without any cycles.", False),
        ("The trees that we have seen", "grow, without any cycles.", False),
        ("“The trees that we have seen", "grow without any cycles.", False),
        ("The trees that we have seen", "Forests grow without any cycles.", True),
        ("the trees that we have seen", "grow without any cycles.", True),
        ("The trees that grow", "grow without any cycles.", False),
        ("The trees grow", "grow without any cycles.", True),
        ("The trees that we have seen.", "grow without any cycles.", True),
        ("The trees that we have seen", "self.grow without any cycles.", True),
    ):
        group = LineGroup([line(above, x1=200.0)])
        assert begins(group, line(below, y=112.0)) is is_new, (above, below)


def test_a_formula_at_the_beginning_of_a_line_did_not_fit_above() -> None:
    def in_a_row(text: str) -> PlacedLine:
        words = []
        for number, word in enumerate(text.split()):
            left = 50.0 + 20 * number
            words.append(Word(word, left, left + 18, 10, 0, False, False))
        return line("", words=tuple(words), y=112.0)

    for above, below, is_new in (
        ("The trees that we have seen", "Q = a + b is what they have", False),
        ("The trees that we have seen", "Trees = a + b is what they have", False),
        ("The trees that we have seen", "Q is what they have", True),
        ("The trees that we have seen", "Q = a + b", True),
        ("The trees that we have seen.", "Q = a + b is what they have", True),
    ):
        group = LineGroup([line(above, x1=250.0)])
        assert begins(group, in_a_row(below)) is is_new, (above, below)

    hung = replace(in_a_row("Q = a + b is what they have"), x0=40.0, left=40.0)
    item = LineGroup([line("(a) Trees that we have seen", left=40.0)], 1)
    assert not begins(item, hung)
    assert begins(item, replace(in_a_row("Q is what they have"), x0=40.0, left=40.0))


def test_a_wrapped_line_hangs_below_the_text_after_a_term() -> None:
    words = line("Tree graph without cycles").words
    term = replace(words[0], x0=50.0, x1=70.0)
    text = replace(words[1], x0=110.0, x1=130.0)
    rest = [replace(word, x0=135.0, x1=155.0) for word in words[2:]]
    row = line("", words=(term, text, *rest), n_gaps=1)
    for start, end, small, expected in (
        (110.0, 300.0, "of any length.", False),
        (90.0, 300.0, "of any length.", True),
        (110.0, 200.0, "of any length.", True),
        (110.0, 300.0, "Of any length.", True),
    ):
        group = LineGroup([replace(row, x1=end)])
        after = line(small, x0=start, y=112.0)
        assert begins(group, after) is expected, (start, end, small)


def test_an_item_begins_below_a_row_of_a_table() -> None:
    group = LineGroup([line("Trees 19 31", n_gaps=2)])
    assert begins(group, line("a. Is a tree a graph?", y=112.0))
