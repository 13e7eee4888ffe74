"""The referee that a SPEC of the command line names."""

from __future__ import annotations

import re

from evaluate.errors import RefereeError
from evaluate.referee.encoders import Encoder, by_characters
from evaluate.referee.noisy import NoisyReferee
from evaluate.referee.oracle import OracleReferee
from evaluate.referee.random import RandomReferee
from evaluate.referee.semantic import SemanticReferee
from evaluate.referee.types import Referee


def make_referee(
    spec: str, seed: int = 0, encoder: Encoder = by_characters, oracle: Referee | None = None
) -> Referee | None:
    """The referee of a SPEC: `none` (None), `oracle`, `noisy:WRONG,NOT_RELEVANT`, `semantic` or `random`.

    Args:
        spec: as above.
        seed: of the answers that `noisy` replaces and `random` draws.
        encoder: by which `semantic` compares texts; see `encoder_unlike`.
        oracle: what `oracle` stands for, and whose answers `noisy` replaces; None reads every question anew.

    Raises:
        RefereeError: it is none of these, or its shares are no shares.
    """
    if spec == "none":
        return None
    oracle = OracleReferee() if oracle is None else oracle
    if spec == "oracle":
        return oracle
    if spec == "semantic":
        return SemanticReferee(encoder)
    if spec == "random":
        return RandomReferee(seed)
    shares = re.fullmatch(r"noisy:\s*(\d*\.?\d+)\s*,\s*(\d*\.?\d+)\s*", spec, re.ASCII)
    if shares is None:
        raise RefereeError(
            f"--referee must be none, oracle, noisy:WRONG,NOT_RELEVANT, semantic or random, got {spec!r}; "
            "use e.g. noisy:0.15,0.10"
        )
    return NoisyReferee(oracle, float(shares[1]), float(shares[2]), seed)
