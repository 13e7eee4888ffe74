"""Resolving book names, as referees write them, against a small course."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ingest.arrays import Float32Array
from ingest.paragraph import AliasSource, Document
from player.search.references import PROBABLY_SAID, References
from player.search.types import BookCandidate
from tests.contracts.paragraphs import paragraph
from tests.fakes import HashingEmbedder
from tests.player.fakes import document

COURSE = [
    document(
        "03-hashing",
        ("Hash Tables and Bloom Filters", "title"),
        ("Waves and Optics", "metadata"),
    ),
    document("07-graphs", ("Shortest Paths in Graphs", "title")),
    document("notes_rec", ("Recursion and Backtracking", "title")),
]


def references(documents: Sequence[Document] = COURSE, **more: Any) -> References:
    """At the thresholds 0.9 and 0.6."""
    return References(documents, 0.9, 0.6, **more)


def named(book_name: str, among: Sequence[Document] = COURSE) -> tuple[str, str]:
    """The best candidate and its tier, or nothing if it neither filters nor boosts."""
    book = references(among).best(book_name)
    return (
        ("", "none")
        if book is None or book.tier == "none"
        else (book.doc_id, book.tier)
    )


NOBODY = ("", "none")


def lectures(*numbers: int, stem: str = "lecture{}") -> list[Document]:
    return [document(stem.format(number)) for number in numbers]


@pytest.mark.parametrize(
    ("book_name", "doc_id"),
    [
        *(("03-hashing", "03-hashing"), ("03-hashing.pdf", "03-hashing")),
        *(("03-Hashing", "03-hashing"), ("03-HASHING .Pdf", "03-hashing")),
        ("  03-hashing ", "03-hashing"),
        *(("Ninth Book", "book 9"), ("ninth book.pdf", "book 9")),
        ("backup-of-week-2.pdf", "00016"),
    ],
)
def test_a_stem_or_given_name_is_sure_in_any_case_with_and_without_its_suffix(
    book_name: str, doc_id: str
) -> None:
    documents = [
        *COURSE,
        document("book 9", ("Ninth Book", "name")),
        document("00016", ("Sorting", "title")),
        document("backup-of-week-2", ("Sorting", "title"), same_as="00016"),
    ]
    expected = BookCandidate(doc_id, 1.0, "filter")
    assert references(documents).by_stem(book_name) == expected
    assert references(documents).best(book_name) == expected


@pytest.mark.parametrize(
    "book_name", ["Hash Tables and Bloom Filters", "hashing", "", ".pdf", "NOTES"]
)
def test_nothing_else_is_a_stem(book_name: str) -> None:
    two = [document("Notes"), document("notes")]
    assert references([*COURSE, *two]).by_stem(book_name) is None


@pytest.mark.parametrize(
    "book_name", ["Shortest Paths in Graphs", "SHORTEST PATHS IN GRAPHS"]
)
def test_a_title_is_sure_in_any_case(book_name: str) -> None:
    expected = BookCandidate("07-graphs", 1.0, "filter")
    assert references().best(book_name) == expected


@pytest.mark.parametrize(
    ("book_name", "doc_id"),
    [
        *(("Recurson and Backtracking", "notes_rec"),),
        *(("Hash Tables and Blom Filters", "03-hashing"),),
        *(("Shortest Path in Graphs", "07-graphs"),),
        *(("Backtracking and Récursion", "notes_rec"),),
    ],
)
def test_typos_accents_and_another_order_still_filter(
    book_name: str, doc_id: str
) -> None:
    book = references().best(book_name)
    assert book is not None
    assert (book.doc_id, book.tier) == (doc_id, "filter")
    assert book.confidence < 1.0


@pytest.mark.parametrize(
    ("filter_confidence", "tier"), [(0.8, "filter"), (0.81, "boost")]
)
def test_metadata_is_believed_less_than_a_title(
    filter_confidence: float, tier: str
) -> None:
    optics = document("00042", ("Waves and Optics", "metadata"))
    (book,) = References([optics], filter_confidence, 0.6).resolve("Waves and Optics")
    assert (book.confidence, book.tier) == (0.8, tier)


@pytest.mark.parametrize("book_name", ["hash tables in graphs", "recursion"])
def test_the_tier_goes_by_the_confidence_that_is_shown(book_name: str) -> None:
    shown = references().resolve(book_name)[0].confidence
    (at, *_), (above, *_) = (
        References(COURSE, limit, 0.0).resolve(book_name)
        for limit in (shown, shown + 1e-9)
    )
    assert (at.tier, above.tier) == ("filter", "boost")


class CountingEmbedder(HashingEmbedder):
    """Remembers what it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        self.embedded += texts
        return super().embed_queries(texts)


