"""Resolving book names, as referees write them, against a small course."""

from collections.abc import Sequence

import pytest

from player.search.books.mentions import PROBABLY_NAMED
from player.search.books.resolver import BookResolver
from player.search.cache import CachingEmbedder
from player.search.rank import tier_of
from player.search.results import BookCandidate
from quarry.course.paragraph import AliasSource, Document
from tests.fakes import each
from tests.player.fakes import (
    WordsEmbedder,
    course_with,
    document,
    search_settings,
    titled,
)
from tests.player.search.books.test_mentions import TITLED

COURSE = [
    document(
        "03-hashing",
        ("Hash Tables and Bloom Filters", "title"),
        ("Waves and Optics", "metadata"),
    ),
    *titled(
        {
            "07-graphs": "Shortest Paths in Graphs",
            "notes_rec": "Recursion and Backtracking",
        }
    ),
]
TWINNED = titled(
    {
        "01-hashing": "Hash Tables",
        "02-graphs": "Shortest Paths",
        "06-evaluation": "How Would We Know?",
    }
)
TWINNED.append(document("lecture6_eval_final", same_as="06-evaluation"))
"""One file alone has the word "lecture" in its name."""
COUNTED = titled(
    {
        "01-hashing": "Hash Tables and Bloom Filters",
        "02-graphs": "Shortest Paths in Graphs",
        "03-databases": "Databases and Indexes",
        "04-recursion": "Recursion and Backtracking",
        "05-dice": "Probability for Learners",
        "06-evaluation": "How Would We Know?",
    }
)


def listed(names: str) -> list[str]:
    return names.split("; ")


def files(stems: str) -> list[Document]:
    """Documents with these stems alone."""
    return list(map(document, listed(stems)))


LECTURES = files("lecture1; lecture2; lecture3; lecture12; lecture13; lecture23")
VERSIONS = files("lecture1; lecture2; lecture6")
DATES = files("2024-10-14-trees; 02.11.2023 heaps")
YEARS = files("lectures_tut_2018_8; lectures_tut_2018_9; notes")
PARTS = files("analysis part I; analysis part II")


def references(documents: Sequence[Document] = COURSE) -> BookResolver:
    return BookResolver(course_with(documents))


def told(book: BookCandidate | None) -> str:
    """Tier at the thresholds 0.9 and 0.6 and document, "" if it neither filters nor boosts."""
    tier = tier_of(book.confidence, search_settings()) if book else "none"
    return "" if book is None or tier == "none" else f"{tier} {book.doc_id}"


def named(book_name: str, among: Sequence[Document] = COURSE) -> str:
    return told(references(among).best(book_name))


def test_a_stem_or_given_name_is_sure_in_any_case_with_and_without_its_suffix() -> None:
    ninth = document("book 9", ("Ninth Book", "name"))
    resolver = references([*COURSE, ninth])
    for doc_id, book_names in (
        ("03-hashing", "03-hashing; 03-hashing.pdf; 03-Hashing;   03-HASHING .Pdf "),
        ("book 9", "Ninth Book; ninth book.pdf"),
    ):
        expected = BookCandidate(doc_id, 1.0)
        for book_name in listed(book_names):
            assert resolver.by_stem(book_name) == expected
            assert resolver.best(book_name) == expected


def test_nothing_else_is_a_stem_and_stems_that_differ_in_case_alone_are_told_apart() -> (
    None
):
    resolver = references([*COURSE, *files("Notes; notes")])
    for book_name in ("Hash Tables and Bloom Filters", "hashing", "", ".pdf", "NOTES"):
        assert resolver.by_stem(book_name) is None
    for book_name in ("Notes", "Notes.pdf", "Notes.PDF"):
        assert resolver.by_stem(book_name) == BookCandidate("Notes", 1.0)


def test_typos_accents_and_another_order_still_filter() -> None:
    for doc_id, book_names in (
        ("notes_rec", "Recurson and Backtracking; Backtracking and Récursion"),
        ("03-hashing", "Hash Tables and Blom Filters"),
        ("07-graphs", "Shortest Path in Graphs"),
    ):
        for book_name in listed(book_names):
            book = references().resolve(book_name)[0]
            assert told(book) == f"filter {doc_id}"
            assert book.confidence < 1.0


