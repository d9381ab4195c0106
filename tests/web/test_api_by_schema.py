"""Requests that the OpenAPI document allows, and some that it does not: no path fails, each responds as documented."""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import negative_data_rejection, status_code_conformance

from device.game.state.events import DiceSettled
from device.storage.display_secret import display_secret
from device.web.core.access import DISPLAY_COOKIE
from tests.device.conftest import Dice
from tests.proof.tray import make_app

ENDLESS = "/api/events"
TRIES = 6
CHECKS = [not_a_server_error, status_code_conformance, negative_data_rejection]
WAYS = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]


@pytest.mark.timeout(300)
def test_every_path_answers_as_documented(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    app.start()
    found: list[str] = []
    try:
        cookies = {DISPLAY_COOKIE: display_secret(tmp_path / "data")}
        app.tray.ask(DiceSettled(Dice.rest(*Dice.FIRST)))
        for result in schemathesis.openapi.from_url(f"{app.url}openapi.json").get_all_operations():
            operation: Any = result.ok()  # type: ignore[union-attr]
            if operation.path.endswith(ENDLESS):
                continue

            @settings(
                max_examples=TRIES, deadline=None, database=None, derandomize=True, suppress_health_check=[*HealthCheck]
            )
            @given(case=operation.as_strategy(generation_mode=WAYS[0]) | operation.as_strategy(generation_mode=WAYS[1]))
            def ask(case: Any) -> None:
                answer = case.call(base_url=app.url, cookies=cookies, timeout=20)
                try:
                    case.validate_response(answer, checks=CHECKS)
                except* Failure as failures:
                    found.extend(f"{one}: {case.as_curl_command()}" for one in failures.exceptions)

            ask()
    finally:
        app.stop()
    assert found == []
