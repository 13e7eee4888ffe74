"""quarry/course/sentences.py: the opening sentence, word for word."""

from itertools import chain
from pathlib import Path

from quarry.course.sentences import alternative_openings, opening_sentence, sentences

SENTENCES = Path(__file__).with_name("sentences.txt")
"""Texts, one a line, their sentences parted by a bar."""

FIRST = [
    "Some codes, e.g. Huffman codes, are short.",
    "It is cheap, i.e. it costs O(n).",
    "See Fig. 3 for the tree.",
    "As Sec. 4 shows, it ends.",
    "By the claim of Sect. 2 the map is open.",
    "На рис. 3 показан граф.",
    "Wie in Abschn. 4 gezeigt, gilt das.",
    "Según la ec. 5 es nulo.",
    "The value is 3.14 here.",
    "J. R. Smith proved it.",
    "Dr. Seuss wrote it.",
    "Kang et al. (2018) posed it.",
    "Kang et al. proposed it.",
    "They use trees, heaps, etc. and sort them.",
    "We pad it (see below. Or not) at once.",
    "Visit https://example.org/a.b?c=1 now.",
    "Index them as 1, 2, . . . , n first.",
    "R. A. Fisher had eight cups.",
    "Well, wait... there is more.",
    "He said: “Stop.”",
    "Is it so?",
    "Yes!",
    "It works (it really does!).",
    "People v. Collins is a case.",
    "The U.S. Senate met.",
    "Proof. Suppose it fails.",
    "Definition 3. A tree is a graph without cycles.",
    "Theorem 2.1. Suppose it fails.",
    "Theorem 4 (Gauss, 1801). Two such numbers are equal.",
    "Q2 (50 pts). Two such numbers are equal.",
    "Theorem 1 (On sums (for F)). Two such numbers are equal.",
    "Sie wachsen, z. B. Bäume.",
    "Der Rest, z. B. um sie zu finden.",
    "It splits into A and B.",
    "! Read it at once !",
    "Q2 (50 pts). Write it down.",
    "1.A. (5 pts.) Write it down.",
    "Proof of Lemma 2.1. Two such numbers are equal.",
    "Proof Pick ϵ > 0.",
    "Remark 1 1. ∅ is a set.",
    "Theorem (see Corlette, Simpson.)",
    "Demostración del teorema 2. Sean dos números.",
    "The mean is a root of q(x).",
    "Man fängt Fehler bzw. Männer und Frauen ab, ggf. Kinder.",
    "Es gibt o. B. d. A. Häuser mit Dach.",
    "El peso es de aprox. Dos kilos, p. ej. Hierro.",
    "Nach dem 2. Hauptsatz gilt es.",
    "Das steht auf S. 23 oben.",
    "It was proposed by S. Deerwester and others.",
    "The battery has 6 V.",
    "Lo dice l'Ing. Mengozzi nel libro.",
    "Мы берём, напр. Дома и сады.",
    "Wir fangen Fehler ab, z. B. Männer irren sich, d. h. Wir alle.",
    "Да, т. е. Пусть так.",
    "It is named after K. Wu.",
    "The theorem of S. Banach holds for all S.",
    "It was drawn by J. Kelly, who names it J.",
    "Tree A and J. Levi differ.",
    "In trees A. B. Levi sees leaves B.",
    "Keep it in S[1 .. n, 0 .. T], where T is the sum.",
    "R = (R, <, . . .) Skolem is small.",
    "Uvažujme a, tj. M = 1, napr. Dva na obr. 7 v poli.",
    "Weź np. dwa, tzn. Pole jest puste.",
    "Dus m.a.w. De rij is klein, bijv. Een.",
    "The mean is ȳi. − ȳ here.",
    "We walk from u to v.",
    "5.3.5. Aufgabe 3.5. Sei es so.",
    "Aufgabe 8.1(a). Wir nehmen an.",
    "It is [u] =! Two here.",
    "Daten, bsp. Email.",
    "Věta 3. Necht je to tak.",
]


def test_the_sentence_ends_where_it_ends() -> None:
    for sentence in FIRST:
        text = f"{sentence} The rest follows. And more?"
        assert opening_sentence(text) == sentence
        assert sentences(text) == [sentence, "The rest follows.", "And more?"]


MORE = "המשך הפסקה. סוף."

