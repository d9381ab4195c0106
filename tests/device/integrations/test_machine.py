"""What distinguishes a machine from the one whose card was copied."""

from pathlib import Path

from device.integrations.machine import machine_word


def card(root: Path, name: str, address: str, *, radio: bool = False, usb: bool = False, kind: str = "0") -> None:
    network = root / "sys/class/net" / name
    network.mkdir(parents=True)
    device = root / ("sys/devices/usb1" if usb else "sys/devices/pci") / name
    device.mkdir(parents=True)
    (network / "device").symlink_to(device)
    (network / "address").write_text(f"{address}\n")
    (network / "addr_assign_type").write_text(f"{kind}\n")
    if radio:
        (network / "wireless").mkdir()


def test_a_copy_on_another_machine_or_in_another_place_has_another_word(tmp_path: Path) -> None:
    here, there, folder = tmp_path / "here", tmp_path / "there", tmp_path / "data"
    card(here, "eth0", "00:00:5e:00:53:01")
    card(there, "eth0", "00:00:5e:00:53:02")
    for root in (here, there):
        (root / "etc").mkdir()
        (root / "etc/machine-id").write_text("copied with the card\n")
    word = machine_word(folder, here)
    assert word == machine_word(folder, here)
    assert len({word, machine_word(folder, there), machine_word(tmp_path / "copy", here)}) == 3
    # Interfaces that come and go, or change their address, do not count.
    card(here, "wlan0", "02:00:00:00:00:07", radio=True)
    card(here, "eth1", "00:00:5e:00:53:03", usb=True)
    card(here, "eth2", "02:00:00:00:00:08", kind="3")
    assert machine_word(folder, here) == word


def test_a_pi_is_known_by_its_serial_number(tmp_path: Path) -> None:
    tree = tmp_path / "sys/firmware/devicetree/base"
    tree.mkdir(parents=True)
    (tree / "serial-number").write_bytes(b"10000000abcdef01\0")
    word = machine_word(tmp_path, tmp_path)
    (tree / "serial-number").write_bytes(b"10000000abcdef02\0")
    assert machine_word(tmp_path, tmp_path) != word
