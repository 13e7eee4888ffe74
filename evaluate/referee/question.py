"""Reading a question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluate.referee.clause import asking_clause, listed
from evaluate.referee.features import Feature
from evaluate.referee.number_words import with_digits
from evaluate.referee.positions import positions
from evaluate.referee.quotes import quoted_terms, unquoted
from evaluate.referee.rules import LIST_FIRST, SEVERAL_RULE, read_rules
from evaluate.referee.scope import part_of, read_scope, without_scopes
from evaluate.referee.seen import Seen
from evaluate.referee.text import fold, normalise, tokens_of
from evaluate.scoring import same_form

ODD_PART = re.compile(
    r"\b(?:longest|shortest|average|third|fourth|fifth|\d+(?:rd|th)|middle|each|every|next|previous|penultimate)"
    r" sentence"
    r"|\bsentences? (?:before|after|\d)"
    r"|משפט ה(?:ארוך|קצר|שלישי|רביעי|אמצעי)"
)
_BEGINS = re.compile(
    r"\b(?:begin|start|open|commence)(?:s|n?ing)?\b|\bfirst (?:words?|letters?)\b"
    r"|\b(?:initial|opening) (?:words?|letters?)\b"
    r"|\b(?:מתחיל|נפתח|פותח|התחל)\w*|המיל(?:ה|ים) הראשונ\w+|מילת הפתיחה|האות הראשונה"
)
_ENDS = re.compile(
    r"\b(?:end|close|finish|conclude)(?:s|ing)?\b|\b(?:last|final|closing) words?\b"
    r"|\b(?:מסתיי|נגמר|נחתמ)\w*|המילה האחרונה"
)
_ANY_FORM = re.compile(
    r"\b(?:in|under) (?:any|whatever|whichever) (?:\w+ )?form|\bany (?:\w+ )?form of"
    r"|(?<!no )\b(?:inflected|plural|other|all|any) forms? (?:also )?counts?\b|\bany inflection"
    r"|\bincluding (?:its |their )?(?:plurals?|inflect\w+)"
    r"|בכל (?:צורה|הטיה|נטייה)|על (?:כל )?הטיותי|בהטיה כלשהי"
)
_NEGATED = re.compile(
    r"\b(?:does|do|is|are|was|were|has|have|can|could) (?:[^,?]*? )?not\b(?! (?:count|necess|just|only))"
    r"|(?<!^)\w(?:n't)\b|\bnever\b|\babsent\b|\bmissing\b|\bfails? to\b|\bnowhere\b"
    r"|\bלא (?:מופיע|מוזכר|נזכר|נמצא|כלול|קיימ|כתוב)|\bאינ(?:ו|ה|ם|ן)\b|\bחסר"
)
_NO_NEGATION = re.compile(
    r"\b(?:whether )?or (?:is it |does it )?not\b|\bnot (?:counting|only|just)\b|\bאו (?:ש?לא|אינ\w+)\b"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as read.

    Attributes:
        main: the asking clause, folded.
        frame: the same with number words as digits and every quoted term replaced by "#".
        bare: the frame without the words that name a part of the paragraph or a rule.
        targets: the terms that the asking clause quotes.
        scope: (name, n) of the part of the paragraph that is asked about; "" for all of it.
        edge: "begin" or "end" where it asks how that part begins or ends.
        any_form: inflected forms count.
        negated: it asks for what is not there.
        rule: "first", "last" (in the list) or "text" (in the paragraph), for several fitting options.
        none_letter, several_letter: the option that the question reserves for these cases, "" if none.
    """

    main: str
    frame: str
    bare: str
    targets: tuple[str, ...]
    scope: tuple[str, int]
    edge: str
    any_form: bool
    negated: bool
    rule: str
    none_letter: str
    several_letter: str

    def count(self, term: str, seen: Seen) -> int:
        """How often a term stands where the question asks for it."""
        part = part_of(seen, self.scope)
        if not self.edge:
            return len(positions(term, part, self.any_form))
        words, parts = tokens_of(fold(part)), tokens_of(fold(term))
        if not words or not parts:
            bare = part.strip()
            return int(bool(term) and (bare.startswith(term) if self.edge == "begin" else bare.endswith(term)))
        window = words[: len(parts)] if self.edge == "begin" else words[-len(parts) :]
        equal = len(window) == len(parts) and all(
            word == other or (self.any_form and same_form(word, other))
            for (word, _, _), (other, _, _) in zip(window, parts, strict=True)
        )
        return int(equal)

    def count_feature(self, feature: Feature, seen: Seen) -> int:
        """How often a feature stands where the question asks for it."""
        part = part_of(seen, self.scope)
        if self.edge:
            words = part.split()
            part = (words[0] if self.edge == "begin" else words[-1]) if words else ""
        return feature.count(part)


def read_question(question: str) -> Asked:
    """A question's text as the readers need it."""
    whole = normalise(question)
    main = asking_clause(whole)
    frame = " ".join(with_digits(fold(unquoted(main))).split())
    folded = fold(unquoted(whole))
    rules = read_rules(folded)
    scope = read_scope(" ".join(with_digits(SEVERAL_RULE.sub(" ", folded)).split()))
    bare = LIST_FIRST.sub(" ", without_scopes(frame))
    edge = "begin" if _BEGINS.search(bare) else "end" if _ENDS.search(bare) else ""
    if edge and not scope[0]:
        scope = ("first", 0) if edge == "begin" else ("last", 0)
    return Asked(
        main=fold(main),
        frame=frame,
        bare=bare,
        targets=tuple(dict.fromkeys(quoted_terms(main))) or listed(main),
        scope=scope,
        edge=edge,
        any_form=_ANY_FORM.search(folded) is not None,
        negated=_NEGATED.search(_NO_NEGATION.sub(" ", bare)) is not None,
        rule=rules.rule,
        none_letter=rules.none_letter,
        several_letter=rules.several_letter,
    )