@pytest.mark.parametrize(
    ("book_name", "is_embedded"),
    [
        ("03-hashing", False),
        ("shortest paths in graphs", False),
        ("Recurson and Backtracking", False),
        ("optical waves", True),
    ],
)
def test_only_a_name_in_doubt_is_embedded_and_only_once(
    book_name: str, is_embedded: bool
) -> None:
    embedder = CountingEmbedder()
    aliases = [(item.doc_id, alias) for item in COURSE for alias in item.aliases]
    vectors = HashingEmbedder().embed_queries([alias.text for _, alias in aliases])
    resolver = references(embedder=embedder, alias_vectors=(aliases, vectors))
    assert resolver.best(book_name) == resolver.best(book_name)
    assert embedder.embedded == [book_name] * is_embedded


@pytest.mark.parametrize("number", [3, 13])
@pytest.mark.parametrize("written", ["Lecture {}", "LECTURE-{}", "lecture_00{}.pdf"])
def test_lecture_3_is_not_lecture_13(written: str, number: int) -> None:
    among = lectures(1, 2, 3, 12, 13, 23)
    assert named(written.format(number), among) == (f"lecture{number}", "filter")


@pytest.mark.parametrize("stem", ["lecture {}", "cs101 advanced algorithms lecture {}"])
def test_a_lecture_that_is_not_there_does_not_filter_on_one_with_another_number(
    stem: str,
) -> None:
    assert named(stem.format(3), lectures(13, stem=stem)) == NOBODY


def test_a_twin_files_names_lead_to_the_original() -> None:
    documents = [
        document("00016", ("Sorting", "title")),
        document("backup-of-week-2", ("Sorting", "title"), same_as="00016"),
        document("00017", ("Searching", "title")),
    ]
    for book_name in ("backup of week 2", "Sorting"):
        found = references(documents).resolve(book_name)
        assert found[0] == BookCandidate("00016", 1.0, "filter"), book_name
        assert {candidate.doc_id for candidate in found} == {"00016", "00017"}


@pytest.mark.parametrize(
    "book_name",
    [
        *("Organic Chemistry", "Quantenmechanik", "מבוא לכלכלה", "zzz", "12345"),
        *("", "   ", "...", ".pdf", "—"),
    ],
)
def test_an_unknown_name_neither_filters_nor_boosts(book_name: str) -> None:
    found = references().resolve(book_name)
    assert all(candidate.tier == "none" for candidate in found)
    assert bool(found) == any(map(str.isalnum, book_name.removesuffix(".pdf")))


@pytest.mark.parametrize(
    ("book_name", "among"),
    [
        # fits two documents equally
        ("algorithms part", ["algorithms part one", "algorithms part two"]),
        ("LECTURE 3", ["Lecture_03", "lecture3"]),
        # words in the names of most documents
        (
            "algorithms",
            ["algorithms-sorting", "algorithms-hashing", "algorithms-trees"],
        ),
        # a part that is not there
        *(("Analysis III", ["Analysis I", "Analysis II"]),),
        *(("analysis 3", ["analysis-I", "analysis-II"]),),
        *(("Analysis IV", ["analysis part I", "analysis part II"]),),
        # numbers of dates and versions
        *((f"lecture {n}", ["2024-10-14-trees", "02.11.2023 heaps"]) for n in (11, 14)),
        *(
            (name, ["lecture1", "lecture2", "lecture6"])
            for name in ("version 1", "slides v2", "1st edition", "draft v6 final")
        ),
        *((name, ["lecture1", "lecture2"]) for name in ("the 2nd revision", "גרסה 2")),
    ],
)
def test_a_name_of_two_documents_of_most_or_of_none_names_none(
    book_name: str, among: list[str]
) -> None:
    assert named(book_name, list(map(document, among))) == NOBODY


