"""Setting up a tray over HTTP: cameras, lamps, the camera in use; for the display only, never with a hidden roll."""

from typing import Any

import httpx
import pytest

from device.app import TrayApp
from device.config.settings import Settings, load_settings, with_overrides
from device.config.settings_service import SettingsSource
from device.runtime.bring_up import BringUp
from device.runtime.source import CameraSetup
from device.web.app import create_app
from tests.conftest import BlindWatch, StillCamera
from tests.event_loop import run_coroutine
from tests.web.conftest import FakeTray
from tests.web.doors import SetDoor


def ask(method: str, path: str, body: Any = None, *, allowed: bool = True, covered: bool = False) -> tuple[int, Any]:
    """Return the response to the tray's page."""
    parts = BringUp(with_overrides(Settings(), camera="usb:0"), lambda _: None, lambda _: None, wait=lambda _: None)
    tray = FakeTray()
    tray.show(tray.body | {"covered": covered})
    app = create_app(tray, [parts], door=SetDoor(may_change=allowed))

    async def answer_of() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.request(method, path, json=body)

    answer = run_coroutine(answer_of())
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/bring-up/camera.jpg?name=usb:7", None),
        ("PUT", "/api/bring-up/camera", {"name": "usb:7"}),
        ("POST", "/api/bring-up/lamps", None),
    ],
)
def test_only_who_may_change_settings_looks_chooses_and_lights(method: str, path: str, body: Any) -> None:
    assert ask(method, path, body, allowed=False)[0] == 403
    assert ask(method, path, body)[0] != 403


def test_no_other_camera_sees_a_hidden_roll() -> None:
    status, refusal = ask("GET", "/api/bring-up/camera.jpg?name=usb:7", covered=True)
    assert (status, refusal["reason"]) == (403, "hidden")


def test_what_is_no_camera_is_refused_in_one_line() -> None:
    status, refusal = ask("GET", "/api/bring-up/camera.jpg?name=moon")
    assert (status, refusal["reason"]) == (422, "bad_value")
    assert "moon" in refusal["error"]


def test_another_camera_is_kept_in_the_file_and_used_whatever_the_command_line_named(tmp_path: Any) -> None:
    file = tmp_path / "settings.toml"

    def override(settings: Settings) -> Settings:
        return with_overrides(settings, camera="simulated", data=tmp_path / "data", port=0)

    source = SettingsSource(file, override)
    app = TrayApp(override(Settings()), CameraSetup(StillCamera(), None, BlindWatch()), source=source)
    app.start()
    try:
        answer = httpx.put(f"{app.url}api/bring-up/camera", json={"name": "usb:2"}, verify=False, timeout=10)
        assert answer.status_code == 202
        assert load_settings(file).tray.camera == "usb:2"
        assert app.settings.is_restart_requested
        words = ["-m", "device", "run", "--camera", "simulated", "--port", "0"]
        assert app.settings.restart_arguments(words) == ["-m", "device", "run", "--port", "0"]
        assert app.settings.restart_arguments(["run", "--camera=simulated"]) == ["run"]
    finally:
        app.stop()
