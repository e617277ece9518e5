from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Generic, Iterator, List, Optional, TypeVar
from urllib.parse import parse_qs, urlsplit

from ._transport import Answer

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    items: List[T]
    curseur: Optional[str]
    """Start of the next page; None at the end, except in a feed, which later continues here."""


def each_page(
    operation: Callable[..., Answer[List[T]]],
    *arguments: Any,
    limite: int = 100,
    curseur: Optional[str] = None,
    **parameters: Any,
) -> Iterator[Page[T]]:
    """
    Returns the pages of a list up to its current end. Empty pages are left out.

    :param operation: An operation that has `limite` and `curseur`. It gets `arguments` and `parameters` for each page.
    :param limite: The most items of a page, 1 to 1,000.
    :param curseur: Start of the page; the start of the list if absent.
    """
    asked = curseur
    while True:
        answer = operation(*arguments, limite=limite, curseur=asked, **parameters)
        following = _next_cursor(answer.headers.get("link", ""))
        if answer.data:
            yield Page(answer.data, following)
        # The last page of a feed links to itself.
        if following is None or following == asked:
            return
        asked = following


def each_item(
    operation: Callable[..., Answer[List[T]]],
    *arguments: Any,
    limite: int = 100,
    curseur: Optional[str] = None,
    **parameters: Any,
) -> Iterator[T]:
    """Returns the items of a list one by one. It requests a page after the last item of the one before."""
    for page in each_page(operation, *arguments, limite=limite, curseur=curseur, **parameters):
        yield from page.items


def _next_cursor(link: str) -> Optional[str]:
    """
    Returns the cursor in `Link: <…>; rel="next"` (RFC 8288). The rest of the address is ignored, because the key must be
    sent only to the configured address.
    """
    for match in re.finditer(r"<([^>]*)>([^<]*)", link):
        target, parameters = match.groups()
        if re.search(r';\s*rel="?next"?', parameters):
            return next(iter(parse_qs(urlsplit(target).query).get("curseur", [])), None)
    return None
