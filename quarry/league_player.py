"""A player for a league's own process. It needs Python 3.9 or later alone; Quarry runs in an environment of its own.

`quarry callbacks --write FILE` made this file; docs/guides/callbacks.md explains it. QUARRY_PYTHON may name another
Python that has Quarry. Where Quarry does not answer in time, plain questions and a plain guess take its place.
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
from typing import Any

PYTHON = ""
"""The Python of Quarry."""
FOLDER = ""
"""The folder of Quarry's packages."""
OPTIONS: list[str] = []
"""Options of `quarry callbacks`."""
NAMES: list[list[str]] = []
"""Names of what a round says: two ids, book, hint and domain."""

LONGEST_S = 9.0
"""Time for a reply; Quarry takes 8 s at most."""
LOADING_S = 20.0
"""Longest time that the first player waits for the child to load."""
LONGEST_START_S = 120.0
LONGEST_PAUSE_S = 60.0
"""Longest pause before a child is started again that fails each time."""
STABLE_S = 10.0
"""A child that ran longer is started again at once."""
MAX_LINE_BYTES = 16_000_000
MOST_ROUNDS = 200

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

TOPICS = """a definition|an example|a comparison|a number|a formula|a person|a method|a problem|an advantage|a limit|a
cause|a result|a history|an experiment|a tool|a rule|an error|a measurement|a decision|a summary"""
SENTENCE_REASON = (
    "The hint describes what the paragraph is about, and the answers to questions 1, 2 and 3 do not contradict this "
    "sentence; therefore it is the likeliest opening that can be given without further evidence."
)
WORD_REASON = (
    "The word belongs to the named domain, and the answers to questions 1 and 2 suggest a paragraph that explains "
    "ideas, therefore it fits here."
)
WORD = "theory"
MESSAGES = ("payload", "envelope", "message", "round_start", "start")
"""Names of a message within a context."""
GUESS_TEXTS = (
    "opening_sentence",
    "sentence_justification",
    "associative_word",
    "word_justification",
)


