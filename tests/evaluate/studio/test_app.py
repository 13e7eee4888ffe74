"""The studio's pages, over HTTP and in a browser."""

import contextlib
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from configs.settings import load
from evaluate.games.labelled import LabelledGame, load_games
from evaluate.practice.routes import serving
from evaluate.replay.replay import Replay
from evaluate.runs.files import write_run
from evaluate.studio import practice_games
from evaluate.studio.app import create_studio_app
from evaluate.studio.pictures import PageWord, TextBox, boxes_of
from evaluate.studio.state import Studio, StudioFiles
from evaluate.studio.view import build_view
from ingest.pipeline.pipeline import ingest
from player.game.client import HttpGameServer
from player.game.loop import Loop
from player.game.record import GameRecord, Label
from player.player import Player, build_player
from player.round import Guess, RoundStart, Score
from quarry.store import Course, open_store
from quarry.threads import start_in_thread
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import (
    answers_about,
    make_store,
    practice_server,
    write_games,
)
from tests.fakes import each, lecture_pdf, use_hashing_embedder
from tests.player.fakes import opened

HOSTILE = "<script>document.title = 'taken'</script>"
PARAGRAPHS = (
    "Gravel settles before sand does. Heavier grains reach the bed of a river first, "
    "and the layers that remain tell a geologist how fast the water ran on that day.",
    "A lighthouse keeper writes down every ship. The book of passages became the "
    "longest series of traffic figures that anybody on this coast has ever collected.",
    "Bees dance on the comb at noon. Direction and distance of a meadow are in the "
    "dance, and the other workers read both of them in the dark of the hive.",
)
GRAVEL, BEES = "01-sediments:1:1", "01-sediments:1:3"
"""Ids of two of them."""

