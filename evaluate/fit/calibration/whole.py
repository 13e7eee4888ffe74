"""Fitting the plain numbers that search uses (player/search/calibration.json) on labelled games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quarry.configs.settings import SearchSettings
from quarry.evaluate.errors import GamesError
from quarry.evaluate.fit.calibration.course import LabelledCourse
from quarry.evaluate.fit.calibration.dense import fit_dense
from quarry.evaluate.fit.calibration.fused import fit_fused
from quarry.evaluate.fit.calibration.keyword import fit_keyword
from quarry.evaluate.fit.calibration.references import fit_names, fit_references, named_books
from quarry.player.search.calibration import Calibration, DenseCalibration, FusedCalibration, WordsCalibration

LEAST_DOCUMENTS = 2


def calibrate(
    course: LabelledCourse,
    questions: LabelledCourse | None,
    negatives: Sequence[str],
    search: SearchSettings,
    before: Calibration,
) -> Calibration:
    """All numbers for the embedder of both stores.

    Args:
        course: games under the rule: hints that share no word with their paragraph.
        questions: ordinary questions, whose words occur in their paragraphs; without them what keywords count stays
            as it was, and in fusion the similarity counts as much beside them as it did.
        negatives: hints that neither store holds anything about.
        search: how similarities are mixed.
        before: numbers in force, for what is compared with numbers.

    Raises:
        GamesError: too little to fit on.
    """
    _require_enough(course, questions)
    names = named_books(course, search, before)
    references = fit_references(names)
    named, unnamed = fit_names(names, references)
    alone, *together = fit_dense(course, negatives, search, before)
    if questions is None:
        specs = ["+".join(scorer.spec for scorer in course.scorers[: n + 1]) for n in range(len(together))]
        return Calibration(
            dense=alone,
            keyword=before.keyword,
            fused=_as_before(before, alone),
            references=references,
            named=named,
            unnamed=unnamed,
            words={
                of: WordsCalibration(dense, _as_before(before, dense))
                for of, dense in zip(specs, together, strict=True)
            },
        )
    words = {}
    for n_models, dense in enumerate(together, 1):
        asking = replace(questions, scorers=questions.scorers[:n_models])
        fused = fit_fused(asking, search, replace(before, dense=dense))
        words["+".join(scorer.spec for scorer in asking.scorers)] = WordsCalibration(dense, fused)
    return Calibration(
        dense=alone,
        keyword=fit_keyword(questions, negatives),
        fused=fit_fused(replace(questions, scorers=()), search, before),
        references=references,
        named=named,
        unnamed=unnamed,
        words=words,
    )


def _as_before(before: Calibration, dense: DenseCalibration) -> FusedCalibration:
    """Weights of fusion with which the new similarities weigh as much beside keywords as the ones before did."""
    return FusedCalibration(round(before.fused.dense * dense.nats / before.dense.nats, 4), before.fused.keyword)


def _require_enough(course: LabelledCourse, questions: LabelledCourse | None) -> None:
    """Pass if there is a game and a question, a document to leave out, and the same models have read both stores."""
    read, asked = ("+".join(scorer.spec for scorer in of.scorers) for of in (course, questions or course))
    if read != asked:
        raise GamesError(
            f"--questions-store must hold the words of the same models as --store, {read or 'none'}, got "
            f"{asked or 'none'}; ingest both again with the same QUARRY_ACCURACY"
        )
    documents = {course.store.paragraphs[row].doc_id for _, row in course.found}
    if len({paragraph.doc_id for paragraph in course.store.paragraphs}) < LEAST_DOCUMENTS or not documents:
        raise GamesError(
            f"--games must be about a store of at least {LEAST_DOCUMENTS} documents, since each is left out in turn, "
            f"got {len(documents)} with games; add lectures and games"
        )
    if questions is not None and not any(True for _ in questions.found):
        raise GamesError(
            f"--questions must hold one whose paragraph the store holds, got none of {len(questions.games)}; "
            "ingest their paragraphs into --questions-store"
        )
