"""ingest/paragraphs/continuations.py: paragraphs that go on over displays, columns and figures."""

from dataclasses import replace

from ingest.paragraphs.continuations import (
    goes_on_across,
    goes_on_after_displays,
    join_continuations,
)
from ingest.paragraphs.line_group import LineGroup
from tests.ingest.paragraphs.lines import CLOSED, HABITS, OPEN, line


def displayed(text: str, y: float) -> LineGroup:
    """Return a line apart from the margins, such as a displayed formula."""
    return LineGroup([line(text, x0=100.0, x1=200.0, y=y)])


def test_a_paragraph_goes_on_in_the_next_column_or_a_new_one_begins() -> None:
    indented = replace(HABITS, indented=True)
    justified = replace(HABITS, justified=True)
    date = LineGroup([line("May 2020")])
    short = LineGroup([line("Trees are graphs"), line("without cycles", x1=230.0)])
    in_box = [replace(closed, x0=60.0, x1=290.0) for closed in CLOSED.lines]
    boxed = LineGroup(in_box)
    for before, text, features, habits, expected in (
        (OPEN, "and grow", {}, HABITS, True),
        (CLOSED, "and grow", {}, HABITS, False),
        (OPEN, "Then grow", {"x0": 60.0}, HABITS, False),
        (OPEN, "ואז יגדלו", {}, HABITS, True),
        (short, "and grow", {}, HABITS, True),
        (short, "ואז יגדלו", {}, HABITS, False),
        (CLOSED, "Then grow", {}, indented, True),
        (CLOSED, "Then grow", {}, justified, True),
        (OPEN, "and grow", {"bold_share": 1.0}, HABITS, False),
        (date, "and grow", {}, HABITS, True),
        (date, "Then grow", {}, HABITS, False),
        (boxed, "Then grow", {"x0": 60.0}, indented, True),
        (boxed, "Then grow", {"x0": 70.0}, indented, False),
    ):
        lines = [line(text, column=1, **features), line("and stand", column=1)]
        if before is boxed:
            lines[1] = replace(lines[1], x0=60.0)
        group = LineGroup(lines)
        assert goes_on_across(before, [], group, habits) is expected, text

    open_lines = [replace(above, element=1) for above in OPEN.lines]
    for element, expected in ((1, True), (2, False), (0, True)):
        group = LineGroup([line("and grow", column=1, element=element)])
        assert goes_on_across(LineGroup(open_lines), [], group, HABITS) is expected

    for page_sizes, n_groups in (({}, 2), ({1: 9.0}, 1)):
        small = [replace(above, size=9.0) for above in OPEN.lines]
        small.append(line("and other", size=9.0, y=124.0))
        text = "and grow in the woods"
        below = LineGroup([line(text, size=9.0, column=1), line(text, column=1)])
        below.lines[1] = replace(below.lines[1], size=9.0, y=112.0)
        habits = replace(HABITS, page_sizes=page_sizes)
        assert len(join_continuations([LineGroup(small), below], habits)) == n_groups

    for text, n_groups in (("Without Cycles.", 1), ("Without Cycles", 2)):
        below = LineGroup([line(text, column=1)])
        groups = [LineGroup(list(OPEN.lines)), below]
        assert len(join_continuations(groups, HABITS)) == n_groups, text

    figure = LineGroup([line("Figure 1")])
    group = LineGroup([line("Then grow", column=1)])
    assert not goes_on_across(CLOSED, [figure], group, indented)


def test_a_wide_space_in_a_line_from_margin_to_margin_parts_no_cells() -> None:
    for end, n_gaps, justified, n_groups in (
        (300.0, 1, True, 1),
        (270.0, 1, True, 2),
        (300.0, 2, True, 2),
        (300.0, 1, False, 2),
    ):
        first = line("and grow in the woods where", column=1, page=2)
        second = line("there are many others.", column=1, page=2, y=112.0)
        below = LineGroup([first, replace(second, x1=end, n_gaps=n_gaps)])
        note = LineGroup([line("3www.trees.example", size=8.0, y=130.0)])
        parts = [LineGroup(list(OPEN.lines)), note, below]
        whole = join_continuations(parts, replace(HABITS, justified=justified))
        assert len(whole) == n_groups + 1, (end, n_gaps, justified)


