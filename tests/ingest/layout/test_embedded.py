"""ingest/layout/embedded.py, on glyphs of Hebrew lines."""

import pytest

from tests.ingest.layout.read_lines import read_hebrew_line


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (".downloads םולש", "שלום downloads."),
        (".solve() םולש", "שלום solve()."),
        (".log םולש", "שלום .log"),  # the ending of a file's name
        (".ax + by = 0 םולש", "שלום ax + by = 0."),
    ],
)
def test_a_stop_drawn_after_the_word_on_its_right_ends_a_hebrew_sentence(
    drawn: str, read: str
) -> None:
    assert read_hebrew_line(drawn, last=0) == read


def test_a_formula_with_a_hebrew_stop_on_its_left_reads_as_part_of_hebrew() -> None:
    assert read_hebrew_line(".0.57") == "0.57."


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (".∞ < |A|,|B| םולש", "שלום ∞ < |A|,|B|."),
        (".0 ∉ A םולש", "שלום 0 ∉ A."),
        ("זאו ¬b ⟺ םולש", "שלום ⟺ ¬b ואז"),
        ("¬b ⟺ םולש", "שלום ¬b ⟺"),  # the next line may go on
        (".A=[0,1) םולש", "שלום A=[0,1)."),
        ("זאו (lo + hi) / 2 םולש", "שלום (lo + hi) / 2 ואז"),
        ("אבא (G+S) P םולש", "שלום (G+S) P אבא"),
        (".{P,Q} ⊈ l םולש", "שלום {P,Q} ⊈ l."),
        ("xn = |an| :םולש", "שלום: xn = |an|"),
        (".|an − L| < ε םולש", "שלום |an − L| < ε."),
        ("םולש __init__.py םולש", "שלום __init__.py שלום"),
        ("םולש log.* םולש", "שלום *.log שלום"),  # as the algorithm displays it
        (":(a<0) םולש", "שלום (a<0):"),
        ("}A} ⊆ F םולש", "שלום {A} ⊆ F"),  # PDFium turned the first bracket
        ("f)x( ≥ x םולש", "שלום f(x) ≥ x"),  # taken for turned by PDFium
        ("f)x( − g)x( םולש", "שלום f(x) − g(x)"),
        ("םולש ,x םולש", "שלום x, שלום"),  # a comma of the sentence
        ("םולש - x-ב", "ב-x - שלום"),
        (".x=0 ⟹ y=0 םולש", "שלום x=0 ⟹ y=0."),
        (")Wu, 2017; Gale, 1999( םולש", "שלום (Wu, 2017; Gale, 1999)"),
        ("Gale,( םולש", "שלום (Gale,"),
        ("זאו <id> םולש", "שלום <id> ואז"),
        (")Gale, 1999; Wu( םולש", "שלום (Gale, 1999; Wu)"),
    ],
)
def test_a_formula_in_a_font_of_its_own_reads_from_left_to_right(
    drawn: str, read: str
) -> None:
    assert read_hebrew_line(drawn) == read


@pytest.mark.parametrize(
    ("drawn", "in_text", "read"),
    [
        ("םולש 10% םולש", "%", "שלום 10% שלום"),
        ("םולש x, y ∈ A םולש", "x", "שלום x, y ∈ A שלום"),
        ("םולש (z) ∈ A םולש", "(z)", "שלום (z) ∈ A שלום"),
        ("םולש 0.2=P םולש", "0.2", "שלום P=0.2 שלום"),
        ("םולש z ,y ∈ A םולש", "z", "שלום y ∈ A, z שלום"),
    ],
)
def test_what_is_left_of_a_formula_in_the_font_of_hebrew_is_read_with_it(
    drawn: str, in_text: str, read: str
) -> None:
    assert read_hebrew_line(drawn, in_text=in_text) == read


def test_a_digit_in_the_font_of_hebrew_is_of_the_formula_that_it_touches() -> None:
    read = read_hebrew_line(".3t − 4t + 1 = 0 םולש", in_text="0134")
    assert read == "שלום 3t − 4t + 1 = 0."