def test_metadata_is_believed_less_than_a_title() -> None:
    optics = document("00042", ("Waves and Optics", "metadata"))
    (book,) = references([optics]).resolve("Waves and Optics")
    assert book == BookCandidate("00042", 0.8)


def test_only_a_name_in_doubt_is_embedded_and_only_once() -> None:
    embedder = WordsEmbedder()
    aliases = []
    for item in COURSE:
        aliases += [(item.doc_id, alias) for alias in item.aliases]
    vectors = embedder.embed_passages([alias.text for _, alias in aliases])
    course = course_with(COURSE, aliases=tuple(aliases), alias_vectors=vectors)
    resolver = BookResolver(course, CachingEmbedder(embedder))

    for book_name, n_embedded in {
        "03-hashing": 0,
        "shortest paths in graphs": 0,
        "Recurson and Backtracking": 0,
        "optical waves": 1,
    }.items():
        assert resolver.best(book_name) == resolver.best(book_name)
        assert embedder.n_queries == n_embedded, book_name


def test_a_twin_files_names_lead_to_the_original() -> None:
    twin = document("backup-of-week-2", ("Sorting", "title"), same_as="00016")
    documents = titled({"00016": "Sorting", "00017": "Searching"})
    resolver = references([*documents, twin])
    expected = BookCandidate("00016", 1.0)
    assert resolver.by_stem("backup-of-week-2.pdf") == expected
    for book_name in ("backup of week 2", "Sorting"):
        assert resolver.best(book_name) == expected, book_name
    doubtful = resolver.resolve("sorting out a search")
    assert {*each(doubtful, "doc_id")} == {"00016", "00017"}


def test_only_documents_that_a_name_may_mean_are_candidates() -> None:
    for book_name in ("", "   ", "...", ".pdf", "—"):
        assert not references().resolve(book_name)
    assert len(references().resolve("Organic Chemistry")) == len(COURSE)
    for book_name in ("03-hashing", "the lecture", "slides", "databases and recursion"):
        books = references(COUNTED + COURSE[:1]).resolve(book_name)
        assert all(book.confidence > 0.0 for book in books), book_name
        assert (not books) == (book_name in {"the lecture", "slides"}), book_name


NAMELESS: dict[str, tuple[list[Document], str]] = {
    "no document's": (
        COURSE,
        "Organic Chemistry; Quantenmechanik; מבוא לכלכלה; zzz; 12345",
    ),
    "two documents' equally": (
        files("algorithms part one; algorithms part two"),
        "algorithms part",
    ),
    "two files with one number": (files("Lecture_03; lecture3"), "LECTURE 3"),
    "a word in most names": (
        files("algorithms-sorting; algorithms-hashing; algorithms-trees"),
        "algorithms",
    ),
    "generic words": (
        TWINNED,
        "the lecture; lecture 2024; lecture about nothing; the final",
    ),
    "words of any title": (COUNTED, "presentation1; title page; results"),
    "another number": (files("lecture 13"), "lecture 3"),
    "another number with the same words": (
        files("cs101 advanced algorithms lecture 13"),
        "cs101 advanced algorithms lecture 3",
    ),
    "another Roman number": (files("Analysis I; Analysis II"), "Analysis III"),
    "another number in digits": (files("analysis-I; analysis-II"), "analysis 3"),
    "another part": (PARTS, "Analysis IV"),
    "a number that no document has": (TWINNED, "slides; Lecture 9; lecture X"),
    "a word that numbers nothing": (COUNTED, "sprint 3"),
    "a date in a file's name": (DATES, "lecture 11; lecture 14"),
    "a version": (VERSIONS, "version 1; slides v2; 1st edition; draft v6 final"),
    "a revision": (VERSIONS[:2], "the 2nd revision; גרסה 2"),
    "a slide": (
        COUNTED,
        "slide 5; p. 5; page 3; exercise 2; Q4; figure 2; עמוד 3; the 4th slide",
    ),
    "a date": (
        COUNTED,
        "6th of May; notes from 3 May; lecture on June 4; 3 במאי; לפני 3 שבועות",
    ),
    "something else": (
        COUNTED,
        "figure 4; homework 3; hw2; step 3; 4 hours; 3 weeks ago; ver. 4; section 4.2; מטלה 2; סעיף 3; גרסה 3",
    ),
    "a number from the end": (
        COUNTED,
        "the second to last lecture; the last but two lecture; הרצאה שלישית מהסוף",
    ),
    "several lectures": (
        COUNTED,
        "third and fourth lectures; 02-graphs vs 06-evaluation; "
        "lectures 3 and 4; lectures 3 and 9; הרצאה 2 או 3; databases and hashing; databases and recursion",
    ),
    "several titles": (COUNTED, "recursion, probability; indexes vs dice"),
    "a part of several": (
        COUNTED,
        "part 2 of 5; page 6; room 4; table 3; חלק 2 מתוך 5; חדר 3",
    ),
    "all but one": (
        COUNTED,
        "not the databases lecture; any lecture other than lecture 3; every lecture except shortest paths; "
        "כל הרצאה חוץ משיעור 3",
    ),
    "one that is denied": (
        COUNTED,
        "haching without 06-evaluation; the Rcursion lecture, other than Recursion",
    ),
}


