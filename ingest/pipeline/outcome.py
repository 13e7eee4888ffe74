"""What an ingest tells of the files it was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["added", "replaced", "unchanged", "same file", "embedded anew", "removed", "failed"]


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one document.

    Attributes:
        doc_id: its id; for a failed file the stem.
        path: the file it came from.
        kept: paragraphs in the store.
        rejected: how many were rejected, by reason.
        detail: the error of a failed file, or the document it is the same file as.
    """

    doc_id: str
    path: str
    status: Status
    kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    detail: str = ""


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """What one ingest did, and what the store holds after it."""

    outcomes: tuple[FileOutcome, ...]
    embedder: str
    n_documents: int
    n_paragraphs: int
    n_near_identical: int
    fingerprint: str

    @property
    def failed(self) -> tuple[FileOutcome, ...]:
        """The files that could not be read."""
        return tuple(outcome for outcome in self.outcomes if outcome.status == "failed")


def rejected_in_all(outcomes: Sequence[FileOutcome]) -> dict[str, int]:
    """How many paragraphs were rejected over several files, by reason, most first."""
    total: Counter[str] = Counter()
    for outcome in outcomes:
        total.update(outcome.rejected)
    return dict(total.most_common())
