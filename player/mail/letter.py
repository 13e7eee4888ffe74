"""Messages <-> mails: the envelope in the subject, the payload attached as payload.json or in the body.

A subject is `PROTOCOL::ROLE::ADDRESS::MESSAGE_ID::MESSAGE_TYPE`, e.g. `Q21G.v1::REFEREE::r@x.org::t1::Q21WARMUPCALL`.
"""

from __future__ import annotations

import email.policy
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.header import decode_header
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.utils import format_datetime, make_msgid, parseaddr
from typing import Any

from quarry.player.errors import MessageError
from quarry.player.protocol.decoding import read_json
from quarry.player.protocol.payloads import MAX_ID_CHARS, PROTOCOL, ROUTE, Json

ATTACHMENT = "payload.json"
MAX_BYTES = 2_000_000
"""Of a mail, read."""
MAX_PARTS = 100
N_SUBJECT_PARTS = 5
MAX_LINE_CHARS = 998
"""Of a header, as RFC 5322 allows; a subject folded at 78 would come as encoded words, which some readers leave so."""
MAX_SUBJECT_CHARS = 1_000

_PROTOCOL = re.compile(r"(?:q21g?|league)[\w.]{0,20}|\d+(?:\.\d+)?", re.IGNORECASE)
_REPLY = re.compile(r"^(?:\s*(?:re|fwd?|aw|wg|השב|הועבר)\s*(?:\[\d+\])?:)+\s*", re.IGNORECASE)
_ID_SAFE = re.compile(r"[^A-Za-z0-9._-]")
_GAME_ID = re.compile(r"\d{7}")


def write_letter(
    envelope: Mapping[str, Any], sender: str, recipient: str, answers: str = "", thread: str = ""
) -> EmailMessage:
    """A mail that carries a message; the same message gives the same Message-ID, so that it is one wherever it arrives.

    Args:
        sender, recipient: addresses.
        answers: Message-ID of the mail that it replies to, "" for none.
        thread: References of that mail.
    """
    letter = EmailMessage(policy=email.policy.SMTP.clone(max_line_length=MAX_LINE_CHARS))
    role = str((envelope.get("sender") or {}).get("role") or "player").upper()
    message_id, kind = str(envelope.get("message_id", "")), str(envelope.get("message_type", ""))
    parts = (str(envelope.get("protocol") or PROTOCOL), role, sender, message_id, kind)
    letter["Subject"] = "::".join(_in_header(part).replace("::", ":") for part in parts)
    letter["From"] = sender
    letter["To"] = recipient
    letter["Date"] = format_datetime(datetime.now(UTC))
    domain = sender.rpartition("@")[2]
    letter["Message-ID"] = f"<{_id_of(message_id)}@{domain}>" if message_id else make_msgid(domain=domain)
    if answers := _header_id(answers):
        letter["In-Reply-To"] = answers
        letter["References"] = " ".join(dict.fromkeys([*map(_header_id, thread.split()[-20:]), answers])).strip()
    letter["Auto-Submitted"] = "auto-generated"
    text = _written(envelope, sender)
    game_id = _in_header(str(envelope.get("game_id", "")))
    letter.set_content(f"{_in_header(kind)}, game {game_id}. The message is attached as {ATTACHMENT}.\n")
    letter.add_attachment(text.encode("utf-8", "replace"), maintype="application", subtype="json", filename=ATTACHMENT)
    return letter


def is_of_league(subject: str) -> bool:
    """Whether a subject is a message's, after any `Re:`."""
    return _split(subject) is not None


def read_subject(raw: str) -> str:
    """A subject as it was meant: encoded words decoded, folded lines joined."""
    if len(raw) > 4 * MAX_SUBJECT_CHARS:
        return ""
    try:
        parts = decode_header(raw)
        text = "".join(
            part if isinstance(part, str) else part.decode(charset or "ascii", "replace") for part, charset in parts
        )
    except (LookupError, ValueError):
        text = raw
    return " ".join(text.split())[:MAX_SUBJECT_CHARS]


