"""Judged collections in BEIR's layout: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv.

Reference:
    Thakur and others, BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models, 2021.
"""

from __future__ import annotations

import csv
import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarry.configs.json_files import MEND, lines_of, read_objects, read_text
from quarry.evaluate.errors import GamesError
from quarry.ingest.paragraph import Paragraph

if TYPE_CHECKING:
    from quarry.evaluate.games.labelled import LabelledGame

SPLIT_NAMES = {"dev": "validation", "train": "train", "test": "test"}
"""Our names of splits by BEIR's; files of other names are of no split."""
COLUMNS = ["query-id", "corpus-id", "score"]
LAYOUT = "a judged collection is a folder with queries.jsonl and qrels/test.tsv (BEIR's layout)"


def beir_records(folder: Path) -> Iterator[tuple[str, Callable[[], Mapping[str, Any]]]]:
    """Where each judged query stands, and what gives it as a record of a game; those that nobody judged are left out.

    A query that was judged for several splits is of the first of these by name.

    Raises:
        GamesError: a file is missing, or not as BEIR has it.
    """
    judged: dict[str, tuple[str | None, dict[str, int]]] = {}
    files = sorted((folder / "qrels").glob("*.tsv"))
    if not files:
        raise GamesError(f"--games must be a file or a folder with qrels/*.tsv, got {folder} without; {LAYOUT}")
    for path in files:
        for query_id, paragraph_id, grade in _qrels(path):
            judged.setdefault(query_id, (SPLIT_NAMES.get(path.stem), {}))[1][paragraph_id] = grade
    for where, query in read_objects(folder / "queries.jsonl", GamesError, remedy=LAYOUT):
        found = query.get("_id")
        if not isinstance(found, str) or not found:
            raise GamesError(f"{where}: _id must be a string that is not empty, got {found!r}; {MEND}")
        if found in judged:
            yield where, functools.partial(_record, query, *judged[found])


def _record(query: Mapping[str, Any], split: str | None, grades: Mapping[str, int]) -> Mapping[str, Any]:
    metadata = query.get("metadata")
    record = dict(metadata) if isinstance(metadata, dict) else {}
    record |= {"game_id": query["_id"], "hint": query.get("text"), "split": split, "relevant": dict(grades)}
    if not any(grade > 0 for grade in grades.values()):
        record["paragraph_id"] = None  # nothing in the collection answers it
    return record


def _qrels(path: Path) -> Iterator[tuple[str, str, int]]:
    """The judgements of a file; a first line of heads is passed over."""
    for number, (where, line) in enumerate(lines_of(read_text(path, GamesError), path)):
        cells = line.rstrip("\r").split("\t")
        if number == 0 and cells == COLUMNS:
            continue
        try:
            query_id, paragraph_id, grade = cells
            yield query_id, paragraph_id, int(grade)
        except ValueError as error:
            raise GamesError(
                f"{where}: must be {', '.join(COLUMNS)} with tabs between, the score a whole number, got "
                f"{line[:80]!r}; {MEND}"
            ) from error


def write_beir(
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    paragraphs: Sequence[Paragraph],
    folder: Path,
) -> list[Path]:
    """Write a store and its games in BEIR's layout; the files written.

    What a game has and BEIR has not goes into the query's `metadata`, where `beir_records` finds it again. Games
    without a paragraph in the store are left out: nothing can be relevant to them.

    Args:
        located: the ingested paragraph of each answerable game.

    Raises:
        OSError: a file cannot be written.
        GamesError: an id holds what a line of qrels cannot.
    """
    judged = {game.game_id: grades for game in games if (grades := grades_of(game, located.get(game.game_id)))}
    for name in (name for game_id, grades in judged.items() for name in (game_id, *grades)):
        if not name.isprintable():
            raise GamesError(f"ids must hold no tab and no end of line to stand in qrels, got {name!r}; rename it")
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    corpus, queries = folder / "corpus.jsonl", folder / "queries.jsonl"
    _write_lines(corpus, [_document(paragraph) for paragraph in paragraphs])
    _write_lines(queries, [_query(game) for game in games if game.game_id in judged])
    written = [corpus, queries]
    for name in ("train", "dev", "test"):
        of_split = [game for game in games if game.game_id in judged and (game.split or "test") == SPLIT_NAMES[name]]
        if not of_split:
            continue
        path = folder / "qrels" / f"{name}.tsv"
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
            rows.writerow(COLUMNS)
            rows.writerows(
                (game.game_id, paragraph_id, grade)
                for game in of_split
                for paragraph_id, grade in judged[game.game_id].items()
            )
        written.append(path)
    return written


def grades_of(game: LabelledGame, paragraph: Paragraph | None) -> dict[str, int]:
    """The grades of a game's paragraphs, the secret one's the highest; {} where nothing was judged to answer it.

    Args:
        paragraph: the secret one as ingested; None where it was not.
    """
    grades = dict(game.relevant)
    if not game.is_query and paragraph is not None:
        grades[paragraph.paragraph_id] = max(1, *grades.values()) if grades else 1
    return grades if game.answerable and any(grade > 0 for grade in grades.values()) else {}


def _document(paragraph: Paragraph) -> dict[str, Any]:
    return {
        "_id": paragraph.paragraph_id,
        "title": paragraph.heading,
        "text": paragraph.text,
        "metadata": {"book_name": paragraph.doc_id, "page": paragraph.page, "heading": paragraph.heading},
    }


def _query(game: LabelledGame) -> dict[str, Any]:
    metadata = {
        "book_name": game.book_name,
        "association_domain": game.association_domain,
        "associative_word": game.associative_word,
        "paragraph_id": game.paragraph_id,
        "opening_sentence": game.opening_sentence,
        "paragraph": game.paragraph if game.paragraph != game.opening_sentence else "",
        "in_text_layer": None if game.in_text_layer else False,
    }
    return {
        "_id": game.game_id,
        "text": game.hint,
        "metadata": {name: value for name, value in metadata.items() if value not in ("", None)},
    }


def _write_lines(path: Path, documents: Sequence[Mapping[str, Any]]) -> None:
    path.write_text(
        "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents), encoding="utf-8"
    )
