"""The report: what it shows, that texts stay texts, and how it behaves in a real browser."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from quarry.configs.settings import load
from quarry.evaluate.__main__ import main
from quarry.evaluate.report.page import headline, lecture_figures, paired_tests, render
from quarry.evaluate.runs.files import write_run
from quarry.evaluate.runs.record import GameRecord
from quarry.evaluate.runs.run import Run, make_run
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import run_main

HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">{{7*7}}\u2028"\'&amp;'
NO_BROWSER = "no Chromium is installed: the page is tested without a browser as well"
# as root in a container, and without looking for a network
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")


ASKED = f"Which: A {HOSTILE} or B {HOSTILE}?"


def hostile_record(game_id: str, *, won: bool) -> GameRecord:
    """A played game in which every text that comes from PDFs, games or the league is hostile."""
    record = game_record()
    hits = [
        {**hit, "opening_sentence": HOSTILE, "why": HOSTILE, "document": HOSTILE} for hit in record["search"]["hits"]
    ]
    truth = record["truth"]
    assert truth is not None
    candidate = {**hits[1], "prior": 0.4, "belief": 0.9}
    play = play_record(
        won=won,
        guess_rank=1 if won else 2,
        answers=["B", "Not Relevant"],
        misled=[] if won else [1],
        candidates=[candidate],
        guess={
            "opening_sentence": HOSTILE,
            "sentence_justification": HOSTILE,
            "associative_word": HOSTILE,
            "word_justification": HOSTILE,
            "confidence": 0.9,
        },
        breakdown={"opening_sentence_score": 100.0, HOSTILE: 1.0},
    )
    asked = {letter: f"{letter} {HOSTILE}" for letter in "ABCD"}
    return game_record(
        game_id=game_id,
        hint=f"{game_id} {HOSTILE}",
        book_name=HOSTILE,
        association_domain=HOSTILE,
        associative_word=HOSTILE,
        truth={**truth, "opening_sentence": HOSTILE, "text": HOSTILE, "document": HOSTILE},
        search={
            **record["search"],
            "hits": hits,
            "failures": [HOSTILE],
            "book": {"document": HOSTILE, "confidence": 0.9, "tier": "boost"},
        },
        questions=[{"question_number": number, "question_text": ASKED, "options": asked} for number in (1, 2)],
        questions_ms=30.0,
        decide_ms=5.0,
        plays=[play],
    )


def run_file(name: str, *, won: bool) -> Run:
    records = [hostile_record(HOSTILE, won=won), *(hostile_record(f"g{number}", won=won) for number in range(11))]
    return make_run(records, "f", load(), "oracle", 0, 1, name)


@pytest.fixture(scope="module")
def page() -> str:
    return render([run_file("lost", won=False), run_file(f"won {HOSTILE}", won=True)])


def data_of(page: str) -> dict[str, Any]:
    """What the page's script is given."""
    text = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', page)
    assert text is not None
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text[1])))
    return found


