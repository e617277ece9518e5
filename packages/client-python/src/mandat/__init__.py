"""Typed client of the Mandat API."""

from ._effects import effects_of
from ._errors import Fault, MandatError, ProblemError, TransportError
from ._paging import Page, each_item, each_page
from ._tasks import TaskError, task_result
from ._transport import Answer, Wait
from ._webhooks import Delivery, WebhookError, verify_webhook
from .api.administration import Administration
from .api.partenaire import Partenaire
from .api.plateforme import Plateforme

__all__ = [
    "Administration",
    "Answer",
    "Delivery",
    "Fault",
    "MandatError",
    "Page",
    "Partenaire",
    "Plateforme",
    "ProblemError",
    "TaskError",
    "TransportError",
    "Wait",
    "WebhookError",
    "each_item",
    "each_page",
    "effects_of",
    "task_result",
    "verify_webhook",
]
