"""ingest/paragraphs/kinds.py: the kind of a block, or why it is left out."""

import itertools
import string
from typing import Any

import pytest

from configs.settings import IngestSettings
from ingest.paragraphs.blocks import Block
from ingest.paragraphs.kinds import kind_of
from quarry.languages.labels import without_label

SETTINGS = IngestSettings(
    timeout_s=60,
    memory_mb=2000,
    min_words=25,
    max_words=60,
    reader="pypdfium2",
)
PROSE = (
    "The pivot should fall somewhere in the middle of the array, because a lopsided split leaves almost all of the "
    "work undone. Random choice makes that likely, whatever the input happens to be."
)
HEBREW = (
    "דוגמה נוספת היא חלוקת עוגת יום-הולדת בין ילדים. אנחנו מניחים שלכל ילד יש זכויות שוות, אבל יש להם טעמים שונים - "
    "אחד אוהב שוקולד, אחד אוהב קצפת וכו'. הם עלולים לקנא ולריב וזה לא יהיה נעים."
)


WORDS = list(map("".join, itertools.product(string.ascii_lowercase, "ae", "sth")))

RICH = (
    "For A ⊆ V with s ∈ A write c ( A ) for the sum of c ( u , v ) over all v ∉ A . "
    "Then f ≤ c ( A ) for every flow f , and c is full."
)

