"""Table of languages, and functions that detect the language of a text or a word by its script."""

import re
from collections.abc import Iterable

from quarry.languages.english import ENGLISH
from quarry.languages.hebrew import HEBREW
from quarry.languages.language import Language

LANGUAGES = (ENGLISH, HEBREW)
"""All languages; the first one is assumed for a text in any other script."""

OTHER_WORDS = {
    "abbreviations": "mme mlle mm ste env av apr c.-à-d bsp bzw vgl evtl ggf inkl insb bspw sog allg engl "
    "griech franz ital lat zzgl exkl einschl entspr gem lt mio mrd dipl ehem eigtl urspr versch geb klass med "
    "kath z.z u.ä o.b d.a i.a i.allg z.b z.t d.h u.a u.u sig dott ing avv cfr pag ej aprox ud uds sra srta dra "
    "lic проф акад напр соотв им англ лат нем греч ул г гг пгт т.е т.к s.d p.ex tj t.j např napr popř pozn tzv "
    "tzn tzw m.in t.ż inż mgr npr bijv d.w.z z.d.d m.a.w o.a t.o.v dvs t.ex f.eks bl.a s.k m.a.o ún örn bkz напр",
    "conjunctions": "und oder bzw. sowie en och og",
    "last_abbreviations": "т.д т.п др atd apod itd itp ipd osv enz stb",
    "number_abbreviations": "éq abb abschn kap s str bd cap ec ecs pág párr art núm рис табл разд гл стр см мал "
    "obr rys tab rozdz odst čl hfst afb blz",
    "open_ends": "der die das und le la les de du des et que si où el los se w z że oraz и в на что где",
    "openers": "dans un une les soit soient si en pour par ce cette ces alors donc ainsi mais on il elle nous "
    "montrer montrez démontrer démontrez calculer calculez déterminer déterminez donner donnez trouver trouvez "
    "déduire déduisez étudier étudiez considérons notons supposons das die dies diese dieser dann sei seien wenn "
    "wir es zeigen berechnen bestimmen als dabei daher hier il gli nel nella nei nelle dopo infatti quindi allora "
    "dunque inoltre sia siano supponiamo poiché questo questa determinare calcolare trovare dimostrare verificare "
    "si el los las sea sean entonces además luego como este esta então além seja sejam пусть тогда если это "
    "поэтому тому якщо нехай niech jeśli jeżeli wtedy zatem oblicz pokaż udowodnij wykaż nechť pokud potom když "
    "dokažte ukažte určete nech laat dus bewijs bepaal bereken låt visa bestäm beräkna hvis vis bestem legyen "
    "akkor eğer fie dacă atunci naj neka por calcular calcule resolver resuelva hallar halle encontrar encuentre "
    "encontre demostrar demuestre mostrar mostre determinar obtener considere zeige berechne bestimme gib löse "
    "calcola trova dimostra найти найдите доказать докажите вычислить вычислите показать покажите решить решите "
    "определить определите",
}
"""Words of other languages of Europe, by the field of `Language` that explains them."""

OTHER_ARTICLES = "der die das dem den des im am zum vom zur beim"
"""German words after which a number with a full stop is an ordinal."""

OTHER_CLAUSES = "où|avec|wobei|mit|und|sowie|dove|con|donde|onde|com|где|и|де|та|gdzie|oraz|kde|waar|met|där|med"
"""Expression for words of other languages that begin a clause, and no sentence, below a formula."""

OTHER_LABELS = (
    "théorème lemme corollaire proposition définition démonstration preuve remarque exemple exercice satz korollar "
    "beweis bemerkung beispiel aufgabe teorema lema corolario corollario corolário proposición proposizione proposição "
    "definición definizione definição demostración dimostrazione demonstração observación osservazione observação "
    "ejemplo esempio exemplo ejercicio esercizio exercício теорема лемма следствие утверждение предложение определение "
    "доказательство замечание пример упражнение задача лема доведення означення приклад зауваження наслідок "
    "твердження věta veta lemma důkaz dôkaz definice definícia poznámka příklad príklad cvičení cvičenie úloha tvrzení "
    "tvrdenie důsledek dôsledok twierdzenie lemat dowód definicja uwaga przykład zadanie ćwiczenie wniosek stelling "
    "bewijs definitie opmerking voorbeeld opgave gevolg tétel bizonyítás definíció megjegyzés példa feladat "
    "következmény állítás sats sætning setning bevis definisjon anmärkning exempel eksempel övning oppgave uppgift "
    "tanım teorem ispat kanıt örnek önerme teoremă demonstrație definiție observație exemplu exercițiu izrek dokaz "
    "trditev definicija zgled naloga posledica opomba"
)
"""Words of other languages of Europe that begin statements, as in "Théorème 1"."""


UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""Letters of Chinese and Japanese, which have no spaces between words, for a class of an expression."""
_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")


def detect_language(text: str) -> Language:
    """Return the language of the script of most letters; English for Latin and for any other script."""
    letters = [char for char in text if char.isalpha()]
    for language in LANGUAGES:
        if sum(map(language.begins, letters)) > 0.5 * len(letters):
            return language
    return ENGLISH


def language_of_word(word: str) -> Language:
    """Return the language of the script of a word's first letter; English for Latin and for any other script."""
    for language in LANGUAGES:
        if language.begins(word):
            return language
    return ENGLISH


def begins_unspaced(text: str) -> bool:
    """Return whether a text begins with a letter of a script without spaces between words."""
    return _UNSPACED_LETTER.match(text) is not None


def count_unspaced_letters(text: str) -> int:
    """Return the number of letters of scripts without spaces between words."""
    return len(_UNSPACED_LETTER.findall(text))


def count_words(text: str) -> int:
    """Return the number of words of a text; two letters of a script without spaces between words are one word."""
    return len(text.split()) + count_unspaced_letters(text) // 2


def words_of_all(field: str) -> frozenset[str]:
    """Return the words that a field of `Language` lists in any language, also in those of OTHER_WORDS."""
    lists = [getattr(language, field) for language in LANGUAGES]
    return frozenset(" ".join([*lists, OTHER_WORDS.get(field, "")]).split())


def alternatives(expressions: Iterable[str]) -> str:
    """Return a regular expression that matches wherever one of these does."""
    return f"(?:{'|'.join(expressions)})"
