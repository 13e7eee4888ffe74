"""The bank of hints: its content, and its cached vectors."""

from pathlib import Path
from unittest.mock import Mock

from numpy.testing import assert_array_equal

from quarry.embed.hint_bank import HINTS_FILE, Hints, load_hints, read_bank
from quarry.json_files import read_objects
from tests.fakes import HEBREW, ROOT, HashingEmbedder, OppositeEmbedder


def test_bank_is_read_once_and_kept_beside_the_models(tmp_path: Path) -> None:
    hints = Hints({"trees that balance": "", "caches and queues": "02"})
    model = Mock(wraps=HashingEmbedder())
    model.spec = "minilm"
    first = read_bank(hints, model, tmp_path)
    second = read_bank(hints, model, tmp_path)
    assert model.embed_with_tokens.call_count == 1
    assert_array_equal(first.vectors, second.vectors)
    assert_array_equal(first.token_ids, second.token_ids)
    assert_array_equal(second.starts, [0, 3, 6])
    read_bank(Hints({"others": ""}), model, tmp_path)
    assert model.embed_with_tokens.call_count == 2


def test_vectors_of_a_retrained_model_are_made_again(tmp_path: Path) -> None:
    hints, folder = Hints({"trees that balance": ""}), tmp_path / "new" / "models"
    before = read_bank(hints, HashingEmbedder("own.Model"), folder)
    assert len([*folder.iterdir()]) == 1
    after = read_bank(hints, OppositeEmbedder("own.Model"), folder)
    assert_array_equal(after.vectors, -before.vectors)


def test_a_cached_bank_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    hints, model = Hints({"trees that balance": ""}), HashingEmbedder()
    bank = read_bank(hints, model, tmp_path)
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for size in (0, 1, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        assert_array_equal(read_bank(hints, model, tmp_path).vectors, bank.vectors)
        assert path.read_bytes() == content


def test_models_of_latin_script_are_asked_about_hints_in_it_alone(
    tmp_path: Path,
) -> None:
    english = "trees that balance"
    hints = Hints({english: "", HEBREW: ""})
    for spec, texts in (("minilm", (english,)), ("e5", (english, HEBREW))):
        documents = read_bank(
            hints, HashingEmbedder(spec), tmp_path
        ).hints.doc_id_by_hint
        assert tuple(documents) == texts


def test_our_bank_holds_the_hints_of_our_games_and_nothing_else_of_them() -> None:
    texts, pdfs = set(), set()
    for language in ("english", "hebrew"):
        games = ROOT / f"data/games/{language}.jsonl"
        for _, game in read_objects(games, ValueError):
            texts.add(" ".join(game["hint"].split()))
            pdfs.add(Path(game.get("pdf") or "").stem)

    hints = load_hints()
    assert list(hints.doc_id_by_hint) == sorted(texts)
    assert set(hints.doc_id_by_hint.values()) == {""}
    assert hints.source_doc_ids == pdfs - {""}
    keys = {tuple(line) for _, line in read_objects(HINTS_FILE, ValueError)}
    assert keys == {("course",), ("hint",)}