SUM = "E[X] = ∫01 x ⋅ f(x) dx = (x2 − 2 ⋅ x3/3)|10 = 1 − 2/3 = 1/3"
PLAIN = {
    "prose": [
        PROSE,
        HEBREW,
        " ".join(WORDS[:25]) + ".",
        " ".join(WORDS[:60]) + ".",
        RICH,
        f"Figure 1.6 shows that {PROSE}",
    ],
    "other": [
        # 25 words are enough, but no sentence ends
        " ".join(WORDS[:25]),
        " ".join(WORDS[:24]) + ".",
        "In 1972 London was very dry. All of the boats stayed.",
        # a sentence about code is kept
        "In the manual \\mark[x={a,b}] stands for the first and \\mark[y={c,d}] for "
        "the second; \\mark{} resets both of them.",
        "Find all α such that D = α A + β B.",
        "Take every X = {1, 2} and Y = {3, 4} apart.",
        "Such a D = {α A + β B | α, β > 0} contains no other ends",
        "Solution:",
        "Solution: Boats of all kinds",
        "The # of all these boats",
        "Let m and # be the numbers of pipes.",
        "A lonely short sentence.",
        "In 1987 K. M. Rao moored the boats of J. B. Dahl. See Sec. 3, i.e. the end.",
        "How boats come home at night . . . . . . .",
        "Find all boats with a number from 1 . . . 10",
        "else the boat returns (with the tide).",
        "In the harbour, boat += 1 and tide = sea.noon(pier) take turns.",
        "> Boats come home at night.",
        "for all boats (of a harbour), the tide returns at noon.",
        "The number of all these boats is given by n = {",
        "Hand in one file <id1>_<id2>.zip that has this:",
        "Both x and {a} × {b} = {{{a}, {b}} | a = x, b = x} are again sets.",
    ],
    "long": [
        " ".join(WORDS[:61]) + ".",
    ],
    "code": [
        "# The pivot should fall somewhere in the middle.",
        "129 // the current customer, and the price of all 130 boats",
        "for boat in range(pier): every += tide[boat] and some more of all",
        "for boat in boats:",
        "if every_tide[boat] == 'high' and pier:",
        "else if (tide is high) then return to all these boats;",
        "> plot(boats, col='blue', main='All these boats')",
        "boats <- read(harbour, tides, piers, every, other)",
        "int boat = 3; // the number of all boats of the harbour",
        "## all boats of the harbour, with the tide at noon",
        "[7]: # all boats of the harbour, with the tide at noon",
        "from harbour.boats import tide",
        "def moor(every, boat, pier) of the harbour with a tide",
        "Public static void main(String[] every) {",
        "class Boat(Harbour): every tide of the harbour",
        "friend Boat & operator==(const Boat & other, int tide) const;",
        "const char* name_of_boat(int tide) const override;",
        '133 System.out.println("boats come home at night!"); 134 return price;',
    ],
    "contents": [
        "1.2 Simplify and Delegate . . . . . . . . . . . . . 22",
        "How boats come home at night (a long tale) . . . 7",
        "How boats come home at night........12",
    ],
    "symbols": [
        "T(n) = 2T(n/2) + O(n) = O(n log n), x + y = 3 · (2 − z) ≤ 7 · (1 + 2) = 21, f(x) → 0.",
        " ".join(f"run {number} 0.{number}7 91.{number}" for number in range(10, 20))
        + ".",
        "∮ dz = lim 2πif = sup",
        "dz = −iε, start z0 + ε",
        "Noa Bar Levi, 012345678",
        "∑ resp/q (a) = 2πi resp/q (b)",
        "∫ p(x)/q(x) dx = 2πi ∑ resp/q(a)",
        "∫ p(z) dz ≤ πr · maxz∈γ p(z)",
        "Bell Rock 1810 35 m",
        "26 May 2021 Noa Levi",
        "Error: O(h2)",
        "Mean: μ = ∑ x ⋅ f(x)",
        "x = 3",
        "k",
        "F1 = 2/precision−1 + recall−1",
        "2nd rightmost digit = (number / 10) % 10",
    ],
    "word": [
        "https://docs.example.org/document/edit",
        "Gluten",
        "Wild Boats",
        "exp(n+1)(c) ec",
    ],
    "references": [
        "K. Jones, A. Smith, B. Gale, C. Yarowsky and D. Church. A Statistical Interpretation of Term Specificity. "
        "Journal of Documentation, London, 1972. Reprinted by Taylor Graham.",
        "Ting-En Lin and Hua Xu. 2019. Deep unknown intent detection with margin loss. In Proceedings of the "
        "Annual Meeting of the Association for Computational Linguistics (ACL).",
    ],
    "proof": [
        "Proof: By induction.",
        "Proof. By induction on the depth.",
    ],
    "theorem": [
        "Definition 7. A heap is a tree of keys.",
        "הגדרה. עץ הוא גרף קשיר.",
    ],
    "exercise": [
        "Exercise 3. Sort the list by hand.",
    ],
    "remark": [
        "Note that keys may repeat.",
    ],
}
"""Texts without features, by their kind or the reason to leave them out."""
FEATURED: list[tuple[str, dict[str, Any], str]] = [
    (PROSE, {"number": "1."}, "prose"),
    (PROSE, {"footnote": True}, "footnote"),
    (PROSE, {"is_heading": True}, "heading"),
    (f"for all of the boats: {SUM} = {SUM}", {"n_lines": 4}, "other"),
    (f"Number of boats: {SUM} = {SUM}", {"n_lines": 4}, "symbols"),
    ("Rewards", {"is_heading": True, "number": "1.3"}, "heading"),
    ("Rewards", {"is_heading": True}, "word"),
    (PROSE, {"in_table": True}, "boxed"),
    ("Mean Deviation", {"in_table": True}, "table"),
    (PROSE, {"in_table": True, "in_data": True}, "table"),
    ("Attention is all (Vaswani et al., 2017)", {"number": "•"}, "item"),
    ("Vaswani, A., Attention Is All (Curran, 2017)", {"number": "•"}, "references"),
    ("Jones, K. (1972) A study of boats, London: Graham.", {}, "references"),
    (f"Jones, K. (1972) {PROSE}", {}, "prose"),
    (
        "Kim Jones and Al Gale “A study of boats,” Tides (1972), 4: 1–9.",
        {},
        "references",
    ),
    ("Jones, Kim, et al. ”A study of boats and of tides.” (2016).", {}, "references"),
    ("Therefore, n2 = 3s + 1.", {"indent": 1.4}, "other"),
    ("Boats, n2 = 3s + 1.", {"indent": 1.4}, "symbols"),
    ("Boats 2 of 3 are 1. ⋄", {}, "other"),
    ("Boats 2 of 3 are 1 ⋄", {}, "symbols"),
    ("Kim Jones “A study of boats” (1972) says what a tide is.", {}, "other"),
    ("Kim Jones wrote “A study of boats,” in Tides (1972).", {}, "other"),
    ("Figure 3. Boats, Panel A. Tides, B. All of London, 1980–2022.", {}, "caption"),
    ("4 K. Jones, “A study of boats and of tides,”", {}, "other"),
    (
        "4 K. Jones, “A study of boats and of tides,”",
        {"heading": "English References"},
        "references",
    ),
    (
        "ד. כהן, ”מחקר על סירות ועל גאות“, כתב עת לים.",
        {"heading": "7 רשימת מקורות:"},
        "references",
    ),
    ("Boats of all kinds.", {"heading": "References"}, "other"),
    (
        "A study of boats and of tides",
        {"heading": "References", "number": "[4]"},
        "references",
    ),
    (
        "All boats: https://boats.example/of/all.pdf",
        {"heading": "References", "number": "•"},
        "references",
    ),
    (
        "Levi, Noa : A study of tides",
        {"heading": "1.4 Literatur", "number": "•"},
        "references",
    ),
    (
        "Wind that turns the blades of a boat",
        {"heading": "Energy Sources", "number": "1."},
        "item",
    ),
    (
        "Conflict over boats and tides",
        {"heading": "Sources of Conflict", "number": "4."},
        "item",
    ),
    (PROSE + " (1972)", {"heading": "References"}, "prose"),
    (PROSE, {"mono_share": 0.9}, "prose"),
    ("for line in lines: if line.strip(): print(line)", {"mono_share": 0.9}, "code"),
    (f"{PROSE[:-1]}; with no leaves, they grow.", {"mono_share": 0.9}, "prose"),
    ("More boats: https://boats.example", {"mono_share": 0.9}, "other"),
    ("Wooden boats;", {"number": "•", "in_list": True}, "item"),
    ("void print (tree) {", {"is_heading": True}, "code"),
    ("import Boats . F a s t ( s a i l )", {}, "code"),
    ("newtype Boat = Boat { sails :: Int }", {}, "code"),
    ("instance Show Boat where show (Boat n) = show n", {}, "code"),
    ("public static List<Boat> sail (Tide<Boat> t)", {}, "code"),
    ("SELECT name FROM boats WHERE sails > 2 AND harbour LIKE 'Kiel';", {}, "code"),
    ("SELECT name FROM boats; lists the names of all boats.", {}, "other"),
    ("INSERT INTO adds rows at the end of a table, as in:", {}, "other"),
    ("INSERT INTO boats VALUES ('Gull', 'Kiel harbour', 'two sails');", {}, "code"),
    ("Claim 3. d(v) ≤ dist(s, v) for v ∈ V", {}, "theorem"),
    ("Lema 4.2.1 |a+b|r ≤ c(|a|r + |b|r) con r > 0", {}, "other"),
    ("Claim 3. x = y", {}, "symbols"),
    ("Claim 3. x = {1, 2}, y = {1}.", {}, "theorem"),
    ("Theorem. nF(x) ∼ Bin(n, F(x))", {}, "theorem"),
    ("Example: (1 2 (3 (4 5) (6 7)) 8 (9 10)) Bin(x)", {}, "symbols"),
    ("Figure 3. Boats of all kinds at night", {"is_heading": True}, "caption"),
    ("See https://trees.example/a/b for all of them.", {"mono_share": 0.7}, "other"),
    ("See /a/b for all of them.", {"mono_share": 0.7}, "other"),
    ("See /a/b for all of them.", {"mono_share": 0.7, "in_listing": True}, "code"),
    ("Four half told words.", {"unknown_share": 0.3}, "unreadable"),
    (PROSE, {"unknown_share": 0.3}, "unreadable"),
    (f"Figure 1.6. {PROSE}", {"size_ratio": 0.9}, "caption"),
    ("Wild boats", {"number": "•", "in_list": True}, "item"),
    ("x′i ≥ xi", {"number": "1."}, "symbols"),
    ("{0 < p < 1 : P(z = 1) = p}.", {"number": "1.", "in_list": True}, "symbols"),
    ("x′i ≥ xi; y′i ≥ yi", {"number": "1.", "in_list": True}, "item"),
    ("Error: O(h2)", {"number": "•", "in_list": True}, "item"),
    ("Keys may repeat.", {"number": "•"}, "item"),
    ("precision − 1 + recall − 1", {"is_heading": True}, "symbols"),
    ("F1 = 2 + recall−1", {"is_heading": True}, "symbols"),
    ("Theory + practice", {"is_heading": True}, "heading"),
    ("θn+1 ← θn − λ∇f", {"number": "•"}, "symbols"),
    ("Write down some code: R_t=pd.read_csv(n_1, x_0)", {"number": "4."}, "item"),
    (
        "sup P(T(X) > c) = α (if its distribution is continuous)",
        {"indent": 6.0},
        "symbols",
    ),
    ("λ > 0 (the rate of all these boats)", {"number": "•"}, "item"),
    ("void moor(char boat, int pier, int every);", {"number": "–"}, "code"),
    (
        f"{PROSE} See https://a.example/b?c=1, https://a.example/b?d=2.",
        {"mono_share": 0.7},
        "prose",
    ),
    ("Therefore,", {}, "word"),
    ("Therefore,", {"display": "n < 3"}, "other"),
    (
        "2 Agenda Put the short film here, to play it behind the whole text.",
        {"in_table": True},
        "boxed",
    ),
    (
        "2 Agenda Put the short film here 4",
        {"in_table": True, "has_gaps": True},
        "table",
    ),
]


