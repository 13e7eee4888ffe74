"""A player for a league's own process. It only needs Python 3.9 or later; Quarry runs in an environment of its own.

`quarry callbacks --write FILE` made this file; docs/guides/callbacks.md explains it. QUARRY_PYTHON may name another
Python that has Quarry. If Quarry does not answer in time, the player sends plain questions and a plain guess.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, wait
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

PYTHON = ""
"""The Python of Quarry."""
FOLDER = ""
"""The folder of Quarry's packages."""
OPTIONS: list[str] = []
"""Options of `quarry callbacks`."""
HINTS: tuple[str, ...] = ()
"""Fields of a context that may hold a hint, the best one first."""
DEADLINES: tuple[str, ...] = ()
"""Fields of a context that may hold a time limit, in seconds or as a moment."""
MAX_REPLY_S = 9.0
"""Maximum number of seconds until a reply; Quarry takes 8 s at most."""
FIRST_WAIT_S = 20.0
"""Maximum number of seconds that the first player waits until the child is loaded."""
MAX_START_S = 120.0
"""Maximum number of seconds until a child is ready."""
MAX_RESTART_PAUSE_S = 60.0
"""Maximum number of seconds before a child that fails each time is started again."""
STABLE_S = 10.0
"""Minimum number of seconds that a child must run to be started again without a pause."""
MAX_LINE_BYTES = 16_000_000
"""Maximum number of bytes of a line of the child."""
MAX_KEPT_ROUNDS = 8
"""Maximum number of latest rounds that are kept; the child gets them with each call, since it may be a new one."""

START = """
import sys
folder = sys.argv.pop(1)
if folder not in sys.path:
    sys.path.insert(0, folder)
try:
    from quarry.__main__ import main
except Exception as error:
    sys.exit(f"quarry: {sys.executable} cannot run Quarry ({type(error).__name__}: {error}); set QUARRY_PYTHON to a "
        "Python that can, or write the player again with quarry callbacks --write")
sys.exit(main())
"""
"""Program of the child, for `python -c`."""

TOPICS = (
    "a definition",
    "an example",
    "a comparison",
    "a number",
    "a formula",
    "a person",
    "a method",
    "a problem",
    "an advantage",
    "a limit",
    "a cause",
    "a result",
    "a history",
    "an experiment",
    "a tool",
    "a rule",
    "an error",
    "a measurement",
    "a decision",
    "a summary",
)
"""Topics of the plain questions."""
SENTENCE_REASON = (
    "The hint describes what the paragraph is about, and the answers to questions 1, 2 and 3 do not contradict this "
    "sentence; therefore it is the likeliest opening that can be given without further evidence."
)
"""Justification of the sentence in a plain guess."""
WORD_REASON = (
    "The word belongs to the named domain, and the answers to questions 1 and 2 suggest a paragraph that explains "
    "ideas, therefore it fits here."
)
"""Justification of the word in a plain guess."""
PLAIN_WORD = "theory"
"""Associative word of a plain guess."""
GUESS_TEXTS = (
    "opening_sentence",
    "sentence_justification",
    "associative_word",
    "word_justification",
)
"""Texts of a guess."""


