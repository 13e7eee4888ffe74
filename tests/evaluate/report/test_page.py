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

from configs.settings import load
from evaluate.report.page import headline, lecture_figures, paired_tests, render
from evaluate.runs.files import write_run
from evaluate.runs.record import ReplayRecord
from evaluate.runs.run import Run, make_run
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import Evaluate

HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">{{7*7}}\u2028"\'&amp;'
NO_BROWSER = "no Chromium is installed: the page is tested without a browser as well"
# as root in a container, and without looking for a network
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-sync",
)


ASKED = f"Which: A {HOSTILE} or B {HOSTILE}?"


def hostile_record(game_id: str, *, won: bool) -> ReplayRecord:
    """A played game in which every text that comes from PDFs, games or the league is hostile."""
    record = game_record()
    hits: list[Any] = []
    for hit in record["search"]["hits"]:
        hostile = {"opening_sentence": HOSTILE, "why": HOSTILE, "document": HOSTILE}
        hits.append({**hit, **hostile})
    guess = dict.fromkeys(
        (
            "opening_sentence",
            "sentence_justification",
            "associative_word",
            "word_justification",
        ),
        HOSTILE,
    )
    play = play_record(
        won=won,
        guess_rank=1 if won else 2,
        answers=["B", "Not Relevant"],
        misled=[] if won else [1],
        unfit=[] if won else [1],
        candidates=[{**hits[1], "prior": 0.4, "belief": 0.9}],
        guess={**guess, "confidence": 0.9},
        breakdown={"opening_sentence_score": 100.0, HOSTILE: 1.0},
    )

    options = {letter: f"{letter} {HOSTILE}" for letter in "ABCD"}
    asked = {"question_text": ASKED, "options": options}
    truth = dict.fromkeys(("opening_sentence", "text", "document"), HOSTILE)
    book = {"document": HOSTILE, "confidence": 0.9, "tier": "boost"}
    search = {"hits": hits, "failures": [HOSTILE], "book": book}
    return game_record(
        game_id=game_id,
        hint=f"{game_id} {HOSTILE}",
        book_name=HOSTILE,
        association_domain=HOSTILE,
        associative_word=HOSTILE,
        truth={**(record["truth"] or {}), **truth},
        search={**record["search"], **search},
        questions=[{"question_number": number, **asked} for number in (1, 2)],
        questions_ms=30.0,
        decide_ms=5.0,
        plays=[play],
    )


def run_file(name: str, *, won: bool) -> Run:
    records = [
        hostile_record(HOSTILE, won=won),
        *(hostile_record(f"g{number}", won=won) for number in range(11)),
    ]
    return make_run(records, "f", load(), "oracle", 0, 1, name)


@pytest.fixture(scope="module")
def page() -> str:
    return render([run_file("lost", won=False), run_file(f"won {HOSTILE}", won=True)])


def test_figures_of_raw_text_are_shown_by_the_referees_text(page: str) -> None:
    play = play_record(won=True)
    play["ratio"], play["right_page"] = 0.9, True
    record = game_record(plays=[play])
    record["edition"] = "pypdf:window"
    run = make_run([record], "f", load(), "oracle", 0, 1, "one")
    (figures,) = run.editions.values()
    document = run.as_json()
    assert document["sentence_points"] == figures["points"]
    assert document["right_page"] == 1.0
    text = Tags(render([run])).text
    assert "By the referee's text" in text
    assert f"pypdf:window1100.0%100.0%{figures['points']}" in "".join(text.split())
    assert "By the referee's text" not in Tags(page).text


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


def test_no_text_of_a_run_becomes_a_tag(page: str) -> None:
    tags = Tags(page)
    scripts = [found.get("id") for tag, found in tags.tags if tag == "script"]
    assert scripts == ["data", None, None]
    for tag, attributes in tags.tags:
        assert tag != "img"
        assert "onerror" not in attributes
    assert f"g3 {HOSTILE}" in tags.text


