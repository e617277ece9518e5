from __future__ import annotations

import time
from typing import Any, Callable, Optional, TypeVar, overload
from urllib.parse import unquote, urlsplit

from ._errors import MandatError
from ._transport import Answer
from .api.partenaire import Partenaire, TacheItem

T = TypeVar("T")


class TaskError(MandatError):
    """A task failed, or did not end in time."""

    def __init__(self, message: str, task: TacheItem) -> None:
        super().__init__(message)
        self.task = task
        self.code: Optional[str] = task["erreur"]["code"] if "erreur" in task else None
        """Error code; None if the task has not ended."""


@overload
def task_result(
    mandat: Partenaire,
    answer: Answer[TacheItem],
    *,
    on_progress: Optional[Callable[[TacheItem], object]] = ...,
    interval_seconds: float = ...,
    timeout_seconds: float = ...,
) -> Any: ...
@overload
def task_result(
    mandat: Partenaire,
    answer: Answer[T],
    *,
    on_progress: Optional[Callable[[TacheItem], object]] = ...,
    interval_seconds: float = ...,
    timeout_seconds: float = ...,
) -> T: ...
def task_result(
    mandat: Partenaire,
    answer: Answer[Any],
    *,
    on_progress: Optional[Callable[[TacheItem], object]] = None,
    interval_seconds: float = 0.5,
    timeout_seconds: float = 600,
) -> Any:
    """
    Waits for the task of a request with `prefer="respond-async"`, such as a sync, and returns its result. If the response is
    not a task, it returns the data immediately.

    :param on_progress: Called after each read of the task. An error that it raises ends the wait.
    :param interval_seconds: Time between two reads.
    :param timeout_seconds: Maximum wait. The task continues after it.
    :raises TaskError: if the task failed or has not ended in time
    """
    if answer.status != 202:
        return answer.data
    task_id = unquote(urlsplit(answer.headers["location"]).path.rpartition("/")[2])
    end = time.monotonic() + timeout_seconds
    while True:
        task = mandat.taches.get(task_id).data
        if on_progress:
            on_progress(task)
        if task["etat"] == "Reussie":
            return task.get("resultat")
        fault = task.get("erreur")
        if fault:
            raise TaskError(f"The task failed: {fault['code']}: {fault['detail']}", task)
        if time.monotonic() >= end:
            raise TaskError(f"The task has not ended after {timeout_seconds:g} s: it is {task['etat']}", task)
        time.sleep(interval_seconds)
