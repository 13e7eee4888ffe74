"""The reading of questions by rules, against paragraphs whose answers are worked by hand."""

import pytest

from evaluate.referee.context import build_visible_context
from evaluate.referee.wording import answer_by_wording
from player.answer import NOT_RELEVANT

ENGLISH = (
    "The inverted index maps terms to their postings. "
    "A query is parsed, e.g. by Lucene, in 3 steps (since 1998) and costs 12% more. "
    'Does caching help the "hot" index terms?'
)
HEBREW = "מנוע חיפוש בונה אינדקס של כל המסמכים. השאילתה מנותחת ב-3 שלבים, והאינדקס עונה. האם מהר?"

OCCURS = "Which of these words occurs in the paragraph?"


def ask(
    question: str,
    options: str,
    paragraph: str = ENGLISH,
    parted: str = "; ",
) -> str:
    """The answer to a question with these options, parted by "|"; it repeats the first three in place of "{}"."""
    texts = tuple(options.split(" | "))
    asked = question.replace("{}", parted.join(texts[:3]))
    return answer_by_wording(build_visible_context(paragraph), asked, texts)


@pytest.mark.parametrize(
    "question",
    [
        OCCURS,
        "Which one of the following terms is mentioned in the text?",
        "Looking at the exact wording, which of these words can be found there?",
        "Which of these names does the paragraph use?",
        "Which phrase is contained in the paragraph?",
    ],
)
def test_the_one_word_that_occurs_is_the_answer(question: str) -> None:
    assert ask(question, '"graph" | "tree" | "query" | None of these') == "C"
    assert ask(question, "lucene | tree | graph | None of these") == "A"
    assert ask(question, "tree | None of these | graph | plan") == "B"


def test_a_word_matches_whole_and_in_any_case_only() -> None:
    assert ask(OCCURS, "term | post | cach | None of these") == "D"
    assert ask(OCCURS, "TERMS | post | cach | None of these") == "A"
    # full-width letters, equal under NFKC
    assert ask(OCCURS, "ｌｕｃｅｎｅ | post | cach | None of these") == "A"


def test_of_a_list_of_words_any_may_occur() -> None:
    question = "Which of these lists has a word that occurs in the paragraph?"
    for options, letter in {
        'graph or tree | plan, query | "node" or "edge" | None of these': "B",
        'graph or tree | plan, cost, or index | "node" or "edge" | None of these': "B",
        'graph or tree | plan, cost | "node" or "index" | None of these': "C",
        'graph or tree | plan, cost | "node" or "edge" | None of these': "D",
    }.items():
        assert ask(question, options) == letter


def test_the_first_of_several_fitting_options_is_the_answer_with_a_rule_alone() -> None:
    assert ask(OCCURS, "query | index | tree | None of these") == NOT_RELEVANT
    for rule in (
        "If several do, choose the first in the list.",
        "(If more than one occurs, pick the earliest option.)",
        "Choose the first option with a word that is there. Only this exact form counts.",
        "In case of ties choose the first of them in the order A, B, C.",
    ):
        assert ask(f"{OCCURS} {rule}", "tree | query | index | None of these") == "B"
        assert ask(f"{OCCURS} {rule}", "tree | graph | plan | None of these") == "D"


def test_a_question_may_repeat_its_options() -> None:
    for question in (
        "Which of these words occur in the paragraph: {}? Choose the first option with a word that is there.",
        "Of the words {}, which stand in the text? If several do, choose the first.",
        "Which of {} does the paragraph contain? If several, take the first option.",
    ):
        for options, letter in {
            "graph or tree | plan, cost or query | index | none of these words": "B",
            # words that would say something about the question, or about the other options, if they were not its own
            "first, begin or topic | how, why or who | sentence, end or not | none of these words": "D",
            "none | other or more | the | none of these words": "B",
            "and | or or set | with, help or word | none of these words": "A",
            "no | yes | both | none of these words": "D",
        }.items():
            assert ask(question, options) == letter
            assert ask(question, options, parted=", ") == letter

        quoted = '"tree" | "query" | "how" | none of these words'
        assert ask(question, quoted, parted=", ") == "B"


@pytest.mark.parametrize(
    ("question", "is_there"),
    {
        'Does the paragraph contain the word "query"?': True,
        'Does the word "topic" occur in the paragraph?': False,
        'Does "tree" or "query" appear?': True,
        'Is "query" mentioned in the opening sentence?': False,
        'Does the word "maps" stand in the first sentence of the paragraph?': True,
        'Does the paragraph begin with "The"?': True,
        'Does the first sentence end with "query"?': False,
        'Does the first sentence end with the word "postings"?': True,
    }.items(),
)
def test_yes_and_no_are_read_from_the_options_and_not_from_their_places(
    question: str, is_there: bool
) -> None:
    yes_first = ask(question, "Yes | No | Cannot tell | Partly")
    assert yes_first == ("A" if is_there else "B")
    no_first = ask(question, "No, it does not | Not sure | Yes, it does | -")
    assert no_first == ("C" if is_there else "A")


def test_the_beginning_is_compared_with_each_option() -> None:
    for question in (
        "How does the opening sentence begin?",
        "With which word does the paragraph begin?",
        "With which word does the paragraph begin: {}; or another word?",
        "What is the first word of the first sentence?",
    ):
        assert ask(question, "A or An | The, This or Its | In | another word") == "B"
        assert ask(question, "A | An | In | another word") == "D"
        assert ask(question, "A | Other | Index | another word") == "D"
        unlike = question.replace("{}", "#")
        assert ask(unlike, '"A" | "The" | "In" | Another word') == "B", question