@pytest.mark.parametrize(
    ("book_name", "among"),
    [
        ("Analysis II", ["analysis part II", "analysis part I"]),
        ("exercise 2", ["exercise 2", "exercise 1", "exercise 3"]),
        ("Lecture_03", ["Lecture_03", "lecture3"]),
        ("lecture3", ["lecture3", "Lecture_03"]),
    ],
)
def test_a_name_of_one_of_similar_documents_filters(
    book_name: str, among: list[str]
) -> None:
    assert named(book_name, list(map(document, among))) == (among[0], "filter")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        *((text, "heading") for text in ("Introduction", "Outline and References")),
        ("Microsoft Word - draft_v2", "metadata"),
        *((text, "title") for text in ("results", "title page", "Presentation1")),
    ],
)
def test_names_that_any_document_may_have_are_nobodys(
    text: str, source: AliasSource
) -> None:
    among = [document("a-trees", (text, source)), document("b-heaps"), document("sort")]
    for name in (text, f"the {text}", text.split(maxsplit=1)[0]):
        assert named(name, among) == NOBODY, name
    assert references(among).named_in(f"see the {text}") is None


TWINNED = [
    document("01-hashing", ("Hash Tables", "title")),
    document("02-graphs", ("Shortest Paths", "title")),
    document("06-evaluation", ("How Would We Know?", "title")),
    document("lecture6_eval_final", same_as="06-evaluation"),
]
"""One file alone has the word "lecture" in its name."""


@pytest.mark.parametrize(
    "book_name",
    [
        *("the lecture", "lecture 2024", "lecture about nothing", "the final"),
        *("slides", "Lecture 9", "lecture X"),
    ],
)
def test_generic_words_and_numbers_that_nobody_has_name_nothing(book_name: str) -> None:
    assert named(book_name, TWINNED) == NOBODY


@pytest.mark.parametrize(
    "book_name",
    ["Lecture one", "lecture 1", "LECTURE I", "the first lecture", "הרצאה א'"],
)
def test_a_lectures_number_is_read_however_it_is_written(book_name: str) -> None:
    assert named(book_name, TWINNED) == ("01-hashing", "filter")


COUNTED = [
    document("01-hashing", ("Hash Tables and Bloom Filters", "title")),
    document("02-graphs", ("Shortest Paths in Graphs", "title")),
    document("03-databases", ("Databases and Indexes", "title")),
    document("04-recursion", ("Recursion and Backtracking", "title")),
    document("05-dice", ("Probability for Learners", "title")),
    document("06-evaluation", ("How Would We Know?", "title")),
]


@pytest.mark.parametrize(
    "book_name",
    [
        *("slide 5", "p. 5", "page 3", "exercise 2", "Q4", "figure 2", "עמוד 3"),
        *("6th of May", "notes from 3 May", "lecture on June 4", "3 במאי"),
        *("the second to last lecture", "not the databases lecture"),
        *("presentation1", "title page", "results", "lectures 3 and 4"),
        *("figure 4", "homework 3", "hw2", "step 3", "4 hours", "3 weeks ago"),
        *("the 4th slide", "ver. 4", "the last but two lecture", "section 4.2"),
        *("מטלה 2", "סעיף 3", "גרסה 3", "לפני 3 שבועות", "הרצאה שלישית מהסוף"),
        *("any lecture other than lecture 3", "lectures 3 and 9", "הרצאה 2 או 3"),
        *("every lecture except shortest paths", "כל הרצאה חוץ משיעור 3"),
    ],
)
def test_a_number_of_something_else_names_no_lecture(book_name: str) -> None:
    assert named(book_name, COUNTED) == NOBODY


