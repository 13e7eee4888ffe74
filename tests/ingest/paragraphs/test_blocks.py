"""ingest/paragraphs/blocks.py: paragraphs, headings and items of small PDFs."""

import typst

from ingest.layout.arrange import Arranged, arrange
from ingest.paragraphs.blocks import Block, find_blocks
from ingest.pdf.model import UNKNOWN
from tests.contracts.handmade import Run, lines
from tests.ingest.paragraphs.lines import line
from tests.ingest.reading import arranged, extracted

# In Helvetica 10 each of these is 250 to 275 points wide, so that no first word of the next line would have fitted.
PROSE = [
    "Sorting puts records in order by comparing the keys",
    "of pairs, and most of its cost lies in moving records",
    "about, which is why a good method moves every one",
    "of them seldom.",
]


WHOLE = " ".join(PROSE)


def _blocks(*pages: list[Run]) -> list[Block]:
    return list(find_blocks(arranged(*pages)))


def _printed(source: str) -> list[Block]:
    """Return the blocks of a document that Typst prints."""
    return list(find_blocks(arrange(extracted(typst.compile(source.encode())))))


def _texts(*pages: list[Run]) -> list[str]:
    return [block.text for block in _blocks(*pages)]


def test_an_indent_begins_a_paragraph() -> None:
    second = "A second thought is set off by an indent of its own"
    page = lines(PROSE[:3], 50, 200)
    page.append(Run(65, 236, second))
    page += lines(PROSE[1:], 50, 248)
    first_text, second_text = _texts(page)
    assert first_text == " ".join(PROSE[:3])
    assert second_text == " ".join([second, *PROSE[1:]])


def test_a_short_last_line_ends_a_paragraph() -> None:
    assert _texts(lines([*PROSE, *PROSE], 50, 200)) == [WHOLE] * 2


def test_a_sentence_may_open_after_a_formula_without_a_stop() -> None:
    *_, block = _printed(
        "#set page(width: 260pt); #set text(10pt)\n"
        "#set par(first-line-indent: 1.5em, justify: true)\n"
        + 5 * f"{WHOLE}\n\n"
        + f"{WHOLE} From all of this we obtain the equation $ x = 1 $ Then {WHOLE}"
    )
    assert block.text[: block.n_first].endswith("the equation x = 1")


def test_a_large_line_that_ends_with_a_semicolon_is_no_heading() -> None:
    large = Run(50, 100, "public static final long LENGTH = 1;", size=14)
    code, *_ = _blocks([large, *lines(PROSE, 50, 200)])
    assert not code.is_heading


def test_a_bold_sentence_with_an_exclamation_mark_is_no_heading() -> None:
    for text, is_heading in (
        ("Change no code that is here already!", False),
        ("Thank you!", True),
    ):
        page = [Run(50, 60, text, font="bold"), *lines(PROSE, 50, 100)]
        first, *_ = _blocks(page)
        assert first.is_heading is is_heading, text


def test_bold_code_is_no_heading() -> None:
    source = "= Harbours\n" + "Boats come home at night. " * 9
    source += '\n\n#text(font: "DejaVu Sans Mono", weight: "bold")[moor(boat, pier)]'
    blocks = _printed(source)
    assert [block.is_heading for block in blocks] == [True, False, False]


def test_double_spaced_lines_are_one_paragraph_and_more_space_parts_two() -> None:
    page = lines(PROSE, 50, 100, leading=25)
    page += lines(PROSE, 50, 209, leading=25)
    assert _texts(page) == [WHOLE] * 2


def test_lines_of_one_sentence_show_the_distance_of_lines() -> None:
    sentences = [f"{line}." for line in PROSE[:3]]
    page = lines(sentences * 3, 50, 100, leading=20)
    page += lines(PROSE, 50, 300)
    assert _texts(page) == [*sentences * 3, WHOLE]


def test_lines_that_are_always_far_apart_are_paragraphs() -> None:
    texts = ["=SUM(first, last)", "=MEAN(first, last)", "Every line is alone"]
    assert _texts(lines(texts * 3, 50, 100, leading=22.5)) == texts * 3


def test_cells_next_to_each_other_are_a_table_without_rules() -> None:
    page = lines(PROSE, 50, 200)
    for x, y, cell in (
        (50, 260, "Method"),
        (130, 260, "Cost of it"),
        (210, 260, "Memory"),
        (50, 280, "Merge"),
        (130, 280, "Many moves"),
        (50, 310, "Sorting of records"),
        (250, 310, "17"),
    ):
        page.append(Run(x, y, cell))
    assert [block.in_table for block in _blocks(page)] == [False, True, True, True]
    page = [Run(50, 260, "•"), Run(62, 260, "Where"), Run(130, 260, "lim")]
    page.append(Run(170, 260, "is finite"))

    assert [block.in_table for block in _blocks(page)] == [False]
    page = [Run(50, 260, "f(x) = 1 where"), Run(170, 260, "x >"), Run(190, 260, "0")]
    assert [block.in_table for block in _blocks(page)] == [False]


