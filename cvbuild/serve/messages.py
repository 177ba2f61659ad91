"""What the browser sends, in the order of docs/internals/serve.md, and how it is answered."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, Literal, TypeVar, get_type_hints
from urllib.parse import quote

from pydantic import (
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    create_model,
)
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cvbuild.common import limits
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, Span, UsageError

Json = dict[str, Any]
_Result = TypeVar("_Result")

#: The socket's protocol.
PROTOCOL = "cvbuild"
#: Bytes of the largest message: a file of 1 MiB, whose characters JSON may escape.
MOST = 8 << 20
#: Bytes of a request: it has files in base64, which makes them a third larger.
MOST_BODY = 72 << 20
#: Picture pixels for each point: a 4K screen at twice the size needs fewer.
MOST_SCALE = 6.0

#: Who or what a file is of: a person, applications/SLUG.
Subject = Annotated[str, Field(max_length=300)]
#: A name, a language, a title.
Words = Annotated[str, Field(max_length=200)]
Kind = Literal["person", "application"]
Steps = Annotated[list[str | int], Field(max_length=20)]
FileName = Annotated[str, Field(min_length=1, max_length=300)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class DocumentName(_Strict):
    """Which document of a person: a template, a variant, or the letter of an application."""

    name: str = Field(max_length=200)
    kind: Literal["template", "variant", "letter"]
    private: bool = False
    locale: str | None = Field(default=None, max_length=100)


class Original(_Strict):
    """A text that is translated, and its language."""

    language: str = Field(max_length=100)
    text: str


class Change(_Strict):
    """A value for a path; None removes it.

    ``insert`` puts it before that place of a list; ``to`` moves what is there to another place of
    its list; ``copy`` puts a copy of what is there behind it. With ``translates`` the last step is
    a language, into which the text above it is translated; that must still be there. With
    ``read`` the value is one that an advertisement says: it is marked so, and takes no other's
    place. ``sure`` keeps what is there, without its mark.
    """

    path: list[str | int] = Field(min_length=1, max_length=20)
    value: JsonValue = None
    insert: bool = False
    to: int | None = Field(default=None, ge=0)
    # A model has a method ``copy``.
    is_copy: bool = Field(default=False, alias="copy")
    translates: Original | None = None
    read: bool = False
    sure: bool = False


class GivenFile(_Strict):
    """A file that was dropped or chosen."""

    name: FileName
    data: Base64Bytes


Files = Annotated[list[GivenFile], Field(min_length=1, max_length=20)]


def refused(error: ValidationError) -> CvbuildError:
    """Return the error for a message that isn't as its type says."""
    from cvbuild.inputs.validation import errors  # the page itself sends nothing wrong

    fact = f"the message can't be followed: {errors.first_of(error)}"
    context = error.errors(include_url=False)[0].get("ctx", {})
    return UsageError.because("message", fact, context.get("hint", "reload the page"))


def plain(faults: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Return diagnostics as JSON has them."""
    return [item.as_json() for item in faults]


def placed(span: Span) -> Json:
    """Return a place as JSON has it."""
    return {key: getattr(span, key) for key in ("line", "column", "end_line", "end_column")}


# -- requests --------------------------------------------------------------------------------------


def posted(path: str, work: Callable[..., object], *, seconds: float | None = None) -> Route:
    """Return a route with the arguments of ``work``, done in a thread, one at a time."""
    wanted, turn = arguments(work), asyncio.Semaphore(1)

    async def answer(request: Request) -> Response:
        try:
            body = bytearray()
            async for part in request.stream():
                body += part
                if len(body) > MOST_BODY:
                    fact = f"the request has more than {MOST_BODY:,} bytes"
                    raise UsageError.because("message", fact, "a CV has fewer")
            given = wanted.model_validate_json(bytes(body) or b"{}")
            async with turn:
                answer = await in_thread(partial(work, **dict(given)), seconds=seconds)
            return answer if isinstance(answer, Response) else JSONResponse(answer)
        except (CvbuildError, ValidationError) as error:
            refusal = error if isinstance(error, CvbuildError) else refused(error)
            return JSONResponse({"diagnostics": plain(refusal.diagnostics)}, 400)

    return Route(path, answer, methods=["POST" if wanted.model_fields else "GET"])


def arguments(work: Callable[..., object], **more: Any) -> type[BaseModel]:
    """Return a model of the arguments of a function, and ``more``."""
    types = get_type_hints(work, include_extras=True)
    fields: dict[str, Any] = {
        name: (types[name], ... if given.default is given.empty else given.default)
        for name, given in inspect.signature(work).parameters.items()
        if name != "self"
    }
    return create_model("Request", __base__=_Strict, **fields | more)


async def in_thread(
    work: Callable[..., _Result], *arguments: object, seconds: float | None = None
) -> _Result:
    """Run ``work`` in a thread, for ``seconds`` of CPU time; any error is a CvbuildError."""

    def contained() -> _Result:
        try:
            with limits.seconds(seconds) if seconds else contextlib.nullcontext():
                return work(*arguments)
        except CvbuildError:
            raise
        except KeyboardInterrupt:
            # All work must stop: asyncio would end the whole server at once.
            raise CvbuildError([]) from None
        except limits.TimeUpError:
            hint = "a CV has a few thousand values; is this the right file?"
            raise UsageError.because("time-limit", f"it took over {seconds:g} s", hint) from None
        except Exception as error:  # noqa: BLE001 - the server must go on
            fact = f"an error in cvbuild itself: {type(error).__name__}: {str(error)[:200]}"
            hint = "the text stays; please report it with the text that leads to it"
            raise CvbuildError.because("internal", fact, hint) from None

    return await asyncio.to_thread(contained)


def attachment(name: str, data: bytes) -> Response:
    """Return a file that the browser saves."""
    named = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, headers={"Content-Disposition": named})
