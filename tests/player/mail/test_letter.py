"""Messages as mails and back, in the spellings that are seen in the wild."""

from __future__ import annotations

import email.policy
import json
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.player.errors import MessageError
from quarry.player.mail.letter import MAX_BYTES, is_of_league, read_letter, read_subject, write_letter
from quarry.player.protocol import payloads as protocol

SUBJECT = "Q21G.v1::REFEREE::ref@x.test::tx-1::Q21WARMUPCALL"
PAYLOAD = {"match_id": "0101001", "warmup_question": "What is 2 + 2?"}


def mail(subject: str = SUBJECT, body: str = "", attached: Any = None, name: str = "payload.json") -> bytes:
    letter = EmailMessage()
    letter["Subject"], letter["From"], letter["To"] = subject, "The Referee <ref@x.test>", "me@x.test"
    letter["Message-ID"] = "<one@x.test>"
    letter.set_content(body)
    if attached is not None:
        letter.add_attachment(json.dumps(attached).encode(), maintype="application", subtype="json", filename=name)
    return letter.as_bytes()


@pytest.mark.parametrize(
    "raw",
    [
        mail(attached=PAYLOAD),
        mail(attached={"payload": PAYLOAD}),
        mail(attached={"message_type": "Q21WARMUPCALL", "game_id": "0101001", "payload": PAYLOAD}),
        mail(attached={"messagetype": "Q21_WARMUP_CALL", "gameid": "0101001", "payload": PAYLOAD}),
        mail(attached=PAYLOAD, name="message.JSON"),
        mail(body=json.dumps(PAYLOAD)),
        mail(body=f"Dear player,\n\n{json.dumps(PAYLOAD, indent=2)}\n\nYours\n"),
        mail("Re: " + SUBJECT, attached=PAYLOAD),
        mail("RE: Fwd: " + SUBJECT.replace("Q21WARMUPCALL", "Q21_WARMUP_CALL"), attached=PAYLOAD),
        mail(attached=PAYLOAD, body='{"warmup_question": "the body counts after the attachment"}'),
    ],
)
def test_every_spelling_reads_as_the_same_message(raw: bytes) -> None:
    envelope = read_letter(raw)
    message = protocol.read_message(envelope)
    assert (message.message_type, message.game_id) == ("Q21WARMUPCALL", "0101001")
    assert protocol.read_warmup_call(message).question == "What is 2 + 2?"
    assert message.message_id == "tx-1"
    assert envelope["mail"]["from"] == "ref@x.test"


def test_a_message_survives_the_way_there() -> None:
    sent = protocol.write_message("Q21ROUNDSTART", {"book_hint": "רמז ☃"}, sender="r", recipient="p", game_id="0101001")
    letter = write_letter(sent, "ref@x.test", "me@x.test", "<a@b>", "<0@b> <a@b>")
    came = read_letter(letter.as_bytes())
    assert came.pop("mail") == {
        "from": "ref@x.test",
        "message_id": letter["Message-ID"],
        "references": "<0@b> <a@b>",
    }
    assert came == {**sent, "sender": {**sent["sender"], "email": "ref@x.test"}}


def test_the_same_message_is_the_same_mail_and_another_another() -> None:
    one, other = (protocol.write_message("Q21X", {}, sender="r", recipient="p", game_id="1") for _ in range(2))
    ids = [write_letter(each, "a@x.test", "b@x.test")["Message-ID"] for each in (one, one, other)]
    assert ids[0] == ids[1] != ids[2]


def test_a_subject_stands_on_one_line_in_plain_letters() -> None:
    sent = protocol.write_message("Q21GUESSSUBMISSION", {}, sender="a" * 60, recipient="p", game_id="0101001")
    raw = write_letter(sent, f"{'a' * 60}@x.test", "me@x.test").as_bytes()
    line = next(line for line in raw.split(b"\r\n") if line.startswith(b"Subject: "))
    assert line.count(b"::") == 4
    assert b"=?" not in line


