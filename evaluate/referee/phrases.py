"""Phrases of questions and options by anybody, as regular expressions, for simulated referees."""

from collections.abc import Mapping

PHRASES: Mapping[str, tuple[str, ...]] = {
    # anywhere in an option that says nothing
    "unsure": (
        r"\b(?:not sure|unsure|unclear|unknown|cannot|can't|maybe|perhaps|partly|partially|not applicable"
        r"|only|and)\b",
        r"לא ידוע|לא ניתן|אי אפשר|לא ברור|אולי|חלקית|\bרק\b|# ו-? ?#",
    ),
    # begins an option that says more than one thing
    "several": (
        r"(?:both|all|more than one|two or more|several)\b",
        r"(?:שתיהן|שניהם|כולן|כולם|שתיים|יותר)\b",
    ),
    # an option for no other option
    "none": (
        r"(?:none|neither|nothing) .*|no (?:such )?(?:words?|one|lists?)\b.*|something else"
        "|(?:an|some |any )?other (?:word|one)s?",
        "(?:אף|שום) .*|מילה אחרת",
    ),
    # such an option if it is the last one
    "none if last": (
        "none|neither|nothing|(?:an)?other|otherwise",
        "אחרת?|אף",
    ),
    "yes": (
        "yes|true",
        "כן|נכון",
    ),
    "no": (
        "no|false",
        "לא",
    ),
    # between words of an option
    "joins": (
        "or|and",
        "או",
    ),
    # names a part of the text, as do the next two
    "first sentence": (
        "(?:first|opening) sentence|sentence (?:that|which) (?:opens|begins|starts)",
        "[בהלו]{0,2}משפט (?:ה(?:ראשון|פותח)|הפתיחה)",
    ),
    "begins": (
        r"\b(?:begin|start|open)(?:s|ning|ing)?\b|\b(?:first|opening) words?\b",
        r"\b(?:מתחיל|נפתח|פותח|תתחיל|תיפתח)\w*|המילה הראשונה",
    ),
    "ends": (
        r"\b(?:end|close|finish)(?:s|es)?\b|\b(?:last|final|closing) words?\b",
        r"\b(?:מסתיי|נגמר|נחתמ)\w*|המילה האחרונה",
    ),
    # asks for words in the text
    "occurs": (
        r"\b(?:occur|appear|contain|mention|includ|use|found|find|present|stand|written|has|have|absent"
        r"|missing)\w*|\bthere\b|\bin the\b",
        r"מופיע|מוזכר|נזכר|נמצא|כלול|כתוב|מכיל|כולל|מזכיר|\bיש\b",
    ),
    # asks for the first letter of the word with a name {word}
    "initial": (
        r"\bletters? does the {word} word of the first sentence\b.*\bbegin",
        "אותיות.*מתחילה {word} במשפט הראשון",
    ),
    # anything else that a question may ask
    "beyond": (
        r"\b(?:how (?:many|much|often|long)|why|who|where|when|letters?|sentences|longest|shortest|before"
        r"|after|later|often|times|twice|once|most|more|best|main|topics?|subjects?|themes?|about|means?|meaning|similar"
        r"|synonym\w*|purpose|tone|kind|describ\w+|(?:last|second|third|next|final) sentence|not in"
        r"|(?:occurs?|appears?|comes?) (?:first|last|earliest))\b|\b(?:any|whatever) (?:\w+ )?forms?\b"
        r"|\b(?:does|do|is|are|has|have) (?:[^,?]*? )?not\b|n't\b|\babsent\b|\bmissing\b|\bboth\b|\ball\b"
        r"|# and (?:\w+ )*#",
        r"\b[בל]?כמה\b|\bאיך\b|\bמדוע\b|היכן|נושא|עוסק|משמעות|דומה|מטרת|לפני|אחרי|בהמשך|פעמי|\bאות\b"
        r"|משפט ה(?:אחרון|שני)|(?:מופיע|נזכר|מוזכר)\w* ראשונ|בכל (?:צורה|הטיה)"
        r"|\bלא (?:מופיע|מוזכר|נזכר|נמצא|כלול)|\bאינ[והםן]\b|# ו-? ?#",
    ),
    # a rule for choosing an option
    "first of several": (
        r"\b(?:first|earliest)\b(?! (?:sentence|words?\b|in the (?:par|text|pas)))",
        r"\bב?ראשונה?\b|\bהראשונה\b",
    ),
}
"""English and Hebrew expressions by what they mean."""