def test_a_title_in_bold_before_a_text_begins_it_at_the_top_of_a_page() -> None:
    indented = replace(HABITS, indented=True)
    for label, expected in (("Roots.", False), ("Roots", True)):
        bold, *words = line(f"{label} They grow").words
        whole = (replace(bold, bold=True), *words)
        group = LineGroup([line("", words=whole, column=1)])
        assert goes_on_across(CLOSED, [], group, indented) is expected, label


def test_a_formula_without_its_number_is_not_as_wide_as_the_column() -> None:
    lines = [line("Trees are graphs"), line("without cycles", y=112.0)]
    words = line("x = 1. (3)").words
    number = replace(words[-1], x0=280.0, x1=300.0)
    formula = line("", words=(*words[:-1], number), x0=100.0, y=124.0)
    groups = [LineGroup(lines), LineGroup([replace(formula, n_gaps=1)])]
    (whole,) = join_continuations(groups, HABITS)
    assert (whole.last.text, whole.last.x1) == ("x = 1.", 70.0)


def test_a_sentence_goes_on_after_a_formula_and_not_after_code_or_a_colon() -> None:
    colon = LineGroup([line("Trees are graphs"), line("such as these:")])
    comma = LineGroup([line("נגדיר את העצים,")])
    hebrew_colon = LineGroup([line("נגדיר את העצים:")])
    for before, display, text, features, expected in (
        (OPEN, "x = 1", "where roots", {}, True),
        (OPEN, "x = 1", "where roots", {"x0": 60.0}, True),
        (OPEN, "x = 1", "where roots", {"x0": 90.0}, False),
        (OPEN, "x = 1", "(coming from roots", {"x0": 60.0}, True),
        (OPEN, "x = 1", "where roots", {"x0": 30.0}, True),
        (OPEN, "x = 1", "since a = b + c", {}, True),
        (OPEN, "x = 1", "s = a = b + c", {}, False),
        (OPEN, "x = 1", "where roots", {"column": 1}, True),
        (OPEN, "x = 1", "Then roots", {}, True),
        (OPEN, "x = 1", "Then roots", {"x0": 60.0}, False),
        (OPEN, "x = 1", "Proof. Then roots", {}, False),
        (colon, "x = 1", "Then roots", {}, False),
        (colon, "x = 1", "where roots", {}, True),
        (colon, "x = 1.", "where roots", {}, True),
        (colon, "x = 1.", "since roots", {}, False),
        (colon, "x = 1, . . .", "where roots", {}, True),
        (comma, "x = 1", "ואז יגדלו", {}, True),
        (comma, "x = 1", "ונסיק x = y = z", {}, True),
        (comma, "x = 1", "Then roots", {}, False),
        (comma, "מדריך לעצים:", "ואז יגדלו", {}, False),
        (comma, "מדריך לעצים", "ואז יגדלו", {}, True),
        (comma, "מדריך לעצים", "ואז יגדלו", {"rtl": True}, False),
        (hebrew_colon, "x = 1", "כאשר x הוא השורש", {}, True),
        (hebrew_colon, "x = 1.", "כאשר x הוא השורש", {}, False),
        (hebrew_colon, "x = 1", "נקבל את השורש", {}, False),
        (hebrew_colon, "מדריך לעצים", "כאשר x הוא השורש", {}, False),
    ):
        displays = [LineGroup([line(display)])]
        group = LineGroup([line(text, **features)])
        goes_on = goes_on_after_displays(before, displays, group, True)
        assert goes_on is expected, text

    for text, n_groups in (("s e t ( i n t ) ;", 1), ("plant all trees;", 3)):
        shown = LineGroup([line(text, x0=51.0, y=124.0)])
        after = LineGroup([line("which sets roots", y=136.0)])
        parts = [LineGroup(list(colon.lines)), shown, after]
        assert len(join_continuations(parts, HABITS)) == n_groups, text

    code = LineGroup([line("x = 1", mono_share=1.0)])
    group = LineGroup([line("Then roots")])
    assert not goes_on_after_displays(OPEN, [code], group, True)


def test_a_chinese_sentence_of_one_line_goes_on_after_a_formula_but_not_a_title() -> (
    None
):
    formula = [LineGroup([line("x = 1")])]
    below = LineGroup([line("其中树是没有圈的连通图")])
    for text, expected in (("设树的每个顶点满足", True), ("设树满足：", False)):
        before = LineGroup([line(text)])
        goes_on = goes_on_after_displays(before, formula, below, False)
        assert goes_on is expected, text
    bold = [replace(word, bold=True) for word in below.first.words]
    title = LineGroup([line("", words=tuple(bold))])
    before = LineGroup([line("设树的每个顶点满足")])
    assert not goes_on_after_displays(before, formula, title, False)


