"""Making the referee that a SPEC names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quarry.configs.imports import make
from quarry.configs.settings import EmbedSettings
from quarry.evaluate.referee.answering_policies import Manner
from quarry.evaluate.referee.encoders import BY_CHARACTERS, Encoder, encoder_unlike
from quarry.evaluate.referee.passages import Passages
from quarry.evaluate.referee.reading import Reading
from quarry.evaluate.referee.simulated import SimulatedReferee
from quarry.evaluate.referee.spec import REFEREES, TERMS, RefereeSpec, read_spec
from quarry.evaluate.referee.types import Referee
from quarry.evaluate.referee.views import VIEWS, Retriever, no_passages
from quarry.ingest.embed import choose_spec
from quarry.ingest.store import Course

N_SCRIPT = 200
"""Paragraphs that show which script a course is in."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What referees share, so that a second one need not work out again what the first one did.

    Attributes:
        encoder: by which `semantic` compares texts.
        retrieve: the passages of the course for a question.
        reading: reads wordings by rules.
    """

    encoder: Encoder = BY_CHARACTERS
    retrieve: Retriever = no_passages
    reading: Reading = field(default_factory=Reading)


def tools_of(store: Course, settings: EmbedSettings) -> Tools:
    """What referees of games about a store need; nothing is loaded or embedded before it is asked for."""
    texts = [paragraph.text for paragraph in store.paragraphs]
    models = store.models(settings)
    latin = choose_spec(texts[:N_SCRIPT]) == "minilm"
    encoder = encoder_unlike(store.embedder_spec, models, latin=latin)
    folder = None if encoder is BY_CHARACTERS else models.folder / "passages"  # those vectors are made in no time
    return Tools(encoder, Passages(texts, encoder, folder))


def make_referee(spec: str, seed: int = 0, tools: Tools | None = None) -> Referee | None:
    """The referee of a SPEC; None for `none`.

    Args:
        seed: of the answers that are replaced or drawn.
        tools: of the store; None compares texts by their characters and knows no course.

    Raises:
        RefereeError: the SPEC is none.
    """
    read = read_spec(spec)
    if read is None:
        return None
    tools = tools or Tools()
    if read.own:
        found: Referee = make(REFEREES, read.own, "--referee", seed, tools)
        return found
    return SimulatedReferee(
        _manner_of(read, seed, tools),
        VIEWS[read.view],
        tools.retrieve,
        wrong=read.wrong,
        declined=read.declined,
        n_answers=read.n_answers,
        seed=seed,
    )


def _manner_of(read: RefereeSpec, seed: int, tools: Tools) -> Manner:
    make = TERMS[read.manner].make if read.manner else None
    return tools.reading if make is None else make(read.value, seed, tools)


def prepare(specs: Iterable[str], store: Course, settings: EmbedSettings) -> None:
    """Embed and keep the course, if any of these referees sees passages of it, so that no two processes do it at once.

    Raises:
        RefereeError: a SPEC is none.
    """
    if any((read := read_spec(spec)) and read.view == "passages" for spec in specs):
        tools_of(store, settings).retrieve("")
