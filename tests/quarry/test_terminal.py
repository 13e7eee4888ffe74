"""What somebody else wrote is shown, and never interpreted."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from quarry.terminal import describe_error, pluralize, visible, visible_json

tried = settings(max_examples=200)


def test_characters_that_a_terminal_would_act_on_are_escaped() -> None:
    harmless = "plain, עברית, e\u0301, שָׁלוֹם\u200f"
    for text, seen in (
        (harmless, harmless),
        ("\x1b[2J", "\\x1b[2J"),
        ("one\r\ntwo\tthree", "one  two three"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("\x9b31m\x7f\x00", "\\x9b31m\\x7f\\x00"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ):
        assert visible(text) == seen


@tried
@given(some.text(some.characters(exclude_categories=["Cs"]), max_size=40))
def test_json_says_the_same_and_holds_nothing_that_acts(text: str) -> None:
    written = visible_json({"text": [text]})
    assert json.loads(written) == {"text": [text]}
    one_line = written.replace("\n", "")
    assert visible(one_line) == one_line


def test_one_is_singular_and_all_else_plural() -> None:
    assert pluralize(0, "game") == "0 games"
    assert pluralize(1200, "game") == "1,200 games"
    assert pluralize(1, "game") == "1 game"


@pytest.mark.parametrize(
    ("text", "cause", "described"),
    [
        ("refused", "no route", "OSError: refused (no route)"),
        ("refused: no route", "no route", "OSError: refused: no route"),
        ("refused", "Traceback of\nanother process", "OSError: refused"),
        ("two\nlines", "", "OSError: two lines"),
    ],
)
def test_an_error_is_described_with_its_cause_once(
    text: str, cause: str, described: str
) -> None:
    error = OSError(text)
    error.__cause__ = ValueError(cause)
    assert describe_error(error) == described
