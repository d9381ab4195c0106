"""Runs a coroutine in a separate thread, since Playwright keeps an event loop running in the thread of the tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine like `asyncio.run`, even while a browser is open.

    Args:
        coroutine: The coroutine to run to its end.

    Returns:
        Its result; its exception is raised here.
    """
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, coroutine).result()
