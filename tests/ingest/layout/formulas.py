"""Sentences with random formulas of two dimensions, printed by Typst and by Chromium, and how they are read.

`python -m tests.ingest.layout.formulas SEED N` prints, for N documents by each program in each language, how many of
the opening sentences with each kind of formula are read as printed. With `--show` it also prints each fault.
"""

import functools
import itertools
import shutil
import sys
import tempfile
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from configs.settings import load
from evaluate.games.labelled import token_f1
from ingest.pipeline.read_document import read_pdf
from tests.ingest.layout.styles import PHRASES, PROGRAMS, Document


class Formula(NamedTuple):
    """A formula, or a kind of formulas with a place for each part: sources for both programs, and how it is read."""

    typst: str
    chromium: str
    reading: str


def _over(name: str, sign: str, mark: str) -> Formula:
    """Return a kind of letters with a sign over them."""
    mathml = f'<mover accent="true">{{}}<mo>{sign}</mo></mover>'
    return Formula(f"{name}({{}})", mathml, "{}" + mark)


def _limits(name: str, sign: str) -> Formula:
    """Return a kind of large operators with a sign below and one above."""
    mathml = (
        f'<munderover><mo movablelimits="false">{sign}</mo>{{}}{{}}</munderover>{{}}'
    )
    return Formula(f"limits({name})_({{}})^({{}}) {{}}", mathml, f"{sign}{{}}{{}}{{}}")


def _table(name: str, brackets: str, n_columns: int) -> Formula:
    """Return a kind of brackets around two rows of cells."""
    separator, cell = (" & " if name == "cases" else ", "), "<mtd>{}</mtd>"
    row = separator.join(["{}"] * n_columns)
    rows = f"<mtr>{cell * n_columns}</mtr>" * 2
    left, right = (bracket and f"<mo>{bracket}</mo>" for bracket in brackets.split("|"))
    return Formula(
        f"{name}({row}{', ' if name != 'mat' else '; '}{row})",
        f"{left}<mtable>{rows}</mtable>{right}",
        brackets.replace("|", "{}{}" * n_columns),
    )


KINDS = {
    "index": Formula("attach({}, b: {})", "<msub>{}{}</msub>", "{}{}"),
    "exponent": Formula("attach({}, t: {})", "<msup>{}{}</msup>", "{}{}"),
    "both": Formula("attach({}, b: {}, t: {})", "<msubsup>{}{}{}</msubsup>", "{}{}{}"),
    "prime": Formula("attach({}, t: prime)", "<msup>{}<mo>′</mo></msup>", "{}′"),
    "hat": _over("hat", "^", "\u0302"),
    "bar": _over("macron", "¯", "\u0304"),
    "line": _over("overline", "‾", "\u0304"),
    "fraction": Formula("frac({}, {})", "<mfrac>{}{}</mfrac>", "{}{}"),
    "large": Formula(
        "display(frac({}, {}))", '<mfrac displaystyle="true">{}{}</mfrac>', "{}{}"
    ),
    "root": Formula("sqrt({})", "<msqrt>{}</msqrt>", "√{}"),
    "sum": Formula(
        "sum_({})^({}) {}", "<msubsup><mo>∑</mo>{}{}</msubsup>{}", "∑{}{}{}"
    ),
    "integral": Formula(
        "integral_({})^({}) {}", "<msubsup><mo>∫</mo>{}{}</msubsup>{}", "∫{}{}{}"
    ),
    "limits": _limits("sum", "∑"),
    "union": _limits("union.big", "⋃"),
    "limit": Formula(
        "limits(lim)_({} -> oo) {}",
        '<munder><mo movablelimits="false">lim</mo><mrow>{}<mo>→</mo><mi>∞</mi></mrow></munder>{}',
        "lim{}→∞{}",
    ),
    "arrow": Formula(
        "{} limits(-->)^({}) {}", "{}<mover><mo>⟶</mo>{}</mover>{}", "{}⟶{}{}"
    ),
    "relation": Formula(
        "{} limits(<=)_({}) {}", "{}<munder><mo>≤</mo>{}</munder>{}", "{}≤{}{}"
    ),
    "cases": _table("cases", "{{|", 2),
    "matrix": _table("mat", "(|)", 2),
    "column": _table("vec", "(|)", 1),
}
"""Kinds of formulas."""

