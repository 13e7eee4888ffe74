"""What simulated referees see and retrieve, how they answer, and which answers are replaced or left out."""

from collections import Counter
from dataclasses import replace
from unittest.mock import Mock

import pytest

from configs.settings import load
from evaluate.referee.simulated import (
    CharacterEncoder,
    SimulatedReferee,
    Tools,
    build_tools,
    select_visible_part,
)
from evaluate.referee.spec import Posed, RefereeSpec, Secret
from evaluate.referee.wording import answer_by_wording
from player.answer import NOT_RELEVANT
from quarry.embed import Models
from quarry.embed.networks import Network
from quarry.errors import EmbedderError
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store
from tests.fakes import each
from tests.player.fakes import course

SECRET = Secret("A paragraph.", "A paragraph.")
OPTIONS = ("a", "b", "c", "d")


def posed(n: int) -> list[Posed]:
    return [(f"question {number}", OPTIONS) for number in range(n)]


def test_noise_replaces_the_shares_it_was_told_to() -> None:
    spec = RefereeSpec("", "nothing", "constant:B", 0.3, 0.1, 6000)
    counts = Counter(SimulatedReferee(spec, 7).answers(SECRET, posed(6000)))
    assert counts["B"] == pytest.approx(3600, abs=180)
    for answer in ("A", "C", "D", NOT_RELEVANT):
        assert counts[answer] == pytest.approx(600, abs=120)


def test_noise_depends_on_the_question_and_the_seed_but_not_on_its_number() -> None:
    questions = posed(20)
    spec = RefereeSpec("", "nothing", "constant:B", 0.4, 0.2)
    referee, other = SimulatedReferee(spec, 1), SimulatedReferee(spec, 2)
    answers = referee.answers(SECRET, questions)
    assert referee.answers(SECRET, questions[::-1]) == answers[::-1]
    assert other.answers(SECRET, questions) != answers


CLIMBER = Secret(
    "Dr. Ada climbs the wall. Then she rests; the wall is cold.",
    "Dr. Ada climbs the wall.",
    "Mountains",
    "someone goes upwards",
)
PASSAGES = ("Glaciers melt. Snow falls.", "Ropes hold 3 climbers.")
WORDS = ("rests", "glaciers", "someone", "None of these words")


def read(
    view: str,
    question: str,
    *options: str,
) -> str:
    def retrieve(text: str) -> tuple[str, ...]:
        return PASSAGES if "retrieve" in text else ()

    seen = select_visible_part(view, CLIMBER, question, retrieve)
    return answer_by_wording(seen, question, options)


def test_a_word_occurs_where_it_is_seen() -> None:
    question = "Which of these words, retrieve them, occurs in the paragraph?"
    assert read("paragraph", question, *WORDS) == "A"
    assert read("opening", question, *WORDS) == "D"
    assert read("passages", question, *WORDS) == "B"
    assert read("name", question, *WORDS) == "C"
    assert read("nothing", question, *WORDS) == "D"


def test_the_opening_sentence_is_the_labelled_one_however_a_reader_cuts_it() -> None:
    where = "retrieve them, occurs in the first sentence of the paragraph?"
    words = ("rests", "glaciers", "wall", "None of these words")
    begins = ("Snow", "Glaciers", "Dr", "another word")
    for view in ("opening", "passages"):
        assert read(view, f"Which of these words, {where}", *words) == "C"
        assert read(view, "With which word does the paragraph begin?", *begins) == "C"


EMBED = load().embed
TEXTS = (
    "trees grow",
    "walls stand",
    "rivers run",
    "trees stand by walls",
    "tall trees",
    "clouds drift",
)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[Mock]:
    """The embedders that have been loaded; they compare by characters."""
    loaded: list[Mock] = []

    def load_embedder(spec: str, *rest: object) -> Mock:
        loaded.append(Mock(wraps=CharacterEncoder()))
        loaded[-1].spec = spec
        return loaded[-1]

    monkeypatch.setattr("quarry.embed.models.load_embedder", load_embedder)
    return loaded


def test_it_is_never_the_players_model_and_in_other_scripts_characters_serve(
    monkeypatch: pytest.MonkeyPatch,
    loaded: list[Mock],
) -> None:
    monkeypatch.setattr(Network, "path", Mock())
    hebrew = [paragraph("book:1:1", "מנוע חיפוש מספר שלוש. הוא מהיר.")]
    specs = ("minilm", "e5")
    stores = [make_store(spec, course(), spec=spec) for spec in specs]
    stores.append(make_store("hebrew", hebrew, spec="e5"))
    tools = [build_tools(store, EMBED) for store in stores]

    assert not loaded
    assert each(tools, "embedder_spec") == ["e5", "minilm", None]
    *encoders, of_hebrew = each(tools, "encoder")
    assert encoders == loaded
    assert isinstance(of_hebrew, CharacterEncoder)
    assert each(loaded, "spec") == ["e5", "minilm"]
    monkeypatch.setattr(Network, "path", Mock(side_effect=EmbedderError))
    assert [build_tools(store, EMBED).embedder_spec for store in stores] == [None] * 3


def test_the_four_nearest_are_found_with_the_question_and_the_course_embedded_once(
    loaded: list[Mock],
) -> None:
    models = Models(replace(EMBED, models_dir="models"))
    tools = Tools(TEXTS, "e5", models)
    assert not loaded
    first = tools.retrieve("trees")
    assert len(first) == 4
    assert set(first[:3]) == {"trees grow", "tall trees", "trees stand by walls"}
    assert tools.retrieve("trees") == first
    assert Tools(TEXTS, "e5", models).retrieve("trees") == first
    Tools(TEXTS[1:], "e5", models).retrieve("trees")
    one, again, other = loaded
    one.embed_queries.assert_called_once_with(["trees"])
    one.embed_passages.assert_called_once_with(TEXTS)
    again.embed_passages.assert_not_called()
    other.embed_passages.assert_called_once_with(TEXTS[1:])
