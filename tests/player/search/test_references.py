"""Resolving book names, as referees write them, against a small course."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ingest.arrays import Float32Array
from ingest.embed import Embedder
from ingest.paragraph import AliasSource, Document
from player.search.references import References
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


def resolve(book_name: str, *, among: list[Document] | None = None) -> BookCandidate:
    """The best candidate at the thresholds 0.9 and 0.6."""
    documents = COURSE if among is None else among
    return References(documents, 0.9, 0.6).resolve(book_name)[0]


def lectures(*numbers: int, stem: str = "lecture{}") -> list[Document]:
    return [document(stem.format(number)) for number in numbers]


@pytest.mark.parametrize(
    "book_name", ["03-hashing", "03-hashing.pdf", "03-hashing.PDF", " 03-hashing "]
)
def test_a_stem_is_sure_with_and_without_its_suffix(book_name: str) -> None:
    found = resolve(book_name)
    assert (found.doc_id, found.confidence, found.tier) == ("03-hashing", 1.0, "filter")


@pytest.mark.parametrize(
    "book_name",
    [
        "Shortest Paths in Graphs",
        "SHORTEST PATHS IN GRAPHS",
        "shortest paths in graphs",
    ],
)
def test_a_title_is_sure_in_any_case(book_name: str) -> None:
    found = resolve(book_name)
    assert (found.doc_id, found.confidence, found.tier, found.alias) == (
        "07-graphs",
        1.0,
        "filter",
        "Shortest Paths in Graphs",
    )


@pytest.mark.parametrize(
    "book_name",
    [
        "Recurson and Backtracking",
        "Recursion and Backtraking",
        "Hash Tables and Blom Filters",
        "Shortest Path in Graphs",
    ],
)
def test_a_typo_still_filters(book_name: str) -> None:
    found = resolve(book_name)
    expected = {"R": "notes_rec", "H": "03-hashing", "S": "07-graphs"}[book_name[0]]
    assert (found.doc_id, found.tier) == (expected, "filter")
    assert found.confidence < 1.0


def test_the_order_of_words_and_accents_do_not_matter_much() -> None:
    found = resolve("Backtracking and Récursion")
    assert (found.doc_id, found.tier) == ("notes_rec", "filter")


@pytest.mark.parametrize(
    ("filter_confidence", "tier"), [(0.8, "filter"), (0.81, "boost")]
)
def test_metadata_is_believed_less_than_a_title(
    filter_confidence: float, tier: str
) -> None:
    optics = document("00042", ("Waves and Optics", "metadata"))
    (found,) = References([optics], filter_confidence, 0.6).resolve("Waves and Optics")
    assert (found.doc_id, found.confidence, found.tier) == ("00042", 0.8, tier)


@pytest.mark.parametrize(
    "book_name",
    ["hash tables in graphs", "graph paths", "recursion", "filters and hashes"],
)
def test_the_tier_goes_by_the_confidence_that_is_shown(book_name: str) -> None:
    shown = resolve(book_name).confidence
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


def with_meanings(embedder: Embedder) -> References:
    aliases = [(item.doc_id, alias) for item in COURSE for alias in item.aliases]
    vectors = HashingEmbedder().embed_queries([alias.text for _, alias in aliases])
    return References(
        COURSE, 0.9, 0.6, embedder=embedder, alias_vectors=(aliases, vectors)
    )


@pytest.mark.parametrize(
    "book_name", ["03-hashing", "shortest paths in graphs", "Recurson and Backtracking"]
)
def test_a_name_that_its_letters_settle_is_not_embedded(book_name: str) -> None:
    embedder = CountingEmbedder()
    assert with_meanings(embedder).resolve(book_name)[0].tier == "filter"
    assert embedder.embedded == []


def test_a_name_in_doubt_is_embedded_once() -> None:
    counting = CountingEmbedder()
    references = with_meanings(counting)
    assert references.best("optical waves") == references.best("optical waves")
    assert counting.embedded == ["optical waves"]


@pytest.mark.parametrize("number", [1, 3, 12, 13, 23])
@pytest.mark.parametrize(
    "written",
    ["Lecture {}", "lecture 0{}", "LECTURE-{}", "lecture_00{}", "lecture{}.pdf"],
)
def test_lecture_3_is_not_lecture_13(written: str, number: int) -> None:
    found = resolve(written.format(number), among=lectures(1, 2, 3, 12, 13, 23))
    assert (found.doc_id, found.tier) == (f"lecture{number}", "filter")


@pytest.mark.parametrize(
    ("stem", "book_name"),
    [
        ("lecture {}", "lecture 3"),
        ("advanced algorithms lecture {}", "advanced algorithms lecture 3"),
        ("cs101 advanced algorithms lecture {}", "cs101 advanced algorithms lecture 3"),
    ],
)
def test_a_lecture_that_is_not_there_does_not_filter_on_one_with_another_number(
    stem: str, book_name: str
) -> None:
    found = resolve(book_name, among=lectures(13, stem=stem))
    assert found.tier == "none"


def test_a_twin_files_names_lead_to_the_original() -> None:
    documents = [
        document("00016", ("Sorting", "title")),
        document("backup-of-week-2", ("Sorting", "title"), same_as="00016"),
        document("00017", ("Searching", "title")),
    ]
    references = References(documents, 0.9, 0.6)
    for book_name in ("00016", "backup-of-week-2", "backup of week 2", "Sorting"):
        found = references.resolve(book_name)
        assert (found[0].doc_id, found[0].confidence) == ("00016", 1.0), book_name
        assert [candidate.doc_id for candidate in found].count("00016") == 1
        assert "backup-of-week-2" not in [candidate.doc_id for candidate in found]
    by_stem = references.by_stem("backup-of-week-2.pdf")
    assert by_stem is not None
    assert by_stem.doc_id == "00016"


@pytest.mark.parametrize(
    "book_name", ["Organic Chemistry", "Quantenmechanik", "מבוא לכלכלה", "zzz", "12345"]
)
def test_an_unknown_name_neither_filters_nor_boosts(book_name: str) -> None:
    assert all(
        candidate.tier == "none"
        for candidate in References(COURSE, 0.9, 0.6).resolve(book_name)
    )


@pytest.mark.parametrize("book_name", ["", "   ", "...", ".pdf", "—"])
def test_a_name_without_a_letter_resolves_to_nothing(book_name: str) -> None:
    assert list(References(COURSE, 0.9, 0.6).resolve(book_name)) == []


def test_a_name_that_fits_two_documents_alike_filters_on_neither() -> None:
    documents = [document("algorithms part one"), document("algorithms part two")]
    found = References(documents, 0.9, 0.6).resolve("algorithms part")
    assert [candidate.tier for candidate in found] == ["none", "none"]


def test_a_stem_letter_by_letter_is_sure_even_if_others_are_called_alike() -> None:
    documents = [
        document("Lecture_03"),
        document("lecture3"),
        document("week9", ("Lecture 3", "title")),
    ]
    references = References(documents, 0.9, 0.6)
    for stem in ("Lecture_03", "lecture3"):
        found = references.resolve(stem)
        assert (found[0].doc_id, found[0].tier) == (stem, "filter")
        assert [candidate.tier for candidate in found[1:]] == ["none", "none"]
    assert references.resolve("LECTURE 3")[0].tier == "none"


def test_by_stem_knows_stems_and_given_names_to_the_letter_and_nothing_else() -> None:
    references = References(
        [*COURSE, document("book 9", ("Ninth Book", "name"))], 0.9, 0.6
    )
    assert references.by_stem("03-hashing") == BookCandidate(
        "03-hashing", 1.0, "filter", "03-hashing"
    )
    assert references.by_stem("03-hashing.pdf") == BookCandidate(
        "03-hashing", 1.0, "filter", "03-hashing"
    )
    assert references.by_stem("Ninth Book") == BookCandidate(
        "book 9", 1.0, "filter", "Ninth Book"
    )
    for book_name in ("Hash Tables and Bloom Filters", "hashing", "", ".pdf"):
        assert references.by_stem(book_name) is None


@pytest.mark.parametrize(
    "book_name",
    ["03-Hashing", "03-HASHING.PDF", "  03-hashing.Pdf ", "03-hashing .pdf"],
)
def test_by_stem_overlooks_case_spaces_and_the_suffix(book_name: str) -> None:
    assert References(COURSE, 0.9, 0.6).by_stem(book_name) == BookCandidate(
        "03-hashing", 1.0, "filter", "03-hashing"
    )
    two = [document("Notes"), document("notes")]
    assert References(two, 0.9, 0.6).by_stem("NOTES") is None


@pytest.mark.parametrize(
    "book_name",
    [
        "version 1",
        "slides v2",
        "1st edition",
        "draft v6 final",
        "ver. 2",
        "the 2nd revision",
        "גרסה 2",
    ],
)
def test_a_number_of_a_version_is_no_lectures(book_name: str) -> None:
    documents = [
        *lectures(1, 2, 3, 6),
        document("2024-10-14-trees"),
        document("02.11.2023 heaps"),
    ]
    for name in (book_name, "lecture 14", "lecture 11"):
        assert all(
            found.tier == "none"
            for found in References(documents, 0.9, 0.6).resolve(name)
        ), name


@pytest.mark.parametrize(
    "heading",
    ["Introduction", "Agenda", "Outline and References", "Microsoft Word - draft_v2"],
)
def test_headings_and_metadata_that_any_document_may_have_are_nobodys_name(
    heading: str,
) -> None:
    source: AliasSource = "metadata" if "Word" in heading else "heading"
    documents = [
        document("a-trees", (heading, source)),
        document("b-heaps"),
        document("c-sorts"),
    ]
    for name in (heading, f"the {heading}", heading.split(maxsplit=1)[0]):
        assert all(
            found.tier == "none"
            for found in References(documents, 0.9, 0.6).resolve(name)
        ), name


@pytest.mark.parametrize("stem", ["Analysis {}", "analysis-{}", "analysis part {}"])
def test_a_part_that_is_not_there_is_none_of_the_others(stem: str) -> None:
    documents = [document(stem.format(number)) for number in ("I", "II")]
    for name in ("Analysis III", "analysis 3", "Analysis IV"):
        assert all(
            found.tier == "none"
            for found in References(documents, 0.9, 0.6).resolve(name)
        ), name
    found = References(documents, 0.9, 0.6).resolve("Analysis II")[0]
    assert (found.doc_id, found.tier) == (stem.format("II"), "filter")


TWINNED = [
    document("01-hashing", ("Hash Tables", "title")),
    document("02-graphs", ("Shortest Paths", "title")),
    document("06-evaluation", ("How Would We Know?", "title")),
    document("lecture6_eval_final", same_as="06-evaluation"),
]
"""One file alone has the word "lecture" in its name."""


def books(book_name: str, among: list[Document] | None = None) -> list[tuple[str, str]]:
    """Documents and tiers."""
    found = References(TWINNED if among is None else among, 0.9, 0.6).best(book_name)
    return (
        [(found.doc_id, found.tier)]
        if found is not None and found.tier != "none"
        else []
    )


@pytest.mark.parametrize(
    "book_name",
    [
        "the lecture",
        "lecture 2024",
        "lecture about nothing",
        "the final",
        "slides",
        "Lecture 9",
        "lecture X",
    ],
)
def test_generic_words_and_numbers_that_nobody_has_name_nothing(book_name: str) -> None:
    assert books(book_name) == []


@pytest.mark.parametrize(
    "book_name",
    ["Lecture one", "lecture 1", "LECTURE I", "the first lecture", "הרצאה א'"],
)
def test_a_lectures_number_is_read_however_it_is_written(book_name: str) -> None:
    assert books(book_name) == [("01-hashing", "filter")]


def test_a_word_in_the_names_of_most_documents_names_none() -> None:
    among = [
        document(f"algorithms-{subject}")
        for subject in ("sorting", "hashing", "graphs")
    ]
    assert books("algorithms", among) == []
    assert [doc_id for doc_id, _ in books("algorithms hashing", among)] == [
        "algorithms-hashing"
    ]


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
    assert books(book_name, COUNTED) == []


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
    assert books(book_name, COUNTED) == [("03-databases", "filter")]


@pytest.mark.parametrize("title", ["results", "title page", "Presentation1"])
def test_a_title_that_any_document_may_have_is_nobodys_name(title: str) -> None:
    among = [document("gc", (title, "title")), document("vm", ("Paging", "title"))]
    assert books(title, among) == []
    assert References(among, 0.9, 0.6).named_in(f"see the {title}") is None


def test_a_sidecar_adds_words_that_number_lectures() -> None:
    among = [
        document(f"notes-{subject}", (f"sprint {number}", "sidecar"))
        for number, subject in enumerate(("hashing", "graphs", "costs"), 1)
    ]
    assert books("sprint 3", among) == [("notes-costs", "filter")]
    book = References(among, 0.9, 0.6).named_in("as we saw in sprint 3")
    assert book is not None
    assert (book.doc_id, book.tier) == ("notes-costs", "boost")
    assert books("sprint 3", COUNTED) == []


def test_an_exercise_that_the_course_holds_is_found_by_its_number() -> None:
    among = [document(f"exercise {number}") for number in (1, 2, 3)]
    assert books("exercise 2", among) == [("exercise 2", "filter")]


class TestNamesInHints:
    @pytest.mark.parametrize(
        ("message", "tier"),
        [
            ("what did the third lecture say on costs", "filter"),
            ("what is in lecture no. 3 on costs", "filter"),
            ("from 03-databases: pruning", "filter"),
            ("see week 3", "boost"),
            ("a cost in part 3 of something", "boost"),
        ],
    )
    def test_a_lecture_is_named_by_number_or_stem(
        self, message: str, tier: str
    ) -> None:
        book = References(COUNTED, 0.9, 0.6).named_in(message)
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
        assert References(COUNTED, 0.9, 0.6).named_in(message) is None

    @pytest.mark.parametrize(
        ("hint", "doc_id"),
        [
            ("how keys are spread, in lecture 1", "01-hashing"),
            ("from 07-shortest-trees: pruning", "07-shortest-trees"),
        ],
    )
    def test_a_name_written_into_a_hint_is_found(self, hint: str, doc_id: str) -> None:
        references = References([*TWINNED, document("07-shortest-trees")], 0.9, 0.6)
        book = references.named_in(hint)
        assert book is not None
        assert (book.doc_id, book.tier) == (doc_id, "filter")

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
        "named", [document("hummel-2019"), document("p17", ("K. Hummel", "author"))]
    )
    def test_a_name_within_a_message_is_found(
        self, message: str, named: Document
    ) -> None:
        paragraphs = [
            paragraph(f"{item.doc_id}:1:1", "A cost is the main result.")
            for item in (*TWINNED[:3], named)
        ]
        references = References([*TWINNED, named], 0.9, 0.6, paragraphs=paragraphs)
        book = references.named_in(message)
        assert book is not None
        assert book.doc_id == named.doc_id

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
        assert References(TWINNED, 0.9, 0.6).named_in(hint) is None