def test_a_name_of_none_of_several_or_of_something_else_names_none() -> None:
    for meaning, (among, book_names) in NAMELESS.items():
        for book_name in listed(book_names):
            assert named(book_name, among) == "", (meaning, book_name)


def test_a_title_or_number_names_a_lecture_however_it_is_written() -> None:
    for doc_id, among, book_names in (
        ("07-graphs", COURSE, "Shortest Paths in Graphs; SHORTEST PATHS IN GRAPHS"),
        ("lecture3", LECTURES, "Lecture 3; LECTURE-3; lecture_003.pdf"),
        ("lecture13", LECTURES, "Lecture 13; LECTURE-13; lecture_0013.pdf"),
        ("01-hashing", TWINNED, "Lecture one; lecture 1; LECTURE I; הרצאה א'"),
        ("01-hashing", TWINNED, "the first lecture"),
        ("03-databases", COUNTED, "the third lecture; 3rd; no. 3; lecture no. 3"),
        ("03-databases", COUNTED, "deck three; class 3; week 3; unit III; 3"),
        ("03-databases", COUNTED, "הרצאה שלישית; יחידה 3; תרגול מס' 3; chapter 3"),
        ("03-databases", COUNTED, "lecture 3, slide 5; databases 3; 03 indexes"),
        ("03-databases", COUNTED, "notes 3; L3; lecture 3 of 6; table 4 in databases"),
        ("03-databases", COUNTED, "lecture 3, 2024; Lecture (third)"),
        (
            "lectures_tut_2018_8",
            YEARS,
            "notes on lectures_tut_2018_8; tut 8; lectures_tut_2018_8 notes v2",
        ),
        (
            "03-databases",
            COUNTED,
            "indexes and databases; databases and joins, lecture 3",
        ),
        # one of similar documents
        ("analysis part II", PARTS, "Analysis II"),
        ("exercise 2", files("exercise 2; exercise 1; exercise 3"), "exercise 2"),
        ("Lecture_03", files("Lecture_03; lecture3"), "Lecture_03"),
        ("lecture3", files("lecture3; Lecture_03"), "lecture3"),
    ):
        for book_name in listed(book_names):
            assert named(book_name, among) == f"filter {doc_id}", book_name


def test_names_that_any_document_may_have_are_nobodys() -> None:
    names: dict[str, AliasSource] = {
        "Introduction": "heading",
        "Outline and References": "heading",
        "Microsoft Word - draft_v2": "metadata",
        "results": "title",
        "title page": "title",
        "Presentation1": "title",
    }
    for text, source in names.items():
        among = [document("a-trees", (text, source)), *files("b-heaps; sort")]
        for name in (text, f"the {text}", text.split()[0]):
            assert named(name, among) == "", name
        assert references(among).named_in(f"see the {text}") is None

    heading = "How typed words become ordered results"
    among = [document("a-trees", (heading, "heading")), *files("b-heaps; sort")]
    book = references(among).best("results")
    assert book is None or book.confidence < 0.2


