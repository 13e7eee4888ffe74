"""What kind of thing a question asks for: what is written, or what is meant."""

from __future__ import annotations

import re

ASKS_WORDS = re.compile(
    r"\b(?:occur\w*|appear\w*|mention\w*|contain\w*|includ\w*|us(?:e|es|ed|ing)|found|find|present|exists?|written"
    r"|printed|cited?|cites|names?|named|seen|see|read|stands?|(?:comes?|turns?|shows?) up|ask(?:s|ed)?|pose[sd]?"
    r"|quote[sd]?|part of|contribut\w*|featur\w+|literally|verbatim|(?:is|are) (?:\w+ )?in|has|have|having|absent"
    r"|missing|there)\b"
    r"|מופיע|מוזכר|נזכר|נמצא|קיימ|כלול|כתוב|מכיל|כולל|מזכיר|\bיש\b|בשימוש|משתמש|שימוש|מצוי"
)
ASKS_MEANING = re.compile(
    r"\b(?:best|closest|topics?|subjects?|themes?|main|purpose|tone|means?|meaning|synonym\w*|similar|related|why|who"
    r"|describes?|described|summar\w+|opinion|attitude|conclu\w+|kind of|type of)\b"
    r"|\babout\b"
    r"|נושא|עוסק|הטוב ביותר|משמעות|דומה|קשור|מתאר|מדוע|מטרת|\bעל אודות\b"
)
