"""The report: what it shows, that texts stay texts, and how it behaves in a real browser."""

import base64
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from evaluate.report.page import (
    compute_lecture_figures,
    compute_tests,
    headline,
    render,
)
from evaluate.runs.files import write_run
from evaluate.runs.record import ReplayRecord
from evaluate.runs.run import Run
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import Evaluate, batch, run_of
from tests.fakes import each

HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">{{7*7}}\u2028"\'&amp;'
OWN = ("paragraph_id", "slot", "strategy", "tier", "answers")
"""Keys of texts that are Quarry's own."""


def hostile(value: Any, key: str = "") -> Any:
    """A part of a record in which every text that comes from PDFs, games or the league is hostile."""
    if isinstance(value, dict):
        return {name: hostile(item, name) for name, item in value.items()}
    if key in OWN:
        return value
    if isinstance(value, list):
        return [hostile(item) for item in value]
    return HOSTILE if isinstance(value, str) else value


def hostile_record(game_id: str, *, won: bool) -> ReplayRecord:
    """A played game; both of its questions have been answered."""
    record = game_record(questions_ms=30.0, decide_ms=5.0, failures=["failed"])
    candidate = {
        **record["search"]["hits"][1],
        "prior": 0.4,
        "belief": 0.9,
    }
    play = play_record(
        won=won,
        guess_rank=1 if won else 2,
        answers=["B", "Not Relevant"],
        misled=[] if won else [1],
        unfit=[] if won else [1],
        candidates=[candidate],
        breakdown={"opening_sentence_score": 100.0, HOSTILE: 1.0},
    )
    record["plays"] = [play]

    told: ReplayRecord = hostile({**record, "questions": batch()[:2]})
    told["game_id"], told["hint"] = game_id, f"{game_id} {HOSTILE}"
    return told


def run_file(name: str, *, won: bool) -> Run:
    """A run of twelve hostile games."""
    ids = [HOSTILE, *map("g{}".format, range(11))]
    records = [hostile_record(game_id, won=won) for game_id in ids]
    return run_of(records, name, "oracle")


@pytest.fixture(scope="module")
def page() -> str:
    return render([run_file("lost", won=False), run_file(f"won {HOSTILE}", won=True)])


def text_of(page: str) -> str:
    """The text of a page outside scripts and styles."""
    shown = "//text()[not(parent::script or parent::style)]"
    return " ".join(html.fromstring(page).xpath(shown))


def test_runs_of_different_games_are_shown_side_by_side() -> None:
    one = run_of([game_record(game_id="one")], "first")
    other = run_of([game_record(game_id="two")], "second", "oracle")
    unanswerable = game_record(game_id="three", answerable=False, truth=None)
    none = run_of([unanswerable], "none")
    for runs in permutations([one, other, none]):
        shown = text_of(render(runs))
        for text in ("are of different games; replay both", "one", "two"):
            assert text in shown


def test_figures_of_raw_text_are_shown_by_the_referees_text(page: str) -> None:
    play = play_record()
    play["ratio"], play["right_page"] = 0.9, True
    record = game_record(plays=[play])
    record["edition"] = "pypdf:window"
    run = run_of([record], referee="oracle")
    document = run.as_json()
    assert document["right_page"] == 1.0
    row = f"pypdf:window 1 100.0% 100.0% {document['sentence_points']}"
    assert row in " ".join(text_of(render([run])).split())
    assert "By the referee's text" not in text_of(page)


def test_no_text_of_a_run_becomes_a_tag_and_nothing_is_fetched(page: str) -> None:
    assert f"g3 {HOSTILE}" in text_of(page)
    tree = html.fromstring(page)
    assert tree.xpath("//script/@id") == ["data"]
    assert len(tree.xpath("//script")) == 3
    assert tree.xpath("//img | //@onerror | //@src | //@srcset | //@action") == []
    for link in tree.xpath("//@href"):
        assert link.startswith("#")
    (policy,) = tree.xpath("//meta[@http-equiv]/@content")
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-\S+' 'sha256-\S+'$", policy)


def data_of(page: str) -> Any:
    """The data of the page's script."""
    (text,) = html.fromstring(page).xpath("//script[@id='data']/text()")
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_a_game_opens_with_its_first_hits_and_candidates_and_the_labelled_ones(
    page: str,
) -> None:
    record = hostile_record("g", won=False)
    wrong, right = record["search"]["hits"]
    record["search"]["hits"] = [*[wrong] * 12, right]
    record["search"]["rank"] = 13

    data = data_of(render([run_of([record], "one", "oracle")]))
    (opened,) = data["games"]["g"]
    shown = opened["search"]["hits"]
    assert each(shown, "overall_rank") == [*range(1, 11), 13]
    assert each(shown, "right") == [False] * 10 + [True]
    assert opened["play"]["guess"]["opening_sentence"] == HOSTILE
    which, where, *_, misled = opened["explanation"]
    assert which.startswith("the secret: ")
    assert where.startswith("lost by the answers")
    assert misled.startswith("answers that misled: 1 B ")
    assert list(data_of(page)["plots"]) == ["success", "lost"]


