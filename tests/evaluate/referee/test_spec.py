"""SPECs of referees: terms, names, refusals and the table of the help."""

import pytest

from evaluate.errors import RefereeError
from evaluate.referee.protocol import Posed, Referee, Secret
from evaluate.referee.simulated import make_referee
from evaluate.referee.spec import (
    NAMES,
    REFEREES,
    TERMS,
    VIEW_DESCRIPTIONS,
    VIEW_FORM,
    format_spec_table,
    read_spec,
    seed_referees,
)
from player.answer import NOT_RELEVANT, Answer
from tests.contracts.referee import RefereeContract
from tests.fakes import each, read_page, refusal

SECRET = Secret(
    "Ivy climbs. It clings to walls.", "Ivy climbs.", "plants", "what grows upwards"
)
CLINGS: Posed = (
    'Does the word "clings" occur in the paragraph?',
    ("Yes", "No", "Unclear", "Unknown"),
)


def answers(
    spec: str,
    posed: Posed = CLINGS,
    seed: int = 0,
) -> list[Answer]:
    return make_referee(spec, seed).answers(SECRET, [posed] * 20)


@pytest.mark.parametrize(
    ("name", "terms"),
    {
        "sees:opening,wrong:0.15": " wrong:.150 ,sees:opening",
        "noisy:0.15,0.10": "wrong:0.15,declined:0.10",
        "noisy:.3,0,sees:passages": "sees:passages,wrong:0.3,declined:0",
        "blind": "sees:nothing",
        "declining": "declined:1",
    }.items(),
)
def test_terms_and_their_names_combine_in_any_order(name: str, terms: str) -> None:
    assert read_spec(name) == read_spec(terms)


def test_the_hint_alone_comes_first_and_who_draws_nothing_plays_once() -> None:
    referees = [("none", 7), ("oracle", 7), ("random", 7), ("random", 8)]
    assert seed_referees(["oracle", "random"], 2, 7) == referees


def test_each_manner_answers_in_its_way() -> None:
    assert answers("oracle") == ["A"] * 20
    assert answers("constant:C") == ["C"] * 20
    assert answers("declining") == [NOT_RELEVANT] * 20
    for spec in ("blind", "sees:opening", "sees:name"):
        assert answers(spec) == ["B"] * 20
    assert set(answers("wrong:1")) <= set("BCD")

    key = answers("key")
    assert len(set(key)) == 4
    assert answers("key", ("Another?", CLINGS[1])) == key != answers("key", seed=1)


class Suite(RefereeContract):
    """The suite of users, over the referee of a SPEC."""

    def __init__(self, spec: str) -> None:
        self.spec = spec

    def make(self, seed: int) -> Referee:
        return make_referee(self.spec, seed)


def test_the_suite_passes_a_referee_that_reads() -> None:
    for spec in ("oracle", "noisy:0.30,0.15", "sees:opening", "answers:1"):
        Suite(spec).test_words_of_the_paragraph_are_found()


@pytest.mark.parametrize(
    "spec", ["constant:D", "declining", "blind", "sees:name", "random", "none"]
)
def test_the_suite_refuses_one_that_finds_no_word_unless_it_says_so(spec: str) -> None:
    suite = Suite(spec)
    with pytest.raises(AssertionError):
        suite.test_words_of_the_paragraph_are_found()
    suite.min_right = 0.0
    suite.test_words_of_the_paragraph_are_found()


@pytest.mark.parametrize("answers", [ValueError("boom"), SystemExit(3), 5])
def test_a_users_own_referee_that_fails_is_told_in_one_line(
    answers: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Own:
        def answers(self, secret: Secret, questions: list[Posed]) -> object:
            if isinstance(answers, BaseException):
                raise answers
            return answers

    monkeypatch.setitem(REFEREES, "own", Own)
    with pytest.raises(RefereeError, match=r"^The referee Own failed: .*Error|Exit"):
        make_referee("own").answers(SECRET, [CLINGS])


def test_what_draws_is_told_from_what_does_not() -> None:
    for spec in ("wrong:0.1", "declined:0.4,sees:opening", "random", "key"):
        assert read_spec(spec).draws, spec
    for spec in ("oracle", "declining", "constant:B", "answers:5"):
        assert not read_spec(spec).draws, spec


UNKNOWN = "semantic||noisy|noisy:0.1|noisy:a,b|noisy:-0.1,0|Oracle|sees:chapter|wrong:2|wrong:|declined:1e-1|answers:0"
UNKNOWN += "|answers:21|constant:E|constant:AB|key:1|oracle:|none,key|oracle;key|sees:opening wrong:0.1"
NO_SHARES = ("noisy:15,10", "noisy:15%,10%", "noisy:.2", "sees:name,declined:-1")
TWICE = (
    "sees:opening,sees:name",
    "key,random",
    "constant:A,key",
    "oracle,sees:opening",
)


def test_another_spec_is_refused_in_one_line_that_says_why() -> None:
    for specs, says in (
        (UNKNOWN.split("|"), ", ".join([VIEW_FORM, *each(TERMS, "form"), *NAMES])),
        (NO_SHARES, "shares are decimals between 0 and 1, as in noisy:0.15,"),
        (TWICE, "one term too many; say each thing once"),
    ):
        for spec in specs:
            message = refusal(RefereeError, make_referee, spec)
            assert message.startswith(f"referee {spec!r}: "), specs
            assert says in message


def test_the_table_tells_every_term_view_and_name() -> None:
    table = format_spec_table()
    docs = read_page("docs/guides/referees.md")
    views = [f"sees:{view}" for view in VIEW_DESCRIPTIONS]
    for form in (*views, *each(TERMS, "form"), *NAMES):
        assert form in table
        assert f"`{form}`" in docs