class MyPlayerAI:
    """The four callbacks. Each returns a valid value in time and raises nothing."""

    def __init__(self) -> None:
        wait_until_loaded(FIRST_WAIT_S)

    def get_warmup_answer(self, ctx: Any) -> Any:
        """Return {"answer"}."""
        with contextlib.suppress(Exception):
            ctx = as_plain(ctx)
            return quarry().ask("get_warmup_answer", ctx) or plain_answer(ctx)
        return {"answer": "0"}

    def get_questions(self, ctx: Any) -> Any:
        """Return {"questions"}: 20 questions, the same ones for the same context."""
        with contextlib.suppress(Exception):
            ctx = as_plain(ctx)
            earlier = [reply for other, reply in _rounds if other == ctx]
            reply = earlier[0] if earlier else quarry().ask("get_questions", ctx)
            reply = reply or plain_questions()

            with _lock:  # it is the latest round now
                others = [item for item in _rounds if item[0] != ctx]
                _rounds[:] = [*others[1 - MAX_KEPT_ROUNDS :], (ctx, reply)]
            return reply
        return plain_questions()

    def get_guess(self, ctx: Any) -> Any:
        """Return the sentence and the word, each with its justification, and the confidence."""
        with contextlib.suppress(Exception):
            ctx = as_plain(ctx)
            return quarry().ask("get_guess", ctx) or plain_guess(ctx)
        return plain_guess({})

    def on_score_received(self, ctx: Any) -> None:
        """Let Quarry learn from the score."""
        with contextlib.suppress(Exception):
            quarry().ask("on_score_received", as_plain(ctx))


