"""Answers to the warm-up question, which holds a sum."""

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

from quarry.languages.english import ENGLISH

MAX_QUESTION_CHARS = 2_000
"""Maximum number of characters of a question that are read; the search for the sum takes quadratic time."""
MAX_SUM_CHARS = 200
"""Maximum number of characters of a sum that are read."""
MAX_POWER_BASE = 1e9
"""Maximum base of a power, so that it takes no time."""
MAX_EXPONENT = 99
"""Maximum exponent of a power, for the same reason."""
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**"})
"""Signs, and those of Python."""
_SPELT_SIGNS = {
    r"\b(plus|פלוס|ועוד)\b": "+",
    r"\b(minus|מינוס|פחות)\b\s*": "-",
    r"\b(times|multiplied by|כפול)\b": "*",
    r"(?<=\d)\s*x\s*(?=[\d(-])": "*",
    r"\b(divided by|חלקי|(לחלק|מחולק) [בל][-־]?)(?![^\W\d])": "/",
    r"(?<=\d)\s*(%|percent|אחוז(ים)?) (of\b|מ[-־]?(?=\d))": "/100*",
    r"%(?!\s*[\d(])": " percent",
    r"\b(mod|modulo|מודולו)\b": "%",
    r"(?<=\d),(?=\d{3}\b)": "",
    r"\b\d{4}-\d\d-\d\d([t ]\d\d:[\d:.]+\s*([-+]\d\d:?\d\d)?|\b)": "",
    r"\b\d\d?/\d\d?/(19|20)\d\d\b": "",
    r"(?<![\d.,])0+(?=\d)": "",
    r"\b(round|game|question|סיבוב|משחק|שאלה) \d+ *-(?= *[\d(][\d .)]*[-+*/%])": "",
    r"(?<=[\d)])\((?=[\d\s.+*/%()-]*\))": "*(",
}
"""Patterns of spelt signs, and the signs; commas of thousands, times, leading zeros and names of rounds are removed."""
_NUMBERS = {
    **{word: n for n, word in enumerate(["zero", "one", *ENGLISH.cardinals.split()])},
    **{word: n * 10 for n, word in enumerate(ENGLISH.tens.split(), start=2)},
}
"""Words for numbers, and the numbers."""
_SPELT_NUMBER = re.compile(
    rf"\b(?:({'|'.join(ENGLISH.tens.split())})[- ]({'|'.join([*_NUMBERS][1:10])})|({'|'.join(_NUMBERS)}))\b"
)
"""A number in words, such as "twenty-one" or "two"."""
_DECIMAL_COMMA = re.compile(r"(?<![\d,.])(\d+),(?=\d+(?!,?\d))")
"""A comma in a number that is in no list."""
_NAMED_SIGNS = {"sum": "+", "difference": "-", "product": "*", "quotient": "/"}
"""Names of results, and their signs."""
_NUMBER = r"-?\d+(?:\.\d+)?"
"""Pattern of a number."""
_NAMED = re.compile(
    rf"\b({'|'.join(_NAMED_SIGNS)}) (?:of|between) ({_NUMBER}(?:(?:,? and |, ?){_NUMBER})+)"
)
"""A result by its name, such as "the sum of 1, 2 and 3"."""
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
"""Signs between numbers."""


def answer_warmup(question: str) -> str:
    """Return the result of the longest sum in a question such as "What is 7 * 8?"; "0" if it has none."""
    text = question[:MAX_QUESTION_CHARS].lower().translate(_SIGNS)
    text = _SPELT_NUMBER.sub(_with_digits, text)
    for pattern, sign in _SPELT_SIGNS.items():
        text = re.sub(pattern, sign, text)
    text = _DECIMAL_COMMA.sub(r"\1.", _NAMED.sub(_spell_out, text))
    sums = re.findall(r"[-(]*\d[\d\s.+*/%()-]*", text)
    for expression in sorted(sums, key=_rank, reverse=True):
        value = _value(expression)
        if value is not None:
            return str(int(value)) if float(value).is_integer() else f"{value:.15g}"
    return "0"


def _with_digits(match: re.Match[str]) -> str:
    """Write a number in digits."""
    return str(sum(_NUMBERS[word] for word in match.groups() if word))


def _spell_out(match: re.Match[str]) -> str:
    """Write a result by its name with signs."""
    numbers = re.findall(_NUMBER, match[2])
    return f"({_NAMED_SIGNS[match[1]].join(numbers)})"


def _rank(expression: str) -> tuple[bool, int]:
    """Return whether a sum has a sign between numbers, and its length."""
    has_sign = re.search(r"\d[\s)]*[-+*/%][-*\s(]*\d", expression) is not None
    return has_sign, len(expression)


def _value(expression: str) -> float | None:
    """Compute a sum of numbers with + - * / % ** and parentheses; return None for anything else."""
    plain = " ".join(expression[:MAX_SUM_CHARS].split()).rstrip(".+-*/%( ")
    # the number of the question
    plain = re.sub(r"^\d+([.)] (?=[\d(-])| (?=\d))", "", plain)
    while plain.endswith(")") and plain.count(")") > plain.count("("):
        plain = plain[:-1].rstrip()
    while plain.count("(") > plain.count(")"):
        plain = plain.rpartition("(")[0].rstrip(".+-*/%( ")
    try:
        value = _compute(ast.parse(plain, mode="eval").body)
        return value if math.isfinite(value) else None
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _compute(node: ast.expr) -> float:
    """Compute an expression of numbers.

    Raises:
        ValueError: it holds anything else, or a power that takes time.
    """
    match node:
        case ast.Constant(int() | float() as number):
            return number
        case ast.UnaryOp(ast.USub(), operand):
            return -_compute(operand)
        case ast.BinOp(left, sign, right) if type(sign) in _OPERATORS:
            first, second = _compute(left), _compute(right)
            is_power = isinstance(sign, ast.Pow)
            if (
                is_power
                and max(abs(first) / MAX_POWER_BASE, abs(second) / MAX_EXPONENT) > 1
            ):
                raise ValueError("The power is too large.")
            value = _OPERATORS[type(sign)](first, second)
            if isinstance(value, int | float):  # and no complex root
                return value
    raise ValueError("The expression holds no numbers alone.")
