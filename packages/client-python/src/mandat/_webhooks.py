from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import Mapping, Sequence, Union

from ._errors import MandatError
from .api.partenaire import Evenement

TOLERANCE_SECONDS = 300


@dataclass(frozen=True)
class Delivery:
    id: str
    """The `webhook-id`, the same for every attempt."""
    event: Evenement
    """The event, typed by its `type`."""


class WebhookError(MandatError):
    """The delivery is not from the service, or is too old."""


def verify_webhook(headers: Mapping[str, str], body: Union[str, bytes], secrets: Union[str, Sequence[str]]) -> Delivery:
    """
    Returns a delivery that was signed with one of the secrets at most five minutes ago (Standard Webhooks 1.0, signatures
    `v1`).

    :param headers: The headers of the request, of which the names may have any case.
    :param body: The unparsed body.
    :param secrets: The endpoint's `whsec_…`; while one is replaced, both.
    :raises WebhookError: if no secret has signed it
    :raises ValueError: if there is no secret, or one has another form
    """
    keys = [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("A webhook cannot be verified without a secret.")
    given = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp, signatures = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (identifier and timestamp and signatures):
        raise WebhookError("The webhook is refused: it lacks webhook-id, webhook-timestamp or webhook-signature.")
    if not re.fullmatch(r"\d{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookError("The webhook is refused: its webhook-timestamp is more than 5 minutes from now.")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{identifier}.{timestamp}.".encode() + content
    # Signatures of other versions are for other keys.
    present = [one[3:].encode() for one in signatures.split(" ") if one.startswith("v1,")]
    for key in keys:
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, one) for one in present):
            return Delivery(identifier, json.loads(content))
    raise WebhookError("The webhook is refused: no secret gives its signature.")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except ValueError:
        key = b""
    # Everybody can sign with an empty key.
    if not key:
        raise ValueError("A secret of a webhook has the form whsec_ and base64.")
    return key