def test_a_bullet_begins_an_item_and_is_not_its_text() -> None:
    text = [*PROSE, "Search finds."]
    for bullet in ("•", "o"):
        bullets = [Run(50, 200, bullet), Run(50, 248, bullet)]
        first, second = _blocks(bullets + lines(text, 62, 200))
        assert first.text == WHOLE
        assert second.text == "Search finds."
        assert first.number == second.number == bullet


def test_an_item_with_a_bullet_is_no_heading_in_any_print() -> None:
    page = lines(PROSE, 50, 100)
    page += [Run(50, 200, "•", 14), Run(62, 200, "Boats come home", 14)]
    page.append(Run(50, 240, "Boats come home", 14))
    assert [block.is_heading for block in _blocks(page)] == [False, False, True]


def test_a_small_letter_before_a_capital_or_a_hanging_text_is_that_of_an_item() -> None:
    small = f"a. {PROSE[0].lower()}"
    for first, x, number in (
        (f"a. {PROSE[0]}", 50, "a."),
        (small, 61.1, "a."),  # the width of "a. "
        (small, 50, ""),
    ):
        (block,) = _blocks([Run(50, 200, first), *lines(PROSE[1:], x, 212)])
        assert block.number == number


def test_a_capital_before_a_hanging_text_is_that_of_an_item() -> None:
    first = f"C. {PROSE[0]}"
    for x, number in ((62.8, "C."), (70, "")):  # the width of "C. "
        page = [Run(50, 200, first), *lines(PROSE[1:], x, 212)]
        assert _blocks(page)[0].number == number


def test_the_bold_name_of_a_statement_is_measured_if_text_follows_it() -> None:
    for title, font, n_title in (
        ("Cauchy criterion.", "bold", 17),
        ("Cauchy criterion.", "regular", 0),
        ("Cauchy criterion", "bold", 0),
        ("Be quite precise.", "bold", 0),
        ("Stratified samples.", "bold", 0),
    ):
        page = [Run(50, 200, title, font=font), Run(140, 200, PROSE[2])]
        (block,) = _blocks([*page, *lines(PROSE[1:], 50, 212)])
        assert block.n_title == n_title


def test_the_number_of_an_exercise_and_that_of_its_part_are_no_cells() -> None:
    text = "Exercise 5. 1. Sorting puts all records in order by"
    page = [Run(50, 200, "Exercise 5."), Run(118, 200, text.partition(". ")[2])]
    page += lines(
        ["comparing keys of pairs.", "2. Most of its cost lies in moves."], 78, 212
    )
    page += lines(PROSE, 50, 260)
    assert _texts(page)[0] == f"{text} comparing keys of pairs."


def test_a_formula_at_the_top_of_a_page_is_no_part_of_the_sentence_before() -> None:
    page = [Run(140, 100, "q! (q + 1)! (q + 2)!"), *lines(PROSE, 50, 130)]
    assert _texts(lines(PROSE[:3], 50, 200), page)[0] == " ".join(PROSE[:3])


def test_a_sentence_goes_on_at_the_margin_below_an_indented_item() -> None:
    page = [
        Run(62, 200, f"⤷ {PROSE[0]}".replace("⤷", "1.")),
        *lines(PROSE[1:], 50, 212),
    ]
    page += lines(PROSE, 50, 260)
    assert _texts(page)[0] == WHOLE


def test_the_stretched_spaces_of_a_narrow_justified_line_part_no_cells() -> None:
    # 12 to 14 points between words, where a cell begins after 11
    page = []
    for x, word in ((50, "Sorting"), (97.1, "puts"), (130, "keys"), (165.5, "in")):
        page.append(Run(x, 200, word))
    page.append(Run(50, 212, "Knuth order by moving records."))
    assert _texts(page) == ["Sorting puts keys in Knuth order by moving records."]


def test_no_paragraph_goes_on_below_the_heading_of_the_next_page() -> None:
    open_end = ["Sorting puts records in order by comparing the keys"]
    for heading in (
        Run(50, 100, "Search", size=14),
        Run(50, 100, "Search", font="bold"),
    ):
        texts = _texts(lines(open_end, 50, 200), [heading, *lines(PROSE, 50, 130)])
        assert texts == [*open_end, "Search", WHOLE]