def test_the_end_is_that_of_the_sentence_or_of_the_paragraph() -> None:
    options = "terms or index | postings | more | another word"
    question = "With which word does the first sentence of the paragraph end"
    assert ask(f"{question}: {{}}; or another word?", options) == "B"
    assert ask("Which is the last word of the paragraph?", options) == "A"


def test_the_first_sentence_is_a_scope_of_its_own() -> None:
    question = "Which of these words does the first sentence of the paragraph contain?"
    assert ask(question, "query | maps | caching | none of them") == "B"
    assert ask(question, "query | parsed | caching | none of them") == "D"


@pytest.mark.parametrize(
    "question",
    [
        "What is the main topic of the paragraph?",
        "Which of these words best describes the paragraph?",
        "Why is an index used?",
        "Is the paragraph about search engines?",
        "How many words does the paragraph have?",
        'How often does the word "index" occur?',
        "With which letter does the paragraph begin?",
        "Which of these words occurs first in the paragraph?",
        "Which of these words occurs more often?",
        'Where does the word "index" occur?',
        "Which of these words occurs in the last sentence?",
        "Which of these words occurs in the paragraph, but not in the first sentence?",
        "Which of these words means the same as one in the paragraph?",
        "Which of these words does NOT occur in the paragraph?",
        "Which of these words occurs, in any form, in the paragraph?",
        'Do the words "query" and "tree" both occur in the paragraph?',
        "",
    ],
)
def test_what_no_rule_can_check_is_not_relevant(question: str) -> None:
    assert ask(question, "search | index | tree | graph") == NOT_RELEVANT

    assert ask(question, "Yes | No | 1 to 5 | 6 or more") == NOT_RELEVANT


HEBREW_QUESTIONS = (
    (
        "איזו מהמילים הבאות מופיעה בפסקה?",
        "עץ | אינדקס | גרף | אף אחת מהן",
        "B",
    ),
    (
        "איזו מהמילים הבאות מופיעה בפסקה?",
        '"עץ" | "מסמך" | "גרף" | אף אחת מהן',
        "D",
    ),
    (
        "איזו מהמילים מופיעה בפסקה, בכל צורה?",
        "עץ | מסמך | גרף | אף אחת מהן",
        NOT_RELEVANT,
    ),
    (
        "איזו מהמילים מופיעה? אם כמה מופיעות, בחרו את הראשונה ברשימה.",
        "עץ | אינדקס | חיפוש | אף אחת",
        "B",
    ),
    (
        "אילו מהמילים האלה מופיעות בפסקה: {}? "
        "יש לבחור באפשרות הראשונה שבה מילה שמופיעה שם. רק הצורה המדויקת נחשבת.",
        "עץ או גרף | כמה, הראשון או מהר | חיפוש | אף אחת מהמילים האלה",
        "B",
    ),
    (
        "אילו מהמילים האלה נמצאות במשפט הראשון של הפסקה: {}? "
        "יש לבחור באפשרות הראשונה שבה מילה שנמצאת שם. רק הצורה המדויקת נחשבת.",
        "עונה | בונה או נושא | חיפוש | אף אחת מהמילים האלה",
        "B",
    ),
    ('האם המילה "גרף" מופיעה בפסקה?', "כן | לא | לא ברור | -", "B"),
    ("באיזו מילה מתחיל המשפט הראשון?", "האם | מנוע | כל | מילה אחרת", "B"),
    (
        "באיזו מילה מתחילה הפסקה: {}; או במילה אחרת?",
        "האם | מנוע או כל | גרף | מילה אחרת",
        "B",
    ),
    (
        "באיזו מילה מסתיים המשפט הראשון של הפסקה?",
        "מהר | אינדקס | המסמכים | מילה אחרת",
        "C",
    ),
    ("איזו מילה מופיעה במשפט הפותח?", "שלבים | חיפוש | מהר | אף אחת מהן", "B"),
    ("מהו הנושא של הפסקה?", "חיפוש | בישול | ספורט | אחר", NOT_RELEVANT),
    (
        "כמה מילים יש בפסקה?",
        "פחות מ-10 | בין 10 ל-14 | 15 עד 20 | מעל 20",
        NOT_RELEVANT,
    ),
    (
        "איזו מהמילים מופיעה ראשונה בפסקה?",
        "שלבים | אינדקס | מהר | אף אחת",
        NOT_RELEVANT,
    ),
)


@pytest.mark.parametrize(("question", "options", "letter"), HEBREW_QUESTIONS)
def test_hebrew_questions_are_read_like_english_ones(
    question: str, options: str, letter: str
) -> None:
    assert ask(question, options, HEBREW) == letter


def test_the_first_letter_of_a_word_of_the_first_sentence() -> None:
    options = '"I" or "K" | "A", "S" or "T" | "P" | none of these letters'
    for word, answer, of_short in (
        ("first", "B", "B"),
        ("second", "A", "D"),
        ("last", "C", "B"),
    ):
        question = (
            f"With which of these letters does the {word} word of the first sentence of the paragraph begin: "
            "{}? Numbers and signs are not words."
        )
        assert ask(question, options) == answer
        assert ask(question, options, "3.2 Trees") == of_short

    options = '"א" או "ב" | "ח" | "מ" או "ש" | אף אחת מהאותיות האלה'
    question = (
        "באיזו מהאותיות האלה מתחילה המילה השנייה במשפט הראשון של הפסקה: "
        "{}? מספרים וסימנים אינם מילים."
    )
    assert ask(question, options, HEBREW) == "B"
