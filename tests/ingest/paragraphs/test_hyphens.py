"""ingest/paragraphs/hyphens.py: words that are broken at the ends of lines."""

from collections import Counter
from dataclasses import replace

import pytest

from ingest.layout.line import PlacedLine
from ingest.paragraphs.hyphens import count_unbroken_words, join_text
from tests.ingest.paragraphs.lines import line


def _joined(*lines: PlacedLine) -> str:
    vocabulary: Counter[str] = Counter()
    count_unbroken_words(lines, vocabulary)
    text, _ = join_text(lines, 0, vocabulary)
    return text


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (["the impor-", "tant keys"], "the important keys"),
        (["A well-known task", "is not well-", "known"], "is not well-known"),
        (["the art of a state-", "of-the-art library"], "state-of-the-art library"),
        (["a step-by-", "step proof"], "step-by-step proof"),
        (["the Taylor-Expan-", "sion ends"], "the Taylor-Expansion ends"),
        (["a Wittgen-", "stein-like one"], "a Wittgenstein-like one"),
        (["we cast it out", "all right", "denied out-", "right"], "denied outright"),
        (["how they self-", "select"], "they self-select"),
        (["Aqui calcula-se e executa-", "se"], "calcula-se e executa-se"),
        (["Nun executa-", "se aqui"], "Nun executase aqui"),
        (["Steuer-", "und Satzzeichen"], "Steuer- und Satzzeichen"),
        (["a thous-", "and trees"], "a thousand trees"),
        (["how they move—", "or grow"], "how they move—or grow"),
        (["the worst-", "case bound"], "the worst-case bound"),
        (["under-", "standing it"], "understanding it"),
        (["a macro-", "scopic state"], "a macroscopic state"),
        (["as in Marsh-", "field"], "as in Marshfield"),
        (["see example.org/all-", "notes"], "see example.org/all-notes"),
        (["see https://example.org/an", "swers/all.html"], "org/answers/all.html"),
        (["see https://exam", "ple.trees.org/all"], "https://example.trees.org/all"),
        (["see https://example.org/all", "and print it"], "org/all and print it"),
        (["see https://", "example.org"], "see https://example.org"),
        (["see http:", "//example.org"], "see http://example.org"),
        (["see http:", "it is old"], "see http: it is old"),
        (["the years 1914-", "18"], "1914-18"),
        (["many 2-", "tuples"], "many 2-tuples"),
        (["and so -", "on"], "and so - on"),
        (["这些系统都有", "进程和线程"], "这些系统都有进程和线程"),
        (["这些系统都有", "CPU"], "这些系统都有 CPU"),
    ],
)
def test_a_broken_word_is_joined_and_a_compound_keeps_its_hyphen(
    texts: list[str], joined: str
) -> None:
    assert _joined(*map(line, texts)).endswith(joined)


def test_words_of_right_to_left_lines_end_in_blanks_or_hyphens() -> None:
    first, second = line("client-", rtl=True), line("server", rtl=True)
    assert _joined(first, second) == "client-server"
    blank = replace(first.words[0], text="keys, ")
    assert _joined(replace(first, words=(blank,)), second).split() == [
        "keys,",
        "server",
    ]


def test_a_page_begins_at_an_offset_of_the_text() -> None:
    lines = [line("• Trees that"), line("grow", page=2), line("high", page=2)]
    assert join_text(lines, 1, Counter()) == ("Trees that grow high", (11,))