OPENINGS = {
    # an ellipsis before a capital ends it, a quoted question inside does not
    "Our life is frittered away. . . .": "Simplify it.",
    "“Which way?” is a question.": "Yes.",
    "Exercise 2. Let y = x + 3.": "Count all boats.",
    'היא נקראת ע"י כולם שיטת ד"ר הילל.': MORE,
    "הגדרה. שיטה נקראת עקבית אם היא עקבית.": MORE,
    "ההפרש הוא 15.6 מושבים בכנסת.": MORE,
    "התשובה היא כן!": MORE,
    "נסמן ב-M את המטריצה מעל V.": MORE,
    "במקום כל אות '.' ואחריה סוף.": MORE,
    "ما هي الشجرة؟": "هي رسم بلا دورات.",
    # initials are of the script of the name, and the last letter of a formula is none
    "ראו אצל J. Levi.": "סוף.",
    "Then P = I.": "Otherwise we permute.",
    "Give the rank of M.": "(It is two.)",
    "Take any K.": "Show that it is open.",
    "It holds for all k.": "J. R. Levi proved it.",
    "We draw the line through P.": "P lies below it.",
    "The ring is called Q.": "R is its field.",
    "Draw it for tree A and tree B.": "Make sure that it fits.",
    "It is a map into the group G.": "Define G as above.",
    "Here is a basis of the space V.": "Prove it.",
    "Let it be a map S → M.": "Maps of it exist.",
    "It holds on the curve X.": "Topologically, it is flat.",
    # abbreviations that are words too need a number or letter
    "Open the app.": "You need it.",
    "Read app. B first.": "Go.",
    "Read tab. 3 first.": "Go.",
    # a small Latin letter or a formula may begin the next sentence
    "זו שיטת היל.": "f היא פונקציה.",
    "It is optimal.": "n = O(k) holds.",
    "It is cheap w.r.t. n = 3 here.": "Go on.",
    "Let s = 3q.": "s divides six.",
    "Who was first?": "(b) Who was last?",
    "(a) Show it.": "(b) Use it.",
    "This is the signal.": "s(t) is periodic.",
    "(5 pts) a. Show that it holds.": "Use it.",
    "(2 נק') ג. הוכיחו את הטענה.": "השתמשו בה.",
    # a remark in brackets is a sentence of its own
    "It divides any power.": "(see also below)",
    "Which of them is right?": "(max. 1 answer)",
    "The converse holds, and vice versa.": "(ii) Rotations preserve it.",
    # a letter of another script is no initial
    "X hat die Kovarianzmatrix Σ.": "Als Matrix ist sie symmetrisch.",
    "Take any parameter Θ.": "Likelihood is a function.",
    "Это синтаксис языка C.": "Затем он меняется.",
    "Non cambia il periodo T.": "Infatti è lo stesso.",
    "Це мова, така як C.": "Тому вона швидка.",
}
"""Opening sentences, and what follows each."""


def test_what_follows_may_decide_where_the_sentence_ends() -> None:
    for sentence, rest in OPENINGS.items():
        assert opening_sentence(f"{sentence} {rest}") == sentence


def test_a_space_after_the_stop_may_be_missing_or_before_it() -> None:
    for text, opening in (
        ("הלוח מחומם.המשוואות נתונות.", "הלוח מחומם."),
        ("היא מקבלת קלט (צומת) .פונקציה אחרת היא.", "היא מקבלת קלט (צומת) ."),
        ("He taught Technology.His book sold well.", "He taught Technology."),
        ("Call Math.Random and java.util.List here.", None),
        ("The method Array.Find with Node.Is empty shows it.", None),
        ("By ineq. (a) we get a bound of max. x here.", None),
        ("הפונקציה Node.שם מחזירה ערך.", None),
        ("По Н. Wiener это так.", None),
        ("נכתב בקובץ main.py של א.ב.ג. כאן.", None),
    ):
        assert opening_sentence(text) == (opening or text)


def test_a_word_with_a_stop_that_is_an_index_ends_no_sentence() -> None:
    text = "It is ∏p prime. (1 + p) here. The rest follows."
    assert opening_sentence(text) == "It is ∏p prime."
    assert opening_sentence(text, indices=["prime."]) == "It is ∏p prime. (1 + p) here."


def test_text_without_an_end_is_its_own_opening_sentence() -> None:
    assert opening_sentence("no end here") == "no end here"
    assert opening_sentence("") == ""


def test_what_else_may_be_the_first_sentence() -> None:
    heading = "Stratified samples. Parts that differ are sampled."
    abbreviated = "Trees are graphs, e.g."
    for text, *openings in (
        (f"{heading} The rest follows.", heading),
        (f"{abbreviated} of dependence. And more follows here.", abbreviated),
        ("A sentence of more than five words. Another one.",),
    ):
        assert [*alternative_openings(text)] == openings


def test_sentences_of_mathematics_and_of_hebrew_end_where_they_end() -> None:
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    expected = [line.split("|") for line in lines]
    assert [sentences(" ".join(parts)) for parts in expected] == expected
    assert len(list(chain.from_iterable(expected))) >= 200
