from player.search.postings import Postings


def test_a_word_has_the_rows_of_its_texts_in_order_each_once() -> None:
    found = Postings([["b", "a", "b"], [], ["a"], ["c", "b"]])
    assert {word: rows.tolist() for word, rows in found.items()} == {
        "a": [0, 2],
        "b": [0, 3],
        "c": [3],
    }
    assert found.get("d") is None
    assert dict(Postings([])) == {}
