"""`games draw`, and games of raw text."""

import json
from pathlib import Path

from evaluate.games.labelled import load_games
from evaluate.games.locating import make_raw_paragraph
from evaluate.referee.context import is_glued, readable
from evaluate.referee.protocol import build_secret
from evaluate.referee.scoring import score_raw_sentence
from evaluate.referee.simulated import make_referee
from tests.evaluate.fakes import Evaluate, labelled_game, write_games
from tests.fakes import CACHES, TREES, lecture_pdf


def test_secrets_are_drawn_as_a_program_holds_them_from_files_of_one_name(
    evaluate: Evaluate,
) -> None:
    for folder, text in {"a": TREES, "b": CACHES}.items():
        Path(folder).mkdir()
        Path(folder, "notes.pdf").write_bytes(lecture_pdf(folder, text))
    editions = "--set ingest.editions=[pypdf:page]"
    assert evaluate(f"ingest a b --store two --embedder minilm {editions}").code == 0

    out = Path("secrets.jsonl")
    draw = f"games draw a/notes.pdf b/notes.pdf --n 2 --out {out} --reader pypdf --cut page"
    assert evaluate(draw).code == 0
    secrets = [json.loads(line) for line in out.read_text().splitlines()]
    assert {secret["pdf"] for secret in secrets} == {"a/notes.pdf", "b/notes.pdf"}
    write_games(out, [secret | {"hint": "what remembers"} for secret in secrets])
    for game in load_games(out):
        assert (game.edition, game.page) == ("pypdf:page", 1)
        raw = " ".join(game.paragraph.split())
        assert raw.startswith(game.opening_sentence)
    replay = evaluate(f"replay --store two --games {out} --referee oracle --json")
    assert json.loads(replay.out)["right_page"] == 1.0


def test_an_edition_without_a_piece_is_refused(evaluate: Evaluate) -> None:
    Path("short.pdf").write_bytes(lecture_pdf("short", "Two words."))
    draw = "games draw short.pdf --out s.jsonl --reader pypdf --cut page"
    says = "pypdf:page keeps no piece of these lectures; give the cut"
    assert says in evaluate(draw).refusal
    assert not Path("s.jsonl").exists()


def test_a_referee_reads_reversed_lines_and_glued_words() -> None:
    raw = "ןושאר קרפ\n.Python תפשב םיצע ונא"
    assert readable(raw, raw) == "פרק ראשון\nאנו עצים בשפת Python."
    assert readable("abc", "abc") == "abc"
    raw = "םויה 3.5% הלע (50%) ריחמה יכ"
    assert readable(raw, raw) == "כי המחיר (50%) עלה 3.5% היום"
    glued = "Thetreeisbalancedafterwards andthenitgrowsoncemore again"
    assert is_glued(glued)

    game = labelled_game(paragraph=glued, reader="r", cut="page")
    question = (
        'Which of these words occur anywhere in the paragraph: "stack"; "balanced"; "heap"? Choose the first option '
        "with a word that is there."
    )
    options = ['"stack"', '"balanced"', '"heap"', "none of these words"]
    secret = build_secret(game, make_raw_paragraph(game, "trees"))
    answers = make_referee("oracle").answers(secret, [(question, options)])
    assert answers == ["B"]


def test_raw_sentences_earn_points_by_similarity() -> None:
    for guess, points in (
        ("abcdefghij ", 98.0),
        ("abcdefgh", 88.0),
        ("abcde", 0.0),
    ):
        assert score_raw_sentence(guess, "abcdefghij") == points
