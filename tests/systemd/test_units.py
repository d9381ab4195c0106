import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from device.errors import BadInput
from device.runtime.health import HealthParams
from device.runtime.poweroff import ask_for_poweroff
from device.runtime.update import STATE, Updates

FOLDER = Path(__file__).resolve().parents[2] / "systemd"
UNITS = sorted([*FOLDER.glob("*.service"), *FOLDER.glob("*.path")])

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None and not os.environ.get("CI"),
    reason="no systemd-analyze here: sudo apt install systemd",
)


def unit(name: str) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    section = ""
    for line in (FOLDER / name).read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
            found[section] = {}
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[section].setdefault(key, []).append(value)
    return found


@needs_systemd
def test_service_is_exposed_to_two_of_ten_at_most() -> None:
    output = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(FOLDER / "pushtray.service")],
        capture_output=True,
        text=True,
        check=True,
    )
    level = re.search(r"exposure level for pushtray\.service: ([0-9.]+)", output.stdout)
    assert level is not None
    assert float(level[1]) <= 2.0, output.stdout


@needs_systemd
def test_systemd_has_nothing_to_say_of_the_units(tmp_path: Path) -> None:
    stub = tmp_path / "pushtray"
    stub.write_text("#!/bin/sh\n")
    stub.chmod(0o755)
    for path in UNITS:
        text = path.read_text().replace("/opt/pushtray/current/venv/bin/pushtray", str(stub))
        (tmp_path / path.name).write_text(text)
    output = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / path.name) for path in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    # It exits 0 on many mistakes, so any output is one.
    assert output.stdout + output.stderr == ""
    assert output.returncode == 0


@needs_systemd
def test_a_mistake_in_a_unit_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "wrong.service").write_text("[Service]\nExecStart=/bin/true\nProtectSistem=strict\n")
    output = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / "wrong.service")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ProtectSistem" in output.stdout + output.stderr


def test_service_reports_readiness_and_is_watched() -> None:
    service = unit("pushtray.service")["Service"]
    assert service["Type"] == ["notify"]
    assert service["NotifyAccess"] == ["main"]
    longest_s = max(HealthParams().longest_silence_s.values())
    assert float(service["WatchdogSec"][0]) > longest_s, "a thread may be silent for so long before it counts as stuck"
    assert float(service["TimeoutStartSec"][0]) > longest_s
    assert service["Restart"] == ["always"]
    assert service["RestartPreventExitStatus"] == ["2"], "wrong settings do not mend by starting again"
    assert unit("pushtray.service")["Unit"]["StartLimitBurst"] == ["10"]


def test_service_has_its_devices_groups_and_user_and_no_others() -> None:
    service = unit("pushtray.service")["Service"]
    assert service["User"] == ["pushtray"]
    assert service["SupplementaryGroups"] == ["video gpio dialout"]
    assert service["DevicePolicy"] == ["closed"]
    assert service["NoNewPrivileges"] == ["yes"]
    assert service["ProtectSystem"] == ["strict"]
    assert service["ReadWritePaths"] == ["-/etc/pushtray"]
    assert service["CapabilityBoundingSet"] == [""]


def devices_allowed(proc_devices: str) -> set[str]:
    """Return the majors that the service may open if it starts with this /proc/devices; systemd looks names up once."""
    known = {name: major for major, name in re.findall(r"^ *(\d+) (\S+)$", proc_devices, re.MULTILINE)}
    service = unit("pushtray.service")["Service"]
    groups = [allowed.split()[0].removeprefix("char-") for allowed in service["DeviceAllow"]]
    return {group if group.isdigit() else known.get(group, f"no {group}") for group in groups}


def test_ring_and_usb_camera_may_be_plugged_in_after_the_service_started() -> None:
    # A Pi without the modules for USB serial ports and cameras yet; mc is loaded, as the unit requests it.
    started_with = "  1 mem\n  4 ttyS\n204 ttyAMA\n236 media\n250 dma_heap\n254 gpiochip\n"
    assert devices_allowed(started_with) == {"81", "166", "188", "236", "250", "254"}
    wanted, after = unit("pushtray.service")["Unit"]["Wants"], unit("pushtray.service")["Unit"]["After"]
    assert wanted == ["modprobe@mc.service"]
    assert set(wanted) < set(after)