def test_the_headline_says_which_run_is_better_and_by_how_much() -> None:
    lost, won = run_file("lost", won=False), run_file("won", won=True)

    assert headline([lost, won], [], "No test compares the runs.")[::2] == [
        "lost, 12 games, referee oracle: win rate 0.000 [0.000, 0.242], RR 0.500 [0.500, 0.500], "
        "Success@1 0.000 [0.000, 0.242], Success@20 1.000 [0.758, 1.000].",
        "No test compares the runs.",
    ]
    size = "over 12 games, a difference of"
    better = f"won is better than lost: win rate 1.000 against 0.000 {size} +1.000 "
    worse = f"lost is worse than won: win rate 0.000 against 1.000 {size} -1.000 "
    equal = "again and lost are equal in the win rate of every game, 12 games."
    again = replace(lost, name="again")
    few = replace(lost, records=[*lost.records][:4])
    half = replace(won, records=[*won.records][:2] + [*lost.records][2:4])
    undecided = (
        "Between won and lost there is no difference that these games can show: win"
    )
    nowhere = replace(lost, records=[])
    untested = "No test compares the runs:"
    for runs, says in (
        ([lost, won], better),
        ([won, lost], worse),
        ([lost, again], equal),
        ([few, half], undecided),
        (
            [lost, replace(few, name="few")],
            f"{untested} lost and few are of different games",
        ),
        (
            [nowhere, replace(nowhere, name="few")],
            f"{untested} No game of these runs is answerable",
        ),
    ):
        *_, sentence = headline(runs, *compute_tests(runs))
        assert sentence.startswith(says)


def test_each_lecture_has_its_figures() -> None:
    nowhere = game_record(game_id="lost", truth=None, rank=None)
    there: Any = game_record(game_id="there")
    there["truth"]["document"] = "beta"
    run = run_of([game_record(), nowhere, there])
    lectures = compute_lecture_figures([run])
    assert each(lectures, "document") == ["alpha", "beta", "not in the store"]
    for row, share in zip(lectures, (1.0, 1.0, 0.0), strict=True):
        assert row["runs"][0].items() >= {"games": 1, "share": share}.items()
    assert "beta 1 1.000" in " ".join(text_of(render([run])).split())


@pytest.fixture
def tab(browser: Any, page: str) -> Iterator[Any]:
    """The page as opened from a file; it writes nothing to the console and asks for nothing else."""
    path = Path("report.html").resolve()
    path.write_text(page, "utf-8")
    tab = browser.new_page(viewport={"width": 1200, "height": 900})
    events: list[str] = []
    tab.on("console", lambda message: events.append(f"{message.type}: {message.text}"))
    tab.on("pageerror", lambda error: events.append(str(error)))
    tab.on("request", lambda request: events.append(request.url))
    tab.goto(f"file://{path}")
    tab.wait_for_selector(".plot .main-svg")
    yield tab
    tab.close()
    assert events == [f"file://{path}"]


def test_every_plot_is_drawn_and_hostile_text_stays_text(tab: Any) -> None:
    assert tab.locator(".plot").count() == 2
    assert tab.locator(".plot:has(.main-svg)").count() == 2
    for button in tab.locator(".open").all():
        button.click()
    assert tab.locator("tr.detail").count() == 12
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("img").count() == 0
    assert tab.locator("tr.detail blockquote").first.text_content() == HOSTILE


def test_a_game_opens_with_its_hits_questions_belief_and_guess(tab: Any) -> None:
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


def test_games_are_sorted_and_found_by_words_and_by_fate(tab: Any) -> None:
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


def test_a_phone_shows_it_without_scrolling_sideways(tab: Any) -> None:
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.locator(".open").first.click()
    tab.wait_for_timeout(200)
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    cut = "() => [...document.querySelectorAll('.scroll')].filter((b) => b.scrollWidth > b.clientWidth).length"
    assert tab.evaluate(cut) == 0, "tables are cards: nothing runs off the screen"
    cell = tab.locator("#games > tbody > tr:first-child > td:visible").first
    heading = "(cell) => getComputedStyle(cell, '::before').content"
    assert cell.evaluate(heading) == '"hint"'


def test_without_out_the_headline_is_printed(evaluate: Evaluate) -> None:
    for name in ("lost", "won"):
        write_run(Path(f"{name}.json"), run_file(name, won=name == "won"))
    says = "won is better than lost: win rate 1.000 against 0.000 over 12 games"
    assert evaluate("report lost.json won.json").out.startswith(says)

    assert evaluate("report lost.json won.json --out report.html").code == 0
    assert "Quarry report: lost, won" in Path("report.html").read_text("utf-8")