def test_the_initial_of_a_name_is_not_the_letter_of_an_item() -> None:
    text = ["K. Jones proposed in 1972 to weigh words by rarity,", *PROSE[1:]]
    assert _texts(lines(text, 50, 200)) == [" ".join(text)]


def test_a_heading_stands_over_the_paragraphs_below_it() -> None:
    page = [
        Run(50, 180, "Sorting", font="bold"),
        *lines(PROSE, 50, 200),
        Run(50, 270, "Search", size=14),
        *lines(PROSE, 50, 290),
    ]
    sorting, first, search, second = _blocks(page)
    assert sorting.is_heading
    assert search.is_heading
    assert not first.is_heading
    assert (first.heading, second.heading) == ("Sorting", "Search")


def test_the_name_of_a_bibliography_is_a_heading_in_any_print() -> None:
    entry = Run(50, 230, "[1] A study of boats and of tides.")
    *_, last = _blocks([*lines(PROSE, 50, 100), Run(140, 200, "REFERENCES"), entry])
    assert last.heading == "REFERENCES"
    entry = Run(50, 230, "• A study of boats and of tides.")
    *_, last = _blocks([*lines(PROSE, 50, 100), Run(140, 200, "REFERENCES"), entry])
    assert not last.heading


def test_a_footnote_does_not_part_the_paragraph_it_interrupts() -> None:
    for mark, text in (("1 ", "A note of its own."), ("6", "C Jones drew it.")):
        note = Run(50, 700, mark + text, size=8)
        first_page = [*lines(PROSE[:2], 50, 200), note]
        body, footnote = _blocks(first_page, lines(PROSE[2:], 50, 200))
        assert body.text == WHOLE
        assert not body.footnote
        assert footnote.text == text
        assert footnote.footnote


def test_a_listing_at_the_end_of_a_page_does_not_go_on_in_the_prose_of_the_next() -> (
    None
):
    code = "for key in keys: place = order[key]; move(key)"
    page = [*lines(PROSE, 50, 200), Run(50, 260, code, font="mono")]
    assert _texts(page, lines(PROSE, 50, 200)) == [
        WHOLE,
        code,
        WHOLE,
    ]


def test_a_display_inside_a_sentence_does_not_end_the_paragraph() -> None:
    before = [PROSE[0], "of pairs, and needs at least"]
    page = [
        *lines(before, 50, 200),
        Run(150, 228, "n log n - n"),
        Run(50, 246, "comparisons of them."),
        *lines(PROSE, 50, 280),
    ]
    first, second = _texts(page)
    assert first == " ".join([*before, "n log n - n comparisons of them."])
    assert second == WHOLE


def test_a_number_that_stands_no_farther_apart_than_words_is_no_marker() -> None:
    # justified: every space of the first line is 10 points wide
    page = [
        Run(77, 200, "0.95"),
        Run(106.5, 200, "looks"),
        Run(139.8, 200, "like"),
        Run(164.8, 200, "good"),
        Run(196.8, 200, "luck"),
        Run(224.6, 200, "overall"),
        *lines(PROSE[1:], 50, 212),
    ]
    assert _texts(page) == [" ".join(run.text for run in page)]


def test_the_number_of_an_exercise_and_the_letter_of_its_part_are_no_text() -> None:
    page = [
        Run(50, 200, "39."),
        Run(68, 200, "(a)"),
        *lines(PROSE, 84, 200),
        Run(68, 248, "(b)"),
        *lines(PROSE, 84, 248),
    ]
    first, second = _blocks(page)
    assert first.text == second.text == WHOLE
    assert first.number == "39."
    assert second.number == "(b)"


def test_the_second_line_of_a_centred_caption_belongs_to_it() -> None:
    for lang, caption in (
        ("en", "The running times, as printed, of Merge Sort and Binary Search Trees"),
        ("en", "The running times of all our methods of sorting, on a list of trees"),
        ("he", "זמני הריצה של כל השיטות שלנו למיון רשימות של מספרים טבעיים לפי הספר"),
    ):
        source = f"""
#set page(width: 300pt)
#set par(justify: true)
#set text(lang: "{lang}", font: "Libertinus Serif")
{WHOLE}
#figure(rect(), caption: [{caption}])
{WHOLE}
"""
        texts = [block.text for block in _printed(source)]

        assert any(text.endswith(caption) for text in texts)


def test_ragged_text_from_left_to_right_in_a_hebrew_document_is_one_paragraph() -> None:
    hebrew = "הסירות חוזרות הביתה בלילה לפי הסדר שבו יצאו אל הים הפתוח עם בוקר. " * 6
    english = (
        "If a boat is meant to be lent, and it has oars that nobody should take, consider hiding them. "
        * 3
    )
    source = f"""
#set page(width: 300pt)
#set text(lang: "he", font: "Libertinus Serif")
{hebrew}

#text(dir: ltr, lang: "en", align(left)[{english}])

{hebrew}
"""
    blocks = _printed(source)
    assert [block.text for block in blocks][1] == english.strip()


