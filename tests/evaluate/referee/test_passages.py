"""The passages that a referee retrieves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quarry.evaluate.referee.encoders import BY_CHARACTERS
from quarry.evaluate.referee.passages import Passages
from quarry.ingest.arrays import AnyFloatArray

TEXTS = ("trees grow", "walls stand", "rivers run", "trees stand by walls", "tall trees", "clouds drift")


class Counting:
    """Compares by characters, and counts the texts it is given."""

    name = "counting"

    def __init__(self) -> None:
        self.n_queries = self.n_passages = 0

    def of_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        self.n_queries += len(texts)
        return BY_CHARACTERS.of_queries(texts)

    def of_passages(self, texts: Sequence[str]) -> AnyFloatArray:
        self.n_passages += len(texts)
        return BY_CHARACTERS.of_passages(texts)


def test_the_four_nearest_come_nearest_first() -> None:
    found = Passages(TEXTS, BY_CHARACTERS)("trees")
    assert len(found) == 4
    assert set(found[:3]) == {"trees grow", "tall trees", "trees stand by walls"}


def test_no_course_has_no_passages() -> None:
    assert Passages((), BY_CHARACTERS)("trees") == ()


def test_a_question_is_embedded_once_and_the_course_not_before_it() -> None:
    encoder = Counting()
    passages = Passages(TEXTS, encoder)
    assert (encoder.n_queries, encoder.n_passages) == (0, 0)
    assert passages("trees") == passages("trees")
    assert (encoder.n_queries, encoder.n_passages) == (1, len(TEXTS))


def test_the_course_is_embedded_once_for_all_runs(tmp_path: Path) -> None:
    folder = tmp_path / "passages"
    first = Passages(TEXTS, Counting(), folder)("trees")
    again = Counting()
    assert Passages(TEXTS, again, folder)("trees") == first
    assert again.n_passages == 0
    other = Counting()
    Passages(TEXTS[1:], other, folder)("trees")
    assert other.n_passages == len(TEXTS) - 1


def test_a_broken_file_is_made_again_and_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    first = Passages(TEXTS, Counting(), tmp_path)("trees")
    next(tmp_path.iterdir()).write_bytes(b"broken")
    again = Counting()
    assert Passages(TEXTS, again, tmp_path)("trees") == first
    assert again.n_passages == len(TEXTS)
    file = tmp_path / "file"
    file.write_text("")
    assert Passages(TEXTS, Counting(), file)("trees") == first
