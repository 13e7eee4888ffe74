"""Numbers in names, in digits and in words."""

from player.search.books.lecture_numbers import lecture_numbers


def test_lecture_numbers_in_digits_and_in_words() -> None:
    for name, expected in {
        # most numbers of lectures are in test_resolver.py
        "lecture four": {4},
        "cours n° 2": {2},
        "cs101 week 12": {12},
        "the one about trees": set(),
        "part iv": {4},
        "lecture on out of scope intents": set(),
        "פרק י״ב": {12},
        "שיעור שלישי": {3},
        "ההרצאה הראשונה": {1},
        "lecture twenty one": {21},
        "the twenty-first lecture": {21},
        "lectures nineteen and thirty-two": {19, 32},
        "lecture 20, 1": {20, 1},
        "הרצאה עשרים ואחת": {21},
        "ההרצאה העשרים ושלוש": {23},
        "הרצאה שתים עשרה": {12},
        "פרק אחד עשר": {11},
        "הרצאה עשר": {10},
    }.items():
        assert lecture_numbers(name) == expected, name
