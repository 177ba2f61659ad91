"""Dates as a person writes them."""

from __future__ import annotations

import pytest
from pydantic_core import PydanticCustomError

from cvbuild.model.dates import Date, Point

P = Point
OPEN = Date(Point(2020), present=True)
#: Texts of each date, with | between them.
GOOD: dict[Date, str] = {
    Date(P(2020)): "2020| 2020 ",
    Date(P(2020, 7)): "2020-07|2020-7",
    Date(P(2020, 7, 14)): "2020-07-14",
    Date(P(2024, 2, 29)): "2024-02-29",
    Date(P(2019, season="fall")): "Fall 2019|autumn 2019",
    Date(P(2020, season="spring")): "SPRING 2020",
    Date(P(2017), P(2020)): "2017 to 2020|2017-2020|2017–2020|2017 - 2020",
    Date(P(2017, 3), P(2019, 8)): (
        "2017-03 – 2019-08|2017-03 until 2019-08|2017-03–2019-08|2017-03 -- 2019-08"
    ),
    Date(P(2017, 3), present=True): (
        "2017-03 to present|2017-03 to Now|2017-03 – Current|2017/03 until today|Mar 2017 - ONGOING"
    ),
    Date(P(2017), present=True): "2017-present|2017-now|2017 to date",
    Date(P(2019, season="fall"), P(2020, season="spring")): "Fall 2019 to Spring 2020",
    Date(P(2020), P(2020)): "2020 to 2020",
    Date(P(2020, 5), P(2020)): "2020-05 to 2020",
    Date(P(2017, 3)): "March 2017|march, 2017|2017/03|2017.03",
    Date(P(2023, 6)): "Jun 2023",
    Date(P(2016, 9)): "Sept. 2016",
    Date(P(2016, 10)): "2016 Oct",
    Date(P(2016, 9, 1)): "Sep 1, 2016|1 September 2016|1st Sep. 2016|01.09.2016|1. 9. 2016",
    Date(P(2017, 3, 14)): "2017/3/14",
    Date(P(2018, 9)): "09/2018|9-2018",
    Date(P(2015, 1), P(2016, 1)): "Jan. 2015 - Jan. 2016",
    Date(P(2015, 1), P(2016, 2)): "Jan 2015–Feb 2016|Jan 2015-Feb 2016|from Jan 2015 to Feb 2016",
    Date(P(2017), P(2019)): "2017--2019",
    Date(P(2017, 3, 1), P(2018, 9, 30)): "01.03.2017-30.09.2018|1.3.2017 – 30.9.2018",
    Date(P(2018, 9), P(2019, 10)): "09/2018-10/2019|2018/09-2019/10|09/2018 — 10/2019",
    Date(P(2019, 6), P(2019, 8)): "Jun – Aug 2019|Jun-Aug 2019",
    Date(P(2019, season="spring"), P(2019, season="fall")): "Spring to Fall 2019",
    Date(P(2015), present=True): "2015 -|2015–",
    Date(P(2020), present=True): "2020-",
    Date(P(2015, 5), present=True): "since May 2015",
    Date(P(2026), expected=True): "2026 (expected)|expected 2026",
    Date(P(2026, 5), expected=True): "Expected May 2026|May 2026, anticipated",
    Date(P(2022), P(2026), expected=True): "2022 - 2026 (expected)",
}
MAPPINGS: list[tuple[object, Date]] = [
    ({"start": "2017-03"}, Date(P(2017, 3), present=True)),
    ({"start": 2017, "end": 2018}, Date(P(2017), P(2018))),
    ({"start": "2017", "end": "present"}, Date(P(2017), present=True)),
    ({"start": "2017", "end": "Now"}, Date(P(2017), present=True)),
    ({"start": "2017", "end": None}, Date(P(2017), present=True)),
    ({"start": "Sep 2022", "end": "2026 (expected)"}, Date(P(2022, 9), P(2026), expected=True)),
    ({"text": " in  press "}, Date(text="in press")),
    ({"text": "to appear (2026)"}, Date(text="to appear (2026)")),
    (2020, Date(P(2020))),
    (["2020"], Date(P(2020))),
    (["2021", "2019"], Date(P(2021), several=(Date(P(2021)), Date(P(2019))))),
    ([2019, "2020 to present"], Date(P(2020), present=True, several=(Date(P(2019)), OPEN))),
]
#: What is no date, with the code of its message.
BAD: list[tuple[object, str]] = [
    *((text, "date_form") for text in [
        "soon", "März 2020", "Oct '16", "18-Nov-2018", "1 - 5 June 2019", "Foo to Bar 2019",
        "2019 Jun to Aug", "2026 (expected) (expected)", "20200714", "07/14/2020", "14.7.20",
        "2020-07-14-01", "-2020", "present", "2020 to", "to 2020", "2017 to 2018 to 2019",
        "Monsoon 2019", "Fall 19",
    ]),
    *((text, "date_day") for text in [
        "Feb 30, 2020", "2020-01-00", "2020-01-32", "2021-02-29", "2100-02-29",
    ]),
    *((text, "date_month") for text in ["13/2020", "2020-00", "2020-13"]),
    *((text, "date_year") for text in ["0999", "9999"]),
    *((text, "date_order") for text in [
        "2020 to 2019", "2020-07-14 to 2020-07-13", "2020 to 2019-12", "Spring 2020 to Fall 2019",
    ]),
    ("", "date_form"),
    ("expected " * 2000, "date_form"),
    ({"start": "2020", "end": "2026 (expected)" + " (expected)" * 1500}, "date_form"),
    (True, "date_form"),
    (None, "date_form"),
    (1.5, "date_form"),
    ([], "date_form"),
    (["2020", "soon"], "date_form"),
    (["2020", {"text": "soon"}], "date_form"),
    (["2020", ["2021", "2022"]], "date_form"),
    ({}, "date_keys"),
    ({"end": "2020"}, "date_keys"),
    ({"start": None}, "date_keys"),
    ({"start": "2020", "text": "x"}, "date_keys"),
    ({"begin": "2020"}, "date_keys"),
    ({"text": ""}, "text_empty"),
    ({"text": ["x"]}, "string_type"),
    ({"start": "x"}, "date_form"),
    ({"start": ["2020"]}, "date_form"),
    ({"start": "2020", "end": {"a": 1}}, "date_form"),
    ({"start": "2020", "end": "2020-13"}, "date_month"),
    ({"start": "2021", "end": "2020"}, "date_order"),
    ("2020\u202e", "text_bidi"),
    ({"text": "a\x07"}, "text_control"),
]  # fmt: skip