class Quarry:
    """The child process that runs Quarry; a thread starts it again when it ends.

    Attributes:
        child: the process while it answers calls, else None.
        replies: the reply of each call that waits for one, by the number of the call.
    """

    def __init__(self) -> None:
        self.child: Any = None
        self.replies: dict[int, Future[Any]] = {}
        self.n_calls = 0
        self.lock = threading.Lock()  # of the attributes above
        self.writing = threading.Lock()
        self.is_ready = threading.Event()
        self.began = time.monotonic()
        self.last_line = ""
        in_thread(self.keep_running)

    def keep_running(self) -> None:
        """Run a child again and again."""
        pause_s = 0.0
        while True:
            started = time.monotonic()
            try:
                self.run_child()
            except Exception as error:
                self.say(f"{python()} cannot be started: {error}")
            if time.monotonic() - started > STABLE_S:
                pause_s = 0.0
            time.sleep(pause_s)
            pause_s = min(MAX_RESTART_PAUSE_S, 2.0 * pause_s or 1.0)

    def run_child(self) -> None:
        """Start a child, and read its lines until it ends."""
        child: Any = subprocess.Popen(
            [python(), "-I", "-c", START, FOLDER, "callbacks", *OPTIONS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=FOLDER,
            start_new_session=True,  # Ctrl-C is the league's; the end of its input ends the child
        )
        printing = in_thread(print_lines, child.stderr)
        timer = threading.Timer(MAX_START_S, kill, [child])
        timer.daemon = True
        timer.start()

        try:
            for line in iter(lambda: child.stdout.readline(MAX_LINE_BYTES), b""):
                message = read_message(line)
                if message.get("ready") is True:
                    timer.cancel()
                    with self.lock:
                        self.child = child
                    self.is_ready.set()
                self.take_reply(message)
        finally:
            timer.cancel()
            self.fail_calls()
            kill(child)
            code = child.wait()
            printing.join(1.0)
            for pipe in (child.stdin, child.stdout):
                with contextlib.suppress(OSError):  # a call that was not written
                    pipe.close()
            self.say(f"the child process ended with code {code}")

    def take_reply(self, message: dict[str, Any]) -> None:
        """Give the reply in a message of the child to the call that waits for it."""
        number = message.get("id")
        if isinstance(number, int):
            with self.lock:
                future = self.replies.pop(number, None)
            if future is not None:
                future.set_result(message.get("reply"))

    def fail_calls(self) -> None:
        """Let the calls that wait for a reply ask the next child."""
        with self.lock:
            self.is_ready.clear()
            self.child = None
            futures = list(self.replies.values())
            self.replies.clear()
        for future in futures:
            future.set_exception(EOFError())

    def ask(self, call: str, ctx: Any) -> Any:
        """Return the child's reply to a call; None if no valid reply comes in time."""
        due = time.monotonic() + max_reply_s(ctx)
        rounds = [(other, reply == plain_questions()) for other, reply in _rounds]
        message = {"call": call, "ctx": ctx, "rounds": rounds}

        while time.monotonic() < due:
            self.is_ready.wait(due - time.monotonic())
            asked_at = time.monotonic()
            with self.lock:
                child = self.child
                if child is None:
                    continue
                self.n_calls += 1
                number = self.n_calls
                future = self.replies[number] = Future()

            line = json.dumps({"id": number, **message}) + "\n"
            in_thread(self.write, child, line)  # a child that hangs reads nothing
            wait([future], due - asked_at)
            if not future.done():
                self.give_up(number, child, due - asked_at)
            elif future.exception() is None:
                reply = future.result()
                return reply if is_valid(call, reply) else None
        return None

    def give_up(self, number: int, child: Any, waited_s: float) -> None:
        """Forget a call without a reply; end its child if the call has waited long enough to know that it hangs."""
        with self.lock:
            self.replies.pop(number, None)
            if child is self.child and waited_s > MAX_REPLY_S / 2:
                kill(child)

    def write(self, child: Any, line: str) -> None:
        """Write a line to the child."""
        with contextlib.suppress(OSError, ValueError), self.writing:
            child.stdin.write(line.encode())
            child.stdin.flush()

    def say(self, text: str) -> None:
        """Print a line unless it repeats the last one."""
        with contextlib.suppress(Exception):
            if text != self.last_line:
                print(f"quarry: {text}", file=sys.stderr, flush=True)
        self.last_line = text


_children: dict[int, Quarry] = {}
"""The child of each process by the id of the process; a forked process starts its own."""
_rounds: list[tuple[Any, Any]] = []
"""The context and the questions of the latest rounds, the latest last."""
_lock = threading.Lock()
"""Lock of both."""


def quarry() -> Quarry:
    """Return the child that all players of this process share."""
    process_id = os.getpid()
    with _lock:
        if process_id not in _children:
            _children[process_id] = Quarry()
        return _children[process_id]


def wait_until_loaded(longest_s: float) -> bool:
    """Wait until the child is ready, fails or is too late; return whether it is ready."""
    quarry_process = quarry()
    while not quarry_process.is_ready.wait(0.05):
        waited_s = time.monotonic() - quarry_process.began
        if quarry_process.last_line or waited_s > longest_s:
            return False
    return True


def python() -> str:
    """Return the Python of Quarry."""
    return os.environ.get("QUARRY_PYTHON") or PYTHON


def in_thread(work: Any, *arguments: Any) -> threading.Thread:
    """Start and return a thread that does not keep the process alive."""
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def print_lines(pipe: Any) -> None:
    """Print the lines of a pipe to standard error; ignore failures, since that may be a file on a full disk."""
    with pipe:
        for line in iter(lambda: pipe.readline(MAX_LINE_BYTES), b""):
            with contextlib.suppress(Exception):
                print(line.decode("utf-8", "replace"), end="", file=sys.stderr)


def kill(child: Any) -> None:
    """End a child and the processes that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


def read_message(line: bytes) -> dict[str, Any]:
    """Read a line of the child as a JSON object; {} if it is none."""
    with contextlib.suppress(ValueError, RecursionError):
        message = json.loads(line)
        if isinstance(message, dict):
            return message
    return {}


def as_plain(ctx: Any) -> Any:
    """Copy a context as plain JSON values; objects of the league become mappings or texts."""

    def plain(value: Any) -> Any:
        return dict(value) if hasattr(value, "keys") else str(value)

    return json.loads(json.dumps(ctx, default=plain, skipkeys=True))


def field(ctx: Any, *names: str) -> Any:
    """Return the first field with one of these names that is not empty, also in a payload; "" if there is none."""
    return next(read_fields(ctx, *names), "")


def read_fields(ctx: Any, *names: str) -> Iterator[Any]:
    """Yield the fields with one of these names that are not empty, also those of payloads."""
    for part in (inner(ctx, "dynamic"), inner(ctx, "service")):
        for fields in (part, inner(part, "payload")):
            for name in names:
                value = fields.get(name)
                if isinstance(value, (str, int, float)) and value != "":
                    yield value


def inner(fields: Any, name: str) -> dict[str, Any]:
    """Return the mapping under a name; {} if there is none."""
    value = fields.get(name) if isinstance(fields, dict) else None
    return value if isinstance(value, dict) else {}


def max_reply_s(ctx: Any) -> float:
    """Return the maximum number of seconds for the reply to a context: half of the time that its deadline leaves."""
    for deadline in read_fields(ctx, *DEADLINES):
        with contextlib.suppress(ValueError, OverflowError):
            limit_s = read_limit_s(deadline)
            if limit_s > 0:
                return min(MAX_REPLY_S, 0.5 * limit_s)
    return MAX_REPLY_S


def read_limit_s(deadline: Any) -> float:
    """Return the seconds until a deadline: a number, or a moment in ISO 8601, in UTC if it has no offset."""
    with contextlib.suppress(ValueError):
        return float(deadline)
    moment = datetime.fromisoformat(deadline.strip().replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)  # noqa: UP017 - Python 3.9
    return moment.timestamp() - time.time()


def is_valid(call: str, reply: Any) -> bool:
    """Return whether a reply to a call is complete."""

    def are_texts(*values: Any) -> bool:
        return all(isinstance(value, str) and value.strip() for value in values)

    with contextlib.suppress(Exception):
        if call == "get_warmup_answer":
            return are_texts(reply["answer"])
        if call == "get_guess":
            texts = [reply[name] for name in GUESS_TEXTS]
            return are_texts(*texts) and 0.0 <= reply["confidence"] <= 1.0
        numbers = [item["question_number"] for item in reply["questions"]]
        for item in reply["questions"]:
            if not are_texts(item["question_text"], *map(item["options"].get, "ABCD")):
                return False
        return numbers == list(range(1, 21))
    return False


def plain_answer(ctx: Any) -> Any:
    """Return the result of the first calculation with two numbers in a warm-up question; "0" if there is none."""
    question = str(field(ctx, "warmup_question", "question"))
    number = r"(-?\d{1,9}(?:\.\d{1,9})?)"
    match = re.search(rf"{number}\s*([-+*/x×÷])\s*{number}", question)
    one, sign, other = match.groups() if match else ("0", "+", "0")
    a, b = Decimal(one), Decimal(other)
    quotient = round(a / (b or 1), 9)
    results = {"+": a + b, "-": a - b, "/": quotient, "÷": quotient}
    return {"answer": f"{results.get(sign, a * b).normalize():f}"}


def plain_questions() -> Any:
    """Return 20 questions about the subject of the paragraph."""
    options = {
        "A": "mainly",
        "B": "in part",
        "C": "not at all",
        "D": "this cannot be told",
    }
    questions = []
    for number, topic in enumerate(TOPICS, 1):
        text = f"How much does the paragraph deal with {topic}?"
        question = {
            "question_number": number,
            "question_text": text,
            "options": options,
            # other names, which a league may read
            "number": number,
            "text": text,
            "choices": options,
        }
        questions.append(question)

    return {"questions": questions}


def plain_guess(ctx: Any) -> Any:
    """Return a guess made of the hint, or else of the book, of a context or of the latest round with its ids."""

    def ids(context: Any) -> list[Any]:
        return [field(context, name) for name in ("game_id", "match_id")]

    round_ctx = ctx
    for other, _ in _rounds:
        if not any(ids(ctx)) or ids(ctx) == ids(other):
            round_ctx = other
    sentence = str(field(ctx, *HINTS) or field(round_ctx, *HINTS)).strip() or PLAIN_WORD
    texts = (sentence, SENTENCE_REASON, PLAIN_WORD, WORD_REASON)
    return {**dict(zip(GUESS_TEXTS, texts)), "confidence": 0.0}  # noqa: B905


def main() -> int:
    """Print whether Quarry can be started; return the exit code."""
    if not wait_until_loaded(MAX_START_S):
        return 1
    print("Quarry is ready to play.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
