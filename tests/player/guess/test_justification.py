"""The justifications: their lengths, their citations, and what they claim of the paragraph."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from evaluate.referee.scoring import citations
from player.answer import NOT_RELEVANT, Answer
from player.guess.justification import (
    Evidence,
    count_fewest_words,
    count_most_words,
    justify_sentence,
    justify_word,
    percent,
    weigh_answers,
)
from player.question import Question
from tests.contracts.paragraphs import paragraph
from tests.fakes import each
from tests.player.questions.models import asked

CLAUSES = (
    "",
    'it has "heap" and "pivot"',
    'it has "pivot"',
    "its first sentence lacks the words named",
    'its opening\'s second word begins with "B"',
    'it has "ערמה" and "ציר"',
)
COUNTED = "because|therefore|based on|indicates|suggests|evidence|reasoning|theme"
"""Words for which a public referee gives 5 points each, after 70 for the right length."""
evidence_items = some.builds(
    Evidence,
    number=some.integers(1, 20),
    letter=some.sampled_from("ABCD"),
    weight=some.floats(-5.0, 5.0),
    clause=some.sampled_from(CLAUSES),
)


@settings(max_examples=60)
@given(
    some.lists(evidence_items, max_size=20, unique_by=lambda item: item.number),
    some.floats(0.0, 1.0),
    some.from_regex(r"[a-zé]{1,12}(-[a-z]{1,5})?", fullmatch=True),
    some.text("abcdé-'\" ", max_size=70),
)
def test_lengths_and_citations_hold_however_words_are_counted(
    evidence: list[Evidence],
    confidence: float,
    word: str,
    domain: str,
) -> None:
    answers = {item.number: {item.letter} for item in evidence}
    sentence = justify_sentence(evidence, confidence)
    reason = justify_word(evidence, word, domain)
    assert word in re.split("[ ,]", reason)
    for text, fewest, most, n_cited in (
        (sentence, 30, 50, 3),
        (reason, 20, 30, 2),
    ):
        assert fewest <= count_fewest_words(text), text
        assert count_most_words(text) <= most, text
        assert text.endswith(".")
        counted = re.findall(COUNTED, text.casefold())
        assert len(set(counted)) >= 6

        cited = citations(text)
        assert len(cited) == min(n_cited, len(evidence))
        assert text.count("question ") == len(cited)
        assert cited.items() <= answers.items()


def test_the_most_telling_answers_are_cited_first_by_what_they_say() -> None:
    evidence = [
        Evidence(7, "B", 1.5, 'it has "pivot"'),
        Evidence(4, "A", 1.2, 'its first sentence has "pivot"'),  # the same word again
        Evidence(2, "A", 1.0, "it has a colon"),
        Evidence(9, "D", 0.1),
    ]

    assert justify_sentence([*evidence, Evidence(11, "C", -1.0)], 0.873) == (
        'The evidence indicates this paragraph because it has "pivot" (question 7, answer B) and it has a colon '
        "(question 2, answer A); question 4 (answer A) counted as well, therefore the reasoning suggests it, "
        "with 87% of the belief, and no other paragraph holds more."
    )

    assert justify_word(evidence, "quicksilver", "the colors") == (
        'The domain "the colors" suggests the word quicksilver, because its theme fits; '
        "the reasoning is based on evidence from question 7 (answer B) and question 4 (answer A)."
    )


def test_a_domain_is_named_in_full_or_not_at_all() -> None:
    for domain, ground in {
        "the seven deadly sins": 'The domain "the seven deadly sins" suggests',
        "the ways in which old clocks break": "The domain suggests",
        "???": "The hint suggests",
        'the "C" language': 'The domain "the C language" suggests',
    }.items():
        text = justify_word([Evidence(7, "B", 1.5)], "greed", domain)
        assert text.startswith(ground)


HEAP = paragraph(
    "b:1:1", "A heap keeps the smallest key on top. Trees, however, sort: slowly."
)
RIGHT, WRONG = 0.9, 0.1 / 3
# two paragraphs; the first answer fits the first alone, the second both, the third the other, the fourth none
SUPPORT = np.log2(
    [
        [RIGHT, WRONG],
        [RIGHT, RIGHT],
        [WRONG, RIGHT],
        [WRONG, WRONG],
    ]
)


def weighed(questions: list[Question], *answers: Answer) -> list[Evidence]:
    """The evidence for the first of the two paragraphs, which are equally likely."""
    even = np.array([0.5, 0.5])
    return weigh_answers(0, HEAP, even, questions, SUPPORT, answers)


def test_answers_are_weighed_by_the_bits_they_give_the_guessed_paragraph() -> None:
    evidence = weighed(asked(4), "A", "A", "A", "D")
    assert each(evidence, "number") == [1, 2, 4, 3]
    average = (RIGHT + WRONG) / 2
    first = np.log2(RIGHT / average)
    other = np.log2(WRONG / average)
    weights = each(evidence, "weight")
    assert weights == pytest.approx([first, 0.0, 0.0, other])

    # declined and missing answers are no evidence
    (item,) = weighed(asked(4), NOT_RELEVANT, None, "B", None)
    assert item.number == 3


LISTS = ('"key" or "tree"', '"heap", "sort" or "Trees"', '"graph" or "pivot"', "none")
GROUPS = (
    ("key", "tree"),
    ("heap", "sort", "trees"),
    ("graph", "pivot"),
)
OTHERS = (
    ("pivot",),
    ("graph",),
    ("edge",),
)


@pytest.mark.parametrize(
    ("kind", "groups", "answer", "clause"),
    [
        ("anywhere", GROUPS, "A", 'it has "key"'),
        ("anywhere", GROUPS, "B", 'it has "heap" and "sort"'),
        ("anywhere", GROUPS, "C", ""),  # the referee erred: there is nothing to cite
        ("anywhere", GROUPS, "D", ""),  # nor is this true
        ("anywhere", OTHERS, "D", "it has none of the words named"),
        ("opening", GROUPS, "B", 'its first sentence has "heap"'),
        ("opening", OTHERS, "D", "its first sentence lacks the words named"),
        ("filler", (), "A", ""),
    ],
)
def test_a_clause_says_what_the_answer_found_in_the_paragraph(
    kind: str, groups: Any, answer: str, clause: str
) -> None:
    (item,) = weighed([Question("Which?", LISTS, kind, groups)], answer)
    assert item.clause == clause, (kind, groups, answer)


def test_a_small_share_is_not_rounded_to_1_percent() -> None:
    shares = map(percent, (0.0, 0.0034, 0.873, 1.0))
    assert [*shares] == ["0.1%", "0.3%", "87%", "99%"]