def test_a_remark_of_several_lines_below_an_open_sentence_is_no_display() -> None:
    first = line("Another proof of this uses roots", x0=70.0, x1=280.0, y=136.0)
    last = line("of all the trees", x0=70.0, x1=160.0, y=148.0)
    remark = LineGroup([first, last])
    groups = [LineGroup(list(OPEN.lines)), displayed("x = 1", 124.0), remark]
    whole = join_continuations(groups, HABITS)
    assert whole[-1] is remark


def test_a_sentence_may_open_after_a_formula_without_a_stop() -> None:
    for formula, text, expected in (
        ("x = 1", "Then roots grow", True),
        ("x = 1", "Roots then grow", False),
        ("x = 1", "(by which roots grow)", False),
        ("x = 1,", "Then roots grow", False),
        ("x =", "Then roots grow", False),
    ):
        below = LineGroup([line(text, y=136.0)])
        parts = [LineGroup(list(OPEN.lines)), displayed(formula, 124.0), below]
        (whole,) = join_continuations(parts, replace(HABITS, indented=True))
        assert whole.last.opens_sentence is expected, (formula, text)


def test_a_displayed_formula_or_a_line_that_hangs_may_end_a_sentence() -> None:
    for above, text, end in (
        ("without cycles", "x = 1.", "cycles x = 1."),
        ("without cycles", "x = 1. (3)", "cycles x = 1."),
        ("without cycles", "of any length.", "of any length."),
        ("without cycles", "x = 1, . . .", "cycles"),
        ("without cycles", "\ufffd = 1.", "cycles"),
        ("without cycles:", "x = 1.", "cycles:"),
        ("without cycles", "Figure 1: n.", "cycles"),
        ("without cycles", "Proof. x = 1.", "cycles"),
    ):
        lines = [line("Trees are graphs"), line(above, y=112.0)]
        display = displayed(text, 124.0)
        whole, *_ = join_continuations([LineGroup(lines), display], HABITS)
        assert " ".join([part.text for part in whole.lines]).endswith(end), text


def test_an_open_sentence_goes_on_in_the_formulas_below_it_before_a_new_sentence() -> (
    None
):
    for last, text, display in (
        ("where a tree has", "x = 1", "x = 1"),
        ("with n > 0", "x = 1", "x = 1"),
        ("where a tree has.", "x = 1", ""),
        ("where a tree has", "x y z", ""),  # labels of a figure
    ):
        before = LineGroup([line("Trees are graphs"), line(last, y=112.0)])
        formulas = []
        for row, formula in enumerate((text, "= 2", "y = 3", "Let z = 4")):
            formulas.append(displayed(formula, 124.0 + 24 * row))
        after = LineGroup([line("Then the trees grow and grow.", y=220.0)])
        first, *_ = join_continuations([before, *formulas, after], HABITS)
        displays = [part.first.text for part in first.displays]
        assert displays == ([display, "= 2", "y = 3"] if display else []), (last, text)


def test_the_formula_of_an_open_sentence_may_be_the_last_line_or_above_a_sentence() -> (
    None
):
    text = line("Then the other trees of this graph grow.", x0=70.0, x1=200.0, y=160.0)
    for others in ([], [LineGroup([text])]):
        before = LineGroup(list(OPEN.lines))
        groups = [before, displayed("x ⩽ 1", 136.0), *others]
        first, *rest = join_continuations(groups, HABITS)
        assert [part.first.text for part in first.displays] == ["x ⩽ 1"]
        assert len(rest) == len(others)


def test_the_number_of_a_display_alone_between_two_of_its_lines_is_left_out() -> None:
    before = LineGroup([line("Trees are graphs"), line("where a tree has", y=112.0)])
    formulas = [
        displayed(text, 124.0 + 12 * row)
        for row, text in enumerate(("x = 1", "(9)", "= y"))
    ]
    after = LineGroup([line("Then the trees grow and grow.", y=220.0)])
    first, *_ = join_continuations([before, *formulas, after], HABITS)
    assert [part.first.text for part in first.displays] == ["x = 1", "= y"]


