"""Two runs over the same games: what they were made with that differs, and the games that only one of them won."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from quarry.evaluate.runs.outcome_summary import fate
from quarry.evaluate.runs.record import GameRecord, PlayRecord
from quarry.evaluate.runs.run import Run

MADE_WITH = ("referee", "repeats", "seed", "store_fingerprint", "games_digest", "commit")
"""Of a run beside its settings."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one of two runs made of a game.

    Attributes:
        run: its name.
        n_won: of its plays; None where there was no referee.
        rank: of the paragraph among the hits, None if it is not among them.
        why: in plain sentences: where the paragraph stood, what was believed of it, and what misled.
    """

    run: str
    n_won: int | None
    n_plays: int
    rank: int | None
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A game that only one of two runs won: the other lost it.

    Attributes:
        paragraph: that was looked for; "" where one of the stores does not hold it.
        won_by: the name of the run that won, lost_by: of the other.
    """

    game_id: str
    hint: str
    book_name: str
    paragraph: str
    won_by: str
    lost_by: str
    sides: tuple[Side, Side]

    def as_json(self) -> dict[str, Any]:
        """As `report --json` prints it."""
        return asdict(self)


def same_games(runs: Sequence[Run]) -> bool:
    """Whether the runs are over the same games: the same hints and names of books, whatever the stores."""
    asked = [{(record["game_id"], record["hint"], record["book_name"]) for record in run.answerable} for run in runs]
    return all(games == asked[0] for games in asked)


def differing(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """What the runs were made with where they differ: each run's value, by the name of the setting."""
    if not runs:
        return {}
    found = [{**{key: getattr(run, key) for key in MADE_WITH}, **dict(_flat(run.settings))} for run in runs]
    names = dict.fromkeys(name for values in found for name in values)
    rows = {name: [values.get(name) for values in found] for name in names}
    return {name: values for name, values in rows.items() if any(value != values[0] for value in values)}


def shown(setting: str, value: object) -> str:
    """A value of `differing` for people: as in YAML, commits as short as they are told apart by."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value[:10] if setting == "commit" else value or '""'
    return json.dumps(value, ensure_ascii=False)


def contrasts(one: Run, other: Run) -> list[Contrast]:
    """The games that only one of two runs won, in the order of the games.

    A game that was played is won where more than half of its plays were; where neither run had a referee, one whose
    paragraph is the first hit. Where the one run was played and the other was not, nothing can be said.

    Args:
        one, other: of the same games.
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
        found.append(
            Contrast(
                game_id=record["game_id"],
                hint=record["hint"],
                book_name=record["book_name"],
                paragraph=f"{truth['document']} p{truth['page']}: {truth['opening_sentence']}" if truth else "",
                won_by=winner.name,
                lost_by=loser.name,
                sides=(_side(*pair[0]), _side(*pair[1])),
            )
        )
    return found


def _won(run: Run, record: GameRecord) -> bool:
    if not run.played:
        return record["search"]["rank"] == 1
    return 2 * _n_won(record) > run.repeats


def _n_won(record: GameRecord) -> int:
    return sum(play["won"] for play in record["plays"])


def _side(run: Run, record: GameRecord) -> Side:
    # the play that stands for the others: the first that came out as most of them did
    play = next((play for play in record["plays"] if play["won"] == _won(run, record)), None)
    return Side(
        run=run.name,
        n_won=_n_won(record) if run.played else None,
        n_plays=run.repeats if run.played else 0,
        rank=record["search"]["rank"],
        why=tuple(_why(record, play)),
    )


def _why(record: GameRecord, play: PlayRecord | None) -> Iterator[str]:
    """What became of the paragraph, sentence by sentence."""
    yield fate(record, play)
    truth, hits = record["truth"], record["search"]["hits"]
    if truth is None:
        return
    if play is None:
        if record["search"]["rank"] != 1 and hits:
            yield f"first hit: {hits[0]['document']} p{hits[0]['page']}: {hits[0]['opening_sentence']}"
        return
    right = next((one for one in play["candidates"] if one["paragraph_id"] == truth["paragraph_id"]), None)
    if right is not None:
        yield f"belief in it: {right['prior']:.3f} before the answers, {right['belief']:.3f} after"
    if play["won"] or not play["candidates"]:
        return
    guessed = play["candidates"][0]
    yield (
        f"guessed instead: {guessed['document']} p{guessed['page']}: {guessed['opening_sentence']} "
        f"(belief {guessed['prior']:.3f} before, {guessed['belief']:.3f} after)"
    )
    if "misled" in play:
        yield f"answers that misled: {_answers(record, play, play['misled']) or 'none'}"


def _answers(record: GameRecord, play: PlayRecord, numbers: Sequence[int]) -> str:
    """The answers to these questions, with what they say."""
    options = {question["question_number"]: question["options"] for question in record["questions"]}
    answers = dict(enumerate(play["answers"], 1))
    given = [(number, answers[number]) for number in numbers if number in answers]
    return "; ".join(
        f"{number} {letter} {options[number][letter]}" if letter and number in options else f"{number} {letter}"
        for number, letter in given
    )


def _flat(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of settings by their dotted names."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