def read_letter(raw: bytes) -> Json:
    """The envelope that a mail carries; what the subject says fills in what the payload leaves out.

    Returns:
        The message, with `mail`: {"from", "message_id", "references"} of the mail.

    Raises:
        MessageError: it is too long, or carries none.
    """
    if len(raw) > MAX_BYTES:
        raise MessageError(f"a mail must have at most {MAX_BYTES} bytes, got {len(raw)}")
    letter = BytesParser(policy=email.policy.compat32).parsebytes(raw)
    if str(letter.get("Auto-Submitted", "")).strip().lower().startswith("auto-replied"):
        raise MessageError("a mail must be written by the league or a player, got an automatic reply")
    told = _split(read_subject(str(letter.get("Subject", ""))))
    if told is None:
        raise MessageError("a mail must have PROTOCOL::ROLE::ADDRESS::ID::TYPE as its subject")
    content = _content(letter)
    envelope: Json = content if _is_envelope(content) else {"payload": content}
    protocol, role, address, message_id, kind = told
    sender = parseaddr(str(letter.get("From", "")))[1][:MAX_ID_CHARS]
    envelope.setdefault("protocol", protocol)
    if not any(envelope.get(name) for name in ("message_type", "messagetype", "messageType")):
        envelope["message_type"] = kind
    if not envelope.get("message_id"):
        envelope["message_id"] = message_id or str(letter.get("Message-ID", ""))[:MAX_ID_CHARS] or _digest(raw)
    if not isinstance(envelope.get("sender"), dict):
        envelope["sender"] = {"email": address, "role": role.lower(), "logical_id": address}
    if not any(envelope.get(name) for name in ("game_id", "gameid", "gameId")):
        payload = envelope.get("payload")
        match_id = str((payload if isinstance(payload, dict) else {}).get("match_id", ""))
        if _GAME_ID.fullmatch(match_id):
            envelope["game_id"] = match_id
    envelope[ROUTE] = {
        "from": sender,
        "message_id": _header_id(str(letter.get("Message-ID", ""))),
        "references": str(letter.get("References", ""))[:2_000],
    }
    return envelope


def _split(subject: str) -> tuple[str, str, str, str, str] | None:
    parts = [part.strip()[:MAX_ID_CHARS] for part in _REPLY.sub("", subject).split("::")]
    if len(parts) != N_SUBJECT_PARTS or not _PROTOCOL.fullmatch(parts[0]) or not parts[4]:
        return None
    return parts[0], parts[1], parts[2], parts[3], parts[4]


def _is_envelope(content: Mapping[str, Any]) -> bool:
    return any(name in content for name in ("payload", "message_type", "messagetype", "messageType"))


def _content(letter: Message) -> Json:
    """The first JSON object of: payload.json, another JSON attachment, the plain text, what stands in braces in it."""
    documents: list[tuple[int, bytes]] = []
    for number, part in enumerate(letter.walk()):
        if number == MAX_PARTS:
            break
        if part.is_multipart():
            continue
        kind, name = part.get_content_type(), str(part.get_filename() or "").lower()
        if name == ATTACHMENT or name.endswith(f"/{ATTACHMENT}"):
            rank = 0
        elif kind == "application/json" or name.endswith(".json"):
            rank = 1
        elif kind == "text/plain":
            rank = 2
        else:
            continue
        body = part.get_payload(decode=True)
        documents.append((rank, body if isinstance(body, bytes) else b""))
    for _, body in sorted(documents, key=lambda document: document[0]):
        for text in _candidates(body):
            try:
                found = read_json(text)
            except MessageError:
                continue
            if isinstance(found, dict):
                return found
    return {}


def _candidates(body: bytes) -> Iterator[bytes]:
    yield body.strip().removeprefix(b"\xef\xbb\xbf")
    begins, ends = body.find(b"{"), body.rfind(b"}")
    if 0 <= begins < ends:
        yield body[begins : ends + 1]


def _written(envelope: Mapping[str, Any], address: str) -> str:
    """The message as JSON, its sender's address the mailbox's."""
    content = {name: value for name, value in envelope.items() if name != ROUTE}
    if isinstance(content.get("sender"), dict):
        content["sender"] = {**content["sender"], "email": address}
    return json.dumps(content, ensure_ascii=False, indent=1)


def _in_header(text: str) -> str:
    return "".join(char for char in text if char.isprintable())[:MAX_ID_CHARS]


def _header_id(text: str) -> str:
    """A Message-ID that can stand in a header; "" for none."""
    found = re.search(r"<[^<>\s]{1,250}>", text)
    return found[0] if found and found[0].isascii() else ""


def _id_of(message_id: str) -> str:
    safe = _ID_SAFE.sub("", message_id)
    return safe if safe == message_id and len(safe) <= 100 else _digest(message_id.encode("utf-8", "replace"))


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:32]