def test_a_formula_is_displayed_below_a_line_of_symbols_at_the_margin() -> None:
    for start, is_display in ((50.0, True), (80.0, False)):
        symbols = line("x = 1 (f):", y=112.0, x0=start)
        before = LineGroup([line("Trees are graphs and then"), symbols])
        formula = displayed("y = 2", 124.0)
        join_continuations([before, formula], HABITS)
        assert formula.is_display is is_display


def test_a_capital_after_an_indent_begins_a_paragraph_below_a_formula() -> None:
    indented = replace(HABITS, indented=True)
    for text, start, habits, n_groups in (
        ("Thus every tree has", 62.0, indented, 3),
        ("Thus every tree has", 110.0, indented, 1),
        ("thus every tree has", 62.0, indented, 2),
        ("Thus every tree has", 62.0, HABITS, 1),
    ):
        before = LineGroup([line("Trees are graphs where"), line("with", y=112.0)])
        formula = displayed("x = 1", 124.0)
        after = LineGroup([line(text, x0=start, x1=start + 80, y=148.0)])
        last = LineGroup([line("since it is one of the trees.", y=160.0)])
        whole = join_continuations([before, formula, after, last], habits)
        assert len(whole) == n_groups, text


def test_a_text_goes_on_with_a_small_letter_after_the_full_stop_of_a_formula() -> None:
    for text, n_groups in (
        ("where a root is any of the nodes.", 1),
        ("gdzie korzeń jest jednym z nich.", 1),
        ("Then a root is any of the nodes.", 2),
    ):
        before = LineGroup([line("Trees are"), line("graphs with")])
        formula = displayed("x = 1.", 112.0)
        after = LineGroup([line(text, y=136.0)])
        groups = join_continuations([before, formula, after], HABITS)
        assert len(groups) == n_groups, text


def test_a_text_goes_on_with_a_small_letter_after_a_formula_between_sentences() -> None:
    paragraph = LineGroup([line("Trees are"), line("graphs.", y=112.0)])
    item = LineGroup([line("(a) Trees are graphs.", y=112.0)], 1)
    title = LineGroup([line("Trees are graphs.", y=112.0)])
    for before, text, x0, n_groups in (
        (paragraph, "where a root is any of the nodes.", 100.0, 1),
        (paragraph, "Then a root is any of the nodes.", 100.0, 3),
        (paragraph, "where a root is any of the nodes.", 50.0, 3),
        (paragraph, "ואז השורש הוא אחד הצמתים בעץ.", 100.0, 3),
        (item, "where a root is any of the nodes.", 100.0, 1),
        (title, "where a root is any of the nodes.", 100.0, 3),
    ):
        formula = LineGroup([line("x = 1,", x0=x0, x1=200.0, y=124.0)])
        after = LineGroup([line(text, y=136.0)])
        above = LineGroup(list(before.lines), before.marker)
        groups = join_continuations([above, formula, after], HABITS)
        assert len(groups) == n_groups, text


def test_a_sentence_goes_on_with_a_clause_after_several_formulas() -> None:
    for text, n_groups in (
        ("where a root is any of the nodes.", 1),
        ("gdzie korzeń jest jednym z nich.", 1),
        ("nodes of a tree are its roots.", 4),
    ):
        sentence = "Trees are graphs of a certain kind."
        formulas = [displayed("x = 1", 124.0), displayed("x = 1", 148.0)]
        after = LineGroup([line(text, y=172.0)])
        parts = [LineGroup([line(sentence)]), *formulas, after]
        assert len(join_continuations(parts, HABITS)) == n_groups, text


def test_a_text_without_indent_goes_on_after_the_full_stop_of_a_formula() -> None:
    indented = replace(HABITS, indented=True)
    for text, start, habits, n_groups in (
        ("Thus every tree has a root in it.", 50.0, indented, 1),
        ("Thus every tree has a root in it.", 62.0, indented, 2),
        ("Thus every tree has a root in it.", 50.0, HABITS, 2),
        ("Lemma 3. Every tree has a root.", 50.0, indented, 2),
        ("Hint. Look at the roots of the tree.", 50.0, indented, 2),
        ("1.2.3 Look at the roots of the tree.", 50.0, indented, 2),
    ):
        before = LineGroup([line("Trees are graphs where"), line("with", y=112.0)])
        formula = displayed("x = 1.", 124.0)
        after = LineGroup([line(text, x0=start, y=148.0)])
        groups = join_continuations([before, formula, after], habits)
        assert len(groups) == n_groups, text


