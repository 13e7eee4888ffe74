"""Pages for a person as the referee: paragraphs, hints, twenty questions, and labelled games."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel

from evaluate.games.labelled import LabelledGame, tokens
from evaluate.games.labeller import add_game, load_existing_games
from evaluate.games.locating import find_label_errors
from evaluate.referee.passages import build_retriever
from evaluate.referee.protocol import build_secret
from evaluate.referee.scoring import make_word_similarity, score_guess
from evaluate.referee.simulated import make_referee
from evaluate.runs.explanation import reveal_label
from evaluate.studio.pages import Page, or_404
from evaluate.studio.state import STUDIO_SERVER, CurrentStudio, Session, Studio
from evaluate.studio.view import GameView, build_view
from player.answer import NOT_RELEVANT, Answers, letter_row
from player.game.record import PlayedGame
from quarry.embed import Models
from quarry.plugins import refuse_dotted

N_LISTED = 25
"""Number of paragraphs on a page of the list."""


class HintForm(BaseModel, str_strip_whitespace=True):
    """Fields of the form for a hint.

    Attributes:
        lecture, kind: filters of the paragraphs that are labelled one after another.
        preset, referee: preset and referee of a replay.
    """

    paragraph: str
    hint: str = ""
    book: str = ""
    sentence: str = ""
    word: str = ""
    domain: str = ""
    lecture: str = ""
    kind: str = ""
    preset: str = ""
    referee: str = "oracle"


Hint = Annotated[HintForm, Form()]
router = APIRouter()


@router.get("/referee")
def _choose(
    studio: CurrentStudio,
    page: Page,
    lecture: str = "",
    kind: str = "",
    start: int = 0,
) -> HTMLResponse:
    paragraphs = studio.paragraphs(lecture, kind)
    existing = load_existing_games(studio.files.games)

    return page(
        "referee.html",
        paragraphs=paragraphs[start : start + N_LISTED],
        start=start,
        n_listed=N_LISTED,
        n_paragraphs=len(paragraphs),
        documents=studio.course.documents,
        kinds=sorted({paragraph.kind for paragraph in studio.course.paragraphs}),
        lecture=lecture,
        kind=kind,
        labelled=[game.paragraph_id for game in existing],
        games=studio.files.games,
    )


@router.get("/referee/paragraph")
def _write(
    form: Annotated[HintForm, Query()], studio: CurrentStudio, page: Page
) -> HTMLResponse:
    return _form(form, studio, page)


def _form(
    form: HintForm, studio: Studio, page: Page, errors: Sequence[str] = ()
) -> HTMLResponse:
    paragraphs = studio.paragraphs(form.lecture, form.kind)
    labelled = {game.paragraph_id for game in load_existing_games(studio.files.games)}
    ids = [paragraph.paragraph_id for paragraph in paragraphs]
    position = ids.index(form.paragraph) if form.paragraph in ids else 0

    return page(
        "hint.html",
        422 if errors else 200,
        paragraph=studio.paragraph(form.paragraph),
        form=form,
        errors=errors,
        marked=(),
        before=ids[position - 1] if position else "",
        after="".join(ids[position + 1 : position + 2]),
        position=position + 1,
        n_paragraphs=len(ids),
        n_labelled=len(labelled.intersection(ids)),
    )


@router.post("/referee/check")
def _check(form: Hint, studio: CurrentStudio, page: Page) -> HTMLResponse:
    paragraph_tokens = set(tokens(studio.paragraph(form.paragraph).text))
    marked = []
    for word in form.hint.split():
        marked.append((word, not paragraph_tokens.isdisjoint(tokens(word))))
    errors = _find_errors(form, studio)
    return page("errors.html", errors=errors, form=form, marked=marked)


def _find_errors(form: HintForm, studio: Studio) -> list[str]:
    text = studio.paragraph(form.paragraph).text
    return list(find_label_errors(text, form.hint, form.word, form.sentence))


def _refusals(form: HintForm, studio: Studio) -> list[str]:
    """Return the errors of a hint that can be neither played nor kept."""
    errors = _find_errors(form, studio)
    return errors if form.hint else ["Write a hint first.", *errors]


@router.post("/referee/play", response_model=None)
def _ask_person(
    form: Hint, studio: CurrentStudio, page: Page
) -> HTMLResponse | RedirectResponse:
    if errors := _refusals(form, studio):
        return _form(form, studio, page, errors)
    return _play(form, studio, "")


@router.post("/referee/replay")
def _ask_simulated(form: Hint, studio: CurrentStudio) -> RedirectResponse:
    return _play(form, studio, refuse_dotted(form.referee))


def _play(form: HintForm, studio: Studio, referee: str) -> RedirectResponse:
    """Begin a game and redirect to its page; a simulated referee answers at once.

    Args:
        form: the form with the hint.
        studio: the studio.
        referee: SPEC of a simulated referee; "" for a person.
    """
    player = studio.player(form.preset)
    paragraph = studio.paragraph(form.paragraph)
    game = LabelledGame(
        game_id=STUDIO_SERVER,
        book_name=form.book,
        hint=form.hint,
        association_domain=form.domain,
        associative_word=form.word,
        opening_sentence=form.sentence,
    )
    plan = player.plan(game.round_start())
    preset = form.preset or studio.settings.preset
    note = f"preset {preset}, referee {referee or 'a person'}"
    session = Session(game, paragraph, note, player, plan)

    if referee:
        retriever = build_retriever(studio.course, studio.settings.embed)
        posed = [(question.text, question.options) for question in plan.questions]
        secret = build_secret(game, paragraph)
        session.answers = make_referee(referee, retriever=retriever).answers(
            secret, posed
        )
    return RedirectResponse(f"/referee/game/{studio.begin(session)}", 303)


@router.post("/referee/keep")
def _keep(form: Hint, studio: CurrentStudio, page: Page) -> HTMLResponse:
    if errors := _refusals(form, studio):
        return _form(form, studio, page, errors)
    paragraph = studio.paragraph(form.paragraph)
    add_game(
        studio.files.games,
        paragraph,
        hint=form.hint,
        book_name=form.book,
        opening_sentence=form.sentence,
        associative_word=form.word,
        association_domain=form.domain,
    )

    paragraphs = studio.paragraphs(form.lecture, form.kind) or [paragraph]
    row = paragraphs.index(paragraph) + 1 if paragraph in paragraphs else 0
    following = HintForm(
        paragraph=paragraphs[row % len(paragraphs)].paragraph_id,
        lecture=form.lecture,
        kind=form.kind,
    )
    return _form(following, studio, page)


async def _require_session(session_id: str, studio: CurrentStudio) -> Session:
    return or_404(studio.sessions.get(session_id), "such game any more")


CurrentSession = Annotated[Session, Depends(_require_session)]


@router.get("/referee/game/{session_id}")
def _ask(
    session_id: str,
    session: CurrentSession,
    studio: CurrentStudio,
    page: Page,
    step: int = -1,
) -> HTMLResponse:
    answers = tuple(session.answers)
    if len(answers) < len(session.plan.questions):
        return page("question.html", session=session)
    view = studio.view((session_id, answers), lambda: _finish(studio, session, answers))
    has_won = view.game.outcome == "WON"
    return page(
        "game.html",
        title="Found: the player won" if has_won else "Not found: the player lost",
        note=session.note,
        path=f"/referee/game/{session_id}",
        is_studio_game=True,
        view=view,
        step=step,
    )


@router.post("/referee/game/{session_id}")
async def _answer(
    session_id: str,
    session: CurrentSession,
    answer: Annotated[str, Form()],
    number: Annotated[int, Form()],
) -> RedirectResponse:
    # async, so that of two simultaneous clicks only one counts
    is_due = number == len(session.answers) + 1  # otherwise the page is out of date
    if is_due and answer == "undo":
        del session.answers[-1:]
    elif is_due and number <= len(session.plan.questions):
        is_letter = letter_row(answer) is not None
        session.answers.append(answer if is_letter else NOT_RELEVANT)
    return RedirectResponse(f"/referee/game/{session_id}", 303)


def _finish(studio: Studio, session: Session, answers: Answers) -> GameView:
    """Finish a game: decide, score as the practice referee does, write the game to the journal, and return its view."""
    game, plan, paragraph = session.game, session.plan, session.paragraph
    decision = session.player.decide(plan, answers)
    models = Models(studio.settings.embed)
    score = score_guess(
        asdict(decision.guess),
        opening_sentence=game.opening_sentence or paragraph.opening_sentence,
        associative_word=game.associative_word,
        answers=answers,
        similarity=make_word_similarity(studio.course.embedder_spec, models),
    )

    played = PlayedGame(
        game_id="",
        plan=plan,
        answers=tuple(answers),
        decision=decision,
        score=score,
    )
    record = replace(played.record, label=reveal_label(game, paragraph, played))
    studio.write(session, record)
    return build_view(session.player, plan, record)