@pytest.mark.parametrize(
    "book_name",
    [
        *(
            "the third lecture",
            "3rd",
            "no. 3",
            "lecture no. 3",
            "deck three",
            "class 3",
        ),
        *("week 3", "unit III", "3", "הרצאה שלישית", "lecture 3, slide 5", "chapter 3"),
        *("databases 3", "03 indexes", "notes 3", "L3", "יחידה 3", "תרגול מס' 3"),
    ],
)
def test_a_number_beside_a_word_for_a_lecture_names_it(book_name: str) -> None:
    assert named(book_name, COUNTED) == ("03-databases", "filter")


def test_a_sidecar_adds_words_that_number_lectures() -> None:
    among = [
        document(f"notes-{subject}", (f"sprint {number}", "sidecar"))
        for number, subject in enumerate(("hashing", "graphs", "costs"), 1)
    ]
    assert named("sprint 3", among) == ("notes-costs", "filter")
    book = references(among).named_in("as we saw in sprint 3")
    assert book == BookCandidate("notes-costs", PROBABLY_SAID, "boost")
    assert named("sprint 3", COUNTED) == NOBODY


class TestNamesInHints:
    @pytest.mark.parametrize(
        ("message", "tier"),
        [
            ("what did the third lecture say on costs", "filter"),
            ("what is in lecture no. 3 on costs", "filter"),
            ("from 03-databases: pruning", "filter"),
            ("as in Databases and Indexes, pruning", "filter"),
            ("see week 3", "boost"),
            ("a cost in part 3 of something", "boost"),
        ],
    )
    def test_a_lecture_is_named_by_number_or_stem(
        self, message: str, tier: str
    ) -> None:
        book = references(COUNTED).named_in(message)
        assert book is not None
        assert (book.doc_id, book.tier) == ("03-databases", tier)

    @pytest.mark.parametrize(
        "message",
        [
            *("module 5 imports numpy", "week 4 sales figures dropped"),
            *("not the third lecture but costs", "lectures 3 and 4"),
            *("two lectures long", "the union of 2 graphs", "slide 3 of the talk"),
            *("lectures 2-4", "lectures 3, 4", "lecture 3 & 4", "lectures 3 and 9"),
            *(
                "anything but shortest paths in graphs",
                "the third lecture from the end",
            ),
            *("the l2 cache is full", "שלושה שיעורים", "הרצאה 2 או 3"),
        ],
    )
    def test_a_message_with_other_numbers_names_none(self, message: str) -> None:
        assert references(COUNTED).named_in(message) is None

    @pytest.mark.parametrize(
        "message",
        [
            "tell me more about the hummel paper",
            "what does Hummel's article say on costs?",
            "summarise the paper by Hummel",
            "hummel: the main result",
            "in the slides called hummel, what is a cost?",
        ],
    )
    @pytest.mark.parametrize(
        "hummel", [document("hummel-2019"), document("p17", ("K. Hummel", "author"))]
    )
    def test_a_name_within_a_message_is_found(
        self, message: str, hummel: Document
    ) -> None:
        paragraphs = [
            paragraph(f"{item.doc_id}:1:1", "A cost is the main result.")
            for item in (*TWINNED[:3], hummel)
        ]
        resolver = references([*TWINNED, hummel], paragraphs=paragraphs)
        book = resolver.named_in(message)
        assert book is not None
        assert book.doc_id == hummel.doc_id

    @pytest.mark.parametrize(
        "hint",
        [
            "evaluation of graphs",
            "two lectures long",
            "a lecture in the morning",
            "lecture 1 and lecture 2",
        ],
    )
    def test_a_subject_is_no_name_nor_are_two_lectures(self, hint: str) -> None:
        assert references(TWINNED).named_in(hint) is None
