"""ingest/layout/bidi.py: logical order of lines as the Unicode bidirectional algorithm displays them."""

from random import Random

import pytest
from bidi import get_display

from ingest.layout.bidi import logical_order, pairs_as_drawn

HEBREW = "שלום"


def _displayed(line: str) -> str:
    return str(get_display(line, base_dir="R"))


def _read(drawn: str, as_drawn: bool = False) -> str:
    order = logical_order(drawn, base_rtl=True, as_drawn=as_drawn)
    return "".join([text for _, text in order])


@pytest.mark.parametrize(
    "line",
    [
        "ה-64GB של שלום",
        "ב-O(n) ואז",
        "שלום f(x).",
        "Python 3.1 שלום",
        "הפונקציה solve() פותרת",
        "בקשטן @wraps() ובסוגריים",
        "כותבים In []: ואז",
        "הזוגות (2-a), (2-b) ו-(2-c)",  # the same order throughout
        "הקובץ .log נוצר",
        "הקובץ הוא .log",
        "עם numpy, scipy.",
        "(a) סעיף (ב) ועוד [3], סוף",
        "הערך a[i] גדול מ-{k: 1} לגמרי",
        "אם א<ב ואם x<0 אז 5<6",
        "כ-50% או $5, ובין 3.5 ל-1,000",
        "1. שלום: (ראו [2])",
        "הסדר 1, 2, 5, 4, 3, 2, 1, 5 נשמר",
    ],
)
def test_a_line_comes_back_from_its_display(line: str) -> None:
    assert _read(_displayed(line)) == line


@pytest.mark.parametrize(
    ("line", "alike"),
    [
        ("שלום 64 n=3", "שלום n=3 64"),  # a number before or after Latin text
        ("שלום (1-x)", "שלום (x-1)"),  # a number and a letter with a sign between
    ],
)
def test_of_lines_that_are_displayed_alike_the_one_with_latin_text_first_is_read(
    line: str, alike: str
) -> None:
    displayed = _displayed(line)
    assert _displayed(alike) == displayed
    assert _read(displayed) == alike


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("םולש", "שלום"),
        ("םולש Luhn .1", "1. Luhn שלום"),  # the number of an item
        ("V. .םולש", "שלום. V."),  # Latin text follows in the next line
        ("זאו 64 GB", "64 GB ואז"),  # it is in the line before
        ("O(n log ןמזב", "בזמן O(n log"),
        ("עיצה [1] Noether לש", "של Noether [1] הציע"),  # as TeX does
        ("םולש 7–3", "3–7 שלום"),
        ("םולש 3–7", "3–7 שלום"),
        (".7, 11, 1.5 :םולש", "שלום: 7, 11, 1.5."),
        (".7 ,11 ,1.5 :םולש", "שלום: 1.5, 11, 7."),
        ("√2 םולש", "שלום √2"),
        (".∀x<3 םולש", "שלום ∀x<3."),
        ("log-in | םולש", "שלום | log-in"),
        ("זאו http://a.com/ םולש", "שלום http://a.com/ ואז"),
        ("זאו A* שופיח", "חיפוש A* ואז"),
        ("זאו P' שופיח", "חיפוש P' ואז"),
        ("C/C++ תפש", "שפת C/C++"),
        ("זאו C# תפש", "שפת C# ואז"),
        (".run(key( תרזעב", "בעזרת run(key)."),
        ("זאו 'a' שופיח", "חיפוש 'a' ואז"),
        ("client- םולש", "שלום client-"),  # "server" follows in the next line
        ("TCP/ םולש", "שלום TCP/"),
        ("n + םולש", "שלום n +"),
        ("זאו + 1", "+ 1 ואז"),  # "n" is in the line before
        ("2-Factor- םולש", "שלום 2-Factor-"),
        (")Gale & Wu, 1990( םולש", "שלום (Gale & Wu, 1990)"),
        ("Gale ,1990 םולש", "שלום 1990, Gale"),
        (".C ,stdio.h ,r19 םולש", "שלום r19, stdio.h, C."),  # stops as in Hebrew
        ("“bar” :fooה םולש", "שלום הfoo: “bar”"),
        ("12.zip :םולש", "שלום: 12.zip"),
        ("<id1>_<id2>.zip םולש", "שלום <id1>_<id2>.zip"),
        (".x < 3 םולש", "שלום x < 3."),
        (
            "O)log n( - םולש",
            "שלום - O(log n)",
        ),  # as authors draw it in brackets of the text
        ("םולש “شلا” םולש", "שלום “الش” שלום"),
        (".כ“הס", "סה”כ."),  # PDFium has mirrored the mark
        ("“terrain“ םשב", "בשם ”terrain“"),  # and the first one of these
        ("}x, 2000{ םולש", "שלום {x, 2000}"),
        (".(םולש", "שלום)."),  # its partner is in the line before
        ("f(.5) םולש", "שלום f(.5)"),
        (")Read) םולש", "שלום (Read)"),  # fonts that store a bracket in two ways
    ],
)
def test_programs_display_some_text_by_itself(drawn: str, read: str) -> None:
    assert _read(drawn) == read


def test_brackets_are_read_whether_they_are_stored_as_drawn_or_as_read() -> None:
    for drawn in ("(1966 ,קזח) םהרג", ")1966 ,קזח( םהרג"):
        for as_drawn in (False, True):
            assert _read(drawn, as_drawn) == "גרהם (חזק, 1966)"
    assert pairs_as_drawn("(קזח) f(x) םולש") == 1
    assert pairs_as_drawn(")קזח( f(x) םולש") == -1
    assert pairs_as_drawn("Read(id) (קזח)") == 0  # from left to right


KINDS = (
    ["שלום", "הנמל", "של", "ערך", "אם", "ב-ספר", "ו-n"],
    ["numpy", "log", "x", "Ledger", "n"],
    ["solve()", "f(x)", "x<0", "O(n log n)", "a[i]", ".log", "return (0,0)", "(1-x)"],
    ["7", "64", "2026", "3.14", "1,000", "50%", "$5", "2n", "64GB"],
    ["=", "+", "<", "≤", "->", "&", "/"],
)


def _line(random: Random) -> str:
    """Return a line of words, numbers, operators and code, some of it in brackets."""
    words = [HEBREW]
    for _ in range(random.randint(1, 9)):
        n_grouped = random.choice([1, 1, 1, 2, 3])
        group = []
        for _ in range(n_grouped):
            (kind,) = random.choices(KINDS, [5, 2, 1, 2, 1])
            group.append(random.choice(kind) + random.choice(["", "", "", ",", "?"]))
        brackets = random.choice(["(%s)", "(%s)", "[%s]", "{%s}"])
        text = " ".join(group)
        words.append(brackets % text if n_grouped > 1 else text)
    return " ".join(words)


def test_random_lines_are_read_so_that_they_are_displayed_as_drawn() -> None:
    # lines that are displayed alike cannot be told apart: any of them is right
    random = Random(7)
    n_right = 0
    for _ in range(1_000):
        displayed = _displayed(_line(random))
        n_right += _displayed(_read(displayed)) == displayed
    assert n_right >= 995
