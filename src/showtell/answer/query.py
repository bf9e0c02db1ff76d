"""What a question asks for besides its subject: steps, a table, a picture, a video.

Cue words in the languages that users ask in; a question without any cue asks for text, and media only where the
sources put them beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Intent:
    """The kinds of evidence that a question's words ask for."""

    steps: bool = False
    table: bool = False
    image: bool = False
    video: bool = False


_CUES = {
    "steps": (
        r"\bhow (?:do|can|could|should|would|to|did|does|am|are|must)\b|\bhow\?|\bwalk (?:me|us) through\b|\bstep[- ]by[- ]step\b"
        r"|\bsteps\b|\bset(?:ting)? (?:it |them |this )?up\b|\bwhere (?:do|can|on earth do|should) (?:i|we|you)\b|\bi(?:'d| would)? (?:need|want|like) to\b"
        r"|\bwie (?:kann|mache?|geht|baue?|richte|stelle?|lege|erstelle|ändere|finde|füge|muss|lässt|bekomme|teile|\w+e) (?:ich|man|wir|es|das)?\b"
        r"|\bwie \w+ (?:ich|man|wir)\b|\bschritt\b|\banleitung\b|\bcomment\b|\bétapes?\b|\bcómo\b|\bpasos?\b|\bcome (?:si|faccio|posso)\b|\bcomo\b"
        r"|怎么|怎样|如何|步骤|どう(?:すれば|やって|やる)|方法|手順|어떻게|\bкак\b"
    ),
    "table": (
        r"\bcompar\w+|\bdifferen\w+|\bversus\b|\bvs\.?\b|\btables?\b|\bwhich (?:of|ones?)\b|\brather than\b|\bbetter\b"
        r"|\bvergl\w+|\bunterschied\w*|\btabelle\w*|\bwelche\w? (?:von|der)\b|\btableau\w*|\bdifférence\w*|\btabla\w*|\bdiferencia\w*"
        r"|比较|对比|区别|不同|表格|比較|違い|一覧|сравн\w+|таблиц\w+"
    ),
    "image": (
        r"\bpictures?\b|\bscreenshots?\b|\bimages?\b|\bphotos?\b|\bdiagrams?\b|\bdraw(?:n|ing)?\b|\blooks? like\b|\blabell?ed\b"
        r"|\billustrat\w+|\bshow\b(?! me (?:how|a (?:video|demo|recording)))|\bwhat does (?:it|that|this)\b.*\blook\b|\bbild\w*|\babbildung\w*|\bfoto\w*|\bzeig\w*"
        r"|\bschéma\w*|\bimagen\w*|\bcaptures? d'écran|\bcaptura\w*|截图|图片|图示|示意图|画像|写真|그림|картинк\w+|скриншот\w*"
    ),
    "video": (
        r"\bvideos?\b|\brecordings?\b|\bclips?\b|\bwatch\b|\bwebinars?\b|\btalks?\b|\bscreencasts?\b|\bfootage\b|\btutorials?\b|\bdemos?\b|\bfilm\w*|\bmovies?\b"
        r"|\baufzeichnung\w*|\bmitschnitt\w*|\bansehen\b|\banschauen\b|\bvidéos?\b|\bvídeos?\b|\benregistrement\w*|\bgrabaci\w+|视频|录像|影片|動画|ビデオ|영상|видео"
    ),
}
_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _CUES.items()}


def read_intent(question: str) -> Intent:
    """The intent that a question's cue words show."""
    return Intent(**{kind: bool(pattern.search(question)) for kind, pattern in _PATTERNS.items()})
