"""Questions with pictures, answered from a real MediaWiki; what a model sees in them is scripted."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from showtell.demo import HANDBOOK
from showtell.errors import (
    FetchError,
    ModelError,
    PictureError,
    PicturesRefused,
    SettingsError,
    ShowtellError,
    SourceError,
    WikiError,
)
from showtell.library import Library
from showtell.models.base import ChatRequest
from showtell.models.fake import ScriptedModel
from showtell.types import Answer, FigurePart, TextPart
from tests.conftest import Site
from tests.sources.mediawiki import MediaWiki

LOOK, CHOOSE, FURTHER, DRAFT, REFINE = "look", "choose", "further", "draft", "refine"
_BEGINNINGS = {
    "You prepare a search": LOOK,
    "You choose the pages": CHOOSE,
    "The passages found so far": FURTHER,
    "You answer a question from passages": DRAFT,
    "You revise": REFINE,
}
Open = Callable[..., Library]


def photo(colour: str = "firebrick", size: tuple[int, int] = (900, 600), **saved: object) -> bytes:
    """A picture that is like none of any library."""
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).ellipse((size[0] // 5, 2, size[0] // 2, size[1] - 2), fill=colour)
    out = io.BytesIO()
    picture.save(out, "JPEG", **saved)  # type: ignore[arg-type]
    return out.getvalue()


class Seeing:
    """A model that sees what it is told: replies by kind of request, in order, the last one for the rest."""

    def __init__(
        self, model: ScriptedModel | None = None, **replies: str | list[str] | Callable[[ChatRequest], str]
    ) -> None:
        self._made = {kind: each for kind, each in replies.items() if callable(each)}
        self._replies = {kind: [each] if isinstance(each, str) else each for kind, each in replies.items()}
        self.model = model or ScriptedModel(self.reply)

    def requests(self, kind: str) -> list[ChatRequest]:
        return [each for each in self.model.requests if self._kind(each) == kind]

    def _kind(self, request: ChatRequest) -> str:
        return next(kind for words, kind in _BEGINNINGS.items() if request.messages[0].text.startswith(words))

    def reply(self, request: ChatRequest) -> str:
        kind = self._kind(request)
        if kind in self._made:
            return self._made[kind](request)
        if kind == REFINE:  # the draft, as it is
            return request.messages[-1].text.split("Draft:\n")[1].split("\n\nNow write")[0]
        replies = self._replies.get(kind, ['{"pages": [1]}' if kind == CHOOSE else '{"searches": []}'])
        return replies.pop(0) if len(replies) > 1 else replies[0]


@pytest.fixture
def ask_wiki(mediawiki: MediaWiki, tmp_path: Path) -> Iterator[Callable[..., Answer]]:
    """Ask the wiki a question, with a picture and a model that sees unless told otherwise."""
    with open_on(mediawiki, tmp_path) as library:

        def ask(question: str, seeing: Seeing | None, images: object = (photo(),), **more: object) -> Answer:
            library.model = seeing.model if seeing else None
            return library.ask(question, images=images, sources=["wikipedia"], **more)  # type: ignore[arg-type]

        yield ask


def open_on(wiki: MediaWiki, folder: Path, **settings: object) -> Library:
    return Library.open(
        folder / "library", cache=folder / "cache", allow_hosts=[wiki.host], wikipedia_api=wiki.api,
        wikipedia_contact="someone@example.org", **settings,
    )  # fmt: skip


def text_of(answer: Answer) -> str:
    return " ".join(part.text for part in answer.parts if isinstance(part, TextPart))


def look(*searches: str) -> str:
    return json.dumps({"needs": "search", "searches": searches, "says": ""})


# ------------------------------------------------------------------------------------------- the published examples
@pytest.mark.parametrize("written", [look("tomato plant", "tomato plant height"), "tomato plant, tomato plant height"])
def test_how_tall_the_plants_are(ask_wiki: Callable[..., Answer], written: str) -> None:
    seeing = Seeing(look=written, draft="The plants grow to 1–3 m (3–10 ft) [1].")
    answer = ask_wiki("How tall are the plants that produce this fruit?", seeing)
    assert answer.status == "answered"
    assert answer.searches == ("tomato plant", "tomato plant height")
    assert "1–3 m (3–10 ft)" in text_of(answer)
    (cited,) = answer.citations
    assert (cited.title, cited.licence) == ("Tomato", "Creative Commons Attribution-Share Alike 4.0")
    assert cited.url
    assert cited.revision
    assert {check.verdict for check in answer.checks} == {"supported"}
    assert 0 < answer.requests["wikipedia"] <= 10


def test_how_much_a_species_weighs(ask_wiki: Callable[..., Answer]) -> None:
    said = "Males weigh 300–800 kg (660–1,760 lb), females 150–300 kg (330–660 lb) [1]."
    answer = ask_wiki("How much does this species weigh?", Seeing(look=look("polar bear", "weight"), draft=said))
    assert "300–800 kg" in text_of(answer)
    assert "150–300 kg" in text_of(answer)
    assert {check.verdict for check in answer.checks if check.kind == "number"} == {"supported"}


@pytest.mark.parametrize(
    "said",
    [
        json.dumps({"needs": "nothing", "searches": [], "says": "The image shows a desert landscape with sand dunes."}),
        (
            "There are no fish visible in the image provided. The image shows a desert landscape with sand dunes. "
            "Therefore, the search keywords related to the image content would be more appropriate for a desert."
        ),
    ],
)
def test_a_picture_that_does_not_show_it_ends_the_search(ask_wiki: Callable[..., Answer], said: str) -> None:
    seeing = Seeing(look=said)
    answer = ask_wiki("Tell me the species of the fish in this image", seeing)
    assert answer.status == "no_answer"
    assert answer.requests == {"model": 1, "wikipedia": 0}
    assert answer.searches == ()
    assert answer.citations == ()
    assert "The picture does not show what is asked about." in text_of(answer)
    assert "desert" in text_of(answer)


def test_the_published_slip_of_the_lions_is_repaired(ask_wiki: Callable[..., Answer]) -> None:
    said = "A male lion weighs 187.5 kg (386 lb) in Southern Africa and 174.9 kg (386 lb) in East Africa [1]."
    answer = ask_wiki(
        "What's the average weight of this animal?", Seeing(look="lion, weight, average weight", draft=said)
    )
    assert "187.5 kg (413 lb) in Southern Africa and 174.9 kg (386 lb) in East Africa" in text_of(answer)
    assert [check.action for check in answer.checks if check.verdict == "contradicted"] == ["repaired"]
    assert [part.media.block.type for part in answer.parts if isinstance(part, FigurePart)] == ["table"]


# --------------------------------------------------------------------------------------------- further, and further on
@pytest.mark.parametrize(
    ("picture_of", "found", "said"),
    [
        ("Halvard Lark 2", "Halvard Optik founded", "Halvard Optik was founded in 1919"),
        ("Tessaro Quick", "Tessaro Works", "Tessaro Works was founded in 1948"),
    ],
)
def test_what_is_missing_is_searched_for(
    ask_wiki: Callable[..., Answer], picture_of: str, found: str, said: str
) -> None:
    def draft(request: ChatRequest) -> str:
        year = said.rpartition(" ")[2]
        holding = [text for text in request.messages[-1].text.split("<passage number=") if year in text]
        return f"{said} [{holding[0][1]}]." if holding else "NO ANSWER"

    seeing = Seeing(look=look(picture_of), further=json.dumps({"searches": [picture_of, found]}), draft=draft)
    answer = ask_wiki("When was the maker of this camera founded?", seeing)
    assert said in text_of(answer)
    assert answer.searches == (picture_of, found)  # what was searched is not searched again
    assert {check.verdict for check in answer.checks} == {"supported"}
    assert answer.requests["wikipedia"] <= 10


def test_no_more_than_two_further_rounds(ask_wiki: Callable[..., Answer]) -> None:
    further = [json.dumps({"searches": [text]}) for text in ("lion mane", "lion roar", "lion tail", "lion paws")]
    seeing = Seeing(look=look("lion"), further=further, draft="NO ANSWER")
    answer = ask_wiki("What is the name of this lion's mother?", seeing)
    assert answer.status == "no_answer"
    assert answer.searches == ("lion", "lion mane", "lion roar")
    assert len(seeing.requests(FURTHER)) == 2


def test_searches_that_were_made_end_the_rounds(ask_wiki: Callable[..., Answer]) -> None:
    seeing = Seeing(look=look("lion weight"), further='{"searches": ["weight, Lion"]}', draft="NO ANSWER")
    answer = ask_wiki("What is the name of this lion's mother?", seeing)
    assert answer.searches == ("lion weight",)
    assert len(seeing.requests(FURTHER)) == 1


# ------------------------------------------------------------------------------------------- what the model is shown
def test_the_model_gets_the_picture_upright_and_scaled(ask_wiki: Callable[..., Answer]) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    exif[0x010E] = "where it was taken"
    turned = photo(size=(3000, 2000), exif=exif)
    seeing = Seeing(look=look("tomato height"), draft="They grow to 1–3 m [1].")
    ask_wiki("How tall does it grow?", seeing, images=[turned, photo("gold", (40, 30))])
    for kind in (LOOK, DRAFT):
        (request,) = seeing.requests(kind)
        shown = [Image.open(io.BytesIO(each)) for each in request.messages[-1].pictures]
        assert [picture.size for picture in shown] == [(683, 1024), (40, 30)]
        assert {picture.format for picture in shown} == {"JPEG"}
        assert not any(picture.getexif() for picture in shown)
        assert "pictures above come with the question" in request.messages[-1].text


def test_the_model_chooses_among_the_pages_found(ask_wiki: Callable[..., Answer]) -> None:
    seeing = Seeing(
        look=look("mercury"), choose='{"pages": ["Mercury (element)"]}', draft="It freezes at −38.8 °C [1]."
    )
    answer = ask_wiki("At what temperature does this metal freeze?", seeing)
    (request,) = seeing.requests(CHOOSE)
    assert request.messages[-1].pictures
    assert "Mercury (planet)" in request.messages[-1].text
    assert {citation.title for citation in answer.citations} == {"Mercury (element)"}


@pytest.mark.parametrize("reply", ["I choose the second.", '{"pages": [77]}', "", '{"pages": "x"}'])
def test_a_choice_that_cannot_be_read_leaves_the_best_pages(ask_wiki: Callable[..., Answer], reply: str) -> None:
    seeing = Seeing(look=look("polar bear", "weight"), choose=reply, draft="Males weigh 300–800 kg [1].")
    assert ask_wiki("How much does it weigh?", seeing).citations[0].title == "Polar bear"


def test_a_question_that_the_picture_answers_needs_no_pages(ask_wiki: Callable[..., Answer]) -> None:
    says = "The sign says [exit](https://evil.example/) <img src=x> in red."
    answer = ask_wiki("What does the sign say?", Seeing(look=json.dumps({"needs": "picture", "says": says})))
    assert answer.status == "answered"
    assert answer.requests == {"model": 1, "wikipedia": 0}
    assert "evil.example" not in text_of(answer)
    assert "no sources were used" in answer.confidence
    assert any("nothing was looked up" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("question", "searches", "pages", "said"),
    [
        (
            "Which of these two is heavier?", ["polar bear weight", "lion weight"], ["Polar bear", "Lion"],
            {"300–800 kg": "Polar bears weigh 300–800 kg", "187.5 kg (413": "lions 187.5 kg in Southern Africa"},
        ),
        (
            "Which of these cameras came first?", ["Halvard Lark 2", "Tessaro Quick"],
            ["Halvard Lark 2", "Tessaro Quick"],
            {"from 1962": "The Lark 2 was made from 1962 on", "from 1975": "the Tessaro Quick from 1975 on"},
        ),
    ],
)  # fmt: skip
def test_two_pictures_of_one_question(
    ask_wiki: Callable[..., Answer], question: str, searches: list[str], pages: list[str], said: dict[str, str]
) -> None:
    def draft(request: ChatRequest) -> str:
        passages = request.messages[-1].text.split("<passage number=")
        cited = {part: next(text[1] for text in passages if part in text) for part in said}
        return ", ".join(f"{words} [{cited[part]}]" for part, words in said.items()) + "."

    seeing = Seeing(look=look(*searches), choose=json.dumps({"pages": pages}), draft=draft)
    answer = ask_wiki(question, seeing, images=[photo("white"), photo("tan")])
    assert len(answer.question.images) == 2
    assert {citation.title for citation in answer.citations} == set(pages)
    assert all(words in re.sub(r" \[\d+\]", "", text_of(answer)) for words in said.values())
    assert {check.verdict for check in answer.checks} == {"supported"}


def test_a_follow_up_is_about_the_same_picture(mediawiki: MediaWiki, tmp_path: Path) -> None:
    with open_on(mediawiki, tmp_path) as library:
        seeing = Seeing(look=look("polar bear"), draft="Males weigh 300–800 kg [1].")
        library.model = seeing.model
        first = library.ask("How heavy is it?", images=[photo()], sources=["wikipedia"])

        def reply(request: ChatRequest) -> str:
            if request.messages[0].text.startswith("You turn a user's question"):
                return json.dumps({"question": "How long is the polar bear?", "searches": ["polar bear length"]})
            return seeing.reply(request)

        library.model = ScriptedModel(reply)
        second = library.ask("And how long?", sources=["wikipedia"], after=[first])
        assert second.question.images == first.question.images
        assert any(request.messages[-1].pictures for request in library.model.requests)


# --------------------------------------------------------------------------------------------------- searches, requests
def test_the_users_searches_override(ask_wiki: Callable[..., Answer]) -> None:
    seeing = Seeing(draft="Males weigh 300–800 kg [1].")
    answer = ask_wiki("How much does it weigh?", seeing, searches=["polar bear"])
    assert answer.searches == ("polar bear",)
    assert not seeing.requests(LOOK)
    assert seeing.requests(DRAFT)[0].messages[-1].pictures  # the model still sees the picture
    assert ask_wiki("How much does it weigh?", None, searches=["polar bear"]).citations[0].title == "Polar bear"


def test_a_question_asked_again_sends_nothing(ask_wiki: Callable[..., Answer]) -> None:
    asked = [ask_wiki("How tall are tomato plants?", None, images=()) for _ in range(2)]
    assert asked[0].requests["wikipedia"] > 0
    assert asked[1].requests["wikipedia"] == 0
    assert asked[0].parts == asked[1].parts


def test_words_alone_ask_the_wiki(ask_wiki: Callable[..., Answer]) -> None:
    answer = ask_wiki("How tall are tomato plants?", None, images=())
    assert "1–3 m (3–10 ft)" in text_of(answer)
    assert answer.citations[0].title == "Tomato"


def test_pictures_of_the_pages_stay_with_the_answer(mediawiki: MediaWiki, tmp_path: Path) -> None:
    with open_on(mediawiki, tmp_path) as library:
        answer = library.ask("Show me a picture of a tomato on the vine", sources=["wikipedia"])
        images = [
            part.media for part in answer.parts if isinstance(part, FigurePart) and part.media.block.type == "image"
        ]
        assert images
        for media in images:
            file = library.asset(media.block.asset or "")  # type: ignore[union-attr]
            assert file
            with Image.open(file) as picture:
                assert picture.width > 100
            assert media.licence
            assert media.credit


# ------------------------------------------------------------------------------------------------ the published method
@pytest.mark.parametrize(
    ("question", "keywords", "said", "shown"),
    [
        ("How tall are the plants that produce this fruit?", "tomato plant, tomato plant height",
         "The plants typically grow to 1-3 meters (3-10 feet) in height.", "1-3 meters"),
        ("How much does this species weight?", "polar bear, weight",
         "Males weigh 300-800 kg (660-1,760 lb), females 150-300 kg (330-660 lb).", "300-800 kg"),
        ("What's the average weight of this animal?", "lion, weight, average weight",
         "It is 187.5 kg (386 lb) in Southern Africa and 174.9 kg (386 lb) in East Africa.", "187.5 kg (413 lb)"),
    ],
)  # fmt: skip
def test_the_published_method(
    ask_wiki: Callable[..., Answer], question: str, keywords: str, said: str, shown: str
) -> None:
    model = ScriptedModel([keywords, said])
    answer = ask_wiki(question, Seeing(model), method="vision-rag")
    assert shown in text_of(answer)
    assert answer.method == "vision-rag"
    assert answer.searches == tuple(keywords.split(", "))
    assert answer.requests["model"] == 2
    assert all(len(request.messages) == 1 and request.messages[0].pictures for request in model.requests)
    prompt = model.requests[1].messages[0].text
    assert 0 < len(re.findall(r"From Wikipedia page (.+?) : ", prompt)) <= 7
    assert "References" not in prompt
    assert answer.citations


def test_the_published_method_searches_for_no_statement(ask_wiki: Callable[..., Answer]) -> None:
    said = ["There are no fish visible in the image provided. The image shows a desert.", "The image shows no fish."]
    answer = ask_wiki("Tell me the species of the fish", Seeing(ScriptedModel(said)), method="vision-rag")
    assert answer.requests == {"model": 2, "wikipedia": 0}
    assert not answer.citations


def test_the_published_method_is_nothing_without_a_model(ask_wiki: Callable[..., Answer]) -> None:
    with pytest.raises(ModelError, match="--model"):
        ask_wiki("How tall is it?", None, method="vision-rag")


# ------------------------------------------------------------------------------------------------- without such a model
@pytest.mark.parametrize(
    "model", [None, ScriptedModel([PicturesRefused("it takes no pictures")]), ScriptedModel([ModelError("it is down")])]
)
def test_without_a_model_that_sees_nothing_unjustified_is_searched(
    ask_wiki: Callable[..., Answer], mediawiki: MediaWiki, tmp_path: Path, model: ScriptedModel | None
) -> None:
    before = len(mediawiki.asked())
    with open_on(mediawiki, tmp_path / "other") as library:
        library.model = model
        answer = library.ask("What's the average weight of this animal?", images=[photo()], sources=["wikipedia"])
    assert answer.status == "no_answer"
    assert len(mediawiki.asked()) == before
    assert any("--search" in warning for warning in answer.warnings)


def test_a_text_model_answers_from_what_the_user_searches(ask_wiki: Callable[..., Answer]) -> None:
    class Blind(Seeing):
        def reply(self, request: ChatRequest) -> str:
            if request.messages[-1].pictures:
                raise PicturesRefused("it takes no pictures")
            return super().reply(request)

    seeing = Blind(draft="Males weigh 300–800 kg [1].")
    answer = ask_wiki("How much does it weigh?", seeing, searches=["polar bear"])
    assert answer.model == "scripted"
    assert "300–800 kg" in text_of(answer)


# ------------------------------------------------------------------------------------------------------------ bad input
def test_bad_pictures_are_told(ask_wiki: Callable[..., Answer], tmp_path: Path, site: Site) -> None:
    whole = photo()
    (tmp_path / "cut.jpg").write_bytes(whole[: len(whole) // 3])
    (tmp_path / "text.png").write_text("no picture")
    for image, error in [
        (tmp_path / "cut.jpg", PictureError),
        (tmp_path / "text.png", PictureError),
        (tmp_path / "none.png", SourceError),
        (b"", PictureError),
        (site.url("/private.png"), FetchError),
    ]:
        with pytest.raises(error) as told:
            ask_wiki("What is it?", None, images=[image])
        assert len(str(told.value).splitlines()) == 1
    assert not site.asked


def test_a_wiki_that_cannot_be_asked_is_an_error(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", cache=tmp_path / "cache") as library:
        with pytest.raises(SettingsError, match="WIKIPEDIA_CONTACT"):
            library.ask("How tall is it?", sources=["wikipedia"])
        with pytest.raises(SettingsError, match="there is no source moon"):
            library.ask("How tall is it?", sources=["moon"])
    gone = {"wikipedia_api": "http://127.0.0.1:9/api.php", "allow_hosts": ["127.0.0.1:9"]}
    with (
        Library.open(
            tmp_path / "other", cache=tmp_path / "cache", wikipedia_contact="a@example.org", **gone
        ) as library,
        pytest.raises(WikiError),
    ):
        library.ask("How tall is it?", sources=["wikipedia"])


def test_no_page_is_no_answer(ask_wiki: Callable[..., Answer]) -> None:
    answer = ask_wiki("What is a zxqwv?", None, images=(), searches=["zxqwv qqqzz"])
    assert answer.status == "no_answer"


def test_the_library_and_the_wiki_together(mediawiki: MediaWiki, tmp_path: Path) -> None:
    page = tmp_path / "bear.md"
    page.write_text("# Our bear\n\n## Diet\n\nKnud, our polar bear, eats 12 kg of fish a day.\n", encoding="utf-8")
    with open_on(mediawiki, tmp_path) as library:
        list(library.add(page))
        answer = library.ask("How much fish does our polar bear Knud eat a day?", sources=["library", "wikipedia"])
        assert "12 kg" in text_of(answer)
        assert answer.citations[0].document.endswith("bear.md")
        again = library.ask("How much does a male polar bear weigh?", sources=["library", "wikipedia"])
        assert "300–800 kg" in text_of(again)


def test_a_wiki_in_another_language_is_searched_in_its_own(mediawiki: MediaWiki, tmp_path: Path) -> None:
    with open_on(mediawiki, tmp_path, wikipedia_language="en") as library:
        asked: list[ChatRequest] = []

        def reply(request: ChatRequest) -> str:
            asked.append(request)
            if request.messages[0].text.startswith("You turn a user's question"):
                return json.dumps({"question": "", "searches": ["tomato plant height"]})
            return "Tomatenpflanzen werden 1–3 m hoch [1]."

        library.model = ScriptedModel(reply)
        answer = library.ask("Wie hoch werden Tomatenpflanzen?", sources=["wikipedia"])
    assert "In English" in asked[0].messages[0].text
    assert answer.searches[0] == "tomato plant height"
    assert "1–3 m" in text_of(answer)


def test_nothing_is_left_behind_by_a_question_that_nobody_waits_for(
    mediawiki: MediaWiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with open_on(mediawiki, tmp_path) as library:
        steps = library.asking("How tall are tomato plants?", sources=["wikipedia"])
        for step in steps:
            if step.name == "read":
                break
        assert [*(tmp_path / "temporary").iterdir()]
        steps.close()  # type: ignore[attr-defined]
        assert not [*(tmp_path / "temporary").iterdir()]


# ------------------------------------------------------------------------------------------------- on the own library
@pytest.mark.parametrize(
    "written",
    [
        "", "I'm sorry, but I can't help with that.", "null", "{'needs':", '{"needs": "dance", "searches": []}',
        '{"needs": "picture", "says": ""}', '{"needs": 7, "searches": {"a": 1}}', "[1, 2]",
    ],
)  # fmt: skip
def test_a_look_that_says_nothing_gives_way_to_words_and_likeness(handbook: Library, written: str) -> None:
    shown = (HANDBOOK / "figures" / "channels.png").read_bytes()
    model = Seeing(look=written, draft="Water has found a channel in the puck [1].").model
    with using(handbook, model):
        answer = handbook.ask("What went wrong here?", images=[shown])
    assert answer.status == "answered"
    assert answer.citations[0].section[-1] == "Espresso that sprays and runs pale"
    assert any("nothing of the picture" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    "written", ["{'needs': 'search', 'searches': ['descale']}", '{"searches": ["descale\\ud800"]}']
)
def test_json_that_is_nearly_right_is_read(handbook: Library, written: str) -> None:
    with using(handbook, Seeing(look=written, draft="Use citric acid [1].").model):
        assert handbook.ask("How do I do it?", images=[photo()]).searches == ("descale",)


def test_what_is_not_understood_is_never_sure(handbook: Library) -> None:
    for question in ("What does this error mean and what do I do?", "How much water do I use?", "What is this?"):
        answer = handbook.ask(question, images=[photo()])
        assert not answer.confidence.startswith("high")
        assert any("not understood" in warning for warning in answer.warnings)
        assert answer.searches == (question,)


def test_a_follow_up_on_a_picture_without_a_model_is_warned_of(handbook: Library) -> None:
    shown = (HANDBOOK / "figures" / "channels.png").read_bytes()
    first = handbook.ask("What went wrong here?", images=[shown])
    second = handbook.ask("And how often?", after=[first])
    assert second.question.images == first.question.images
    assert any("taken by itself" in warning for warning in second.warnings)


def test_two_pictures_lead_to_both_their_sections(handbook: Library) -> None:
    shown = [(HANDBOOK / "figures" / name).read_bytes() for name in ("channels.png", "blind-basket.png")]
    answer = handbook.ask("What do these show?", images=[*shown, shown[0]])
    assert len(answer.question.images) == 2
    cited = {citation.section[-1] for citation in answer.citations}
    assert {"Espresso that sprays and runs pale", "Backflush the group"} <= cited


def test_too_many_pictures_or_searches_are_refused(handbook: Library) -> None:
    for more in ({"images": [photo()] * 9}, {"searches": ["x"] * 9}):
        with pytest.raises(ShowtellError, match="give fewer"):
            handbook.ask("What is it?", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("page", "question", "said"),
    [
        ("# Tomato\n\nTomato plants typically grow to 1–3 m in height.", "How tall are tomato plants?", "1–3 m"),
        ("# Lion\n\nLions weigh 187.5 kg (413 lb).", "How heavy is a lion?", "187.5 kg"),
        ("# Eisbär\n\nEisbären wiegen 300 bis 800 kg.", "Wie schwer sind Eisbären?", "300 bis 800 kg"),
    ],
)
def test_a_short_source_answers_in_other_words_than_the_questions(
    tmp_path: Path, page: str, question: str, said: str
) -> None:
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    with Library.open(tmp_path / "library") as library:
        list(library.add(tmp_path / "page.md"))
        assert said in text_of(library.ask(question))


@contextmanager
def using(library: Library, model: ScriptedModel) -> Iterator[None]:
    library.model = model
    try:
        yield
    finally:
        library.model = None
