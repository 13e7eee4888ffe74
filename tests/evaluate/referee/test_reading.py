"""The reading of questions by rules, against paragraphs whose answers are worked by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evaluate.referee import NOT_RELEVANT
from evaluate.referee.reading import Reading
from evaluate.referee.seen import see

# 3 sentences of 8, 14 and 8 words
ENGLISH = (
    "The inverted index maps terms to their postings. "
    "A query is parsed, e.g. by Lucene, in 3 steps (since 1998) and costs 12% more. "
    'Does caching help the "hot" index terms?'
)
# 3 sentences of 7, 6 and 2 words
HEBREW = "מנוע חיפוש בונה אינדקס של כל המסמכים. השאילתה מנותחת ב-3 שלבים, והאינדקס עונה. האם מהר?"

NONE = "None of these"


def ask(question: str, *options: str, paragraph: str = ENGLISH) -> str:
    return Reading().answer(see(paragraph), 1, question, options)


@pytest.mark.parametrize(
    "question",
    [
        "Which of these words occurs in the paragraph?",
        "Which one of the following terms is mentioned in the text?",
        "Looking at the exact wording, which of these words can be found there?",
        "Which of these names does the paragraph use?",
        "Which phrase is contained in the paragraph?",
        "The paragraph contains one of these words. Which one?",
    ],
)
def test_the_one_word_that_occurs_is_the_answer(question: str) -> None:
    assert ask(question, '"graph"', '"tree"', '"query"', NONE) == "C"
    assert ask(question, "lucene", "tree", "graph", NONE) == "A"
    assert ask(question, "tree", NONE, "graph", "plan") == "B"


def test_a_word_matches_whole_and_in_any_case_only() -> None:
    question = "Which of these words occurs in the paragraph?"
    assert ask(question, "term", "post", "cach", NONE) == "D"
    assert ask(question, "TERMS", "post", "cach", NONE) == "A"
    assert ask(question, "ｌｕｃｅｎｅ", "post", "cach", NONE) == "A"  # full-width letters, equal under NFKC


def test_an_inflected_form_counts_only_where_the_question_says_so() -> None:
    options = ("term", "graph", "tree", NONE)
    assert ask("Which of these words occurs in the paragraph?", *options) == "D"
    assert ask("Which of these words occurs, in any form, in the paragraph?", *options) == "A"
    assert ask("Which of these words occurs? No other form counts.", *options) == "D"


def test_a_phrase_matches_in_its_order_and_not_across_a_comma() -> None:
    question = "Which of these phrases occurs in the paragraph?"
    assert ask(question, '"index inverted"', '"inverted index"', '"Lucene in 3"', NONE) == "B"
    assert ask(question, '"index inverted"', '"maps index"', '"Lucene in 3"', NONE) == "D"


def test_a_number_is_not_found_inside_a_decimal() -> None:
    paragraph = "The rate fell by 3.5 points."
    assert ask("Which of these numbers occurs in the paragraph?", "3", "5", "7", NONE, paragraph=paragraph) == "D"
    assert ask("Which of these numbers occurs in the paragraph?", "3", "3.5", "7", NONE, paragraph=paragraph) == "B"


def test_of_a_list_of_words_any_may_occur() -> None:
    question = "Which of these lists has a word that occurs in the paragraph?"
    assert ask(question, "graph or tree", "plan, query", '"node" or "edge"', NONE) == "B"
    assert ask(question, "graph or tree", "plan, cost", '"node" or "index"', NONE) == "C"
    assert ask(question, "graph or tree", "plan, cost", '"node" or "edge"', NONE) == "D"


def test_of_words_joined_by_and_both_must_occur() -> None:
    question = "Which pair of words occurs in the paragraph?"
    assert ask(question, '"query" and "tree"', '"query" and "index"', '"node" and "edge"', NONE) == "B"


def test_several_fitting_options_are_not_relevant_without_a_rule() -> None:
    assert ask("Which of these words occurs in the paragraph?", "query", "index", "tree", NONE) == NOT_RELEVANT


@pytest.mark.parametrize(
    "rule",
    [
        " If several do, choose the first in the list.",
        " (If more than one occurs, pick the earliest option.)",
        " When several fit, take the first listed.",
        " In case of ties choose the first option.",
    ],
)
def test_with_a_rule_the_first_of_several_in_the_list_is_the_answer(rule: str) -> None:
    question = "Which of these words occurs in the paragraph?" + rule
    assert ask(question, "tree", "query", "index", NONE) == "B"
    assert ask(question, "tree", "graph", "plan", NONE) == "D"


def test_a_rule_may_go_by_the_place_in_the_paragraph() -> None:
    question = (
        "Which of these words occurs in the paragraph? If several do, choose the one that appears first in the text."
    )
    assert ask(question, "query", "index", "tree", NONE) == "B"


def test_a_rule_may_name_the_letter_for_none() -> None:
    question = "Which of these words occurs in the paragraph? If none does, answer D."
    assert ask(question, "tree", "graph", "plan", "node") == "D"
    assert ask(question, "tree", "graph", "query", "node") == "C"


@pytest.mark.parametrize("way_out", ["two or more of these", "more than one", "Several of them"])
def test_an_option_for_several_takes_them(way_out: str) -> None:
    question = "Which of these words is mentioned in the paragraph?"
    assert ask(question, "query", "index", "tree", way_out) == "D"
    assert ask(question, "query", "graph", "tree", way_out) == "A"
    assert ask(question, "plan", "graph", "tree", way_out) == NOT_RELEVANT


def test_a_lone_several_among_words_is_a_word() -> None:
    options = ("several", "other", "tree", "both")
    assert ask("Which of these words occurs in the paragraph?", *options, paragraph="We saw the other one.") == "B"


def test_two_named_words_may_both_occur_or_only_one() -> None:
    options = ("Both", 'Only "query"', 'Only "tree"', "Neither")
    assert ask('Which of the words "query" and "tree" occur in the paragraph?', *options) == "B"
    options = ("Both", "Only the first", "Only the second", "Neither")
    assert ask('Which of the words "query" and "index" occur in the paragraph?', *options) == "A"
    assert ask('Which of the words "graph" and "index" occur in the paragraph?', *options) == "C"
    assert ask('Which of the words "graph" and "tree" occur in the paragraph?', *options) == "D"


def test_a_question_may_ask_for_the_word_that_is_absent() -> None:
    assert ask("Which of these words does NOT occur in the paragraph?", "query", "tree", "index", "the") == "B"


@pytest.mark.parametrize(
    ("question", "there"),
    [
        ('Does the paragraph contain the word "query"?', True),
        ("Does the paragraph mention Lucene?", True),
        ("Is the term postings used in the paragraph?", True),
        ("Does the paragraph mention Solr by name?", False),
        ('Do the words "query" and "tree" both occur?', False),
        ('Does "tree" or "query" appear?', True),
        ('Is the word "tree" absent from the paragraph?', True),
        ("Does the paragraph contain a number?", True),
        ("Are there any digits in the paragraph?", True),
        ("Does it contain a year?", True),
        ("Is there a percentage in the paragraph?", True),
        ("Does the paragraph ask a question?", True),
        ("Does the paragraph have a question mark anywhere?", True),
        ("Does the paragraph contain a quotation?", True),
        ("Are there parentheses in the paragraph?", True),
        ("Does the paragraph contain a formula?", False),
        ("Does the paragraph contain an exclamation mark?", False),
        ("Does the paragraph contain a name in capitals?", True),
        ("Does the first sentence contain a number?", False),
        ('Is "query" mentioned in the opening sentence?', False),
        ('Does the word "terms" occur at least twice?', True),
        ('Does the word "terms" occur more than twice?', False),
        ('Does "index" come before "query" in the paragraph?', True),
        ('Does "query" occur before "index"?', False),
        ("Does the paragraph have more than three sentences?", False),
        ("Is the paragraph longer than twenty words?", True),
        ('Does the paragraph begin with "The"?', True),
        ('Does the first sentence end with "query"?', False),
    ],
)
def test_yes_and_no_are_read_from_the_options_and_not_from_their_places(question: str, there: bool) -> None:
    assert ask(question, "Yes", "No", "Cannot tell", "Partly") == ("A" if there else "B")
    assert ask(question, "No, it does not", "Not sure", "Yes, it does", "-") == ("C" if there else "A")


def test_a_more_detailed_yes_beats_a_plain_one() -> None:
    question = 'Does the word "terms" occur in the paragraph?'
    assert ask(question, "Yes, exactly once", "Yes, more than once", "No", "Unclear") == "B"
    assert ask(question, "Yes", "Yes, more than once", "No", "Unclear") == "B"


@pytest.mark.parametrize(
    "question",
    [
        "How does the opening sentence begin?",
        "With which word does the paragraph start?",
        "What is the first word of the first sentence?",
    ],
)
def test_the_beginning_is_compared_with_each_option(question: str) -> None:
    assert ask(question, '"A"', '"The"', '"In"', "Another word") == "B"
    assert ask(question, "With the word A", "With the word In", "With the word The", "Otherwise") == "C"
    assert ask(question, "A", "An", "In", "another word") == "D"


def test_the_first_letter_is_looked_up_in_ranges() -> None:
    assert ask("With which letter does the paragraph begin?", "A-F", "G to M", "N–S", "T-Z") == "D"
    assert ask("With which letter does the paragraph begin?", "A or T", "B or S", "C", "another letter") == "A"


def test_the_first_sentence_is_a_scope_of_its_own() -> None:
    question = "Which of these words does the first sentence contain?"
    assert ask(question, "query", "maps", "caching", "none of them") == "B"
    assert ask(question, "query", "parsed", "caching", "none of them") == "D"
    question = "Which of these words occurs in the paragraph, but not in the first sentence?"
    assert ask(question, "maps", "caching", "tree", "none of them") == "B"


def test_a_place_is_first_later_or_nowhere() -> None:
    options = ("In the first sentence", "Later", "Not at all", "Cannot tell")
    for word, letter in (("maps", "A"), ("query", "B"), ("tree", "C"), ("terms", "A")):
        assert ask(f'Is the word "{word}" in the first sentence, later, or not at all?', *options) == letter
    options = ("only in the opening sentence", "only after it", "both in the opening sentence and later", "nowhere")
    for word, letter in (("maps", "A"), ("query", "B"), ("terms", "C"), ("tree", "D")):
        assert ask(f'Where does "{word}" occur?', *options) == letter


def test_an_abbreviation_or_a_decimal_ends_no_sentence() -> None:
    options = ("one", "two", "three", "more than three")
    assert ask("How many sentences does the paragraph have?", *options) == "C"
    paragraph = "Dr. Levi et al. (2010) measured 3.5 s. It was fast."
    assert ask("How many sentences does the paragraph have?", *options, paragraph=paragraph) == "B"


@pytest.mark.parametrize(
    ("question", "options", "letter"),
    [
        ("How many words does the paragraph have?", ("fewer than 20", "20 to 25", "26-35", "more than 35"), "C"),
        ("How many words are in the first sentence?", ("up to 5", "6 or 7", "8–10", "11+"), "C"),
        ("How long is the opening sentence, in words?", ("at most 7", "between 8 and 9", "10-12", "over 12"), "B"),
        ("How many numbers does the paragraph contain?", ("none", "one or two", "three", "at least four"), "C"),
        ("How many commas are there?", ("0", "1", "2", "3 or more"), "C"),
        ('How often does the word "index" occur?', ("never", "once", "twice", "three times or more"), "C"),
        ('How many of the words "tree", "index" and "query" occur?', ("none", "one", "two", "all three"), "C"),
        ("How many sentences are there?", ("1 to 3", "4-6", "more than six", "cannot tell"), "A"),
        ("Is the paragraph longer or shorter than 40 words?", ("Longer", "Shorter", "Exactly 40", "-"), "B"),
        ("Is it shorter or longer than 10 words?", ("Shorter", "Longer", "Exactly 10", "-"), "B"),
    ],
)
def test_amounts_are_counted_and_looked_up_in_the_options_ranges(
    question: str, options: Sequence[str], letter: str
) -> None:
    assert ask(question, *options) == letter


def test_overlapping_ranges_are_not_relevant() -> None:
    assert ask("How many sentences are there?", "1 to 3", "3 to 5", "6", "7 or more") == NOT_RELEVANT


def test_order_and_frequency_compare_the_options() -> None:
    assert ask("Which of these words occurs first in the paragraph?", "caching", "query", "maps", "none occurs") == "C"
    assert ask("Which of these appears earliest?", "tree", "graph", "plan", "none of them appears") == "D"
    assert ask("Which occurs more often?", '"index"', '"query"', "equally often", "neither occurs") == "A"
    assert ask("Which occurs more often?", '"index"', '"terms"', "equally often", "neither occurs") == "C"
    assert ask("Which occurs more often?", '"tree"', '"graph"', "equally often", "neither occurs") == "D"


@pytest.mark.parametrize(
    "question",
    [
        "What is the main topic of the paragraph?",
        "Which of these words best describes the paragraph?",
        "Why is an index used?",
        "Is the paragraph about search engines?",
        "Does the paragraph give an example?",
        "Does the paragraph contain a definition?",
        "How many words does the longest sentence have?",
        "How many words that begin with a capital letter does it have?",
        "",
    ],
)
def test_what_no_rule_can_check_is_not_relevant(question: str) -> None:
    assert ask(question, "search", "index", "Yes", "No") == NOT_RELEVANT
    assert ask(question, "Yes", "No", "1 to 5", "6 or more") == NOT_RELEVANT


@pytest.mark.parametrize(
    ("question", "options", "letter"),
    [
        ("איזו מהמילים הבאות מופיעה בפסקה?", ("עץ", "אינדקס", "גרף", "אף אחת מהן"), "B"),
        ("איזו מהמילים הבאות מופיעה בפסקה?", ('"עץ"', '"מסמך"', '"גרף"', "אף אחת מהן"), "D"),
        ("איזו מהמילים מופיעה בפסקה, בכל צורה?", ("עץ", "מסמך", "גרף", "אף אחת מהן"), "B"),
        ("איזו מהמילים מופיעה בפסקה?", ("חיפוש", "אינדקס", "גרף", "יותר מאחת"), "D"),
        ("איזו מהמילים מופיעה? אם כמה מופיעות, בחרו את הראשונה ברשימה.", ("עץ", "אינדקס", "חיפוש", "אף אחת"), "B"),
        ("האם הפסקה מזכירה את המילה אינדקס?", ("לא", "כן", "לא ברור", "-"), "B"),
        ('האם המילה "גרף" מופיעה בפסקה?', ("כן", "לא", "לא ברור", "-"), "B"),
        ("האם יש בפסקה מספר?", ("כן", "לא", "", ""), "A"),
        ("האם הפסקה מכילה סימן שאלה?", ("כן", "לא", "", ""), "A"),
        ("האם יש בפסקה סוגריים?", ("כן", "לא", "", ""), "B"),
        ("באיזו מילה מתחיל המשפט הראשון?", ("האם", "מנוע", "כל", "מילה אחרת"), "B"),
        ("איזו מילה מופיעה במשפט הפותח?", ("שלבים", "חיפוש", "מהר", "אף אחת מהן"), "B"),
        ('היכן מופיעה המילה "שלבים"?', ("במשפט הראשון", "בהמשך", "כלל לא", "לא ידוע"), "B"),
        ("כמה משפטים יש בפסקה?", ("אחד", "שניים", "שלושה", "ארבעה או יותר"), "C"),
        ("כמה מילים יש בפסקה?", ("פחות מ-10", "בין 10 ל-14", "15 עד 20", "מעל 20"), "C"),
        ("האם הפסקה ארוכה או קצרה מ-40 מילים?", ("ארוכה", "קצרה", "בדיוק 40", "לא ידוע"), "B"),
        ("איזו מהמילים מופיעה ראשונה בפסקה?", ("שלבים", "אינדקס", "מהר", "אף אחת"), "B"),
        ("מהו הנושא של הפסקה?", ("חיפוש", "בישול", "ספורט", "אחר"), NOT_RELEVANT),
    ],
)
def test_hebrew_questions_are_read_like_english_ones(question: str, options: Sequence[str], letter: str) -> None:
    assert ask(question, *options, paragraph=HEBREW) == letter


def test_hebrew_points_and_direction_marks_do_not_hide_a_word() -> None:
    question = "איזו מהמילים מופיעה בפסקה?"
    assert ask(question, "עץ", "שלום", "גרף", "אף אחת", paragraph="אמר \u200fשָׁלוֹם\u200f והלך.") == "B"


def test_an_empty_paragraph_and_too_few_options_raise_nothing() -> None:
    assert ask("Which of these words occurs?", "a", "b", "c", NONE, paragraph="") == "D"
    assert ask("How does the first sentence begin?", "a", "b", paragraph="") == NOT_RELEVANT
    assert ask("Which of these words occurs?") == NOT_RELEVANT
