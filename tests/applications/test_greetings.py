"""Letters that would greet or close twice."""

from __future__ import annotations

import pytest

from cvbuild.applications import greetings
from cvbuild.inputs.letters import PATH
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.letter_body import Body
from cvbuild.model.locales.words import known, table

BOTH = ["letter-opening", "letter-closing"]


def found(text: str, locale: str = "en") -> list[str]:
    """The codes of the warnings about a letter by Ada Example."""
    node = Node((3, 1, 4, 1), None, {}, "a.yaml")
    source = Source("a.yaml", "", {}, node).grafted(PATH, {}, node)
    body = Body.of(text)
    diagnostics = list(greetings.check(body, source, locale, "Ada Example"))
    assert all(str(one).startswith("a.yaml:3:1: warning: the letter gets") for one in diagnostics)
    assert all(one.hint for one in diagnostics)
    return [one.code for one in diagnostics]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Dear Ms. Lin,\n\nI write.\n\nSincerely,\nAda Example", BOTH),
        ("Dear Ms. Lin, I write.\n\nYours sincerely,\n\nAda", BOTH),
        ("Hello Lin,\nI write.\n\nBest,\nDr. A. Example", BOTH),
        ("To whom it may concern\n\nI write.\n\nBest regards,\n\nAda Example", BOTH),
        ("Dear Hiring Committee:\nI write.\n\nI hope to hear. Kind regards, Ada Example", BOTH),
        ("Hello,\n\nI write.", BOTH[:1]),
        ("I write.\n\nBest wishes", BOTH[1:]),
        ("I write.\n\nI am sincerely yours in this, and thank you.", []),
        ("Dearly as I love it, I write.\n\nThank you for your consideration.", []),
        ("Hiking, and more, is what I like.", []),
        ("Dear readers of this letter have asked me to write to you about it.", []),
        ("- One\n- Two", []),
        ("Sincerely,", []),
    ],
)
def test_what_is_a_second_greeting_or_closing(text: str, codes: list[str]) -> None:
    assert found(text) == codes


@pytest.mark.parametrize("locale", sorted(known()))
def test_the_words_of_each_language_are_known(locale: str) -> None:
    words = table(locale).words
    opening, closing = words["letter-opening-name"].format(name="Lin"), words["letter-closing"]
    assert found(f"{opening}\n\nText.\n\n{closing}\\\nAda Example", locale) == BOTH
    assert found(f"{words['letter-opening']}\n\nText.", locale) == BOTH[:1]


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("de", "Sehr geehrte Frau Lin,\n\nhiermit.\n\nFreundliche Grüße\\\nAda Example"),
        ("de-AT", "Liebe Frau Lin,\n\nhiermit.\n\nIch freue mich. Viele Grüße, Ada"),
        ("fr", "Monsieur,\n\nJe.\n\nVeuillez agréer, Monsieur, mes salutations.\n\nAda Example"),
        ("es", "Estimada Sra. Lin:\n\nLe escribo.\n\nUn cordial saludo,\nAda"),
        ("it", "Gentile dott.ssa Lin,\n\nscrivo.\n\nDistinti saluti\n\nAda Example"),
        ("pt-BR", "Prezados,\n\nescrevo.\n\nCordialmente,\nAda"),
        ("ru", "Уважаемая госпожа Линь!\n\nПишу.\n\nС наилучшими пожеланиями,\nAda"),
        ("tr", "Merhaba,\n\nyazıyorum.\n\nSevgilerimle"),
        ("zh", "您好：\n\n我写信。\n\n此致敬礼"),
        ("zh-Hant", "敬啟者：\n\n我寫信。\n\n敬上"),
        ("ja", "拝啓\n\n応募します。\n\n敬具"),
        ("ko", "안녕하세요,\n\n지원합니다.\n\nAda 드림"),
        ("th", "เรียนคุณหลิน\n\nเขียน\n\nด้วยความเคารพ"),
        ("fi", "Hei,\n\nkirjoitan.\n\nDear Ms. Lin, kiitos. Terveisin Ada"),
    ],
)
def test_how_letters_begin_and_end_elsewhere(locale: str, text: str) -> None:
    assert found(text, locale) == BOTH


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en", "Hello World, the first program that I wrote, was short.\n\nBest of all, it ran."),
        ("en", "Hi-fi is my trade.\n\nYour team is the best."),
        ("en", "Good morning routines, kept for years, taught me.\n\nI send all the best of it."),
        ("en", "Attention to detail matters to me: I test.\n\nI respect all wishes."),
        (
            "en",
            "Attention, and how models pay it, is my field.\n\nWith best intentions, I am here.",
        ),
        ("de", "Liebe zum Detail, Ordnung und Fleiß zeichnen mich aus.\n\nIch grüße die Zukunft."),
        ("de", "Lieber heute als morgen, sage ich.\n\nIch komme mit besten Grüßen aus Rom gern."),
        ("de", "Werte, die mich leiten, sind Ihre.\n\nÜber eine Einladung freue ich mich."),
        ("fr", "Cher à mon cœur, ce métier me plaît.\n\nJe vous remercie de votre attention."),
        ("nl", "Beste resultaten, zo leerde ik, kosten tijd.\n\nIk hoor graag van u."),
        ("sv", "Bästa sättet att lära sig, tror jag, är att bygga.\n\nJag ser fram emot svar."),
        ("it", "Cara mi è la ricerca, da sempre.\n\nResto a disposizione."),
        ("pt", "Bom dia a dia, aprendi muito.\n\nFico à disposição."),
        ("ja", "貴社の募集を拝見し、応募いたしました。\n\n何卒よろしくお願いいたします。"),
        ("zh", "我对贵公司的职位很感兴趣。\n\n期待您的回复。"),
        ("ko", "귀사의 채용 공고를 보고 지원합니다.\n\n좋은 소식을 기다리겠습니다."),
        ("ru", "Дорогой мой опыт, полученный в университете, помог.\n\nЖду ответа."),
    ],
)
def test_sentences_are_neither_greetings_nor_closings(locale: str, text: str) -> None:
    assert found(text, locale) == []