SIMPLE = ("index", "exponent", "prime", "hat", "root", "fraction")
LETTERED = ("index", "exponent", "both", "prime", "hat", "bar")
"""Kinds inside others, and kinds that begin with a letter."""


class FormulaDocument(Document):
    """A random document with a formula in each sentence; `kinds` has those of each paragraph's opening, by its text."""

    def __init__(self, program: str, language: str, seed: int) -> None:
        self._field = program
        self._formulas: dict[str, str] = {}
        self._kind_of: dict[str, str] = {}
        super().__init__(program, language, seed)

    def kind(self, opening: str) -> str:
        """Return the kind of the first formula of an opening sentence."""
        return self._kind_of.get(opening, "none")

    def _sentence(self) -> list[str]:
        phrases = super()._sentence()
        kind = self._random.choice([*KINDS])
        formula = self._formula(kind, 1)
        self._formulas[formula.reading] = getattr(formula, self._field)
        phrases.insert(
            self._random.randint(1, len(phrases) - 1), f"${formula.reading}$"
        )
        self._kind_of[" ".join(phrases).replace("$", "")] = kind
        return phrases

    def _formula(self, kind: str, depth: int) -> Formula:
        """Return a formula of a kind with random parts."""
        parts: list[Formula] = []
        for _ in range(KINDS[kind].reading.count("{}")):
            is_letter = not parts and kind in LETTERED
            if depth and not is_letter and self._random.random() < 0.3:
                parts.append(self._formula(self._random.choice(SIMPLE), depth - 1))
            else:
                letter = self._random.choice("abknxyABXθΩ")
                parts.append(Formula(letter, f"<mi>{letter}</mi>", letter))
        filled = []
        for pattern, sources in zip(KINDS[kind], zip(*parts, strict=True), strict=True):
            filled.append(pattern.format(*sources))
        return Formula(*filled)

    def _put(self, kind: str, *contents: str) -> str:
        if kind != "formula" or contents[0] not in self._formulas:
            return super()._put(kind, *contents)
        source = self._formulas[contents[0]]
        return (
            f"<math style='font-family: DejaVu Math TeX Gyre'>{source}</math>"
            if self._field == "chromium"
            else f"${source}$"
        )


def _plain(text: str) -> str:
    """Return a text without blanks and the bars of fractions, with accents after their letters."""
    return unicodedata.normalize("NFD", text).replace(" ", "").replace("/", "")


def read_formulas(
    program: str,
    language: str,
    seed: int,
    n_documents: int,
    is_shown: bool = False,
) -> dict[str, list[bool]]:
    """Print documents with a program, and read them.

    Returns:
        Whether each opening sentence was read as printed, by the kind of its formula.
    """
    right: dict[str, list[bool]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "formulas.pdf")
        for number in range(n_documents):
            document = FormulaDocument(program, language, 1000 * seed + number)
            document.program.write(document.source, path)
            paragraphs = read_pdf(path, "formulas", "", load().ingest).paragraphs
            openings = {_plain(paragraph.opening_sentence) for paragraph in paragraphs}
            for opening in document.openings.values():
                kind = document.kind(opening)
                right[kind].append(_plain(opening) in openings)
                if is_shown and not right[kind][-1]:
                    similar = functools.partial(token_f1, opening)
                    nearest = max(
                        (paragraph.opening_sentence for paragraph in paragraphs),
                        key=similar,
                    )
                    print(f"{number} {kind}: {opening}\n{number} read: {nearest}\n")

    return right


def main(seed: int, n_documents: int, is_shown: bool) -> None:
    """Print the shares for each program that is installed and each language."""
    for program, language in itertools.product(PROGRAMS, PHRASES):
        if program == "chromium" and shutil.which(program) is None:
            continue
        right = read_formulas(program, language, seed, n_documents, is_shown)
        every = [*itertools.chain.from_iterable(right.values())]
        print(f"{program} {language}: {sum(every) / len(every):.3f} of {len(every)}")
        for kind, values in sorted(right.items()):
            print(f"  {kind} {sum(values)} of {len(values)}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "--show" in sys.argv)