def test_a_text_goes_on_with_a_small_letter_after_a_formula_of_its_element() -> None:
    for text, n_groups in (
        ("has no root in any tree.", 1),
        ("Then it has no root.", 2),
        ("אין לו שורש באף עץ.", 2),
    ):
        lines = [
            line("Show that the function is", element=7),
            line("x = 1", x0=100.0, x1=200.0, y=118.0, element=7),
            line(text, y=136.0, element=7),
        ]
        groups = join_continuations([LineGroup([one]) for one in lines], HABITS)
        assert len(groups) == n_groups, text


def test_a_text_goes_on_after_a_conjunction_alone_between_two_formulas() -> None:
    for word, n_groups in (("or", 1), ("5.", 3)):
        parts = [LineGroup(list(OPEN.lines))]
        for number, text in enumerate(("x = 1", word, "y = 2.")):
            start = 100.0 if "=" in text else 50.0
            below = line(text, x0=start, x1=200.0, y=136.0 + 24 * number)
            parts.append(LineGroup([below]))
        groups = join_continuations(parts, HABITS)
        assert len(groups) == n_groups, word


def test_a_formula_below_the_text_of_an_item_is_displayed() -> None:
    number = line("Trees are graphs").words
    first = line("", words=(replace(number[0], text="3.", x0=20.0), *number), x0=20.0)
    last = line("z = 3 then", y=112.0, left=20.0)
    item = LineGroup([replace(first, left=20.0), last], 1)
    formula = LineGroup([line("x = 1", x0=100.0, x1=200.0, y=124.0, left=20.0)])
    after = LineGroup([line("so that a root is a node.", y=136.0, left=20.0)])
    assert len(join_continuations([item, formula, after], HABITS)) == 1


def test_the_text_of_an_item_goes_on_below_the_full_stop_of_a_formula() -> None:
    for start, n_groups in ((50.0, 1), (20.0, 2)):
        words = line("Trees are graphs").words
        first = line(
            "", words=(replace(words[0], text="3.", x0=30.0), *words), left=20.0
        )
        text = LineGroup(
            [replace(first, x0=30.0), line("z = 3 then", y=112.0, left=20.0)]
        )
        text.marker = 1
        formula = LineGroup([line("x = 1.", x0=100.0, x1=200.0, y=124.0, left=20.0)])
        after = line("Roots are among the nodes.", x0=start, y=136.0, left=20.0)
        groups = join_continuations([text, formula, LineGroup([after])], HABITS)
        assert len(groups) == n_groups, start


def test_a_text_goes_on_below_a_figure_and_its_caption_is_no_part_of_it() -> None:
    label = LineGroup([line("a tree", x0=150.0, x1=180.0, y=150.0)])
    caption = line("Figure 1. All of the trees", x0=120.0, x1=230.0, y=170.0)
    for text, n_groups in (
        ("and grow in the woods.", 3),
        ("Then grow in the woods.", 4),
    ):
        after = LineGroup([line(text, y=200.0)])
        parts = [LineGroup(list(OPEN.lines)), label, LineGroup([caption]), after]
        groups = join_continuations(parts, HABITS)
        assert len(groups) == n_groups, text
        assert LineGroup([caption]).lines in [group.lines for group in groups]


def test_a_text_goes_on_below_a_table_in_smaller_print_on_the_next_page() -> None:
    small = {"size": 8.0, "column": 1, "page": 2}
    for size, n_groups in ((8.0, 3), (10.0, 4)):
        title = replace(line("Words of trees", **small), bold_share=1.0, size=size)
        cell = line("Trees are graphs that have no cycles.", y=112.0, **small)
        after = line("and grow in the woods.", y=130.0, column=1, page=2)
        parts = [LineGroup(list(OPEN.lines)), LineGroup([title])]
        parts += [LineGroup([cell]), LineGroup([after])]
        assert len(join_continuations(parts, HABITS)) == n_groups


def test_a_labelled_statement_is_not_displayed_below_an_open_text() -> None:
    for text, n_groups in (("Example 2.10: trees are", 3), ("x = 1", 1)):
        below = displayed(text, 124.0)
        after = LineGroup([line("so that a root is a node.", y=148.0)])
        groups = join_continuations([LineGroup(list(OPEN.lines)), below, after], HABITS)
        assert len(groups) == n_groups, text