START = RoundStart("m", "sediments", "vessels near rocks", "")
QUICK = load(changes=["game.questions_pool=60"])
"""Settings that weigh few questions."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> StudioFiles:
    """Files and folders of a studio."""
    folder = tmp_path_factory.mktemp("studio")
    (folder / "runs").mkdir()
    return StudioFiles(folder / "games.jsonl", folder / "runs", folder / "journal")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    """A course of one lecture."""
    folder = tmp_path_factory.mktemp("course")
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_hashing_embedder(monkeypatch)
        lecture = folder / "01-sediments.pdf"
        lecture.write_bytes(lecture_pdf("Sediments", *PARAGRAPHS))
        ingest([lecture], str(folder / "store"), load(), progress=False)
        yield open_store(str(folder / "store"))


@pytest.fixture(scope="module")
def player(course: Course) -> Player:
    return build_player(course, QUICK)


def studio(course: Course, files: StudioFiles, **changes: Any) -> TestClient:
    """A client of a studio with other files and folders."""
    return TestClient(create_studio_app(course, QUICK, replace(files, **changes)))


@pytest.fixture(scope="module")
def client(course: Course, files: StudioFiles) -> TestClient:
    return studio(course, files)


def test_a_lecture_is_shown_with_its_pages_paragraphs_and_other_editions(
    client: TestClient,
) -> None:
    assert "01-sediments" in client.get("/").text
    page = client.get("/lecture/01-sediments?editions=1").text
    assert page.count("Gravel settles before sand does.") >= 4
    assert page.count("<rect") >= 3
    assert "<h3>pypdf</h3>" in page
    picture = client.get("/picture/01-sediments/1.png")
    assert picture.content.startswith(b"\x89PNG")


def test_a_lecture_whose_name_holds_a_slash_opens(files: StudioFiles) -> None:
    lecture = replace(paragraph("tcp:1:1"), doc_id="TCP/IP basics")
    client = studio(make_store("slashed", [lecture]), files)
    (link,) = re.findall(r'href="(/lecture/.*?)"', client.get("/").text)
    assert lecture.opening_sentence in client.get(link).text


def test_lines_of_a_paragraph_have_one_outline_and_columns_have_two() -> None:
    words = []
    for letters, left, top in (
        ("one", 10, 90),
        ("two", 20, 90),
        ("three", 10, 93),
        ("four", 60, 10),
    ):
        box = TextBox(left, top, left + 10, top + 2)
        words.append(PageWord(letters, (box,)))
    boxes = boxes_of("one two three four", words)
    assert boxes == [TextBox(10, 90, 30, 95), TextBox(60, 10, 70, 12)]


@pytest.mark.parametrize(
    ("path", "status"),
    {
        "/lecture/none": 404,
        "/picture/01-sediments/99.png": 404,
        "/referee/paragraph?paragraph=none": 404,
        "/referee/game/none": 404,
        "/games/99": 404,
        "/games/99999999999999999999": 404,
        "/report": 422,
        "/report?run=../../journal": 404,
        "/nowhere": 404,
        "/games/x": 404,
        "/report?run=none.json": 422,
    }.items(),
)
def test_what_is_not_there_is_said_on_a_page(
    path: str, status: int, client: TestClient
) -> None:
    response = client.get(path)

    assert response.status_code == status
    assert "This did not work" in response.text


PATHS = (
    "/report?run=",
    "/runs?",
    "/games?lost=",
    "/?hint=",
    "/?hint=a&book=",
    "/referee?start=",
    "/referee?lecture=",
    "/lecture/",
    "/lecture/01-sediments?number=",
    "/games/",
    "/server/",
)
JOURNAL = Path("journal")
ODD = ("x" * 9_000, "\0", "../..", "9" * 400, "é" * 300, "loop.json", "", "nan")


@pytest.mark.parametrize("odd", ODD)
def test_no_text_of_an_address_or_a_form_is_a_fault_of_the_server(
    odd: str, course: Course, files: StudioFiles
) -> None:
    Path("loop.json").symlink_to("loop.json")
    client = studio(
        course, files, runs=Path(), games=Path("games.jsonl"), journal=JOURNAL
    )

    query = quote(odd, safe="")
    for path in PATHS:
        assert client.get(f"{path}{query}").status_code < 500, path
    form = {"paragraph": GRAVEL, "hint": "plain words"}
    for key in ("paragraph", "hint", "book", "lecture", "kind", "preset", "referee"):
        for path in ("/referee/check", "/referee/replay", "/referee/keep"):
            answer = client.post(path, data={**form, key: odd})
            assert answer.status_code < 500, (path, key)


def test_forms_of_other_pages_are_refused(client: TestClient) -> None:
    foreign = {"origin": "http://evil.example"}
    assert client.post("/referee/keep", headers=foreign).status_code == 403


def test_a_hint_that_breaks_the_rule_is_marked_and_not_kept(
    client: TestClient, files: StudioFiles
) -> None:
    shared = {"paragraph": GRAVEL, "hint": "sand again"}
    assert "<mark>sand</mark>" in client.post("/referee/check", data=shared).text
    misquoted = {"paragraph": GRAVEL, "hint": "plain words", "sentence": "photograph"}
    for button in ("play", "keep"):
        for form in (shared, misquoted):
            refused = client.post(f"/referee/{button}", data=form)
            assert refused.status_code == 422
    assert "does not begin with its opening sentence" in refused.text
    assert not files.games.exists()


def test_paragraphs_are_labelled_one_after_another_with_progress(
    client: TestClient, files: StudioFiles
) -> None:
    form = {
        "paragraph": GRAVEL,
        "kind": "prose",
        "book": HOSTILE,
        "hint": "pebbles, silt: who sinks earliest",
    }
    following = client.post("/referee/keep", data=form).text
    assert "A lighthouse keeper" in following
    assert "paragraph 2 of 3, 1 labelled" in following

    corrected = {"sentence": "Gravel settles before sand did."}
    client.post("/referee/keep", data=form | corrected)
    games = load_games(files.games)
    sentences = ["Gravel settles before sand does.", corrected["sentence"]]
    assert each(games, "opening_sentence") == sentences
    assert each(games, "book_name") == [HOSTILE] * 2


def test_a_page_waits_for_no_other_page_and_a_view_is_made_once(
    course: Course, files: StudioFiles
) -> None:
    view: Any = Studio(course, QUICK, files).view
    begun, go_on = threading.Event(), threading.Event()
    made: list[Any] = []

    def make_slowly() -> Any:
        made.append("view")
        begun.set()
        go_on.wait(60.0)
        return "slow"

    slow = [start_in_thread(lambda: view("a", make_slowly)) for _ in range(2)]
    assert begun.wait(60.0)
    other = start_in_thread(lambda: view("b", lambda: made[0]))
    assert other.result(60.0) == "view"
    assert not any(call.done() for call in slow)
    go_on.set()
    assert [call.result(60.0) for call in slow] == ["slow", "slow"]
    assert len(made) == 1


def saved(files: StudioFiles, **game: Any) -> int:
    """Add a game to the journal and return its key."""
    with opened(files.journal) as journal:
        key = journal.add_game()
        journal.update(key, **game)
    return key


def test_hostile_text_of_the_journal_stays_text(
    client: TestClient, files: StudioFiles
) -> None:
    assert "holds no game yet" in client.get("/games").text
    start = RoundStart("m", HOSTILE, "a hint", "")
    key = saved(files, game_id="9901001", start=start)
    for path in ("/games", f"/games/{key}"):
        page = client.get(path).text
        assert "&lt;script&gt;" in page
        assert HOSTILE not in page
    assert "every 2s" in page, "a running game is shown as it goes on"


def test_the_belief_is_shown_after_each_answer_and_compared_with_the_secret(
    player: Player,
) -> None:
    plan = player.plan(START)
    waiting = build_view(player, plan, GameRecord(game_id="g"))
    assert waiting.steps == []
    before = [item.beliefs[0] for item in waiting.sentences]
    assert sum(before) == pytest.approx(1.0)

    secret = "Bees dance on the comb at noon."
    fitting = answers_about(plan.find_candidate(secret), plan)
    answers = ("Not Relevant", None, *fitting[2:])
    label = Label(BEES, secret.upper(), "hive", won=False, explanation=())
    game = GameRecord(game_id="g", answers=answers, label=label)
    view = build_view(player, plan, game)
    assert each(view.steps, "verdict") == ["none"] * 2 + ["right"] * 18
    assert not any(each(view.steps, "misled"))
    assert view.paragraph_id == BEES
    first, *_ = view.at(20)
    assert first.sentence == secret
    assert first.beliefs[20] > 0.9
    order = [item.beliefs[0] for item in view.at(0)]
    assert order == sorted(order, reverse=True)

    # the same answers, of which none is about the secret
    gravel = replace(label, opening_sentence=PARAGRAPHS[0][:32])
    other = replace(game, guess=guess_of(secret), label=gravel)
    assert any(each(build_view(player, plan, other).steps, "misled"))


def guess_of(sentence: str) -> Guess:
    return Guess(sentence, "as it was sent", "river", "", 0.5)


def test_a_guess_that_has_won_is_the_secret(player: Player) -> None:
    plan = player.plan(START)
    later = [start.sentence for start in plan.places.starts if start.number]
    for points, paragraphs in (
        (100.0, each(plan.places.paragraphs, "paragraph_id")),
        (40.0, [""]),
    ):
        score = Score(30.0, 0, {"opening_sentence_score": points}, {})
        guess = guess_of(later[0].upper())
        game = GameRecord(game_id="g", answers=("A",) * 20, guess=guess, score=score)
        assert build_view(player, plan, game).paragraph_id in paragraphs


def test_a_saved_game_shows_the_guess_that_was_sent_and_is_planned_once(
    client: TestClient,
    files: StudioFiles,
    player: Player,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = saved(
        files,
        start=START,
        questions=player.plan(START).questions,
        answers=["A"] * 20,
        guess=guess_of("Nobody wrote this."),
    )

    page = client.get(f"/games/{key}").text
    assert "/referee/replay" not in page
    for text in (
        "Nobody wrote this.",
        "as it was sent",
        "– unknown",
        "The secret of this game is not known here",
    ):
        assert text in page
    monkeypatch.delattr(Player, "plan")
    assert client.get(f"/games/{key}").text == page


def test_a_game_of_the_studio_is_in_the_journal_with_its_secret(
    course: Course,
    files: StudioFiles,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bees = course.paragraphs[2]
    sentence = bees.opening_sentence.upper().replace(" ", "  ")
    shouted = replace(bees, opening_sentence=sentence)
    monkeypatch.setattr(Studio, "paragraph", lambda *_: shouted)
    client = studio(course, files, journal=JOURNAL)
    form = {"paragraph": BEES, "hint": "vessels near rocks"}
    for referee, *shown in (
        ("constant:A", "Not found: the player lost"),
        ("oracle", "Found: the player won", "· the secret paragraph"),
    ):
        page = client.post("/referee/replay", data={**form, "referee": referee}).text
        for text in shown:
            assert text in page

    with opened(JOURNAL) as journal:
        won, lost = journal.games()
    assert (won.outcome, lost.outcome, lost.where) == ("WON", "LOST", "studio")
    page = client.get(f"/games/{lost.key}").text
    assert "lost by the answers: " in page
    assert f'name="paragraph" value="{BEES}"' in page
    assert "misled" in page
    listed = client.get("/games?lost=1").text
    assert lost.game_id in listed
    assert won.game_id not in listed


def test_a_game_of_the_studio_is_played_with_the_corrected_opening_sentence(
    course: Course, files: StudioFiles
) -> None:
    client = studio(course, files, journal=JOURNAL)
    sentence = "Bees dance upon the comb at high noon."
    form = {"paragraph": BEES, "hint": "vessels near rocks", "referee": "oracle"}
    page = client.post("/referee/replay", data={**form, "sentence": sentence}).text
    assert "Not found: the player lost" in page

    with opened(JOURNAL) as journal:
        (game,) = journal.games()
    assert game.label is not None
    assert game.label.opening_sentence == sentence
    for shown in (page, client.get(f"/games/{game.key}").text):
        assert f'name="sentence" value="{sentence}"' in shown


def test_an_answer_counts_only_for_the_question_that_is_due(
    client: TestClient,
) -> None:
    form = {"paragraph": BEES, "hint": "insects meet"}
    asked = client.post("/referee/play", data=form)
    assert 'name="number" value="1"' in asked.text
    for answer, number, due in (
        ("A", 1, 2),
        ("A", 1, 2),
        ("undo", 1, 2),
        ("B", 2, 3),
        ("undo", 3, 2),
    ):
        data = {"answer": answer, "number": number}
        page = client.post(asked.url.path, data=data).text
        assert f"Question {due} of 20" in page


def test_players_are_told_when_no_game_is_about_the_course(
    course: Course,
    files: StudioFiles,
) -> None:
    label = {"hint": "what climbs", "opening_sentence": "Ivy grows towards light."}
    games = write_games(Path("games.jsonl"), [label])
    client = studio(course, files, games=games)
    refused = client.post("/v1/players", json={"name": "Ada"})
    assert refused.status_code == 503
    assert "games is about a paragraph of" in refused.json()["detail"]


def test_the_page_of_a_practice_server_hides_secrets_until_games_are_over() -> None:
    practice = practice_server()
    token = practice.register(HOSTILE)
    game = practice.start_game(practice.players[token])
    client = TestClient(practice_games.create_practice_app(practice))
    path = f"/server/{game.game_id}"
    assert game.secret.opening_sentence not in client.get(path).text
    assert HOSTILE not in client.get("/").text
    assert "POST /v1/players" in client.get("/docs").text
    assert client.get("/healthz").status_code == 200
    assert client.get("/v1/inbox").status_code == 401


@pytest.fixture(scope="module")
def tab(client: TestClient, browser: Any) -> Iterator[Any]:
    """A tab of a phone on the studio; what it says on the console fails the test."""
    said: list[str] = []
    with serving(client.app) as url:
        phone = {"width": 390, "height": 800}
        page = browser.new_page(base_url=url, viewport=phone)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        yield page
        page.close()
    assert said == []


def fits_the_width(tab: Any) -> bool:
    return bool(tab.evaluate("document.documentElement.scrollWidth") == 390)


def see(tab: Any, selector: str) -> None:
    """Wait until a page with something is loaded."""
    tab.wait_for_selector(selector)
    tab.wait_for_load_state("load")


@pytest.mark.timeout(240)
def test_a_person_searches_writes_a_hint_and_referees_a_game(
    tab: Any, files: StudioFiles
) -> None:
    tab.goto("/")
    tab.fill("[name=hint]", "lighthouse ship keeper")
    tab.click("text=Search")
    tab.click(".hits a >> nth=0")
    see(tab, "li.chosen")
    assert fits_the_width(tab)

    tab.click("li.chosen >> text=be the referee")
    tab.wait_for_url("**/referee/**")
    tab.wait_for_load_state("load")
    tab.fill("[name=hint]", "every vessel")
    tab.wait_for_selector("#errors mark >> text=every")
    tab.fill("[name=hint]", "counting vessels near rocks")
    tab.wait_for_selector("#errors .fine")
    tab.click("text=Play this game")

    see(tab, "text=Question 1 of 20")
    tab.keyboard.press("d")
    see(tab, "text=Question 2 of 20")
    tab.keyboard.press("u")
    for number in range(1, 21):
        tab.wait_for_selector(f"text=Question {number} of 20")
        tab.click("button[value=N]")

    see(tab, "text=after answer 20 of 20")
    tab.keyboard.press("ArrowLeft")
    tab.wait_for_selector("text=after answer 19 of 20")
    assert fits_the_width(tab)
    tab.select_option("[name=referee]", "oracle")
    tab.click("text=Replay with these settings")
    see(tab, "h1 >> text=Found: the player won")
    tab.click("text=Keep as a labelled game")
    tab.wait_for_selector("text=Write a hint")
    assert load_games(files.games)[-1].hint == "counting vessels near rocks"


@pytest.mark.timeout(240)
def test_a_person_sees_who_plays_and_steps_through_the_game_afterwards(
    tab: Any,
    player: Player,
    files: StudioFiles,
) -> None:
    tab.goto("/server")
    server = HttpGameServer(tab.evaluate("location.origin"))
    server.register("Ada")
    with contextlib.closing(server), opened(files.journal) as log:
        log.give_up()  # the games of other tests
        Loop(server, player, name="Ada", timeout_s=60.0, journal=log).play_one()

    tab.click("th a >> text=0101001")
    tab.wait_for_selector("text=The secret paragraph begins")
    assert tab.locator(".steps .mark").count() == 20
    tab.goto("/games")
    assert fits_the_width(tab)
    tab.click("tbody a >> nth=0")
    tab.wait_for_selector("text=after answer 20 of 20")
    tab.evaluate("window.kept = true; scrollTo(0, 300)")
    tab.click(".course rect >> nth=0")
    tab.wait_for_selector(".pager >> text=before the answers")
    tab.click(".pager >> text=last")
    tab.wait_for_selector("text=after answer 20 of 20")
    assert tab.evaluate("window.kept"), "the page was not loaded again"
    assert tab.evaluate("scrollY") > 100
    assert fits_the_width(tab)
    assert tab.locator(".amount svg").count() >= 3


@pytest.mark.timeout(240)
def test_a_person_sorts_runs_reads_a_report_and_finds_the_lost_games(
    tab: Any,
    course: Course,
    files: StudioFiles,
) -> None:
    for name, hint in (("bad", "zzz"), ("good", "dance comb hive")):
        game = LabelledGame("g", "", hint, paragraph_id=BEES)
        run = Replay([game], course, load(), [("constant:A", 0)], name=name).run()
        write_run(files.runs / f"{name}.json", run)
    tab.goto("/runs")
    tab.check("[value='bad.json']")
    tab.check("[value='good.json']")
    tab.click("text=Show the report")
    tab.wait_for_selector(".plot svg")
    assert fits_the_width(tab)

    tab.set_viewport_size({"width": 1200, "height": 800})
    tab.goto("/runs")
    tab.click("th button >> text=Lost")
    tab.click("th button >> text=Lost")
    tab.click("tbody tr >> nth=0 >> td a")
    tab.wait_for_selector(".plot svg")
    assert tab.locator("#fate").input_value() == "lost"
    assert tab.locator("#count").text_content() == "1 of 1 games"
