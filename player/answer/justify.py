"""Justifications: the answers that moved the belief, and the sentences that cite them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import Float64Array
from ingest.paragraph import Paragraph
from player.questions.answer import LETTERS, NOT_RELEVANT, Answers
from player.questions.kinds import KINDS
from player.questions.language import Language
from player.questions.question import Question

SENTENCE_WORDS = (30, 50)
"""Least and most words of the justification of the sentence, by every way of counting; see `count_words`."""
N_CITED, N_CITED_FOR_WORD = 3, 2
"""Number of answers that each justification cites."""
MAX_CLAUSE = 10
"""The most words of a clause without its citation; three clauses then keep within the limit."""
MAX_DOMAIN = 5
"""The most words of domain and associative word together with which the justification names the domain."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One answered question as evidence for the guessed paragraph.

    Attributes:
        number: number of the question, from 1.
        letter: the answer.
        weight: bits by which the answer favours the paragraph over the average candidate.
        clause: the meaning of the answer as the rest of a sentence ("it has "index""), in the paragraph's language; ""
            if the answer does not favour the paragraph.
    """

    number: int
    letter: str
    weight: float
    clause: str = ""


def weigh_answers(
    best: int,
    paragraph: Paragraph,
    prior: Float64Array,
    questions: Sequence[Question],
    support: Float64Array,
    answers: Answers,
) -> list[Evidence]:
    """Return the evidence of the answers for the guessed paragraph, strongest first, without declined answers.

    Args:
        best: row of the guessed candidate.
        paragraph: the guessed candidate.
        prior: (n_paragraphs,) probabilities before the answers.
        support: (n_questions, n_paragraphs) log2 probability of each answer, as in `belief.Posterior`.
        answers: (n_questions,) as `protocol.read_answers` returns them.
    """
    evidence = []
    for number, (question, bits, answer) in enumerate(
        zip(questions, support, answers, strict=True), 1
    ):
        if answer is None or answer == NOT_RELEVANT:
            continue
        weight = float(bits[best] - np.log2(np.exp2(bits) @ prior))
        kind = KINDS.get(question.kind)
        clause = (
            kind.cite(question, LETTERS.index(answer), paragraph)
            if kind is not None and weight > 0.0
            else ""
        )
        evidence.append(
            Evidence(
                number,
                answer,
                weight,
                clause if count_words(clause)[1] <= MAX_CLAUSE else "",
            )
        )
    return sorted(evidence, key=lambda item: (-item.weight, item.number))


def justify_sentence(
    evidence: Sequence[Evidence], confidence: float, language: Language
) -> str:
    """Write 30 to 50 words: the strongest different facts about the paragraph with their answers, and the belief.

    Args:
        evidence: as `weigh_answers` returns it.
        confidence: belief in the paragraph, 0..1; no other paragraph has more.
        language: language of the paragraph.
    """
    say = _SAID[language]
    facts = _different(evidence)[:N_CITED]
    others = [item for item in evidence if item not in facts][: N_CITED - len(facts)]
    citations = say.series([say.cite(item) for item in others])
    if len(facts) == N_CITED or (facts and not others):
        lead = say.facts.format(facts=say.series([say.fact(item) for item in facts]))
    elif facts:
        lead = say.facts_and_others.format(
            facts=say.series([say.fact(item) for item in facts]), others=citations
        )
    else:
        lead = (say.others if others else say.nothing).format(others=citations)
    return _fit(
        lead, [closing.format(belief=percent(confidence)) for closing in say.closings]
    )


def justify_word(
    evidence: Sequence[Evidence], word: str, domain: str, language: Language
) -> str:
    """Write 20 to 30 words: the ground for the associative word, and two answers that led to the paragraph.

    Args:
        evidence: as `weigh_answers` returns it.
        domain: domain of the word, "" if unknown.
        language: language of the paragraph.
    """
    say = _SAID[language]
    named = " ".join(domain.replace('"', " ").split())
    ground = say.domain if any(char.isalpha() for char in named) else say.hint
    if (
        ground == say.domain
        and count_words(named)[1] + count_words(word)[1] <= MAX_DOMAIN
    ):
        ground = say.named_domain.format(domain=named)
    cited = [say.cite(item) for item in evidence[:N_CITED_FOR_WORD]]
    rest = (
        say.word_cites.format(cited=say.series(cited))
        if cited
        else say.word_cites_nothing
    )
    return f"{say.word.format(ground=ground, word=word)} {rest}"


def count_words(text: str) -> tuple[int, int]:
    """Return the least and greatest count of words, since counts differ ("state-of-the-art" is 1 or 4)."""
    between_blanks = sum(any(char.isalnum() for char in part) for part in text.split())
    runs = len(re.findall(r"\w+", text))
    return min(between_blanks, runs), max(len(text.split()), runs)


def percent(confidence: float) -> str:
    """Write a belief in percent, never 0 or 100: .873 as 87%, .0034 as 0.3%."""
    if confidence < 0.01:
        return f"{max(0.1, 100.0 * confidence):.1f}%"
    return f"{min(99.0, round(100.0 * confidence)):.0f}%"


def _different(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence with a clause, without clauses about a word that was named before."""
    said: set[str] = set()
    chosen = []
    for item in evidence:
        named = set(re.findall(r'"([^"]*)"', item.clause)) or {item.clause}
        if item.clause and said.isdisjoint(named):
            said |= named
            chosen.append(item)
    return chosen


