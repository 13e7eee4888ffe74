"""Pages for a person as the referee: passages, hints, twenty questions, and labelled games."""

from __future__ import annotations

from dataclasses import asdict, replace
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
from evaluate.studio.games import GameView, view_of
from evaluate.studio.pages import Page, existing
from evaluate.studio.state import Session, Studio
from ingest.embed import Models
from player.protocol.messages import RoundStart
from player.questions.answer import NOT_RELEVANT, Answers, letter_row

N_LISTED = 25
"""Passages on a page of the list."""


class HintForm(BaseModel, str_strip_whitespace=True):
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
    _add_hints(app, studio, page)
    _add_questions(app, studio, page)


def _add_hints(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add the list of passages, and the form for a hint."""
    lectures = studio.lectures

    @app.get("/referee")
    def choose(lecture: str = "", kind: str = "", start: int = 0) -> HTMLResponse:
        passages = lectures.passages(lecture, kind)
        return page(
            "referee.html",
            passages=passages[start : start + N_LISTED],
            start=start,
            n_listed=N_LISTED,
            n_passages=len(passages),
            documents=lectures.course.documents,
            kinds=sorted({passage.kind for passage in lectures.passages()}),
            lecture=lecture,
            kind=kind,
            labelled=[game.paragraph_id for game in studio.labelled()],
            games=studio.files.games,
        )

    def show(form: HintForm, *errors: str) -> HTMLResponse:
        passages = lectures.passages(form.lecture, form.kind)
        labelled = {game.paragraph_id for game in studio.labelled()}
        ids = [passage.paragraph_id for passage in passages]
        place = ids.index(form.passage) if form.passage in ids else 0
        return page(
            "hint.html",
            422 if errors else 200,
            paragraph=studio.passage(form.passage),
            form=form,
            errors=errors,
            marked=(),
            before=ids[place - 1] if place else "",
            after="".join(ids[place + 1 : place + 2]),
            place=place + 1,
            n_passages=len(ids),
            n_labelled=len(labelled.intersection(ids)),
        )

    def errors_of(form: HintForm) -> list[str]:
        text = studio.passage(form.passage).text
        errors = list(rule_errors(text, form.hint, form.word))
        return errors if form.hint else ["Write a hint first.", *errors]

    def play(form: HintForm, referee: str = "") -> RedirectResponse:
        session = _session(studio, form, referee)
        return RedirectResponse(f"/referee/game/{studio.begin(session)}", 303)

    @app.get("/referee/passage")
    def write(form: Annotated[HintForm, Query()]) -> HTMLResponse:
        return show(form)

    @app.post("/referee/check")
    def check(form: Annotated[HintForm, Form()]) -> HTMLResponse:
        text = studio.passage(form.passage).text
        errors = list(rule_errors(text, form.hint, form.word))
        taken = set(tokens(text))
        marked = []
        for word in form.hint.split():
            marked.append((word, not taken.isdisjoint(tokens(word))))
        return page("errors.html", errors=errors, form=form, marked=marked)

    @app.post("/referee/play", response_model=None)
    def ask_person(form: Annotated[HintForm, Form()]) -> Response:
        errors = errors_of(form)
        return show(form, *errors) if errors else play(form)

    @app.post("/referee/replay")
    def ask_simulated(form: Annotated[HintForm, Form()]) -> RedirectResponse:
        return play(form, form.referee)

    @app.post("/referee/keep")
    def keep(form: Annotated[HintForm, Form()]) -> HTMLResponse:
        errors = errors_of(form)
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
        passages = lectures.passages(form.lecture, form.kind)
        row = passages.index(paragraph) + 1 if paragraph in passages else 0
        following = passages[row % len(passages)].paragraph_id
        return show(HintForm(passage=following, lecture=form.lecture, kind=form.kind))


def _session(studio: Studio, form: HintForm, referee: str) -> Session:
    """Return a new game; a simulated referee answers at once.

    Args:
        referee: SPEC of a simulated one, "" for a person.
    """
    player = studio.player(form.preset)
    paragraph = studio.passage(form.passage)
    plan = player.plan(RoundStart("studio", form.book, form.hint, form.domain))
    preset = form.preset or studio.settings.preset
    note = f"preset {preset}, referee {referee or 'a person'}"
    session = Session(paragraph, form.word, note, player, plan)
    if referee:
        tools = tools_of(studio.lectures.course, studio.settings.embed)
        posed = [(question.text, question.options) for question in plan.questions]
        secret = Secret(
            paragraph.text, paragraph.opening_sentence, form.book, form.hint
        )
        session.answers = make_referee(referee, tools=tools).answers(secret, posed)
    return session


def _add_questions(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add the twenty questions of a game, and its outcome."""

    def session_of(session_id: str) -> Session:
        return existing(studio.sessions.get(session_id), "such game any more")

    @app.get("/referee/game/{session_id}")
    def ask(session_id: str, step: int = -1) -> HTMLResponse:
        session = session_of(session_id)
        answers = tuple(session.answers)
        if len(answers) < len(session.plan.questions):
            return page("question.html", session=session)
        view = studio.view(
            (session_id, answers), lambda: _judged(studio, session, answers)
        )
        assert view.guess is not None
        has_won = same_sentence(view.guess.opening_sentence, view.secret)
        return page(
            "game.html",
            title="Found: the player won" if has_won else "Not found: the player lost",
            note=session.note,
            path=f"/referee/game/{session_id}",
            view=view,
            step=step,
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
            is_letter = letter_row(answer) is not None
            session.answers.append(answer if is_letter else NOT_RELEVANT)
        return RedirectResponse(f"/referee/game/{session_id}", 303)


def _judged(studio: Studio, session: Session, answers: Answers) -> GameView:
    """Return a game that is over, with the score that the practice referee gives."""
    paragraph, secret = session.paragraph, session.paragraph.opening_sentence
    view = view_of(session.player, session.plan, answers, secret)
    assert view.guess is not None
    numbered = enumerate(answers, 1)
    models = Models.of(studio.settings.embed)
    score = score_guess(
        asdict(view.guess),
        opening_sentence=secret,
        associative_word=session.word,
        answers={number: answer for number, answer in numbered if answer is not None},
        similarity=word_similarity(studio.lectures.course.embedder_spec, models),
    )
    passage = paragraph.paragraph_id
    return replace(view, passage=passage, word=session.word, score=score)
