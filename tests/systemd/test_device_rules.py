"""The device rules, matched by udev itself together with the system's own rules, on devices that umockdev makes up."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "systemd"
(RULES,) = FOLDER.glob("*.rules")
INSTALLER = runpy.run_path(str(FOLDER / "install.py"))
RING_RULES = "71-pushtray-ring.rules"

TOOLS = {"umockdev-run": "umockdev", "udevadm": "udev", "unshare": "util-linux"}
NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    """Skip if udev's own matching is not available; in CI that is a failure."""
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    reason = f"no udev to match with: sudo apt install {' '.join(missing)}" if missing else ""
    if not missing and subprocess.run([*NAMESPACE, "true"], check=False).returncode != 0:
        reason = "this machine allows no mount namespace: run as root, or allow user namespaces"
    if reason and os.environ.get("CI"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


PORT = "/devices/pci0000:00/0000:00:14.0/usb1/1-2"

BOARDS = {
    "CP2102": ("10c4", "ea60", "ttyUSB"),
    "CH340": ("1a86", "7523", "ttyUSB"),
    "CH9102": ("1a86", "55d4", "ttyACM"),
    "FT232R": ("0403", "6001", "ttyUSB"),
    "ESP32-S2": ("303a", "80c2", "ttyACM"),
    "ESP32-S3": ("303a", "1001", "ttyACM"),
}
"""Vendor, product, and the name that the kernel's driver gives the port."""


def usb_serial(vendor: str, product: str, driver: str, serial: str = "0001") -> tuple[str, str]:
    """Return a serial port on USB in umockdev's form, and its place in sysfs."""
    major = {"ttyUSB": 188, "ttyACM": 166}[driver]
    # usbserial puts its own device between the interface and the port, cdc_acm does not.
    place = f"{PORT}/1-2:1.0/ttyUSB0/tty/ttyUSB0" if driver == "ttyUSB" else f"{PORT}/1-2:1.0/tty/ttyACM0"
    between = f"P: {PORT}/1-2:1.0/ttyUSB0\nE: SUBSYSTEM=usb-serial\nA: port_number=0\\n\n\n" if major == 188 else ""
    number = f"A: serial={serial}\\n\n" if serial else ""
    return (
        f"P: {place}\nN: {driver}0\nE: DEVNAME=/dev/{driver}0\nE: SUBSYSTEM=tty\nE: MAJOR={major}\nE: MINOR=0\n"
        f"A: dev={major}:0\\n\nL: device=../../../{'ttyUSB0' if major == 188 else '1-2:1.0'}\n\n"
        f"{between}"
        f"P: {PORT}/1-2:1.0\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\nA: bInterfaceNumber=00\\n\n"
        "A: bInterfaceClass=ff\\n\nA: bInterfaceSubClass=00\\n\nA: bInterfaceProtocol=00\\n\n\n"
        "P: /devices/pci0000:00/0000:00:14.0\nE: SUBSYSTEM=pci\n\n"
        "P: /devices/pci0000:00/0000:00:14.0/usb1\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\n\n"
        f"P: {PORT}\nN: bus/usb/001/002\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nE: DEVNAME=/dev/bus/usb/001/002\n"
        f"E: MAJOR=189\nE: MINOR=1\nA: idVendor={vendor}\\n\nA: idProduct={product}\\n\n{number}"
        "A: bcdDevice=0100\\n\nA: busnum=1\\n\nA: devnum=2\\n\n"
    ), f"/sys{place}"


def ask_udev(
    folder: Path, described: str, place: str, ring_rule: str = "", ring_rules: str = RING_RULES
) -> tuple[dict[str, str], str]:
    """Return udev's view of a device once the project's rules and that of the chosen ring are installed.

    Returns:
        The device's properties, and udev's output.
    """
    rules = folder / "rules.d"
    rules.mkdir(parents=True)
    shutil.copyfile(RULES, rules / RULES.name)
    if ring_rule:
        (rules / ring_rules).write_text(ring_rule)
    (folder / "device.umockdev").write_text(described)
    # The group that the installer makes; udev ignores a rule's group that does not exist.
    (folder / "group").write_text(Path("/etc/group").read_text() + "gpio:x:64999:\n")
    # udevadm makes the links and notes that it prints: in a separate mount namespace they touch nothing outside.
    (folder / "dev/pts").mkdir(parents=True)
    (folder / "dev/null").touch()
    (folder / "dev/ptmx").symlink_to("pts/ptmx")
    script = (
        f"set -e\nmount --bind {rules} /etc/udev/rules.d\nmount --bind {folder}/group /etc/group\n"
        f"mount --bind /dev/null {folder}/dev/null\nmount -t devpts -o newinstance,ptmxmode=666 pts {folder}/dev/pts\n"
        f"mount --rbind {folder}/dev /dev\nmount -t tmpfs tmpfs /run\n"
        f"exec umockdev-run --device {folder}/device.umockdev -- udevadm test --action=add {place}"
    )
    done = subprocess.run([*NAMESPACE, "sh", "-c", script], capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    return dict(re.findall(r"^\s*([A-Z_]+)=(.*)$", done.stdout, re.MULTILINE)), output


def links(properties: dict[str, str]) -> list[str]:
    return properties["DEVLINKS"].split()


@pytest.mark.parametrize("board", BOARDS)
def test_no_adapter_is_the_ring_until_it_is_chosen(tmp_path: Path, board: str) -> None:
    properties, _ = ask_udev(tmp_path / "before", *usb_serial(*BOARDS[board]))
    assert "/dev/pushtray-ring" not in links(properties)
    assert "ID_MM_DEVICE_IGNORE" not in properties
    rule = INSTALLER["ring_rule"](properties)
    properties, output = ask_udev(tmp_path / "after", *usb_serial(*BOARDS[board]), rule)
    assert "/dev/pushtray-ring" in links(properties)
    assert properties["ID_MM_DEVICE_IGNORE"] == "1"
    assert re.search(rf"{RING_RULES}:\d+ MODE 0660", output)
    # A stick with the same chip is another device.
    properties, _ = ask_udev(tmp_path / "stick", *usb_serial(*BOARDS[board], serial="0002"), rule)
    assert "/dev/pushtray-ring" not in links(properties)
    assert "ID_MM_DEVICE_IGNORE" not in properties


def test_an_adapter_without_a_serial_number_is_the_ring_in_its_socket_alone(tmp_path: Path) -> None:
    described, place = usb_serial(*BOARDS["CH340"], serial="")
    properties, _ = ask_udev(tmp_path / "before", described, place)
    rule = INSTALLER["ring_rule"](properties)
    assert "/dev/pushtray-ring" in links(ask_udev(tmp_path / "after", described, place, rule)[0])
    other = described.replace("1-2", "1-3"), place.replace("1-2", "1-3")
    assert "/dev/pushtray-ring" not in links(ask_udev(tmp_path / "other", *other, rule)[0])


def test_under_a_name_that_sorts_before_the_systems_own_rules_nothing_is_matched(tmp_path: Path) -> None:
    properties, _ = ask_udev(tmp_path / "before", *usb_serial(*BOARDS["CP2102"]))
    rule = INSTALLER["ring_rule"](properties)
    properties, _ = ask_udev(tmp_path / "after", *usb_serial(*BOARDS["CP2102"]), rule, "59-pushtray-ring.rules")
    assert "/dev/pushtray-ring" not in links(properties)


@pytest.mark.parametrize("board", BOARDS)
def test_ring_knows_whose_usb_it_is_plugged_into_whatever_name_its_port_goes_by(tmp_path: Path, board: str) -> None:
    described, place = usb_serial(*BOARDS[board])
    (tmp_path / "device.umockdev").write_text(described)
    (tmp_path / "pushtray-ring").symlink_to(f"/dev/{Path(place).name}")
    code = "import sys; from device.ring.wled import usb_vendor; print([usb_vendor(one) for one in sys.argv[1:]])"
    done = subprocess.run(
        ["umockdev-run", "--device", str(tmp_path / "device.umockdev"), "--", sys.executable, "-c", code,
         str(tmp_path / "pushtray-ring"), "/dev/ttyS9"],
        capture_output=True, text=True, check=True, cwd=FOLDER.parent,
    )  # fmt: skip
    assert done.stdout.strip() == str([int(BOARDS[board][0], 16), None])


def test_gpio_chips_belong_to_their_group(tmp_path: Path) -> None:
    place = "/devices/platform/soc/fe200000.gpio/gpiochip0"
    described = (
        f"P: {place}\nN: gpiochip0\nE: DEVNAME=/dev/gpiochip0\nE: SUBSYSTEM=gpio\nE: MAJOR=254\nE: MINOR=0\n"
        "A: dev=254:0\\n\n"
    )
    _, output = ask_udev(tmp_path, described, f"/sys{place}")
    assert re.search(rf"{RULES.name}:\d+ GROUP 64999", output)
    assert re.search(rf"{RULES.name}:\d+ MODE 0660", output)