def test_a_sidecar_adds_words_that_number_lectures() -> None:
    among = [
        document("notes-hashing", ("sprint 1", "sidecar")),
        document("notes-graphs", ("sprint 2", "sidecar")),
        document("notes-costs", ("sprint 3", "sidecar")),
    ]
    assert named("sprint 3", among) == "filter notes-costs"
    for hint in ("as we saw in sprint 3", "as we saw in the third sprint"):
        book = references(among).named_in(hint)
        assert book == BookCandidate("notes-costs", PROBABLY_NAMED)


def test_the_stem_of_two_files_names_neither() -> None:
    twins = [
        document("a/notes1", ("notes1", "stem")),
        document("b/notes1", ("notes1", "stem")),
        document("b/heaps"),
    ]
    among = references(twins)
    for book_name in ("notes1", " NOTES1 ", "Notes1.pdf"):
        assert among.by_stem(book_name) is None
        assert named(book_name, twins) == ""
        assert among.named_in(f"see {book_name} on costs") is None


@pytest.mark.parametrize(
    ("tier", "hint"),
    [
        ("filter", "what did the third lecture say on costs"),
        ("filter", "what is in lecture no. 3 on costs"),
        ("filter", "from 03-databases: pruning"),
        ("filter", "as in Databases and Indexes, pruning"),
        ("filter", "not the databases lecture but the slides on databases"),
        ("boost", "see week 3"),
        ("boost", "a cost in part 3 of something"),
        ("boost", "what did week three say about costs"),
        ("boost", "what is said in chapter 3 about costs; so what"),
    ],
)
def test_a_hint_names_a_lecture_by_number_or_stem(tier: str, hint: str) -> None:
    assert told(references(COUNTED).named_in(hint)) == f"{tier} 03-databases"


def test_a_subject_is_no_name_nor_are_other_numbers_or_two_lectures() -> None:
    for among, hints in (
        (COUNTED, "module 5 imports numpy; week 4 sales figures dropped"),
        (COUNTED, "part 3 of 4 is on costs; we meet in room 3; week 3 tests are run"),
        (COUNTED, "how would we know if it rains; not How Would We Know?"),
        (COUNTED, "not the third lecture but costs; lectures 3 and 4"),
        (
            COUNTED,
            "lecture 2024; two lectures long; the union of 2 graphs; slide 3 of the talk",
        ),
        (COUNTED, "lectures 2-4; lectures 3, 4; lecture 3 & 4; lectures 3 and 9"),
        (COUNTED, "anything but shortest paths in graphs; the l2 cache is full"),
        (COUNTED, "the third lecture from the end; שלושה שיעורים; הרצאה 2 או 3"),
        (TWINNED, "evaluation of graphs; two lectures long"),
        (TWINNED, "a lecture in the morning; lecture 1 and lecture 2"),
    ):
        for hint in listed(hints):
            assert references(among).named_in(hint) is None, hint


def test_a_title_of_function_words_or_the_first_part_of_a_title_is_a_name() -> None:
    for doc_id, book_names in (
        ("a", "weighing coins; the lecture Weighing Coins; Course: Weighing Coins"),
        ("b", "Where are we now; slides of Where Are We Now?"),
        (
            "c1-notes",
            "How Would We Know?; how would we know; the How Would We Know lecture",
        ),
    ):
        for book_name in listed(book_names):
            assert named(book_name, TITLED) == f"filter {doc_id}", book_name


def test_a_name_of_several_documents_is_evidence_for_each() -> None:
    books = references(COUNTED).resolve("databases and recursion")
    assert each(books, "doc_id") == ["03-databases", "04-recursion"]
    assert each(books, "confidence") == [0.5, 0.5]
