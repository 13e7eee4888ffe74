"""Logged answers of respondents -> how often each kind of question was answered wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from quarry.evaluate.answers.batches import AskedBatch
from quarry.evaluate.errors import BatchError
from quarry.ingest.arrays import AnyFloatArray
from quarry.player.player import Player
from quarry.player.questions.answer import Answers, letter_row
from quarry.player.questions.pool import fit_questions
from quarry.player.questions.rates import Counts, Logged, channel, learned, load_logged
from quarry.player.questions.views import VIEWS, View
from quarry.player.questions.word_index import Candidates

MAX_ROUNDS = 200
TOLERANCE = 1e-6
"""Largest change of a rate at which the counts are taken as settled."""


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One letter in answer to a question about a known paragraph.

    Attributes:
        view: what the respondent saw of it.
        kind: of the question.
        fits: (4,) probability that a careful referee of that view finds each option fitting, summing to 1.
        answer: a letter.
    """

    view: View
    kind: str
    fits: AnyFloatArray
    answer: str


def logged_answers(
    batches: Mapping[str, AskedBatch],
    answers: Mapping[str, Answers],
    paragraph_ids: Mapping[str, str],
    player: Player,
    view: View,
) -> Iterator[LoggedAnswer]:
    """Yield the answers about each paragraph, with the options that fit it.

    Args:
        paragraph_ids: of the ingested paragraphs, by game_id.
        view: what the respondents saw of the paragraph.
    """
    for game_id, paragraph_id in paragraph_ids.items():
        row = np.array([player.index.rows[paragraph_id]])
        questions = batches[game_id].questions
        fits = fit_questions(questions, Candidates(player.index, row, np.ones(1)))[VIEWS.index(view)]
        for question, fit, answer in zip(questions, fits, answers[game_id], strict=True):
            if answer is not None:
                yield LoggedAnswer(view, question.kind, fit[0], answer)


def read_logged(path: Path) -> Logged:
    """Read the counts of a `rates.yaml`.

    Raises:
        BatchError: the file is something else.
    """
    try:
        found = load_logged(path)
        if unknown := {view for view, _ in found} - set(VIEWS):
            raise ValueError(f"no view: {unknown}")
        return found
    except (yaml.YAMLError, TypeError, AttributeError, ValueError) as error:
        raise BatchError(
            f"--out must be a file that calibrate rates wrote, or none yet, got {path}; name another"
        ) from error


def count_answers(logged: Iterable[LoggedAnswer], priors: Mapping[str, float]) -> dict[tuple[View, str], Counts]:
    """Expected counts by view and kind; kinds without a prior, such as fillers, and declined answers are left out.

    Which option fits is not always certain, and the answer itself tells about it: counts and rates are worked out from
    each other in turns until they settle.

    Args:
        priors: by kind, the share of wrong letters believed in before.

    Reference:
        Dempster, Laird and Rubin, Maximum Likelihood from Incomplete Data via the EM Algorithm, 1977.
    """
    by_key: dict[tuple[View, str], list[LoggedAnswer]] = defaultdict(list)
    for item in logged:
        if item.kind in priors and letter_row(item.answer) is not None:
            by_key[item.view, item.kind].append(item)
    return {key: _settled(items, priors[key[1]]) for key, items in sorted(by_key.items())}


def _settled(logged: Sequence[LoggedAnswer], prior: float) -> Counts:
    rate = prior
    for _ in range(MAX_ROUNDS):
        counts = _expected(logged, rate)
        last, rate = rate, learned(prior, counts)
        if abs(last - rate) <= TOLERANCE:
            break
    return counts


def _expected(logged: Sequence[LoggedAnswer], rate: float) -> Counts:
    """Counts where each option is the fitting one with its probability after the answer, under this rate."""
    given = channel(rate)
    wrong = 0.0
    for item in logged:
        row = letter_row(item.answer)
        assert row is not None, "only letters are counted"
        fitting = item.fits * given[row]
        wrong += 1.0 - fitting[row] / fitting.sum()
    return Counts(float(len(logged)), float(wrong))
