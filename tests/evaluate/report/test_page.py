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


KEPT = ("paragraph_id", "slot", "strategy", "tier", "answers")


def hostile(value: Any, key: str = "") -> Any:
    """A part of a record in which every text that comes from PDFs, games or the league is hostile."""
    if isinstance(value, dict):
        return {name: hostile(item, name) for name, item in value.items()}
    if isinstance(value, list) and key not in KEPT:
        return [hostile(item, key) for item in value]
    return HOSTILE if isinstance(value, str) and key not in KEPT else value


def hostile_record(game_id: str, *, won: bool) -> ReplayRecord:
    """A played game; both of its questions have been answered."""
    record = game_record(questions_ms=30.0, decide_ms=5.0)
    record["search"]["failures"] = ["failed"]
    candidate = {**record["search"]["hits"][1], "prior": 0.4, "belief": 0.9}
    question = {"question_text": "text", "options": dict.fromkeys("ABCD", "text")}
    play = play_record(
        won=won,
        guess_rank=1 if won else 2,
        answers=["B", "Not Relevant"],
        misled=[] if won else [1],
        unfit=[] if won else [1],
        candidates=[candidate],
        breakdown={"opening_sentence_score": 100.0, HOSTILE: 1.0},
    )
    play["guess"] |= dict.fromkeys(
        ("sentence_justification", "associative_word", "word_justification"), "text"
    )
    record["plays"] = [play]
    record["questions"] = [{"question_number": n, **question} for n in (1, 2)]
    told: ReplayRecord = hostile(record)
    told["game_id"], told["hint"] = game_id, f"{game_id} {HOSTILE}"
    return told


def run_of(records: list[ReplayRecord], name: str, referee: str = "oracle") -> Run:
    return make_run(records, "f", load(), referee, 0, 1, name)


def run_file(name: str, *, won: bool) -> Run:
    ids = [HOSTILE, *(f"g{number}" for number in range(11))]
    return run_of([hostile_record(game_id, won=won) for game_id in ids], name)


@pytest.fixture(scope="module")
def page() -> str:
    return render([run_file("lost", won=False), run_file(f"won {HOSTILE}", won=True)])


def test_figures_of_raw_text_are_shown_by_the_referees_text(page: str) -> None:
    play = play_record(won=True)
    play["ratio"], play["right_page"] = 0.9, True
    record = game_record(plays=[play])
    record["edition"] = "pypdf:window"
    run = run_of([record], "one")
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
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text[1])))
    return data


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


def test_no_text_of_a_run_becomes_a_tag_and_nothing_is_fetched(page: str) -> None:
    tags = Tags(page)
    assert f"g3 {HOSTILE}" in tags.text
    scripts = [attributes.get("id") for tag, attributes in tags.tags if tag == "script"]
    assert scripts == ["data", None, None]
    for tag, attributes in tags.tags:
        assert tag != "img"
        assert {"onerror", "src", "srcset", "action"} & set(attributes) == set()
        assert (attributes.get("href") or "#").startswith("#")
        if "http-equiv" in attributes:
            policy = str(attributes["content"])
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-\S+' 'sha256-\S+'$", policy)


def test_a_game_opens_with_its_first_hits_and_candidates_and_the_labelled_ones(
    page: str,
) -> None:
    record = hostile_record("g", won=False)
    wrong, right = record["search"]["hits"]
    record["search"]["hits"] = [*[wrong] * 12, right]
    data = data_of(render([run_of([record], "one")]))
    (opened,) = data["games"]["g"]
    shown = [(hit["place"], hit["right"]) for hit in opened["search"]["hits"]]
    assert shown == [*((place, False) for place in range(1, 11)), (13, True)]
    assert opened["play"]["guess"]["opening_sentence"] == HOSTILE
    assert opened["outcomes"][0].startswith("lost by the answers")
    assert list(data_of(page)["plots"]) == ["success", "lost", "losses"]


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


def test_each_lecture_has_its_figures() -> None:
    here = game_record()
    nowhere = game_record(game_id="lost", truth=None)
    nowhere["search"]["rank"] = None
    there = game_record(game_id="there")
    there["truth"] = {**(here["truth"] or {}), "document": "beta"}  # type: ignore[typeddict-item]
    run = run_of([here, nowhere, there], "one", "none")
    figures = []
    for row in lecture_figures([run]):
        of_run = row["runs"][0]
        figures.append((row["document"], of_run["games"], of_run["share"]))

    assert figures == [
        ("alpha", 1, 1.0),
        ("beta", 1, 1.0),
        ("not in the store", 1, 0.0),
    ]
    assert "beta 1 1.000" in " ".join(Tags(render([run])).text.split())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        pytest.skip(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=executable, args=list(ARGUMENTS)
        )
        yield chromium
        chromium.close()


Opened = tuple[Any, list[str], list[str]]


@pytest.fixture
def opened(browser: Any, page: str, tmp_path: Path) -> Iterator[Opened]:
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


def test_every_plot_is_drawn_and_hostile_text_stays_text(
    opened: Opened, tmp_path: Path
) -> None:
    tab, said, asked = opened
    assert tab.locator(".plot").count() == 3
    assert tab.locator(".plot:has(.main-svg)").count() == 3
    for button in tab.locator(".open").all():
        button.click()
    assert tab.locator("tr.detail").count() == 12
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("img").count() == 0
    assert tab.locator("tr.detail blockquote").first.text_content() == HOSTILE
    assert said == []
    assert asked == [f"file://{tmp_path / 'report.html'}"]


def test_a_game_opens_with_its_hits_questions_belief_and_guess(
    opened: Opened,
) -> None:
    tab, _, _ = opened
    tab.locator("tr[data-game=g5] .open").click()
    shown = tab.locator("tr.detail")
    assert shown.locator(".run-of").count() == 2
    assert shown.locator(".run-of").first.locator("tr.right").count() == 2
    answered = shown.locator(".option.given").all_text_contents()
    assert answered == [f"✗ does not fit: B {HOSTILE}", f"✓ fits: B {HOSTILE}"]
    assert HOSTILE in shown.locator("p[dir=auto]").first.text_content()
    assert "5.0 bits of doubt before the answers, 0.1 after" in shown.text_content()
    assert "80 of 100" in shown.text_content()
    tab.locator("tr[data-game=g5] .open").click()
    assert tab.locator("tr.detail").count() == 0


def test_games_are_sorted_and_found_by_words_and_by_fate(
    opened: Opened,
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
    opened: Opened,
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