def test_service_waits_for_no_network() -> None:
    assert "network" not in (FOLDER / "pushtray.service").read_text().split("[Service]")[0].replace(
        "# The tray plays without a network, so it does not wait for one.", ""
    )


def test_groups_and_folders_exist_before_the_service() -> None:
    users = (FOLDER / "sysusers.conf").read_text().split("\n")
    assert [line.split()[:2] for line in users if line and not line.startswith("#")] == [
        ["g", "gpio"],
        ["u", "pushtray"],
    ]
    folders = (FOLDER / "tmpfiles.conf").read_text()
    assert "/var/lib/pushtray   0750 pushtray pushtray" in folders


def test_note_of_the_tray_is_what_the_system_watches_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    watched = unit("pushtray-poweroff.path")["Path"]["PathExists"][0]
    runtime = f"/run/{unit('pushtray.service')['Service']['RuntimeDirectory'][0]}"
    assert watched == f"{runtime}/poweroff"
    taken_away, switched_off = unit("pushtray-poweroff.service")["Service"]["ExecStart"]
    assert taken_away.endswith(watched), "the note is gone before the machine is: else it would go off at every start"
    assert switched_off.endswith("poweroff")
    assert ask_for_poweroff({"RUNTIME_DIRECTORY": str(tmp_path)})
    assert (tmp_path / "poweroff").exists()
    assert not ask_for_poweroff({})
    assert not ask_for_poweroff({"RUNTIME_DIRECTORY": str(tmp_path / "gone")})
    (warning,) = caplog.messages
    assert warning.startswith("the machine cannot be switched off (No such file or directory")


def test_wish_for_an_update_is_what_the_system_watches_for_and_takes_away(tmp_path: Path) -> None:
    runtime = f"/run/{unit('pushtray.service')['Service']['RuntimeDirectory'][0]}"
    assert unit("pushtray-update.path")["Path"]["PathExists"] == [f"{runtime}/update"]
    service = unit("pushtray-update.service")["Service"]
    assert service["ExecStart"][0].endswith("/systemd/update.py")
    assert STATE.parent == Path("/run", service["RuntimeDirectory"][0])
    state = tmp_path / "state.json"
    (tmp_path / "source").touch()
    updates = Updates({"RUNTIME_DIRECTORY": str(tmp_path)}, source=tmp_path / "source", state=state)
    updates.wish(None)
    assert (tmp_path / "update").read_text() == "look"
    with pytest.raises(BadInput):
        updates.wish("0.2.0")
    found = {"state": "found", "version": "0.2.0", "changes": {}, "code": "", "detail": ""}
    state.write_text(json.dumps(found))
    updates.wish("0.2.0")
    assert (tmp_path / "update").read_text() == "install 0.2.0"
    assert updates.view()["latest"] == found
    state.write_text("{")
    latest = updates.view()["latest"]
    assert isinstance(latest, dict)
    assert latest["state"] == "none"


@pytest.mark.parametrize("lacks", ["service", "source"])
def test_no_wish_is_left_by_a_tray_that_is_not_installed_or_has_no_source(tmp_path: Path, lacks: str) -> None:
    if lacks != "source":
        (tmp_path / "source").touch()
    runtime = {} if lacks == "service" else {"RUNTIME_DIRECTORY": str(tmp_path)}
    updates = Updates(runtime, source=tmp_path / "source", state=tmp_path / "state.json")
    assert not updates.view()["can_look"]
    with pytest.raises(BadInput):
        updates.wish(None)
    assert not (tmp_path / "update").exists()


def test_kiosk_configuration_is_xml() -> None:
    import xml.etree.ElementTree as Tree

    root = Tree.parse(FOLDER / "labwc" / "rc.xml").getroot()
    actions = [action.get("name") for action in root.iter("{http://openbox.org/3.4/rc}action")]
    assert actions == ["HideCursor", "WarpCursor"]