def test_nothing_is_fetched_from_anywhere(page: str) -> None:
    tags = Tags(page).tags
    for _, attributes in tags:
        assert {"src", "srcset", "action"} & set(attributes) == set()
        assert (attributes.get("href") or "#").startswith("#")
    policies = [found["content"] for _, found in tags if "http-equiv" in found]
    assert "default-src 'none'" in str(policies[0])
    assert re.search(r"script-src 'sha256-\S+' 'sha256-\S+'$", str(policies[0]))


def test_a_game_opens_with_its_first_hits_and_candidates_and_the_labelled_ones(
    page: str,
) -> None:
    record = hostile_record("g", won=False)
    wrong, right = record["search"]["hits"]
    hits: list[Any] = []
    for row in range(12):
        hits.append({**wrong, "paragraph_id": f"a:{row}:1"})
    record["search"]["hits"] = [*hits, right]
    data = data_of(render([make_run([record], "f", load(), "oracle", 0, 1, "one")]))
    (opened,) = data["games"]["g"]
    shown = [(hit["place"], hit["right"]) for hit in opened["search"]["hits"]]
    assert shown == [*((place, False) for place in range(1, 11)), (13, True)]
    assert opened["play"]["guess"]["opening_sentence"] == HOSTILE
    assert opened["outcomes"][0].startswith("lost by the answers")
    assert list(data_of(page)["plots"]) == ["success", "lost", "losses"]


def test_measures_have_intervals_and_verdicts(page: str) -> None:
    text = " ".join(Tags(page).text.split())
    assert "0.500 [0.50, 0.50]" in text  # RR, the paragraph at rank 2 of every game
    assert "better" in text
    assert "p corrected by Holm for the measures that differ" in text
    assert "same in every game" in text


def test_the_headline_says_which_run_is_better_and_by_how_much() -> None:
    lost, won = run_file("lost", won=False), run_file("won", won=True)

    assert headline([lost, won], [])[::2] == [
        "lost, 12 games, referee oracle: win rate 0.000 [0.000, 0.242], RR 0.500 [0.500, 0.500], "
        "Success@1 0.000 [0.000, 0.242], Success@20 1.000 [0.758, 1.000].",
        "The runs are of different games, so no test compares them.",
    ]
    size = "over 12 games, a difference of"
    better = f"won is better than lost: win rate 1.000 against 0.000 {size} +1.000 "
    worse = f"lost is worse than won: win rate 0.000 against 1.000 {size} -1.000 "
    equal = "again and lost are equal in the win rate of every game, 12 games."
    again = replace(lost, name="again")
    for first, other, says in (
        (lost, won, better),
        (won, lost, worse),
        (lost, again, equal),
    ):
        (sentence,) = headline([first, other], paired_tests([first, other]))
        assert sentence.startswith(says)


def test_a_searched_and_a_played_run_are_compared_in_the_search() -> None:
    played = run_file("played", won=True)
    searched = replace(run_file("searched", won=True), referee="none")
    said = headline([searched, played], paired_tests([searched, played]))
    assert said[0].startswith("played and searched are equal in the RR of every")
    assert "win rate 1.000" in said[2]
    assert said[3].startswith("The runs have different referees, so win rates")


def test_each_lecture_has_its_figures() -> None:
    here = game_record()
    search = {**here["search"], "rank": None}
    nowhere = game_record(game_id="lost", truth=None, search=search)
    truth = {**(here["truth"] or {}), "document": "beta"}
    there = game_record(game_id="there", truth=truth)
    run = make_run([here, nowhere, there], "f", load(), "none", 0, 1, "one")
    figures = []
    for row in lecture_figures([run]):
        found = row["runs"][0]
        figures.append((row["document"], found["games"], found["share"]))

    assert figures == [
        ("alpha", 1, 1.0),
        ("beta", 1, 1.0),
        ("not in the store", 1, 0.0),
    ]
    assert "beta 1 1.000" in " ".join(Tags(render([run])).text.split())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    executable = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if executable is None:
        pytest.skip(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=executable, args=list(ARGUMENTS)
        )
        yield found
        found.close()


