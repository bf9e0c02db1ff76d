from __future__ import annotations

import pytest

from showtell.errors import SourceError
from showtell.ingest.subtitles import read_cues


def _cues(text: str) -> list[tuple[float, float, str]]:
    return [(cue.start, cue.end, cue.text) for cue in read_cues(text.encode())]


def test_srt_without_blank_lines_between_cues() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nFirst.\n2\n00:00:03,000 --> 00:00:04,500\nSecond.\n"
    assert _cues(text) == [(1.0, 2.0, "First."), (3.0, 4.5, "Second.")]


def test_srt_keeps_what_stands_behind_a_blank_line_in_a_cue() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nUpper\n\nlower.\n\n2\n00:00:03,000 --> 00:00:04,000\nNext.\n"
    assert _cues(text) == [(1.0, 2.0, "Upper lower."), (3.0, 4.0, "Next.")]


def test_vtt_names_notes_and_styles_are_no_text() -> None:
    text = "WEBVTT\n\nintro\n00:01.000 --> 00:02.000 line:0\n<v.loud Ada>Hi<00:00:01.500> there</v>\n\nNOTE no\n\nend\n"
    assert _cues(text) == [(1.0, 2.0, "Hi there")]


def test_a_refrain_is_not_taken_for_rolling_captions() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nNo.\n\n00:02.000 --> 00:03.000\nNo.\n"
    assert _cues(text) == [(1.0, 2.0, "No."), (2.0, 3.0, "No.")]


def test_rolling_captions_lose_their_repeats_and_keep_their_time() -> None:
    text = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\n \none<00:00:01.000><c> two</c>\n\n"
        "00:02.000 --> 00:02.010\none two\n \n\n00:02.010 --> 00:04.000\none two\nthree<00:00:03.000><c> four</c>\n"
    )
    assert _cues(text) == [(0.0, 2.01, "one two"), (2.01, 4.0, "three four")]


def test_cues_come_in_order_of_their_start() -> None:
    text = "WEBVTT\n\n00:05.000 --> 00:06.000\nlater\n\n00:01.000 --> 00:09.000\nsooner\n"
    assert [text for _, _, text in _cues(text)] == ["sooner", "later"]


def test_an_end_before_its_start_is_the_start() -> None:
    assert _cues("00:00:05,000 --> 00:00:02,000\nHm.\n") == [(5.0, 5.0, "Hm.")]


def test_other_encodings() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nÇa va très bien, merci à vous.\n"
    assert read_cues(text.encode("cp1252"))[0].text == "Ça va très bien, merci à vous."
    assert read_cues(text.encode("utf-16"))[0].text == "Ça va très bien, merci à vous."


@pytest.mark.parametrize("data", [b"", b"WEBVTT\n", b"just words\n", b"1\n00:00 -> x\n", bytes(range(256))])
def test_a_file_without_a_timed_line_is_an_error(data: bytes) -> None:
    with pytest.raises(SourceError, match="no timed line"):
        read_cues(data)