def _fit(lead: str, closings: Sequence[str]) -> str:
    """Add the longest closing with which the text keeps to SENTENCE_WORDS."""
    least, most = SENTENCE_WORDS
    for closing in closings:
        text = f"{lead} {closing}".strip()
        fewest, greatest = count_words(text)
        if least <= fewest and greatest <= most:
            return text
    return lead


@dataclass(frozen=True, slots=True)
class _Said:
    """The sentences of justifications in one language; `inside` is a citation in parentheses."""

    question: str
    inside: str
    conjunction: str
    facts: str
    facts_and_others: str
    others: str
    nothing: str
    closings: tuple[str, ...]
    domain: str
    named_domain: str
    hint: str
    word: str
    word_cites: str
    word_cites_nothing: str

    def cite(self, item: Evidence) -> str:
        return self.question.format(number=item.number, letter=item.letter)

    def fact(self, item: Evidence) -> str:
        return f"{item.clause} ({self.inside.format(number=item.number, letter=item.letter)})"

    def series(self, parts: Sequence[str]) -> str:
        return (
            f"{', '.join(parts[:-1])} {self.conjunction} {parts[-1]}"
            if len(parts) > 1
            else "".join(parts)
        )


_SAID: dict[Language, _Said] = {
    "en": _Said(
        question="question {number} (answer {letter})",
        inside="question {number}, answer {letter}",
        conjunction="and",
        facts="The evidence indicates this paragraph because {facts}.",
        facts_and_others="The evidence indicates this paragraph because {facts}; {others} counted as well.",
        others="Based on the hint and all answers together, such as {others}, this paragraph is the likeliest.",
        nothing="No usable answer came back; therefore the choice is based on hint and name of the lecture alone.",
        closings=(
            "Therefore it holds {belief} of the belief, based on all that is known, and no other paragraph holds more.",
            "Therefore it holds {belief} of the belief, and no other paragraph holds more.",
            "Therefore it holds {belief} of the belief.",
            "",
        ),
        domain="The domain",
        named_domain='The domain "{domain}"',
        hint="The hint",
        word="{ground} suggests the word {word}, because they belong together;",
        word_cites="the paragraph is chosen based on {cited}.",
        word_cites_nothing="no answer came back that helps, therefore this is based only on what was known before.",
    ),
    "he": _Said(
        question="שאלה {number} (תשובה {letter})",
        inside="שאלה {number}, תשובה {letter}",
        conjunction="וגם",
        facts="הראיות מצביעות על פסקה זו כי {facts}.",
        facts_and_others="הראיות מצביעות על פסקה זו כי {facts}; גם {others} נשקלו.",
        others="על סמך הרמז וכל התשובות יחד, כגון {others}, פסקה זו היא הסבירה ביותר.",
        nothing="לא הגיעה תשובה שאפשר להיעזר בה; לכן הבחירה נעשתה על סמך הרמז ושם ההרצאה בלבד.",
        closings=(
            "לכן, על סמך כל מה שידוע, היא מקבלת {belief} מן האמון, ואף פסקה אחרת בקורס אינה מקבלת יותר ממנה.",
            "לכן היא מקבלת {belief} מן האמון, ואף פסקה אחרת אינה מקבלת יותר.",
            "לכן היא מקבלת {belief} מן האמון.",
            "",
        ),
        domain="התחום",
        named_domain='התחום "{domain}"',
        hint="הרמז",
        word="{ground} מרמז על המילה {word}, כי השניים קשורים זה לזה;",
        word_cites="הפסקה עצמה נבחרה על סמך הראיות, כגון {cited}.",
        word_cites_nothing="לא הגיעה תשובה מועילה, לכן הכול נשען על מה שהיה ידוע מראש בלבד.",
    ),
}
