"""The studio's pages, over HTTP and in a browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from configs.settings import load
from evaluate.practice.http import serving
from evaluate.studio.app import Files, create_app
from ingest.pipeline.pipeline import ingest
from ingest.store import open_store
from player.game.journal import Journal, Ledger
from player.protocol.messages import RoundStart
from tests.evaluate.fakes import use_hashing_embedder
from tests.evaluate.report.test_page import ARGUMENTS, NO_BROWSER
from tests.fakes import lecture_pdf

HOSTILE = "<script>document.title = 'taken'</script>"
PARAGRAPHS = (
    "Gravel settles before sand does. Heavier grains reach the bed of a river first, "
    "and the layers that remain tell a geologist how fast the water ran on that day.",
    "A lighthouse keeper writes down every ship. The book of passages became the "
    "longest series of traffic figures that anybody on this coast has ever collected.",
    "Bees dance on the comb at noon. Direction and distance of a meadow are in the "
    "dance, and the other workers read both of them in the dark of the hive.",
)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Folders of a studio, with a lecture in the store."""
    use_hashing_embedder(monkeypatch)
    lecture = tmp_path / "01-sediments.pdf"
    lecture.write_bytes(lecture_pdf("Sediments", *PARAGRAPHS))
    store = str(tmp_path / "store")
    ingest([lecture], store, load(), progress=False)
    (tmp_path / "runs").mkdir()
    return Files(
        tmp_path / "games.jsonl", tmp_path / "runs", tmp_path / "journal", store
    )


@pytest.fixture
def client(files: Files) -> TestClient:
    return TestClient(create_app(open_store(files.store), load(), files))


def passage_id(files: Files, beginning: str) -> str:
    paragraphs = open_store(files.store).paragraphs
    return next(
        paragraph.paragraph_id
        for paragraph in paragraphs
        if paragraph.text.startswith(beginning)
    )


def test_a_lecture_is_shown_with_its_pages_and_passages(client: TestClient) -> None:
    assert "01-sediments" in client.get("/").text
    page = client.get("/lecture/01-sediments").text
    assert "Gravel settles before sand does." in page
    assert page.count("<rect") >= 3
    picture = client.get("/picture/01-sediments/1.png")
    assert picture.content.startswith(b"\x89PNG")


def test_a_search_shows_hits_with_their_pages(client: TestClient) -> None:
    hits = client.get("/search", params={"hint": "lighthouse ship keeper"}).text
    assert "A lighthouse keeper writes down every ship." in hits
    assert "/lecture/01-sediments?number=1" in hits


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/lecture/none", 404),
        ("/picture/01-sediments/99.png", 404),
        ("/referee/passage?passage=none", 404),
        ("/referee/game/none", 404),
        ("/games/1", 404),
        ("/report", 422),
        ("/report?run=../../journal", 404),
        ("/losses?run=../x.json", 404),
        ("/report?run=none.json", 422),
    ],
)
def test_what_is_not_there_is_said_on_a_page(
    client: TestClient, path: str, status: int
) -> None:
    response = client.get(path)
    assert response.status_code == status
    assert "This did not work" in response.text


def test_pages_are_served_under_local_names_only(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    foreign = {"origin": "http://evil.example"}
    form = {"passage": "x", "hint": "y", "action": "keep"}
    assert client.post("/referee/begin", data=form, headers=foreign).status_code == 403


def test_a_hint_that_breaks_the_rule_is_named_and_not_kept(
    client: TestClient, files: Files
) -> None:
    form = {"passage": passage_id(files, "Gravel"), "hint": "sand again"}
    assert "sand" in client.post("/referee/check", data=form).text
    refused = client.post("/referee/begin", data={**form, "action": "keep"})
    assert refused.status_code == 422
    assert not files.games.exists()


def test_a_game_can_be_kept_as_a_label(client: TestClient, files: Files) -> None:
    form = {
        "passage": passage_id(files, "Gravel"),
        "hint": "pebbles, silt: who sinks earliest",
        "book": HOSTILE,
        "action": "keep",
    }
    for _ in range(2):
        following = client.post("/referee/begin", data=form)
        assert following.status_code == 200
    games = [json.loads(line) for line in files.games.read_text().splitlines()]
    assert [game["game_id"] for game in games] == ["game-001", "game-002"]
    assert games[0]["opening_sentence"] == "Gravel settles before sand does."


def test_a_game_of_the_journal_is_shown_and_hostile_text_stays_text(
    client: TestClient, files: Files
) -> None:
    assert files.journal is not None
    assert "holds no game yet" in client.get("/games").text
    journal = Journal(files.journal)
    ledger = Ledger(journal, "http://server", "me")
    key = ledger.ask()
    ledger.name(key, "0101001")
    ledger.replied(key, "Q21ROUNDSTART", {}, start=RoundStart("m", HOSTILE, "a hint"))
    journal.close()
    for path in ("/games", f"/games/{key}"):
        page = client.get(path).text
        assert "&lt;script&gt;" in page
        assert HOSTILE not in page


@pytest.fixture
def tab(files: Files) -> Iterator[Any]:
    """A tab of a real browser on the studio; what it says on the console fails the test."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    said: list[str] = []
    app = create_app(open_store(files.store), load(), files)
    with serving(app) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=list(ARGUMENTS)
        )
        page = browser.new_page(base_url=url, viewport={"width": 390, "height": 800})
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        yield page
        browser.close()
    assert said == []


@pytest.mark.timeout(240)
def test_a_person_searches_writes_a_hint_and_referees_a_game(
    tab: Any, files: Files
) -> None:
    tab.goto("/")
    tab.fill("[name=hint]", "lighthouse ship keeper")
    tab.click("text=Search")
    tab.click(".hits a >> nth=0")
    tab.wait_for_selector("li.chosen")
    assert tab.evaluate("document.documentElement.scrollWidth") == 390

    tab.click("li.chosen >> text=be the referee")
    tab.wait_for_url("**/referee/**")
    tab.wait_for_load_state("load")
    tab.fill("[name=hint]", "every vessel")
    tab.wait_for_selector("#errors .error")
    tab.fill("[name=hint]", "counting vessels near rocks")
    tab.wait_for_selector("#errors .fine")
    tab.click("text=Play this game")

    tab.wait_for_load_state("load")
    tab.wait_for_selector("text=Question 1 of 20")
    tab.keyboard.press("d")
    tab.wait_for_selector("text=Question 2 of 20")
    tab.wait_for_load_state("load")
    tab.keyboard.press("u")
    tab.wait_for_selector("text=Question 1 of 20")
    for number in range(2, 21):
        tab.click("button[value=N]")
        tab.wait_for_selector(f"text=Question {number} of 20")
    tab.click("button[value=N]")
    tab.wait_for_selector("table.belief")
    tab.click("text=Keep as a labelled game")
    tab.wait_for_selector("text=1 are in")
    assert len(files.games.read_text().splitlines()) == 1