@pytest.mark.parametrize("date", GOOD, ids=GOOD.get)
def test_what_is_a_date(date: Date) -> None:
    assert {text: Date.of(text) for text in GOOD[date].split("|")} == dict.fromkeys(
        GOOD[date].split("|"), date
    )


@pytest.mark.parametrize(("value", "date"), MAPPINGS)
def test_mappings(value: object, date: Date) -> None:
    assert Date.of(value) == date


@pytest.mark.parametrize(("value", "code"), BAD)
def test_what_is_none(value: object, code: str) -> None:
    with pytest.raises(PydanticCustomError) as caught:
        Date.of(value)
    assert caught.value.type == code
    message = caught.value.message()
    assert message
    assert not {"dict", "list", "NoneType", "bool", "{", "["} & set(message.split())


def test_an_error_in_a_mapping_tells_its_key() -> None:
    for value, key in (
        ({"start": "x"}, "start"),
        ({"start": "2020", "end": "x"}, "end"),
        ({"start": "2020", "end": "2019"}, "end"),
        ({"text": " "}, "text"),
        ({"start": "2020", "ende": "x"}, "ende"),
    ):
        with pytest.raises(PydanticCustomError) as caught:
            Date.of(value)
        assert (caught.value.context or {})["key"] == key


def test_newer_dates_sort_higher() -> None:
    order = [
        "2017", "2018-03", "2018-11", "2018", "2019-05-01", "2019-05-02", "2019-05", "Summer 2019",
        "Fall 2019", "Winter 2019", "2015 to 2020", "2016 to 2020", "2016 to 2021",
        "2010 to present", "2011 to present",
    ]  # fmt: skip
    keys = [Date.of(text).sort_key for text in order]
    assert all(key is not None for key in keys)
    assert keys == sorted(keys, key=lambda key: key or ())


def test_words_with_a_year_sort_by_it() -> None:
    assert Date.of({"text": "in press"}).sort_key is None
    for words, like in (
        ("2026 (voraussichtlich)", "2026"),
        ("to appear in May 2026", "2026-05"),
        ("about 2012, again in 2014-03", {"start": "2012", "end": "2014-03"}),
        ("NeurIPS 2025", "2025"),
    ):
        assert Date.of({"text": words}).sort_key == Date.of(like).sort_key
    assert Date.of({"text": "No. 20261"}).sort_key is None


def test_what_is_expected_has_its_place_among_the_dates() -> None:
    order = ["2025", "May 2026 (expected)", "2022 to 2026 (expected)", "2026", "expected 2027"]
    keys = [Date.of(text).sort_key or () for text in order]
    assert keys == sorted(keys)
    assert Date.of("2026 (expected)").lone_year is None


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("2020", 2020),
        ("2020-01", None),
        ("Fall 2020", None),
        ("2019-2020", None),
        ("2020 to now", None),
    ],
)
def test_a_lone_year(text: str, year: int | None) -> None:
    assert Date.of(text).lone_year == year


def test_a_date_is_kept_as_it_is() -> None:
    date = Date.of("2020")
    assert Date.of(date) is date