def kind_or_reason(text: str, **features: Any) -> str:
    block = Block(**{"page": 1, "heading": "", "text": text, **features})
    kind, reason = kind_of(block, SETTINGS)
    return reason or kind


def test_long_notes_with_years_and_capitals_are_references_if_they_have_an_initial() -> (
    None
):
    notes = "Neue Boote (1848). Hohe Kosten der Kohle. " * 9
    for text, expected in ((notes, ""), (f"Jones, K. {notes}", "references")):
        block = Block(page=1, heading="", text=text.strip())
        assert kind_of(block, IngestSettings())[1] == expected, text


@pytest.mark.parametrize("expected", PLAIN)
def test_a_text_has_a_kind_or_a_reason_to_be_left_out(expected: str) -> None:
    for text in PLAIN[expected]:
        assert kind_or_reason(text) == expected, text


@pytest.mark.parametrize(("text", "features", "expected"), FEATURED)
def test_features_of_a_block_change_its_kind(
    text: str, features: dict[str, Any], expected: str
) -> None:
    assert kind_or_reason(text, **features) == expected


def test_a_caption_has_a_label() -> None:
    for caption, text in (
        ("Figure 1.6: Trees grow.", "Trees grow."),
        ("איור 2. עצים גדלים.", "עצים גדלים."),
        ("Figure 1.6 shows trees.", "Figure 1.6 shows trees."),
        ("Theorem 2. Trees grow.", "Theorem 2. Trees grow."),
    ):
        assert without_label(caption) == text
