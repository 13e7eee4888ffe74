"""Pages for a person as the referee: passages, hints, twenty questions, and labelled games."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import FastAPI, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BaseModel

from evaluate.games.labelled import same_sentence, tokens
from evaluate.games.labeller import add_game
from evaluate.games.locating import rule_errors
from evaluate.referee.scoring import score_guess, word_similarity
from evaluate.referee.simulated import make_referee, tools_of
from evaluate.referee.spec import Secret
from evaluate.studio.games import view_of
from evaluate.studio.pages import Page, existing
from evaluate.studio.state import Session, Studio
from ingest.embed import Models
from player.protocol.messages import RoundStart, Score
from player.questions.answer import NOT_RELEVANT, letter_row

N_LISTED = 25
"""Passages on a page of the list."""


class HintForm(BaseModel):
    """Fields of the form for a hint.

    Attributes:
        lecture, kind: filter of the passages that are labelled one after another.
        preset, referee: of a replay.
    """

    passage: str
    hint: str = ""
    book: str = ""
    word: str = ""
    domain: str = ""
    lecture: str = ""
    kind: str = ""
    preset: str = ""
    referee: str = "oracle"


def add_referee(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add the pages."""
    _add_choice(app, studio, page)
    _add_hints(app, studio, page)
    _add_questions(app, studio, page)


def _add_choice(app: FastAPI, studio: Studio, page: Page) -> None:
    lectures = studio.lectures

    @app.get("/referee")
    def choose(lecture: str = "", kind: str = "", start: int = 0) -> HTMLResponse:
        passages = lectures.passages(lecture, kind)
        labelled = studio.labelled()
        return page(
            "referee.html",
            passages=passages[start : start + N_LISTED],
            start=start,
            n_listed=N_LISTED,
            n_passages=len(passages),
            documents=lectures.course.documents,
            kinds=lectures.kinds(),
            lecture=lecture,
            kind=kind,
            labelled={game.paragraph_id for game in labelled},
            n_labelled=len(labelled),
            games=studio.files.games,
        )


def _add_hints(app: FastAPI, studio: Studio, page: Page) -> None:
    def show(form: HintForm, *errors: str) -> HTMLResponse:
        paragraph = studio.passage(form.passage)
        passages = studio.lectures.passages(form.lecture, form.kind)
        labelled = {game.paragraph_id for game in studio.labelled()}
        ids = [passage.paragraph_id for passage in passages]
        place = ids.index(form.passage) if form.passage in ids else 0
        return page(
            "hint.html",
            422 if errors else 200,
            paragraph=paragraph,
            form=form,
            errors=errors,
            marked=(),
            before=ids[place - 1] if place else "",
            after=ids[place + 1] if place + 1 < len(ids) else "",
            place=place + 1,
            n_passages=len(ids),
            n_labelled=len(labelled.intersection(ids)),
        )

    @app.get("/referee/passage")
    def write(form: Annotated[HintForm, Query()]) -> HTMLResponse:
        return show(form)

    @app.post("/referee/check")
    def check(form: Annotated[HintForm, Form()]) -> HTMLResponse:
        text = studio.passage(form.passage).text
        return page(
            "errors.html",
            errors=list(rule_errors(text, form.hint, form.word)),
            form=form,
            marked=_marked(form.hint, text),
        )

    @app.post("/referee/play", response_model=None)
    def play(form: Annotated[HintForm, Form()]) -> Response:
        errors = _all_errors(studio, form)
        if errors:
            return show(form, *errors)
        session = _session(studio, form)
        return RedirectResponse(f"/referee/game/{studio.begin(session)}", 303)

    @app.post("/referee/replay")
    def replay(form: Annotated[HintForm, Form()]) -> RedirectResponse:
        session = _session(studio, form, form.referee)
        return RedirectResponse(f"/referee/game/{studio.begin(session)}", 303)

    @app.post("/referee/keep", response_model=None)
    def keep(form: Annotated[HintForm, Form()]) -> Response:
        errors = _all_errors(studio, form)
        if errors:
            return show(form, *errors)
        paragraph = studio.passage(form.passage)
        add_game(
            studio.files.games,
            paragraph,
            hint=form.hint,
            book_name=form.book,
            associative_word=form.word,
            association_domain=form.domain,
        )

        passages = studio.lectures.passages(form.lecture, form.kind)
        row = passages.index(paragraph) + 1 if paragraph in passages else 0
        following = passages[row % len(passages)].paragraph_id
        changes = {"passage": following, "lecture": form.lecture, "kind": form.kind}
        return show(HintForm(**changes))


