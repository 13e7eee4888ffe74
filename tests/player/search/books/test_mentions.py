"""Documents that a message names by a whole name, or by a single word."""

from collections.abc import Sequence

import pytest

from player.search.books.mentions import PROBABLY_NAMED, SURELY_NAMED
from player.search.books.resolver import BookResolver
from quarry.course.paragraph import Document
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import course_with, document, titled

NOTHING = "", 0.0
TITLED = titled(
    {
        "a": "Weighing Coins: Probability for Learners",
        "b": "Where Are We Now? Evaluation",
        "c1-notes": "How Would We Know?",
    }
)


def named_in(
    message: str, documents: Sequence[Document], *texts: str
) -> tuple[str, float]:
    """Return the document that a message names, of documents that have a text each, and the confidence."""
    ids = [f"{item.doc_id}:1:1" for item in documents]
    course = course_with(documents, list(map(paragraph, ids, texts)))
    book = BookResolver(course).named_in(message)
    return (book.doc_id, book.confidence) if book else NOTHING


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("in Weighing Coins, what is a cost", "a"),
        ("Where Are We Now? says costs", "b"),
        ("in How Would We Know?, what is a cost", "c1-notes"),
        ("see C1-notes on costs", "c1-notes"),
        ("weighing coins, probability for learners: a cost", "a"),
        ("weighing coins at home", ""),
        ("how would we know what it costs", ""),
        ("anything but How Would We Know?", ""),
        ("not c1-notes", ""),
        ("in Weighing Coinsmiths", ""),
        ("Weighing Coins or How Would We Know?", ""),
    ],
)
def test_a_message_holds_a_title_its_first_part_or_a_stem(
    message: str, expected: str
) -> None:
    assert named_in(message, TITLED)[0] == expected


def test_a_word_names_a_document_next_to_a_word_for_one_or_if_no_text_holds_it() -> (
    None
):
    text = "A cost is the main result."
    for hummel in (document("hummel-2019"), document("p17", ("K. Hummel", "author"))):
        documents = [document("01-hashing"), hummel]
        for message, confidence in {
            "tell me more about the hummel paper": SURELY_NAMED,
            "what does Hummel's article say on costs?": SURELY_NAMED,
            "summarise the paper by Hummel": SURELY_NAMED,
            "in the slides called hummel, what is a cost?": SURELY_NAMED,
            "the paper entitled Hummel on costs": SURELY_NAMED,
            "hummel: the main result": PROBABLY_NAMED,
        }.items():
            named = named_in(message, documents, text, text)
            assert named == (hummel.doc_id, confidence), message
            other = message.replace("ummel", "ooper")
            assert named_in(other, documents, text, text) == NOTHING, other


def test_the_order_in_which_a_message_names_a_document_twice_does_not_matter() -> None:
    documents = [document("hummel-kademlia")]
    for message in (
        "kademlia idea and then slides of hummel",
        "slides of hummel and then kademlia",
    ):
        named = named_in(message, documents, "A cost is the main result.")
        assert named == ("hummel-kademlia", SURELY_NAMED)


def test_an_author_whom_no_other_document_mentions_is_named() -> None:
    authors = {"a": "Ada Varn", "b": "Bo Hill", "c": "Cy Orlund"}
    documents = [document(key, (name, "author")) for key, name in authors.items()]
    texts = "By Ada Varn. It costs.", "By Bo Hill. It costs.", "Orlund and Varn."
    for message, expected in {
        "does Orlund mention costs": ("c", PROBABLY_NAMED),
        "the Varn survey on costs": ("a", SURELY_NAMED),
        "not the Varn survey": NOTHING,
        "does Varn mention costs": NOTHING,  # another document does
        "is there a hill in it": NOTHING,  # an everyday word
    }.items():
        assert named_in(message, documents, *texts) == expected, message
