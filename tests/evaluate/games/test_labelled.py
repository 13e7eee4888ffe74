"""Games files are read strictly, matched to ingested paragraphs, and split by paragraph."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate.errors import GamesError
from evaluate.games.labelled import canonical, load_games, match_games, same_text, select_split, split_of, tokens
from ingest.paragraph import Paragraph
from tests.evaluate.fakes import labelled_game, write_games

GOOD = {"game_id": "g1", "hint": "what climbs", "paragraph_id": "alpha:1:1"}
SPLIT_BY_SEED = {0: "train", 2: "validation", 7: "train", 10: "test", 12: "validation", 11: "test"}
"""By the first 8 digits of sha256sum over "SEED|alpha:1:1": 0.19, 0.60, 0.41, 0.79, 0.63, 0.72 of 2^32."""


def game_line(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {**GOOD, **changes}.items() if value != "absent"}


class TestLoading:
    def test_a_full_line_is_read_field_by_field(self, tmp_path: Path) -> None:
        path = write_games(
            tmp_path / "games.jsonl",
            [
                {
                    "game_id": "g7",
                    "book_name": "Trees",
                    "hint": "what climbs",
                    "association_domain": "botany",
                    "associative_word": "garden",
                    "pdf": "lecture.04.pdf",
                    "page": 3,
                    "opening_sentence": "It grows.",
                    "paragraph": "It grows. It stays.",
                    "in_text_layer": False,
                    "split": "test",
                    "manner": "vague",
                }
            ],
        )
        assert load_games(path) == [
            labelled_game(
                game_id="g7",
                book_name="Trees",
                hint="what climbs",
                association_domain="botany",
                associative_word="garden",
                paragraph_id="",
                opening_sentence="It grows.",
                paragraph="It grows. It stays.",
                document="lecture.04",
                in_text_layer=False,
                answerable=True,
                split="test",
            )
        ]

    def test_what_a_line_leaves_out_is_empty(self, tmp_path: Path) -> None:
        game = load_games(write_games(tmp_path / "games.jsonl", [game_line(book_name=None)]))[0]
        assert game == labelled_game(
            hint="what climbs", book_name="", association_domain="", associative_word="", opening_sentence=""
        )

    def test_a_null_paragraph_id_means_unanswerable(self, tmp_path: Path) -> None:
        game = load_games(write_games(tmp_path / "games.jsonl", [game_line(paragraph_id=None)]))[0]
        assert (game.answerable, game.paragraph_id) == (False, "")

    def test_a_line_with_text_and_no_paragraph_id_is_answerable(self, tmp_path: Path) -> None:
        line = game_line(paragraph_id="absent", opening_sentence="It grows.", paragraph="It grows. It stays.")
        assert load_games(write_games(tmp_path / "games.jsonl", [line]))[0].answerable

    @pytest.mark.parametrize(
        ("written", "read"),
        [("train", "train"), ("val", "validation"), ("validation", "validation"), ("test", "test"), (None, None)],
    )
    def test_val_is_read_as_validation(self, tmp_path: Path, written: str | None, read: str | None) -> None:
        assert load_games(write_games(tmp_path / "games.jsonl", [game_line(split=written)]))[0].split == read

    def test_games_come_in_the_order_of_the_file_and_blank_lines_are_passed_over(self, tmp_path: Path) -> None:
        path = tmp_path / "games.jsonl"
        lines = ["", json.dumps(game_line(game_id="b")), "   \t", json.dumps(game_line(game_id="a")), ""]
        path.write_text("\r\n".join(lines), encoding="utf-8")
        assert [game.game_id for game in load_games(path)] == ["b", "a"]

    @pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
    def test_a_line_separator_within_a_string_does_not_end_the_line(self, tmp_path: Path, separator: str) -> None:
        hint = f"what{separator}climbs"
        path = write_games(tmp_path / "games.jsonl", [game_line(hint=hint)])
        assert separator in path.read_text(encoding="utf-8")
        assert load_games(path)[0].hint == hint


class TestBadFiles:
    @pytest.mark.parametrize(
        ("line", "holds"),
        [
            pytest.param("{", "must be a JSON object", id="broken"),
            pytest.param('{"game_id": "g1"} x', "must be a JSON object", id="trailing"),
            pytest.param("[" * 100_000, "must be a JSON object", id="nested too deeply"),
            pytest.param('{"page": ' + "9" * 5_000 + "}", "must be a JSON object", id="a number too long"),
            pytest.param("[]", "must be a JSON object, got list", id="list"),
            pytest.param("null", "must be a JSON object, got NoneType", id="null"),
            pytest.param('"text"', "must be a JSON object, got str", id="string"),
            pytest.param(json.dumps(game_line(game_id="absent")), "game_id must be a string", id="no game_id"),
            pytest.param(json.dumps(game_line(game_id=7)), "game_id must be a string", id="game_id a number"),
            pytest.param(json.dumps(game_line(game_id=" ")), "game_id must be a string", id="game_id blank"),
            pytest.param(json.dumps(game_line(hint="absent")), "hint must be a string", id="no hint"),
            pytest.param(json.dumps(game_line(hint="")), "hint must be a string", id="hint empty"),
            pytest.param(json.dumps(game_line(hint=["a"])), "hint must be a string", id="hint a list"),
            pytest.param(json.dumps(game_line(hint="\ud800")), "hint must be Unicode", id="half a surrogate pair"),
            pytest.param(json.dumps(game_line(book_name=5)), "book_name must be a string", id="book_name a number"),
            pytest.param(json.dumps(game_line(book_name=False)), "book_name must be a string", id="book_name false"),
            pytest.param(json.dumps(game_line(paragraph_id=0)), "paragraph_id must be a string", id="paragraph_id 0"),
            pytest.param(json.dumps(game_line(paragraph=[])), "paragraph must be a string", id="paragraph a list"),
            pytest.param(json.dumps(game_line(pdf={})), "pdf must be a string", id="pdf an object"),
            pytest.param(json.dumps(game_line(split="dev")), "split must be one of", id="unknown split"),
            pytest.param(json.dumps(game_line(split=["test"])), "split must be one of", id="split a list"),
            pytest.param(
                json.dumps(game_line(in_text_layer="no")), "in_text_layer must be true or false", id="no flag"
            ),
            pytest.param(json.dumps(game_line(paragraph_id="absent")), "must have paragraph_id", id="no solution"),
            pytest.param(json.dumps(game_line(paragraph_id="")), "must have paragraph_id", id="empty solution"),
            pytest.param(json.dumps(game_line(game_id="first")), "game_id must be unique", id="twice"),
        ],
    )
    def test_a_bad_line_is_one_error_of_one_line_that_names_file_and_line(
        self, tmp_path: Path, line: str, holds: str
    ) -> None:
        path = tmp_path / "games.jsonl"
        path.write_text(f"{json.dumps(game_line(game_id='first'))}\n\n{line}\n", encoding="utf-8")
        with pytest.raises(GamesError) as caught:
            load_games(path)
        text = str(caught.value)
        assert text.startswith(f"{path} line 3: ")
        assert holds in text
        assert len(text.splitlines()) == 1

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(GamesError, match=r"--games must be a readable file, got .*nowhere\.jsonl: No such file"):
            load_games(tmp_path / "nowhere.jsonl")

    def test_a_folder_is_no_games_file(self, tmp_path: Path) -> None:
        with pytest.raises(GamesError, match="--games must be a readable file"):
            load_games(tmp_path)

    def test_a_file_that_is_not_utf_8_is_refused_with_the_place(self, tmp_path: Path) -> None:
        path = tmp_path / "games.jsonl"
        path.write_bytes(b'{"hint": "caf\xe9"}')
        with pytest.raises(GamesError, match=r"games\.jsonl: must be UTF-8, .* at byte 13"):
            load_games(path)

    @pytest.mark.parametrize("text", ["", "\n \n\t\n"])
    def test_a_file_without_games_is_refused(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "games.jsonl"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(GamesError, match=r"games\.jsonl: must hold at least one game, got none"):
            load_games(path)

    @settings(derandomize=True, deadline=None)
    @given(
        record=st.dictionaries(
            st.sampled_from(["game_id", "hint", "book_name", "paragraph_id", "opening_sentence", "split", "pdf"]),
            st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(), max_size=2),
        )
    )
    def test_any_object_is_a_game_or_a_games_error(
        self, tmp_path_factory: pytest.TempPathFactory, record: dict[str, Any]
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "any.jsonl"
        path.write_text(json.dumps(record), encoding="utf-8")
        try:
            game = load_games(path)[0]
        except GamesError as error:
            refusal = str(error)
        else:
            assert game.game_id == record["game_id"]
            assert split_of(game, 0) in ("train", "validation", "test")
            return
        assert refusal.startswith(f"{path} line 1: ")


IVY = "Ivy climbs the old wall slowly. It clings with small roots and never lets go."
MOSS = "Moss covers the damp stone. It needs shade, water and years of patience."
PARAGRAPHS = (
    Paragraph("alpha:1:1", "alpha", 1, "", IVY, "Ivy climbs the old wall slowly."),
    Paragraph("alpha:1:2", "alpha", 1, "", MOSS, "Moss covers the damp stone."),
    Paragraph("beta:1:1", "beta", 1, "", IVY, "Ivy climbs the old wall slowly."),
)


def matched_id(paragraphs: tuple[Paragraph, ...] = PARAGRAPHS, **changes: Any) -> str | None:
    """The paragraph_id that a game with these labels is matched to."""
    found = match_games([labelled_game(**changes)], paragraphs)["g1"]
    return found.paragraph_id if found else None


def by_text(paragraph: str, **changes: Any) -> dict[str, Any]:
    opening_sentence = f"{paragraph.partition('.')[0]}."
    return {"paragraph_id": "", "paragraph": paragraph, "opening_sentence": opening_sentence, **changes}


class TestMatching:
    def test_an_id_is_matched_whatever_the_text(self) -> None:
        assert matched_id(paragraph_id="alpha:1:2", paragraph=IVY) == "alpha:1:2"

    def test_an_unknown_id_gives_way_to_the_text(self) -> None:
        assert matched_id(paragraph_id="gamma:1:1", paragraph=IVY) == "alpha:1:1"
        assert matched_id(paragraph_id="gamma:1:1") is None

    def test_a_text_is_matched_by_its_words(self) -> None:
        assert matched_id(**by_text(MOSS)) == "alpha:1:2"

    def test_signs_case_and_breaks_do_not_count(self) -> None:
        assert matched_id(**by_text(MOSS.upper().replace(".", " -").replace(" ", "\n"))) == "alpha:1:2"

    def test_of_twins_the_games_own_document_is_taken(self) -> None:
        assert matched_id(**by_text(IVY, document="beta")) == "beta:1:1"

    def test_of_twins_the_smaller_id_is_taken_where_the_document_is_neither(self) -> None:
        assert matched_id(**by_text(IVY, document="gamma")) == "alpha:1:1"
        assert matched_id(PARAGRAPHS[::-1], **by_text(IVY, document="gamma")) == "alpha:1:1"

    def test_of_twins_in_one_document_that_with_the_labelled_opening_sentence_is_taken(self) -> None:
        cut = Paragraph("alpha:0:1", "alpha", 1, "", IVY, "Ivy climbs")
        assert matched_id((cut, *PARAGRAPHS), **by_text(IVY, document="alpha")) == "alpha:1:1"

    def test_a_better_text_goes_before_the_own_document(self) -> None:
        longer = Paragraph("gamma:1:1", "gamma", 1, "", f"{IVY} Then comes winter.", "Ivy climbs the old wall slowly.")
        assert matched_id((longer, *PARAGRAPHS), **by_text(IVY, document="gamma")) == "alpha:1:1"

    def test_a_token_f1_of_0_6_is_enough(self) -> None:
        # 3 of 5 words shared, both ways: F1 = 2 * 3 / (5 + 5)
        stored = Paragraph("alpha:1:1", "alpha", 1, "", "one two three four five", "one two three four five")
        assert matched_id((stored,), **by_text("one two three six seven")) == "alpha:1:1"

    def test_a_token_f1_below_0_6_is_lost_at_ingest(self) -> None:
        # 3 of 5 and of 6 words shared: F1 = 2 * 3 / (5 + 6) = 0.545
        stored = Paragraph("alpha:1:1", "alpha", 1, "", "one two three four five", "one two three four five")
        assert matched_id((stored,), **by_text("one two three six seven eight")) is None

    def test_a_word_counts_as_often_as_both_texts_have_it(self) -> None:
        # "one" twice in each: 2 * 2 / (2 + 4); once would be 0.33
        stored = Paragraph("alpha:1:1", "alpha", 1, "", "one one", "one one")
        assert matched_id((stored,), **by_text("one one two three")) == "alpha:1:1"
        assert matched_id((stored,), **by_text("one two three four")) is None

    def test_a_text_of_no_words_is_lost(self) -> None:
        assert matched_id(**by_text("...")) is None

    def test_nothing_ingested_loses_every_game(self) -> None:
        assert matched_id(()) is None
        assert matched_id((), **by_text(IVY)) is None

    def test_an_unanswerable_game_is_not_matched_at_all(self) -> None:
        games = [labelled_game(game_id="no", answerable=False, paragraph_id=""), labelled_game(game_id="yes")]
        assert list(match_games(games, PARAGRAPHS)) == ["yes"]


class TestSplits:
    @pytest.mark.parametrize(("seed", "split"), SPLIT_BY_SEED.items())
    def test_the_draw_is_stable_over_machines_and_versions(self, seed: int, split: str) -> None:
        assert split_of(labelled_game(paragraph_id="alpha:1:1"), seed) == split

    def test_games_of_one_paragraph_fall_into_one_split(self) -> None:
        games = [labelled_game(game_id=f"g{n}", hint=f"hint {n}", book_name=f"book {n}") for n in range(50)]
        assert len({split_of(game, 0) for game in games}) == 1

    def test_text_that_differs_in_signs_alone_falls_into_one_split(self) -> None:
        for number in range(50):
            one = labelled_game(paragraph_id="", opening_sentence=f"Ivy climbs wall {number}.")
            other = labelled_game(paragraph_id="", opening_sentence=f"IVY climbs, wall {number}")
            assert split_of(one, 0) == split_of(other, 0)

    def test_unanswerable_games_are_spread_by_their_hint(self) -> None:
        games = [labelled_game(paragraph_id="", answerable=False, hint=f"hint {n}") for n in range(60)]
        assert {split_of(game, 0) for game in games} == {"train", "validation", "test"}

    def test_half_a_fifth_and_three_tenths_fall_into_the_splits(self) -> None:
        counts = Counter(split_of(labelled_game(paragraph_id=f"alpha:{n}:1"), 0) for n in range(4_000))
        # three standard deviations of a share of 4,000 are at most 0.024
        assert counts["train"] / 4_000 == pytest.approx(0.5, abs=0.024)
        assert counts["validation"] / 4_000 == pytest.approx(0.2, abs=0.024)
        assert counts["test"] / 4_000 == pytest.approx(0.3, abs=0.024)

    def test_another_seed_splits_otherwise(self) -> None:
        games = [labelled_game(paragraph_id=f"alpha:{n}:1") for n in range(200)]
        same = sum(split_of(game, 0) == split_of(game, 1) for game in games)
        # two independent draws agree in 0.25 + 0.04 + 0.09 of the cases
        assert same / 200 == pytest.approx(0.38, abs=0.11)

    def test_the_files_own_split_goes_before_the_draw(self) -> None:
        assert {split_of(labelled_game(split="test"), seed) for seed in range(20)} == {"test"}


class TestSelecting:
    games = tuple(
        labelled_game(game_id=f"g{n}", paragraph_id=f"alpha:{n}:1", split=split)
        for n, split in enumerate(("train", "test", "train", "test", "test"))
    )

    def test_a_split_holds_its_games_in_order(self) -> None:
        assert [game.game_id for game in select_split(self.games, "test", 0)] == ["g1", "g3", "g4"]

    def test_no_split_means_all_games(self) -> None:
        assert select_split(self.games, None, 0) == list(self.games)

    def test_the_splits_together_are_all_games_once(self) -> None:
        games = [labelled_game(game_id=f"g{n}", paragraph_id=f"alpha:{n}:1") for n in range(100)]
        parts = [select_split(games, split, 3) for split in ("train", "validation", "test")]
        assert sorted(game.game_id for part in parts for game in part) == sorted(game.game_id for game in games)

    @pytest.mark.parametrize("name", ["dev", "val", "", "TEST"])
    def test_an_unknown_split_is_refused_with_the_known_ones(self, name: str) -> None:
        with pytest.raises(GamesError, match=f"--split must be one of train, validation, test, got '{name}'"):
            select_split(self.games, name, 0)

    def test_an_empty_split_is_refused_with_what_the_file_has(self) -> None:
        with pytest.raises(
            GamesError, match=r"--split validation must hold at least one game, got none; .* test 3, train 2"
        ):
            select_split(self.games, "validation", 0)


class TestEquality:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("An index, once built.", "an INDEX once built"),
            ("the ﬁrst “word”", 'The first "word"'),
            ("e\u0301tude", "\u00e9tude"),
            ("state-of-the-art", "state of the art"),
            ("x₂", "X2"),
        ],
    )
    def test_signs_case_blanks_and_ligatures_make_no_difference(self, one: str, other: str) -> None:
        assert same_text(one, other)

    @pytest.mark.parametrize(("one", "other"), [("page 1", "page 11"), ("one two", "two one"), ("word", "words")])
    def test_letters_and_digits_do(self, one: str, other: str) -> None:
        assert not same_text(one, other)

    def test_canonical_text_is_letters_and_digits_alone(self) -> None:
        assert canonical("Straße Nr. 5, שלום!") == "strassenr5שלום"

    def test_tokens_are_folded_runs_of_letters_and_digits(self) -> None:
        assert tokens("The B-tree's 2nd “ﬁx”") == ["the", "b", "tree", "s", "2nd", "fix"]


def test_a_game_that_gives_its_opening_sentence_alone_is_matched_by_it(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(
        json.dumps({"game_id": "g", "hint": "h", "book_name": "b", "opening_sentence": "Bees dance."}) + "\n",
        encoding="utf-8",
    )
    games = load_games(path)
    text = "Bees dance. They tell each other in this way where the flowers stand, and how far it is to fly there."
    other = Paragraph("b:1:1", "b", 1, "", "Wasps do not dance. They hunt alone.", "Wasps do not dance.")
    meant = Paragraph("b:1:2", "b", 1, "", text, "Bees dance.")
    assert match_games(games, [other, meant]) == {"g": meant}
