"""The numbers of search are fitted by hand-worked likelihoods, and the command writes them beside the others'."""

import json
import math
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from player.search.calibration import CALIBRATION
from quarry.store import Course, Store
from tests.evaluate.fakes import Evaluate, course_records, write_games
from tests.fakes import file_reading
from tools.calibration.search import fit_choices, fit_relevance

HINTS = (
    "teatime",
    "umbrella stand",
    "porcelain elephants",
    "velvet curtain",
    "lighthouse",
)


def test_a_feature_that_wins_three_times_in_four_weighs_the_log_of_three() -> None:
    chosen = np.array([[0], [0], [0], [1]])
    (weight,) = fit_choices([np.array([[1.0], [0.0]])] * 4, [*chosen])
    assert weight == pytest.approx(math.log(3.0), abs=1e-4)


def cosines(*values: float) -> list[pd.DataFrame]:
    return [pd.DataFrame({"cosine": [value]}) for value in values]


def test_relevance_is_even_half_way_whatever_the_numbers_of_hints() -> None:
    missing = cosines(0.3, 0.1) * 5
    bias, slopes, separation = fit_relevance(
        ["cosine"], cosines(0.9, 0.7), missing, missing
    )
    assert -bias / slopes["cosine"] == pytest.approx(0.5, abs=1e-3)
    assert bias < 0.0
    assert separation == 1.0


@pytest.fixture
def calibrate(command: Evaluate) -> Evaluate:
    """Run the command over games whose hints keep the rule."""
    records = course_records()
    for record, hint in zip(records, cycle(HINTS), strict=False):
        record["hint"] = hint
    write_games(Path("games.jsonl"), records)
    return lambda options: command(f"search --games games.jsonl {options}")


def test_own_games_are_enough_and_the_numbers_are_written_beside_those_of_others(
    calibrate: Evaluate,
    store: Course,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QUARRY_HOME", "home")
    projects = CALIBRATION.read_bytes()

    for document in Store(store.location).documents.values():
        file_reading(Store("tokens"), document.reading)
    fitted = calibrate("--store tokens")
    late = fitted.json["late_interaction"]["dense"]
    assert late["late_weights"].keys() == {"tokens", "hubness"}
    own = Path("home/fitted/calibration.json")
    assert json.loads(own.read_bytes()) == {"minilm": fitted.json}
    assert f"written to {own}" in fitted.err
    assert CALIBRATION.read_bytes() == projects

    own.write_bytes(projects)
    new = calibrate("--store store").json
    before = json.loads(projects)
    assert json.loads(own.read_bytes()) == {**before, "minilm": new}
    old = before["minilm"]
    assert new["fused"]["dense"] > 0.0
    unrelated = new["books"].pop("unrelated")
    assert unrelated != old["books"].pop("unrelated")
    for key in ("keyword", "books"):
        assert new[key] == old[key]
