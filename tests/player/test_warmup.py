"""Sums in questions."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from player.warmup import answer_warmup

SUMS = {
    "What is 7 * 8?": "56",
    "Compute 100-58.": "42",
    "2 + 3 * 4 = ?": "14",
    "What is ((1 + 2) * (3 + 4)) - 1?": "20",
    "6 × 7": "42",
    "84 ÷ 2": "42",
    "6 x 7": "42",
    "50 − 8": "42",
    "What is seven? I mean 7 multiplied by 8.": "56",
    "What is 12 PLUS 30?": "42",
    "84 divided by 2 plus 1 minus 3": "40",
    "Question 1: what is 15 + 27?": "42",
    "5 +\n 3": "8",
    "What is 1,250 + 1,250,000?": "1251250",
    "What is 007 + 005?": "12",
    "What is 1.05 + 0.05?": "1.1",
    "Just 42": "42",
    "In 2026, what is 7*8?": "56",
    "Question 12345: what is 7 * 8?": "56",
    "On 2026-11-28, what is (7) * 8?": "56",
    "What is 5 + 3 (answer quickly)?": "8",
    "Warm up (hint: 2 + 2)": "4",
    "What is 5+5 (2 points)?": "10",
    "1. 3 + 4 = ?": "7",
    "1) 3 + 4": "7",
    "1 / 8": "0.125",
    "1234567 / 2": "617283.5",
    "99999 * 123456.5": "12345526543.5",
    "What is 3 * -4?": "-12",
    "What is -(2 + 3)?": "-5",
    "minus 7 plus 3": "-4",
    "0 / -5": "0",
    "2 - -2": "4",
    "": "0",
    "What is the capital of France?": "0",
    "1 / (2 - 2)": "0",
    "+ - * /": "0",
    "((((": "0",
    "1.2.3 + 4": "0",
    "2**3": "8",
    "What is 2 ^ 10?": "1024",
    "2 ** 2 ** 2": "16",
    "(2+3)^2": "25",
    "2^-1": "0.5",
    "(-8)^(1/3)": "0",
    "What is the sum of 7 and 8?": "15",
    "Give the sum of 1, 2, and 3.5.": "6.5",
    "The difference between 9 and -4, please": "13",
    "the product of 6 and 7 plus 1": "43",
    "the quotient of 1,000 and 8": "125",
    "What is 15% of 80?": "12",
    "What is 12.5 percent of 80?": "10",
    "٣ + ٤ = ?": "0",
    "Round 12 - what is 3 + 4?": "7",
    "Round 12 – 3 + 4": "7",
    "Question 12 - 5": "7",
    "סיבוב 12 - כמה זה 3 + 4?": "7",
    "כמה זה 3 כפול 4?": "12",
    "כמה זה 3 ועוד 4, פחות 1?": "7",
    "כמה זה 10 פחות 4?": "6",
    "כמה זה 12 לחלק ב-4?": "3",
    "15% מ-80": "12",
    "100 - 7,5": "92.5",
    "(1,5 + 2,05) * 2": "7.1",
    "The sum of 1,2 and 3": "6",
    "17 mod 5": "2",
    "17 % 5": "2",
    "17 modulo (2 + 3)": "2",
    "17 mod 0": "0",
    "Give 20% + 5": "20",
    "What is 12 + 7? (deadline 2026-11-29T22:00:00Z)": "19",
    "At 2026-11-29 22:00:00.5 +02:00: 12 + 7": "19",
    "2026-11-29T22:00-05:30 12 + 7": "19",
    "On 29/11/2026, what is 7*8?": "56",
    "3(4+5)": "27",
    "(1 + 2)(3 + 4)": "21",
    "2(3(4+5) - 7)": "40",
    "What is 5+5(2 points)?": "10",
    "What is seven times eight?": "56",
    "Round two 3 + 4": "7",
    "The sum of twenty-one and forty two": "63",
    "One question: what is twelve minus 20?": "-8",
}


@pytest.mark.parametrize(("question", "answer"), SUMS.items())
def test_a_sum_is_worked_out_and_anything_else_is_0(question: str, answer: str) -> None:
    assert answer_warmup(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "9**9**9**9**9",
        "*".join(["9**99"] * 33),
        "*".join(["9.5**99"] * 25),
        "9" * 190 + "**99",
        "sum of " + "1, " * 10_000,
        "(" * 1_000 + "1" + ")" * 1_000,
        "(" * 30_000,
        "((1)" * 10_000,
        "-" * 30_000 + "1",
        "1" * 30_000,
        "1+" * 15_000 + "1",
        "7 times " * 30_000,
        "," * 30_000 + "000",
        "0" * 30_000,
    ],
    ids=lambda question: question[:6],
)
def test_a_monstrous_sum_takes_bounded_time(question: str) -> None:
    started = time.process_time()
    answer = answer_warmup(question)

    assert time.process_time() - started < 2.0
    assert 0 < len(answer) <= 2_000
    float(answer)


@settings(max_examples=100)
@given(some.text(alphabet="0123456789+-*/(). ,xX×÷−\n", max_size=60))
def test_anything_like_a_sum_has_a_number_for_an_answer(question: str) -> None:
    assert np.isfinite(float(answer_warmup(question)))