class Tags(HTMLParser):
    """The tags of a page, and the text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._silent = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._silent = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._silent = False
        self.text += " " if tag in ("td", "th", "li", "p") else ""

    def handle_data(self, data: str) -> None:
        self.text += "" if self._silent else data


class TestText:
    def test_no_text_of_a_run_becomes_a_tag(self, page: str) -> None:
        tags = Tags(page)
        assert [attributes.get("id") for tag, attributes in tags.tags if tag == "script"] == ["data", None, None]
        assert [tag for tag, attributes in tags.tags if tag == "img" or "onerror" in attributes] == []
        assert f"g3 {HOSTILE}" in tags.text

    def test_nothing_is_fetched_from_anywhere(self, page: str) -> None:
        for _, attributes in Tags(page).tags:
            assert {"src", "srcset", "action"} & set(attributes) == set()
            assert (attributes.get("href") or "#").startswith("#")
        policy = next(attributes["content"] for _, attributes in Tags(page).tags if "http-equiv" in attributes)
        assert policy is not None
        assert "default-src 'none'" in policy
        assert re.search(r"script-src 'sha256-\S+' 'sha256-\S+'$", policy)

    def test_a_game_opens_with_its_first_hits_and_candidates_and_the_labelled_ones(self, page: str) -> None:
        record = hostile_record("g", won=False)
        record["search"]["hits"] = [{**record["search"]["hits"][0], "paragraph_id": f"a:{row}:1"} for row in range(12)]
        record["search"]["hits"].append(hostile_record("g", won=False)["search"]["hits"][1])
        data = data_of(render([make_run([record], "f", load(), "oracle", 0, 1, "one")]))
        (opened,) = data["games"]["g"]
        assert [(hit["place"], hit["right"]) for hit in opened["search"]["hits"]] == [
            *((place, False) for place in range(1, 11)),
            (13, True),
        ]
        assert opened["play"]["guess"]["opening_sentence"] == HOSTILE
        assert opened["outcomes"][0].startswith("lost by the answers")
        assert list(data_of(page)["plots"]) == ["success", "lost"]

    def test_measures_have_intervals_and_verdicts(self, page: str) -> None:
        text = " ".join(Tags(page).text.split())
        assert "0.500 [0.50, 0.50]" in text  # RR, the paragraph at rank 2 of every game
        assert "better" in text
        assert "p corrected by Holm for all 5" in text

    def test_the_headline_says_which_run_is_better_and_by_how_much(self) -> None:
        lost, won = run_file("lost", won=False), run_file("won", won=True)
        assert headline([lost, won], [])[::2] == [
            "lost, 12 games, referee oracle: win rate 0.000 [0.000, 0.242], RR 0.500 [0.500, 0.500], "
            "Success@1 0.000 [0.000, 0.242], Success@20 1.000 [0.758, 1.000].",
            "These runs are not of the same games and referee, so their figures say nothing about each other.",
        ]
        for runs, says in (
            (
                [lost, won],
                "won is better than lost: win rate 1.000 against 0.000 over 12 games, a difference of +1.000 ",
            ),
            (
                [won, lost],
                "lost is worse than won: win rate 0.000 against 1.000 over 12 games, a difference of -1.000 ",
            ),
            (
                [lost, replace(lost, name="again")],
                "Between again and lost there is no difference that these games can show: win rate 0.000 ",
            ),
        ):
            (sentence,) = headline(runs, paired_tests(runs))
            assert sentence.startswith(says)

    def test_each_lecture_has_its_figures(self) -> None:
        here = game_record()
        nowhere = game_record(game_id="lost", truth=None, search={**here["search"], "rank": None})
        truth = here["truth"]
        assert truth is not None
        there = game_record(game_id="there", truth={**truth, "document": "beta"})
        run = make_run([here, nowhere, there], "f", load(), "none", 0, 1, "one")
        assert [
            (row["document"], row["runs"][0]["games"], row["runs"][0]["share"]) for row in lecture_figures([run])
        ] == [
            ("alpha", 1, 1.0),
            ("beta", 1, 1.0),
            ("not in the store", 1, 0.0),
        ]
        assert "beta 1 1.000" in " ".join(Tags(render([run])).text.split())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        yield found
        found.close()


@pytest.fixture
def opened(browser: Any, page: str, tmp_path: Path) -> Iterator[tuple[Any, list[str], list[str]]]:
    """The page as opened from a file, and what it wrote to the console and asked for since then."""
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1200, "height": 900})
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"file://{tmp_path / 'report.html'}")
    tab.wait_for_selector(".plot .main-svg")
    yield tab, said, asked
    tab.close()


class TestBrowser:
    def test_every_plot_is_drawn_and_nothing_is_said_or_fetched(
        self, opened: tuple[Any, list[str], list[str]], tmp_path: Path
    ) -> None:
        tab, said, asked = opened
        assert tab.locator(".plot").count() == 2
        assert tab.locator(".plot:has(.main-svg)").count() == 2
        assert said == []
        assert asked == [f"file://{tmp_path / 'report.html'}"]

    def test_hostile_text_stays_text(self, opened: tuple[Any, list[str], list[str]]) -> None:
        tab, said, _ = opened
        for button in tab.locator(".open").all():
            button.click()
        assert tab.locator("tr.detail").count() == 12
        assert tab.evaluate("window.hacked") is None
        assert tab.locator("img").count() == 0
        assert tab.locator("tr.detail blockquote").first.text_content() == HOSTILE
        assert said == []

    def test_a_game_opens_with_its_hits_questions_belief_and_guess(
        self, opened: tuple[Any, list[str], list[str]]
    ) -> None:
        tab, _, _ = opened
        tab.locator("tr[data-game=g5] .open").click()
        shown = tab.locator("tr.detail")
        assert shown.locator(".run-of").count() == 2
        assert shown.locator(".run-of").first.locator("tr.right").count() == 2
        assert shown.locator(".option.given").first.text_content() == f"B B {HOSTILE}"
        assert ASKED in shown.locator("p").first.text_content()
        assert "5.0 bits of doubt before the answers, 0.1 after" in shown.text_content()
        assert "80 of 100" in shown.text_content()
        tab.locator("tr[data-game=g5] .open").click()
        assert tab.locator("tr.detail").count() == 0

    def test_games_are_sorted_and_found_by_words_and_by_fate(self, opened: tuple[Any, list[str], list[str]]) -> None:
        tab, _, _ = opened
        names = "() => [...document.querySelectorAll('#games tbody tr')].map((row) => row.dataset.game)"
        before = tab.evaluate(names)
        head = tab.locator("#games th button").first
        head.click()
        head.click()
        assert tab.evaluate(names) == sorted(before, key=str.lower, reverse=True)
        assert tab.locator("#games th").first.get_attribute("aria-sort") == "descending"
        for words, fate, n_games in (("g10", "", 1), ("", "search", 0), ("", "answers", 12)):
            tab.fill("#find", words)
            tab.select_option("#fate", fate)
            assert tab.locator("#count").text_content() == f"{n_games} of 12 games"

    def test_a_phone_shows_it_without_scrolling_sideways(self, opened: tuple[Any, list[str], list[str]]) -> None:
        tab, _, _ = opened
        tab.set_viewport_size({"width": 390, "height": 800})
        tab.locator(".open").first.click()
        tab.wait_for_timeout(200)
        assert tab.evaluate("document.documentElement.scrollWidth") == 390
        cut = (
            "() => [...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length"
        )
        assert tab.evaluate(cut) == 0, "tables are cards: nothing runs off the screen"
        assert (
            tab.locator("#games > tbody > tr:first-child > td:visible").first.evaluate(
                "(cell) => getComputedStyle(cell, '::before').content"
            )
            == '"hint"'
        )


class TestCommand:
    def written(self, folder: Path, name: str = "mine") -> Path:
        run = run_file(name, won=True)
        path = folder / f"{name}.json"
        write_run(path, run)
        return path

    def test_without_out_the_headline_is_printed(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_run(tmp_path / "lost.json", run_file("lost", won=False))
        paths = [str(tmp_path / "lost.json"), str(self.written(tmp_path, "won"))]
        assert run_main(main, "report", *paths) == 0
        assert capsys.readouterr().out.startswith("won is better than lost: win rate 1.000 against 0.000 over 12 games")
        assert run_main(main, "report", *paths, "--out", str(tmp_path / "r.html")) == 0
        assert "Quarry report: lost, won" in (tmp_path / "r.html").read_text(encoding="utf-8")