def test_a_reply_goes_where_the_mail_came_from() -> None:
    came = read_letter(mail(attached=PAYLOAD))
    reply = protocol.write_message("Q21WARMUPRESPONSE", {}, sender="p", recipient="r", game_id="1", like=came)
    assert reply["mail"] == {"from": "ref@x.test", "message_id": "<one@x.test>", "references": ""}
    letter = write_letter(reply, "me@x.test", reply["mail"]["from"], reply["mail"]["message_id"])
    assert (letter["In-Reply-To"], letter["References"]) == ("<one@x.test>", "<one@x.test>")
    assert "mail" not in read_letter(letter.as_bytes())["payload"]
    attached = next(iter(letter.iter_attachments()))
    assert b'"mail"' not in attached.get_content()


@pytest.mark.parametrize("text", ["a\r\nBcc: all@x.test", "a::b", "x" * 5_000, "\x1b[2J", "é", "\ud800"])
def test_no_field_breaks_out_of_its_header(text: str) -> None:
    sent = {"message_type": f"Q21{text}", "message_id": text, "sender": {"role": text}, "payload": {}, "game_id": text}
    letter = write_letter(sent, "me@x.test", "ref@x.test", text, text)
    parsed = BytesParser(policy=email.policy.default).parsebytes(letter.as_bytes())
    assert parsed["Bcc"] is None
    assert parsed["To"] == "ref@x.test"


@pytest.mark.parametrize(
    "subject",
    ["", "Dinner", "a::b::c::d::e", "Q21G.v1::R::r@x::t1", "Q21G.v1::R::r@x::t1::", "x Q21G.v1::R::r@x::t1::Q21X"],
)
def test_other_subjects_are_not_the_leagues(subject: str) -> None:
    assert not is_of_league(subject)
    with pytest.raises(MessageError):
        read_letter(mail(subject, attached=PAYLOAD))


@pytest.mark.parametrize("subject", [SUBJECT, "league.v2::LM::lm@x::t::BROADCAST_START_SEASON", "1.0::R::r@x::t::Q21X"])
def test_every_protocol_seen_is_the_leagues(subject: str) -> None:
    assert is_of_league(subject)
    assert is_of_league(f"AW: {subject}")


def test_an_encoded_subject_is_decoded() -> None:
    assert read_subject("=?utf-8?q?Q21G=2Ev1=3A=3AREFEREE?=\r\n =?utf-8?q?=3A=3Ar?=") == "Q21G.v1::REFEREE::r"
    assert read_subject("=?no-such-charset?q?x?=") != ""


def test_holiday_notices_and_endless_mails_are_left() -> None:
    with pytest.raises(MessageError, match="automatic reply"):
        read_letter(b"Auto-Submitted: auto-replied\r\n" + mail(attached=PAYLOAD))
    with pytest.raises(MessageError, match="at most"):
        read_letter(mail() + b"x" * MAX_BYTES)


def test_deep_and_wide_mails_end() -> None:
    parts = b"".join(b"--b\r\nContent-Type: text/plain\r\n\r\n[\r\n" for _ in range(20_000))
    raw = f"Subject: {SUBJECT}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n".encode() + parts + b"--b--"
    assert read_letter(raw)["payload"] == {}
    nested = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (depth, depth) for depth in range(300)
    )
    assert read_letter(f"Subject: {SUBJECT}\r\n".encode() + nested)["payload"] == {}


@given(st.binary(max_size=400), st.sampled_from([b"", b"Content-Type: multipart/mixed; boundary=b\r\n"]))
def test_whatever_comes_is_read_or_refused(junk: bytes, head: bytes) -> None:
    for raw in (junk, head + f"Subject: {SUBJECT}\r\n\r\n".encode() + junk, f"Subject: {SUBJECT}\r\n".encode() + junk):
        try:
            envelope = read_letter(raw)
            message = protocol.read_message(envelope)
        except MessageError:
            continue
        assert message.message_type
        json.dumps(envelope)