def test_a_title_in_other_print_does_not_part_the_line_that_it_fills() -> None:
    for title in (
        '#text(weight: "bold", size: 0.9em)[Theorem 1 (On the order of the records of one file).] It holds',
        "#strong[Beware of one thing. Whoever sorts all records by hand needs a table of one] #strong[mile.] It holds",
    ):
        rest = "for files of any length that a method which is stable moves each record at most as often as it is read."
        source = f"#set page(width: 420pt, margin: 40pt)\n{title} {rest}"
        (block,) = _printed(source)
        assert block.text.endswith(f"It holds {rest}")


def test_a_gap_where_a_sign_is_missing_parts_no_ragged_paragraph() -> None:
    page = lines(
        ["A line that is longer than all the other lines of this text here"], 50, 200
    )
    page += lines(
        ["The rest of it is ragged, and goes on in the next line of the", "neighbours"],
        50,
        240,
    )
    page.append(Run(115, 252, "who have a sign that the file lacks before them."))
    assert len(_texts(page)) == 2


def test_a_paragraph_with_wider_lines_than_the_rest_is_one() -> None:
    page = lines(PROSE * 3, 50, 100)
    wide = lines(PROSE, 50, 300, leading=20)
    assert _texts(page, wide)[-1] == WHOLE


def test_a_line_in_the_print_of_its_slide_is_no_heading() -> None:
    plain = lines(PROSE * 3, 50, 200, leading=20)
    large = [Run(50, 60, "Sorting", size=20)]
    large += lines(["By keys", "Of ships", "In order", "By size"], 50, 200, 40, 14)
    slides = _blocks(plain, large)
    assert [block.text for block in slides if block.is_heading] == ["Sorting"]
    few = _blocks(plain, large[:3])
    assert [block.text for block in few if block.is_heading][1:] == [
        "By keys",
        "Of ships",
    ]


def test_no_paragraph_goes_on_over_a_heading_or_an_item() -> None:
    open_end = ["Sorting puts records in order by comparing the keys"]
    small = ["of pairs, and most of its cost lies in moving records", "about."]
    heading = Run(50, 100, "Search", size=14)
    texts = _texts(lines(open_end, 50, 200), [heading, *lines(small, 50, 130)])
    assert texts == [*open_end, "Search", " ".join(small)]
    first = [*lines(open_end, 50, 200), Run(50, 240, "• Search")]
    assert _texts(first, lines(small, 50, 130))[0] == open_end[0]


def test_a_listing_has_blocks_side_by_side_in_a_font_of_fixed_width() -> None:
    page = [
        *lines(PROSE, 50, 200),
        Run(50, 260, "moor(boat)", font="mono"),
        Run(50, 320, "Boats come home."),
        Run(50, 380, "while tide: wait()", font="mono"),
        Run(50, 440, "sail(boat)", font="mono"),
    ]
    in_listing = {block.text: block.in_listing for block in _blocks(page)}

    assert in_listing == {
        WHOLE: False,
        "moor(boat)": False,
        "Boats come home.": False,
        "while tide: wait()": True,
        "sail(boat)": True,
    }


def test_items_have_others_near_and_the_text_above_introduces_them() -> None:
    rows = [
        "Rules of the harbour",
        "• Never wait.",
        "• Never sail.",
        "Boats come home.",
    ]
    above, one, other, below = _blocks(lines(rows, 50, 200))
    assert (above.is_first, above.introduces, above.in_list) == (True, True, False)
    assert (one.is_first, one.introduces, one.in_list) == (False, True, True)
    assert (other.introduces, other.in_list) == (False, True)
    assert not below.in_list


def test_gaps_in_a_formula_below_text_are_no_cells() -> None:
    page = lines(
        [*PROSE[:3], "of them by a rule of its own, which for numbers is"], 50, 200
    )
    page += [Run(90, 250, "f(x) = 1 + x,"), Run(200, 250, "x > 0.")]
    (block,) = _blocks(page)
    assert block.text.endswith("f(x) = 1 + x, x > 0.")
    assert not block.has_gaps


def test_a_word_is_unknown_unless_it_is_a_letter_with_an_unknown_index() -> None:
    text = f"Let x{UNKNOWN} be tr{UNKNOWN}s {UNKNOWN * 3} {UNKNOWN}"
    (block,) = find_blocks(Arranged("", [[line(text)]], 10.0))
    assert block.text == "Let x be trs"
    assert block.unknown_share == 2 / 6
