from __future__ import annotations

import re
from typing import Any, Optional

from ._transport import Answer
from .api.partenaire import EffetsItem


def effects_of(answer: Answer[Any]) -> Optional[EffetsItem]:
    """
    Returns the effects of a sync, from the header `Mandat-Effets` of its response; None if it has none, as the 202 of a
    task. A task that has ended has them in `effets`.
    """
    header = answer.headers.get("mandat-effets")
    if header is None:
        return None
    # Integers of a dictionary (RFC 9651, section 3.2). Unknown members are ignored, and so are parameters.
    members = dict(re.findall(r"(?:^|,)\s*([a-z-]+)=(\d+)", header))

    def count(name: str) -> int:
        return int(members.get(name, 0))

    return {
        "crees": count("crees"),
        "modifies": count("modifies"),
        "inchanges": count("inchanges"),
        "termines": count("termines"),
        "champsVides": count("champs-vides"),
        "refuses": count("refuses"),
    }