@pytest.fixture
def opened(
    browser: Any, page: str, tmp_path: Path
) -> Iterator[tuple[Any, list[str], list[str]]]:
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


def test_every_plot_is_drawn_and_nothing_is_said_or_fetched(
    opened: tuple[Any, list[str], list[str]], tmp_path: Path
) -> None:
    tab, said, asked = opened
    assert tab.locator(".plot").count() == 3
    assert tab.locator(".plot:has(.main-svg)").count() == 3
    assert said == []
    assert asked == [f"file://{tmp_path / 'report.html'}"]


def test_hostile_text_stays_text(opened: tuple[Any, list[str], list[str]]) -> None:
    tab, said, _ = opened
    for button in tab.locator(".open").all():
        button.click()
    assert tab.locator("tr.detail").count() == 12
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("img").count() == 0
    assert tab.locator("tr.detail blockquote").first.text_content() == HOSTILE
    assert said == []


def test_a_game_opens_with_its_hits_questions_belief_and_guess(
    opened: tuple[Any, list[str], list[str]],
) -> None:
    tab, _, _ = opened
    tab.locator("tr[data-game=g5] .open").click()
    shown = tab.locator("tr.detail")
    assert shown.locator(".run-of").count() == 2
    assert shown.locator(".run-of").first.locator("tr.right").count() == 2
    given = shown.locator(".option.given").all_text_contents()
    assert given == [f"✗ does not fit: B B {HOSTILE}", f"✓ fits: B B {HOSTILE}"]
    assert ASKED in shown.locator("p[dir=auto]").first.text_content()
    assert "5.0 bits of doubt before the answers, 0.1 after" in shown.text_content()
    assert "80 of 100" in shown.text_content()
    tab.locator("tr[data-game=g5] .open").click()
    assert tab.locator("tr.detail").count() == 0


def test_games_are_sorted_and_found_by_words_and_by_fate(
    opened: tuple[Any, list[str], list[str]],
) -> None:
    tab, _, _ = opened
    names = "() => [...document.querySelectorAll('#games tbody tr')].map((row) => row.dataset.game)"
    before = tab.evaluate(names)
    head = tab.locator("#games th button").first
    head.click()
    head.click()

    assert tab.evaluate(names) == sorted(before, key=str.lower, reverse=True)
    assert tab.locator("#games th").first.get_attribute("aria-sort") == "descending"
    for words, fate, n_games in (
        ("g10", "", 1),
        ("", "search", 0),
        ("", "answers", 12),
        ("", "found", 12),
    ):
        tab.fill("#find", words)
        tab.select_option("#fate", fate)
        assert tab.locator("#count").text_content() == f"{n_games} of 12 games"


def test_a_phone_shows_it_without_scrolling_sideways(
    opened: tuple[Any, list[str], list[str]],
) -> None:
    tab, _, _ = opened
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.locator(".open").first.click()
    tab.wait_for_timeout(200)
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    cut = "() => [...document.querySelectorAll('.scroll')].filter((b) => b.scrollWidth > b.clientWidth).length"
    assert tab.evaluate(cut) == 0, "tables are cards: nothing runs off the screen"
    assert (
        tab.locator("#games > tbody > tr:first-child > td:visible").first.evaluate(
            "(cell) => getComputedStyle(cell, '::before').content"
        )
        == '"hint"'
    )


def test_without_out_the_headline_is_printed(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    paths = [tmp_path / "lost.json", tmp_path / "won.json"]
    for path in paths:
        write_run(path, run_file(path.stem, won=path.stem == "won"))
    says = "won is better than lost: win rate 1.000 against 0.000 over 12 games"
    assert evaluate("report", *paths).out.startswith(says)
    page = tmp_path / "r.html"
    assert evaluate("report", *paths, "--out", page).code == 0
    assert "Quarry report: lost, won" in page.read_text(encoding="utf-8")
