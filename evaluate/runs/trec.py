"""TREC runs and qrels: those of a run are written, and runs of other systems are read."""

import io
import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from urllib.parse import quote, unquote

import ir_measures

from evaluate.errors import RunError
from evaluate.referee.spec import HINT_ALONE
from evaluate.runs.record import HitRecord, ReplayRecord, SearchRecord, get_secret_id
from evaluate.runs.run import Run
from quarry.json_files import read_text


def write_trec(folder: Path, run: Run) -> None:
    """Write the ranking and the right paragraph of each answerable game as NAME.run and NAME.qrels."""
    ranking, qrels = [], []
    for record in run.records:
        if not record["answerable"]:
            continue
        game_id = escape_id(record["game_id"])
        qrels.append(f"{game_id} 0 {escape_id(get_secret_id(record))} 1\n")
        # the score is the negative rank: tools sort by it, and a hit in a book slot may precede a more relevant one
        for rank, hit in enumerate(record["search"]["hits"], 1):
            ranking_columns = f"{escape_id(hit['paragraph_id'])} {rank} {-rank}"
            ranking.append(f"{game_id} Q0 {ranking_columns} {escape_id(run.name)}\n")

    (folder / f"{run.name}.run").write_text("".join(ranking), encoding="utf-8")
    (folder / f"{run.name}.qrels").write_text("".join(qrels), encoding="utf-8")


def escape_id(name: str) -> str:
    """Escape the white space of a name as in URLs (%20), since it separates the columns in TREC's formats."""
    return re.sub(r"[\s%]", lambda sign: quote(sign[0]), name)


def read_trec_run(path: Path, ours: Run) -> Run:
    """Read the TREC run of another system as a run over the same games, with its ranking as the hits.

    A game that the file does not name has no hits. Scores rank the paragraphs; equal scores keep the order of the file.

    Args:
        path: file of lines `game_id Q0 paragraph_id rank score name`, with ids as `export` writes them.
        ours: a run over the same games, and a store with the paragraph_ids of the file.

    Raises:
        RunError: the file cannot be read, or names no game of ours.
    """
    text = io.StringIO(read_text(path, RunError))
    try:
        rows = list(ir_measures.read_trec_run(text))  # type: ignore[no-untyped-call]
    except ValueError as error:
        raise RunError(
            f"{path}: not lines `game_id Q0 paragraph_id rank score name`: {error}; correct the file"
        ) from error

    rankings: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if not math.isfinite(row.score):
            raise RunError(
                f"{path}: the score {row.score} is no number; correct the file"
            )
        rankings[unquote(row.query_id)].setdefault(unquote(row.doc_id), row.score)

    if rankings.keys().isdisjoint(map(itemgetter("game_id"), ours.records)):
        raise RunError(
            f"{path} ranks no game of {ours.name}, but {', '.join([*rankings][:3]) or 'none'}"
        )

    records = []
    for record in ours.records:
        records.append(_replace_ranking(record, rankings[record["game_id"]], path.stem))
    return replace(
        ours,
        records=records,
        referee=HINT_ALONE,
        settings={"preset": path.name},
        commit="",
        repeats=1,
        name=path.stem,
    )


def _replace_ranking(
    record: ReplayRecord, scores: Mapping[str, float], name: str
) -> ReplayRecord:
    """Return the record of a game with another ranking as its hits, and without plays.

    As the other system has one strategy and no slots, the rank within the strategy is also the overall rank.

    Args:
        record: the record.
        scores: scores by paragraph_id, in the order of the file.
        name: name of the other system.
    """
    secret_ids = {get_secret_id(record)}
    if record["truth"] is not None:
        secret_ids.add(record["truth"]["paragraph_id"])
    hits: list[HitRecord] = []
    ranking = sorted(scores, key=scores.__getitem__, reverse=True)
    for rank, paragraph_id in enumerate(ranking, 1):
        hits.append(
            {
                "paragraph_id": paragraph_id,
                "document": "",
                "page": 0,
                "opening_sentence": paragraph_id,
                "slot": "",
                "strategy": name,
                "relevance": 0.0,
                "rank": rank,
                "score": round(scores[paragraph_id], 6),
                "why": f"rank {rank} of {name}",
            }
        )

    ranks = (rank for rank, item in enumerate(ranking, 1) if item in secret_ids)
    search: SearchRecord = {
        "hits": hits,
        "book": None,
        "answered_by": "",
        "relevant": bool(hits),
        "failures": [],
        "embed_ms": 0.0,
        "search_ms": 0.0,
        "rank": next(ranks, None),
    }
    return {
        **record,
        "search": search,
        "questions": [],
        "questions_ms": None,
        "decide_ms": None,
        "plays": [],
    }