class Quarry:
    """The child process. A thread starts it again whenever it ends."""

    def __init__(self) -> None:
        self.pid, self.began = os.getpid(), time.monotonic()
        self.child: Any = None  # only while it answers
        self.ready = threading.Event()
        self.lock, self.writing = threading.Lock(), threading.Lock()
        self.calls: dict[Any, list[Any]] = {}  # an event, and then the reply
        self.n_calls = 0
        self.said = ""
        in_thread(self.run)

    def run(self) -> None:
        """Keep a child running."""
        pause_s = 0.0
        while True:
            started = time.monotonic()
            try:
                self.serve()
            except Exception as error:
                self.say(f"{python()} cannot be started: {error}")
            if time.monotonic() - started > STABLE_S:
                pause_s = 0.0
            time.sleep(pause_s)
            pause_s = min(LONGEST_PAUSE_S, 2.0 * pause_s or 1.0)

    def serve(self) -> None:
        """Start a child, and read its replies until it ends."""
        child: Any = subprocess.Popen(
            [python(), "-I", "-c", START, FOLDER, "callbacks", *OPTIONS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=FOLDER,
            start_new_session=True,  # Ctrl-C is the league's; the end of its input ends the child
        )
        printing = in_thread(pass_on, child.stderr)
        timer = threading.Timer(LONGEST_START_S, kill, [child])
        timer.daemon = True
        timer.start()
        try:
            for line in iter(lambda: child.stdout.readline(MAX_LINE_BYTES), b""):
                with contextlib.suppress(ValueError, RecursionError):
                    self.take(json.loads(line), child, timer)
        finally:
            timer.cancel()
            with self.lock:
                self.ready.clear()
                self.child = None
                for event, *_ in self.calls.values():
                    event.set()  # to ask the next child
            kill(child)
            code = child.wait()
            printing.join(1.0)
            for end in (child.stdin, child.stdout):
                with contextlib.suppress(OSError):  # a call that was not written
                    end.close()
            self.say(f"the child process ended with code {code}")

    def take(self, message: Any, child: Any, timer: threading.Timer) -> None:
        """Take a message of the child: that it is ready, or a reply."""
        if not isinstance(message, dict):
            return
        number = message.get("id")
        with self.lock:
            if message.get("ready") is True:
                timer.cancel()
                self.child = child
                self.ready.set()
            elif isinstance(number, int) and number in self.calls:
                event, *_ = self.calls[number]
                self.calls[number] = [event, message.get("reply")]
                event.set()

    def ask(self, call: str, ctx: Any) -> Any:
        """Return the child's reply to a call, None if it does not come in time."""
        due = time.monotonic() + seconds_for(ctx)
        text = json.dumps({"call": call, "ctx": ctx}, default=plain, skipkeys=True)
        while time.monotonic() < due:
            self.ready.wait(due - time.monotonic())
            event, asked = threading.Event(), time.monotonic()
            with self.lock:
                child = self.child
                if child is None:
                    continue
                self.n_calls += 1
                number = self.n_calls
                self.calls[number] = [event]
            line = f'{{"id": {number}, {text[1:]}\n'
            in_thread(self.write, child, line)  # a child that hangs reads nothing
            came = event.wait(due - asked)
            with self.lock:
                _, *reply = self.calls.pop(number)
                is_hung = not came and due - asked > LONGEST_S / 2
                if is_hung and child is self.child:
                    kill(child)
            if reply:
                return reply[0]
        return None

    def write(self, child: Any, line: str) -> None:
        """Write a line to the child."""
        with contextlib.suppress(OSError, ValueError), self.writing:
            child.stdin.write(line.encode())
            child.stdin.flush()

    def say(self, text: str) -> None:
        """Print a line, unless it was the last one."""
        with contextlib.suppress(Exception):
            if text != self.said:
                print(f"quarry: {text}", file=sys.stderr, flush=True)
        self.said = text


class Rounds:
    """The rounds of this process: what each says, and the questions that were sent."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rounds: dict[tuple[str, ...], Any] = {}  # the latest questions last

    def questions(self, ctx: Any) -> Any:
        """Return the 20 questions of a round, the same each time."""
        says = says_of(ctx)
        with self.lock:
            found = self.rounds.get(says) if any(says) else None
        if found is None:
            reply = quarry().ask("get_questions", ctx)
            is_own = not are_questions(reply)
            found = reply["questions"] if not is_own else own_questions(), is_own
        with self.lock:
            found = self.rounds.pop(says, found)
            self.rounds[says] = found
            for old in list(self.rounds)[:-MOST_ROUNDS]:
                del self.rounds[old]
        return {"questions": found[0]}

    def guess(self, ctx: Any) -> Any:
        """Return the guess; the answers to questions of this file tell Quarry nothing."""
        wanted, is_own, best = says_of(ctx), False, 0
        known = wanted
        with self.lock:
            rounds = list(self.rounds.items())
        for says, (_, is_own_round) in rounds:
            n_repeated = fit(wanted, says)
            if n_repeated >= best:  # the last of equals
                best, is_own = n_repeated, is_own_round
                known = tuple(a or b for a, b in zip(wanted, says))  # noqa: B905
        dynamic = part(ctx, "dynamic")
        for names, text in zip(NAMES, known):  # noqa: B905
            if text:
                dynamic[names[0]] = text
        if is_own:
            dynamic.update(answers=[], responses=[])
        reply = quarry().ask(
            "get_guess", {"dynamic": dynamic, "service": part(ctx, "service")}
        )
        return reply if is_guess(reply) else own_guess(known)


_children: list[Quarry] = []
_rounds = Rounds()
_starting = threading.Lock()


def quarry() -> Quarry:
    """Return the child of this process, which all its players share; a fork has one of its own."""
    with _starting:
        if not _children or _children[-1].pid != os.getpid():
            _children.append(Quarry())
        return _children[-1]


def is_loaded(longest_s: float) -> bool:
    """Return whether the child is ready; wait until it is or has failed, or until the time since its start is over."""
    child = quarry()
    while not child.ready.wait(0.05):
        if child.said or time.monotonic() - child.began > longest_s:
            return False
    return True


class MyPlayerAI:
    """The four callbacks. Each returns something valid in time and raises nothing."""

    def __init__(self) -> None:
        is_loaded(LOADING_S)

    def get_warmup_answer(self, ctx: Any) -> Any:
        """Return {"answer"}."""
        with contextlib.suppress(Exception):
            reply = quarry().ask("get_warmup_answer", ctx)
            if is_text(reply, "answer"):
                return reply
        return {"answer": own_answer(ctx)}

    def get_questions(self, ctx: Any) -> Any:
        """Return {"questions"}: 20 of them."""
        with contextlib.suppress(Exception):
            return _rounds.questions(ctx)
        return {"questions": own_questions()}

    def get_guess(self, ctx: Any) -> Any:
        """Return the sentence and the word, each with its justification, and the confidence."""
        with contextlib.suppress(Exception):
            return _rounds.guess(ctx)
        return own_guess(())

    def on_score_received(self, ctx: Any) -> None:
        """Let Quarry learn from the score."""
        with contextlib.suppress(Exception):
            quarry().ask("on_score_received", ctx)


def python() -> str:
    """Return the Python of Quarry."""
    return os.environ.get("QUARRY_PYTHON") or PYTHON


def in_thread(work: Any, *arguments: Any) -> threading.Thread:
    """Start and return a thread that does not keep the process alive."""
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def pass_on(pipe: Any) -> None:
    """Print the lines of a child on our standard error, which may be a file on a full disk."""
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


def plain(value: Any) -> Any:
    """Return an object of the league as JSON can write it."""
    return dict(value) if hasattr(value, "keys") else str(value)


def part(ctx: Any, name: str) -> dict[str, Any]:
    """Return the fields of a part of a context that are not empty, those of a message in it too."""
    fields = fields_of(ctx, name)
    if name == "service":
        fields.pop("description", None)  # of the callback, no hint
    for inner in MESSAGES:
        fields = {**fields_of(fields, inner), **fields}
    return {key: fields[key] for key in fields if not is_empty(fields[key])}


def is_empty(value: Any) -> bool:
    """Return whether a field says nothing."""
    return value is None or (isinstance(value, str) and not value.strip())


def fields_of(fields: Any, name: str) -> dict[str, Any]:
    """Return a mapping within a mapping, {} if there is none."""
    value: Any = fields.get(name) if hasattr(fields, "keys") else None
    return {str(key): value[key] for key in value} if hasattr(value, "keys") else {}


def says_of(ctx: Any) -> tuple[str, ...]:
    """Return what a context says of its round, "" where it does not."""
    fields = {**part(ctx, "service"), **part(ctx, "dynamic")}
    found = []
    for names in NAMES:
        values = [fields.get(name) for name in names]
        texts = [
            str(value).strip() for value in values if isinstance(value, (str, int))
        ]
        found.append(next(filter(None, texts), ""))
    return tuple(found)


def fit(wanted: tuple[str, ...], says: tuple[str, ...]) -> int:
    """Return the number of fields of a round that a context repeats, -1 if it contradicts the round."""
    n_repeated = 0
    for number, (text, own) in enumerate(zip(wanted, says)):  # noqa: B905
        if text and text != own and (own or number >= 2):
            return -1
        n_repeated += bool(text) and text == own
    return n_repeated


def seconds_for(ctx: Any) -> float:
    """Return the seconds for a reply: at most half of a deadline in seconds."""
    longest_s = LONGEST_S
    for fields in (part(ctx, "service"), part(ctx, "dynamic")):
        for name, value in fields.items():
            is_limit = str(name).startswith(("deadline", "timeout", "time_limit"))
            if is_limit and isinstance(value, (int, float)) and value > 0:
                longest_s = min(longest_s, 0.5 * value)
    return longest_s


def is_text(reply: Any, name: str) -> bool:
    """Return whether a reply has a text of this name."""
    value = reply.get(name) if isinstance(reply, dict) else None
    return isinstance(value, str) and bool(value.strip())


def are_questions(reply: Any) -> bool:
    """Return whether a reply holds 20 questions with four options each."""
    questions = reply.get("questions") if isinstance(reply, dict) else None
    if not isinstance(questions, list) or len(questions) != 20:
        return False
    for number, question in enumerate(questions, 1):
        if (
            not is_text(question, "question_text")
            or question.get("question_number") != number
        ):
            return False
        if not all(is_text(question.get("options"), letter) for letter in "ABCD"):
            return False
    return True


def is_guess(reply: Any) -> bool:
    """Return whether a reply is a guess."""
    is_whole = all(is_text(reply, name) for name in GUESS_TEXTS)
    confidence = reply.get("confidence") if is_whole else None
    return isinstance(confidence, (int, float)) and 0.0 <= confidence <= 1.0


def own_answer(ctx: Any) -> str:
    """Return the result of the first sum of two whole numbers in a warm-up question, "0" without one."""
    with contextlib.suppress(Exception):
        question = str(part(ctx, "dynamic").get("warmup_question"))
        one, sign, other = re.findall(
            r"(-?\d{1,9})\s*([-+*/x×÷])\s*(-?\d{1,9})", question
        )[0]
        a, b = int(one), int(other)
        if sign in "/÷":
            return f"{a / b:.10g}"
        return str({"+": a + b, "-": a - b}.get(sign, a * b))
    return "0"


def own_questions() -> list[Any]:
    """Return 20 questions about the kind of the paragraph."""
    questions = []
    for number, topic in enumerate(" ".join(TOPICS.split()).split("|"), 1):
        text = f"How much does the paragraph deal with {topic}?"
        options = {
            "A": "mainly",
            "B": "in part",
            "C": "not at all",
            "D": "this cannot be told",
        }
        question = {
            "question_number": number,
            "question_text": text,
            "options": options,
        }
        questions.append(
            {**question, "number": number, "text": text, "choices": options}
        )
    return questions


def own_guess(says: tuple[str, ...]) -> Any:
    """Return a guess by what a round says: its hint, else its book."""
    *_, book, hint, _ = ("", "", "", *says)
    texts = (hint or book or WORD, SENTENCE_REASON, WORD, WORD_REASON)
    return {**dict(zip(GUESS_TEXTS, texts)), "confidence": 0.0}  # noqa: B905


def main() -> int:
    """Say whether Quarry can be started."""
    if not is_loaded(LONGEST_START_S):
        return 1
    print("Quarry is ready to play.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
