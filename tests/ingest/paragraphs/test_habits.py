"""ingest/paragraphs/habits.py: the typesetting of a document, measured on its lines."""

from ingest.layout.arrange import Arranged
from ingest.layout.line import PlacedLine
from ingest.paragraphs.habits import TypesettingHabits, measure_habits
from tests.ingest.paragraphs.lines import line


def _measured(lines: list[PlacedLine]) -> TypesettingHabits:
    return measure_habits(Arranged("", [lines], 10.0))


def _page(
    texts: list[str], leading: float, x0: float = 50.0, x1: float = 300.0
) -> list[PlacedLine]:
    """Return lines below each other; the first of each three begins at `x0`, the others end at `x1`."""
    lines = []
    for number, text in enumerate(texts):
        edges = {"x1": x1} if number % 3 else {"x0": x0}
        lines.append(line(text, y=100 + leading * number, **edges))
    return lines


def test_the_usual_distance_of_lines_is_measured_up_to_double_spacing() -> None:
    sentence = ["trees that grow"] * 9
    for distance, leading in ((12.0, 1.2), (25.0, 2.5), (40.0, 1.2)):
        assert _measured(_page(sentence, distance)).leading == leading


def test_the_distance_of_paragraphs_or_of_a_formula_is_not_that_of_lines() -> None:
    ended = ["Trees that grow."] * 9
    formulas = ["trees that grow", "x = 1", "y = 1"]
    for texts, leading in ((ended, 20.0), (ended, 25.0), (formulas, 25.0)):
        assert _measured(_page(texts, leading)).leading == 1.2


def test_one_wrapped_line_outweighs_the_distances_of_short_paragraphs() -> None:
    lines = [line("Trees grow.", y=14.0 * number) for number in range(20)]
    lines += [line("Trees that", y=400.0), line("grow.", y=412.0)]
    assert _measured(lines).leading == 1.2


def test_text_between_listings_has_a_leading_of_its_own() -> None:
    listing = [line("x = y", y=12.0 * number) for number in range(20)]
    for n_lines, leading in ((9, 1.75), (3, 1.2)):
        text = []
        for number in range(n_lines):
            text.append(line("trees that grow", y=400 + 21.0 * number, size=12.0))
        habits = _measured(listing + text)
        assert (habits.leading_of(12.0), habits.leading) == (leading, 1.2)


def test_paragraphs_are_indented_if_enough_lines_are() -> None:
    for x0, indented in ((65.0, True), (50.0, False), (95.0, False)):
        assert _measured(_page(["Trees grow."] * 12, 12.0, x0)).indented is indented


def test_a_text_is_justified_if_lines_inside_sentences_end_at_the_margin() -> None:
    for n_lines, x1, justified in (
        (15, 300.0, True),
        (15, 290.0, False),
        (9, 300.0, False),
    ):
        page = _page(["trees that grow"] * n_lines, 12.0, x1=x1)
        assert _measured(page).justified is justified


def test_unbroken_words_are_counted() -> None:
    vocabulary = _measured([line("The well-known trees, in impor-")]).vocabulary
    compound = {"well-known": 1, "well-": 1, "-known": 1}
    assert vocabulary == compound | {"trees": 1, "in": 1}


def test_white_space_parts_paragraphs_if_it_is_below_enough_sentences() -> None:
    for n_tight, spaced in ((2, True), (20, False)):
        lines = [line("Trees grow.", y=20.0 * n, x1=150.0) for n in range(5)]
        for number in range(1, n_tight + 1):
            lines.append(line("Roots grow.", y=80 + 12.0 * number, x1=150.0))
        assert _measured(lines).spaced is spaced


def test_a_structure_that_parts_sentences_is_not_trusted_but_for_lines_of_code() -> (
    None
):
    for end, trusts in (("grow", False), ('grow")', True)):
        lines = []
        for number in range(20):
            text = f"trees that {end}"
            lines.append(line(text, y=12.0 * number, element=number + 1))
        assert _measured(lines).trusts_structure is trusts, end
