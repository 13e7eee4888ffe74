"""Documents that a message names by a whole name, or by a single word."""

from player.search.books.course_names import CourseNames
from player.search.books.mentions import (
    PROBABLY_NAMED,
    SURELY_NAMED,
    documents_by_name,
    documents_by_word,
)
from quarry.course.paragraph import Document
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import document, titled

TITLED = titled(
    {
        "a": "Weighing Coins: Probability for Learners",
        "b": "Where Are We Now? Evaluation",
        "c1-notes": "How Would We Know?",
    }
)


def test_a_message_holds_a_title_its_first_part_or_a_stem() -> None:
    for message, expected in {
        "in Weighing Coins, what is a cost": {0},
        "Where Are We Now? says costs": {1},
        "in How Would We Know?, what is a cost": {2},
        "see C1-notes on costs": {2},
        "weighing coins, probability for learners: a cost": {0},
        "weighing coins at home": set(),
        "how would we know what it costs": set(),
        "anything but How Would We Know?": set(),
        "not c1-notes": set(),
        "see c1-notesheet": set(),
        "Weighing Coins or How Would We Know?": {0, 2},
    }.items():
        assert documents_by_name(message, CourseNames(TITLED)) == expected, message


def with_texts(documents: list[Document], *texts: str) -> CourseNames:
    """Names of documents that have a text each."""
    paragraphs = []
    for item, text in zip(documents, texts, strict=True):
        paragraphs.append(paragraph(f"{item.doc_id}:1:1", text))
    return CourseNames(documents, paragraphs)


def test_a_word_names_a_document_next_to_a_word_for_one_or_if_no_text_holds_it() -> (
    None
):
    text = "A cost is the main result."
    for hummel in (document("hummel-2019"), document("p17", ("K. Hummel", "author"))):
        names = with_texts([document("01-hashing"), hummel], text, text)
        for message, confidence in {
            "tell me more about the hummel paper": SURELY_NAMED,
            "what does Hummel's article say on costs?": SURELY_NAMED,
            "summarise the paper by Hummel": SURELY_NAMED,
            "in the slides called hummel, what is a cost?": SURELY_NAMED,
            "the paper entitled Hummel on costs": SURELY_NAMED,
            "hummel: the main result": PROBABLY_NAMED,
        }.items():
            assert documents_by_word(message, names) == {1: confidence}, message
            assert documents_by_word(message.replace("ummel", "ooper"), names) == {}, (
                hummel
            )


def test_the_order_in_which_a_message_names_a_document_twice_does_not_matter() -> None:
    names = with_texts([document("hummel-kademlia")], "A cost is the main result.")
    for message in (
        "kademlia idea and then slides of hummel",
        "slides of hummel and then kademlia",
    ):
        assert documents_by_word(message, names) == {0: SURELY_NAMED}


AUTHORS = with_texts(
    [
        document("a", ("Ada Varn", "author")),
        document("b", ("Bo Hill", "author")),
        document("c", ("Cy Orlund", "author")),
    ],
    "By Ada Varn. It costs.",
    "By Bo Hill. It costs.",
    "Orlund and Varn.",
)


def test_an_author_whom_no_other_document_mentions_is_named() -> None:
    for message, expected in {
        "does Orlund mention costs": {2: PROBABLY_NAMED},
        "the Varn survey on costs": {0: SURELY_NAMED},
        "not the Varn survey": {},
        "does Varn mention costs": {},  # another document does
        "is there a hill in it": {},  # an everyday word
    }.items():
        assert documents_by_word(message, AUTHORS) == expected, message
