"""Two runs over the same games: settings that differ, and games that only one of the runs won."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from quarry.evaluate.runs.outcome_summary import fate
from quarry.evaluate.runs.record import GameRecord, PlayRecord
from quarry.evaluate.runs.run import Run

MADE_WITH = ("referee", "repeats", "seed", "store_fingerprint", "games_digest", "commit")
"""Attributes of a run that are compared together with its settings."""


@dataclass(frozen=True, slots=True)
class Side:
    """How one of two runs played a game.

    Attributes:
        n_won: won plays; None without a referee.
        rank: of the paragraph among the hits, None if it is not among them.
        why: plain sentences: the rank of the paragraph, its probability, and which answers misled.
    """

    run: str
    n_won: int | None
    n_plays: int
    rank: int | None
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A game that only one of two runs won; `paragraph` is empty where one of the stores does not hold it."""

    game_id: str
    hint: str
    book_name: str
    paragraph: str
    won_by: str
    lost_by: str
    sides: tuple[Side, Side]

    def as_json(self) -> dict[str, Any]:
        """Return what `report --json` prints."""
        return asdict(self)


def same_games(runs: Sequence[Run]) -> bool:
    """Return whether the runs have the same hints and names of books; their stores may differ."""
    asked = [{(record["game_id"], record["hint"], record["book_name"]) for record in run.answerable} for run in runs]
    return all(games == asked[0] for games in asked)


def differing(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """Return each run's value of every setting that is not the same in all runs, by the name of the setting."""
    if not runs:
        return {}
    found = [{**{key: getattr(run, key) for key in MADE_WITH}, **dict(_flat(run.settings))} for run in runs]
    names = dict.fromkeys(name for values in found for name in values)
    rows = {name: [values.get(name) for values in found] for name in names}
    return {name: values for name, values in rows.items() if any(value != values[0] for value in values)}


def shown(setting: str, value: object) -> str:
    """Return a value of `differing` for people: as in YAML, commits shortened."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value[:10] if setting == "commit" else value or '""'
    return json.dumps(value, ensure_ascii=False)


def contrasts(one: Run, other: Run) -> list[Contrast]:
    """Return the games that only one of two runs over the same games won, in the order of the games.

    A played game is won if more than half of its plays were won; without a referee, a game is won if its paragraph is
    the first hit. Nothing is returned where only one of the runs had a referee.
    """
    if one.played != other.played:
        return []
    others = {record["game_id"]: record for record in other.answerable}
    found = []
    for record in one.answerable:
        pair = ((one, record), (other, others[record["game_id"]]))
        won = [_won(run, game) for run, game in pair]
        if won[0] == won[1]:
            continue
        truth = record["truth"] or others[record["game_id"]]["truth"]
        winner, loser = (one, other) if won[0] else (other, one)
        paragraph = f"{truth['document']} p{truth['page']}: {truth['opening_sentence']}" if truth else ""
        game = (record["game_id"], record["hint"], record["book_name"], paragraph)
        found.append(Contrast(*game, winner.name, loser.name, (_side(*pair[0]), _side(*pair[1]))))
    return found


def _won(run: Run, record: GameRecord) -> bool:
    if not run.played:
        return record["search"]["rank"] == 1
    return 2 * sum(play["won"] for play in record["plays"]) > run.repeats


def _side(run: Run, record: GameRecord) -> Side:
    # the first play that ended as most plays of the game did
    play = next((play for play in record["plays"] if play["won"] == _won(run, record)), None)
    n_won = sum(play["won"] for play in record["plays"]) if run.played else None
    why = tuple(_why(record, play))
    return Side(run.name, n_won, run.repeats if run.played else 0, record["search"]["rank"], why)


def _why(record: GameRecord, play: PlayRecord | None) -> Iterator[str]:
    """Yield what became of the paragraph, sentence by sentence."""
    yield fate(record, play)
    truth, hits = record["truth"], record["search"]["hits"]
    if truth is None:
        return
    if play is None:
        if record["search"]["rank"] != 1 and hits:
            yield f"first hit: {hits[0]['document']} p{hits[0]['page']}: {hits[0]['opening_sentence']}"
        return
    right = next((item for item in play["candidates"] if item["paragraph_id"] == truth["paragraph_id"]), None)
    if right is not None:
        yield f"its probability: {right['prior']:.3f} before the answers, {right['belief']:.3f} after"
    if play["won"] or not play["candidates"]:
        return
    guess = play["candidates"][0]
    yield (
        f"guessed instead: {guess['document']} p{guess['page']}: {guess['opening_sentence']} "
        f"(probability {guess['prior']:.3f} before, {guess['belief']:.3f} after)"
    )
    if "misled" in play:
        yield f"answers that misled: {_answers(record, play, play['misled']) or 'none'}"


def _answers(record: GameRecord, play: PlayRecord, numbers: Sequence[int]) -> str:
    """Return the answers to these questions with the text of the chosen options."""
    options = {question["question_number"]: question["options"] for question in record["questions"]}
    said = []
    for number, letter in enumerate(play["answers"], 1):
        if number in numbers:
            text = options[number][letter] if letter and number in options else ""
            said.append(f"{number} {letter} {text}".strip())
    return "; ".join(said)


def _flat(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of settings by their dotted names."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
