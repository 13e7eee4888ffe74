"""What a referee's feedback gives away, and what it is worth when the same round comes again."""

from __future__ import annotations

import re
from dataclasses import replace

from quarry.player.game.ledger import Revealed
from quarry.player.player import Decision, Plan
from quarry.player.protocol.payloads import Guess, Score
from quarry.player.words import words

RIGHT_FROM = 95.0
"""Points, 0..100, from which a part was right."""
TRUST = 0.9
"""Belief in a paragraph whose opening sentence was revealed, before the answers."""
LEAST_WORDS = 4
"""Of a sentence, so that it is not found in any text by chance."""

_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]{1,600})[\"“”„«»]|(?<!\w)['‘]([^'‘’\n]{1,600})['’](?!\w)")
_AFTER_COLON = re.compile(r"(?:word|answer|מילה|המילה)\s*(?:was|is|הייתה|היא)?\s*:\s*([\w־-]{2,40})", re.IGNORECASE)


def read_revealed(score: Score, guess: Guess, plan: Plan) -> Revealed:
    """Sentence and word that are now known: the guessed ones if they were right, else those that the feedback names."""
    return Revealed(_sentence(score, guess, plan), _word(score, guess))


def recognise(plan: Plan, revealed: Revealed) -> Plan:
    """The plan with most of the belief on the paragraph that was revealed before; the answers may still say no."""
    row = _row_of(revealed.sentence, plan)
    if row is None:
        return plan
    prior = (1.0 - TRUST) * plan.prior
    prior[row] += TRUST
    return replace(plan, prior=prior / prior.sum())


def use_revealed(decision: Decision, plan: Plan, revealed: Revealed) -> Decision:
    """The decision with the revealed word, and the revealed sentence where no paragraph begins with it."""
    guess = decision.guess
    if revealed.word:
        guess = replace(guess, associative_word=revealed.word)
    if revealed.sentence and _row_of(revealed.sentence, plan) is None:
        guess = replace(guess, opening_sentence=revealed.sentence)
    return replace(decision, guess=guess)


def _row_of(sentence: str, plan: Plan) -> int | None:
    """The first candidate that begins with a sentence."""
    told = words(sentence)
    if not told:
        return None
    known = enumerate(plan.result.paragraphs)
    return next((row for row, paragraph in known if words(paragraph.opening_sentence) == told), None)


def _sentence(score: Score, guess: Guess, plan: Plan) -> str:
    if score.breakdown.get("opening_sentence_score", 0.0) >= RIGHT_FROM:
        return guess.opening_sentence
    own = " ".join(words(guess.opening_sentence))
    told = [f" {' '.join(words(remark))} " for remark in score.feedback.values()]
    named = {
        paragraph.opening_sentence
        for paragraph in plan.result.paragraphs
        if len(named_words := words(paragraph.opening_sentence)) >= LEAST_WORDS
        and (plain := " ".join(named_words)) != own
        and any(f" {plain} " in remark for remark in told)
    }
    if named:
        return max(sorted(named), key=len)
    quoted = [part for part in _quoted(score.feedback.get("opening_sentence", "")) if len(words(part)) > LEAST_WORDS]
    others = {part for part in quoted if " ".join(words(part)) != own}
    return others.pop() if len(others) == 1 else ""


def _word(score: Score, guess: Guess) -> str:
    if score.breakdown.get("associative_word_score", 0.0) >= RIGHT_FROM:
        return guess.associative_word
    remark = score.feedback.get("associative_word", "")
    told = [*_quoted(remark), *_AFTER_COLON.findall(remark)]
    own = words(guess.associative_word)
    others = {part.strip() for part in told if 0 < len(words(part)) <= 3 and words(part) != own}
    return others.pop() if len(others) == 1 else ""


def _quoted(remark: str) -> list[str]:
    return [(one or other).strip() for one, other in _QUOTED.findall(remark)]