def _add_questions(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add the twenty questions of a game, and its outcome."""

    def session_of(session_id: str) -> Session:
        return existing(studio.sessions.get(session_id), "such game any more")

    @app.get("/referee/game/{session_id}")
    def ask(session_id: str, step: int = -1) -> HTMLResponse:
        session = session_of(session_id)
        answers = tuple(session.answers)
        if len(answers) < len(session.plan.questions):
            return page("question.html", session=session, session_id=session_id)

        secret = session.paragraph.opening_sentence
        view = studio.view(
            (session_id, answers),
            lambda: view_of(session.player, session.plan, answers, secret),
        )
        assert view.guess is not None
        has_won = same_sentence(view.guess.opening_sentence, secret)
        referee = session.referee or "a person"
        return page(
            "game.html",
            title="Found: the player won" if has_won else "Not found: the player lost",
            note=f"preset {session.preset}, referee {referee}",
            path=f"/referee/game/{session_id}",
            is_running=False,
            start=session.start,
            view=view,
            step=step,
            secret=secret,
            score=_score(studio, session, asdict(view.guess)),
            word=session.word,
            passage=session.paragraph.paragraph_id,
        )

    @app.post("/referee/game/{session_id}")
    async def answer(
        session_id: str, answer: Annotated[str, Form()], number: Annotated[int, Form()]
    ) -> RedirectResponse:
        # not in a thread: of two clicks at once, one counts
        session = session_of(session_id)
        is_due = number == len(session.answers) + 1  # else the page is out of date
        if is_due and answer == "undo":
            del session.answers[-1:]
        elif is_due and number <= len(session.plan.questions):
            session.answers.append(
                answer if letter_row(answer) is not None else NOT_RELEVANT
            )
        return RedirectResponse(f"/referee/game/{session_id}", 303)


def _start(form: HintForm) -> RoundStart:
    return RoundStart(
        "studio", form.book.strip(), form.hint.strip(), form.domain.strip()
    )


def _session(studio: Studio, form: HintForm, referee: str = "") -> Session:
    """Return a new game; a simulated referee answers at once."""
    player, start = studio.player(form.preset), _start(form)
    paragraph = studio.passage(form.passage)
    preset = form.preset or studio.settings.preset
    session = Session(
        paragraph, start, form.word, preset, player, player.plan(start), referee
    )
    if referee:
        tools = tools_of(studio.lectures.course, studio.settings.embed)
        questions = session.plan.questions
        posed = [(question.text, question.options) for question in questions]
        secret = Secret(
            paragraph.text, paragraph.opening_sentence, form.book, form.hint
        )
        session.answers = make_referee(referee, tools=tools).answers(secret, posed)
    return session


def _score(studio: Studio, session: Session, guess: dict[str, object]) -> Score:
    """Return the score that the practice referee gives."""
    numbered = enumerate(session.answers, 1)
    models = Models.of(studio.settings.embed)
    return score_guess(
        guess,
        opening_sentence=session.paragraph.opening_sentence,
        associative_word=session.word,
        answers={number: answer for number, answer in numbered if answer is not None},
        similarity=word_similarity(studio.lectures.course.embedder_spec, models),
    )


def _all_errors(studio: Studio, form: HintForm) -> list[str]:
    text = studio.passage(form.passage).text
    errors = list(rule_errors(text, form.hint, form.word))
    return errors if form.hint.strip() else ["Write a hint first.", *errors]


def _marked(hint: str, text: str) -> list[tuple[str, bool]]:
    """Return the words of a hint, and whether each is in the text."""
    taken = set(tokens(text))
    return [(word, not taken.isdisjoint(tokens(word))) for word in hint.split()]
