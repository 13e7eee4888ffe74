"""What a respondent is shown of a batch: of the paragraph what its view allows, and the questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from quarry.evaluate.answers.batches import AskedBatch
from quarry.evaluate.referee.types import Retriever
from quarry.player.protocol.payloads import questions_json
from quarry.player.questions.question import Question
from quarry.player.questions.views import View


def _whole(batch: AskedBatch, retrieve: Retriever) -> dict[str, Any]:
    return {"paragraph": batch.paragraph, "questions": _questions(batch, lambda question: {})}


def _opening(batch: AskedBatch, retrieve: Retriever) -> dict[str, Any]:
    return {"paragraph": batch.opening_sentence, "questions": _questions(batch, lambda question: {})}


def _passages(batch: AskedBatch, retrieve: Retriever) -> dict[str, Any]:
    return {
        "opening_sentence": batch.opening_sentence,
        "questions": _questions(batch, lambda question: {"passages": list(retrieve(question.text))}),
    }


SHEETS: Mapping[View, Callable[[AskedBatch, Retriever], dict[str, Any]]] = {
    "paragraph": _whole,
    "opening": _opening,
    "passages": _passages,
}
"""Under `opening` the opening sentence is called the paragraph, and nothing says that there is more. No respondent is
shown the name and the hint alone."""


def sheet_line(batch: AskedBatch, view: View, retrieve: Retriever) -> str:
    """A batch as one line of JSON for a respondent, without what its questions were made from.

    Args:
        retrieve: the passages of the course for a question's text.
    """
    return json.dumps({"game_id": batch.game_id, **SHEETS[view](batch, retrieve)}, ensure_ascii=False)


def _questions(batch: AskedBatch, more: Callable[[Question], dict[str, Any]]) -> list[dict[str, Any]]:
    sent = questions_json(batch.questions)
    return [item | more(question) for item, question in zip(sent, batch.questions, strict=True)]
