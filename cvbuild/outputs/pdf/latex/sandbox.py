"""The environment in which templates run: sandboxed, and bounded in what one step can make.

What takes many steps is bounded by ``common.limits``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

#: The most bits of a product or a power.
_LARGEST = 4096
#: The most characters of a document's TeX; that of a long CV has 200,000.
_MOST = 32_000_000


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Refuses a power or a product that could take a day, or all memory."""

    intercepted_binops = frozenset(("*", "**"))

    def call_binop(
        self, context: jinja2.runtime.Context, operator: str, left: Any, right: Any
    ) -> Any:
        """Return the product or power of two numbers; raises TypeError and ValueError."""
        if not (isinstance(left, int | float) and isinstance(right, int | float)):
            raise TypeError(f"a template may use {operator} with numbers only")
        size = _bits(left) + _bits(right) if operator == "*" else _bits(left) * max(right, 1)
        if size > _LARGEST:
            raise ValueError(f"the result of {operator} would be too large")
        return super().call_binop(context, operator, left, right)


def _bits(number: float) -> int:
    return number.bit_length() if isinstance(number, int) else 64


def bounded(parts: Iterable[str]) -> Iterator[str]:
    """Yield the parts of a document; raises ValueError if they are far more than it can have."""
    size = 0
    for part in parts:
        size += len(part)
        if size > _MOST:
            raise ValueError(f"the template makes more than {_MOST:,} characters of TeX")
        yield part
