"""Export of runs for other tools: TREC runs and qrels, and tables as parquet and CSV."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from evaluate.errors import RunError
from evaluate.runs.dataframe import COLUMNS
from evaluate.runs.record import HitRecord, get_secret_id
from evaluate.runs.run import Run, require_names
from quarry.files import replace_together

FORMULA_BEGINS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""Characters that begin a formula in a spreadsheet, including full-width forms (OWASP, CSV Injection)."""


def export(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write each run as NAME.run and NAME.qrels in TREC's format, and all runs as tables; return the paths.

    The tables are `runs` (one row for each run and measure), `games` (one row for each run, game and repeat) and `hits`
    (one row for each hit), each as .parquet and .csv.

    Raises:
        RunError: two runs have the same name, or a name cannot be that of a file.
        OSError: a file cannot be written.
    """
    require_names(runs)
    for run in runs:
        if Path(run.name).name != run.name:
            raise RunError(
                f"The run {run.name!r} cannot name a file; leave out the slashes."
            )

    with replace_together(folder) as work:
        for run in runs:
            _write_trec(work, run)
        plays = pd.concat([run.to_dataframe() for run in runs])
        _write_table(work / "runs", _tabulate_figures(runs))
        _write_table(work / "games", plays.astype(COLUMNS))
        _write_table(work / "hits", _tabulate_hits(runs))
        names = sorted(path.name for path in work.iterdir())
    return [folder / name for name in names]


def _write_trec(folder: Path, run: Run) -> None:
    """Write the ranking and the right paragraph of each answerable game as NAME.run and NAME.qrels."""
    ranking, qrels = [], []
    for record in run.records:
        if not record["answerable"]:
            continue
        game_id = _escape_id(record["game_id"])
        qrels.append(f"{game_id} 0 {_escape_id(get_secret_id(record))} 1\n")
        # the score is the negative rank: tools sort by it, and a hit in a book slot may precede a more relevant one
        for rank, hit in enumerate(record["search"]["hits"], 1):
            ranking_columns = f"{_escape_id(hit['paragraph_id'])} {rank} {-rank}"
            ranking.append(f"{game_id} Q0 {ranking_columns} {_escape_id(run.name)}\n")

    (folder / f"{run.name}.run").write_text("".join(ranking), encoding="utf-8")
    (folder / f"{run.name}.qrels").write_text("".join(qrels), encoding="utf-8")


def _escape_id(name: str) -> str:
    """Escape the white space of a name as in URLs (%20), since it separates the columns in TREC's formats."""
    return re.sub(r"[\s%]", lambda sign: quote(sign[0]), name)


def _write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table as PATH.parquet and PATH.csv.

    In the CSV file, an apostrophe is put before a text that a spreadsheet would take for a formula.
    """

    def plain(cell: Any) -> Any:
        is_formula = isinstance(cell, str) and cell.startswith(FORMULA_BEGINS)
        return f"'{cell}" if is_formula else cell

    table.to_parquet(path.with_suffix(".parquet"), index=False)
    table.map(plain).to_csv(path.with_suffix(".csv"), index=False)


def _tabulate_figures(runs: Sequence[Run]) -> pd.DataFrame:
    rows = []
    for run in runs:
        for name, (value, ends) in run.figures.items():
            rows.append([run.name, name, value, *ends])
    return pd.DataFrame(rows, columns=["run", "measure", "value", "low", "high"])


def _tabulate_hits(runs: Sequence[Run]) -> pd.DataFrame:
    """Return a row for each hit: the column `rank` is that within its strategy."""
    rows: list[dict[str, Any]] = []
    for run in runs:
        for record in run.records:
            secret_id = get_secret_id(record)
            for overall_rank, hit in enumerate(record["search"]["hits"], 1):
                rows.append(
                    {
                        "run": run.name,
                        "game_id": record["game_id"],
                        "overall_rank": overall_rank,
                        **hit,
                        "right": hit["paragraph_id"] == secret_id,
                    }
                )

    columns = ["run", "game_id", "overall_rank", *HitRecord.__annotations__, "right"]
    return pd.DataFrame(rows, columns=columns)
