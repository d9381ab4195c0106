"""Runs a coroutine in a thread of its own: Playwright keeps an event loop running in the thread of the tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Do what `asyncio.run` does, also while a browser is open.

    Args:
        coroutine: What to run to its end.

    Returns:
        What it returns; what it raises is raised here.
    """
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, coroutine).result()
