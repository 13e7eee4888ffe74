"""Fitting the plain numbers that search uses (player/search/calibration.json) on labelled games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quarry.configs.settings import SearchSettings
from quarry.evaluate.errors import GamesError
from quarry.evaluate.fit.calibration.choices import rounded
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

    def fused(n_models: int, dense: DenseCalibration) -> FusedCalibration:
        if questions is None:
            return _as_before(before, dense)
        asking = replace(questions, scorers=questions.scorers[:n_models])
        return fit_fused(asking, search, replace(before, dense=dense) if n_models else before)

    specs = [scorer.spec for scorer in course.scorers]
    return Calibration(
        dense=alone,
        keyword=before.keyword if questions is None else fit_keyword(questions, negatives),
        fused=fused(0, alone),
        references=references,
        named=named,
        unnamed=unnamed,
        words={
            "+".join(specs[:n_models]): WordsCalibration(dense, fused(n_models, dense))
            for n_models, dense in enumerate(together, 1)
        },
    )


def _as_before(before: Calibration, dense: DenseCalibration) -> FusedCalibration:
    """Weights of fusion with which the new similarities weigh as much beside keywords as the ones before did.

    A dense score is a similarity; where models compare word by word it is in log-odds.
    """
    unit = 1.0 if dense.parts else dense.nats
    return FusedCalibration(rounded(before.fused.dense * unit / before.dense.nats), before.fused.keyword)


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
