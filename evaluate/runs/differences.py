"""Differences between runs, in words: settings, and the candidates of their beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from configs.settings import SECTIONS, GameSettings

if TYPE_CHECKING:
    from evaluate.runs.run import Run

BELIEFS = {"course": GameSettings().candidates, "hits": 0}
"""Values of `game.candidates` by the name of the candidates."""


def describe_belief(settings: Mapping[str, Any]) -> str:
    """Name the candidates of the belief of a run with these settings."""
    n = settings.get("game", {}).get("candidates")
    if n is None:
        return "unknown candidates"
    names = {BELIEFS["course"]: "the whole course", BELIEFS["hits"]: "its own hits"}
    return names.get(n, f"the {n:,} likeliest")


def belief_lines(runs: Sequence[Run]) -> Iterator[str]:
    """Yield lines that name the candidates of beliefs: one line if all runs have the same, else one for each run."""
    beliefs = [describe_belief(run.settings) for run in runs]
    if len({*beliefs}) == 1:
        yield f"every belief runs over {beliefs[0]}"
        return
    for run, belief in zip(runs, beliefs, strict=True):
        yield f"the belief of {run.name} runs over {belief}"


def what_differs(first: Run, other: Run) -> str:
    """Return the settings in which a run differs from the first, each as KEY VALUE (value of the first)."""
    changed = []
    for section in SECTIONS:
        before = first.settings.get(section, {})
        for key, value in other.settings.get(section, {}).items():
            if key in before and before[key] != value:
                old, new = _shown(before[key]), _shown(value)
                changed.append(f"{section}.{key} {new} ({old})")
    return ", ".join(changed) or "no setting"


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " + ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value != "" else "none"
