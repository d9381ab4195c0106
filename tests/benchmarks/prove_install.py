"""Proves the install on a real system: boots a Debian root with its own systemd and runs install, upgrade, uninstall.

By hand, as root, on a machine with systemd-nspawn; the root is used up:

    debootstrap --variant=minbase --include=ca-certificates,python3-venv,systemd,systemd-sysv,udev trixie ROOT
    python3 tests/benchmarks/prove_install.py ROOT

The root shares this machine's network (packages are installed in it), so the tray listens on a port of its choice.
"""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

PORT = 8765
RELEASE_MB = 390
SOURCES = Path(__file__).resolve().parents[2]
CURRENT = "/opt/pushtray/current"
MAIN_PID = ("systemctl", "show", "-p", "MainPID", "--value", "pushtray")
INSTALLER = ("python3", "/src/pushtray/systemd/install.py")


class Machine:
    """A booted root."""

    def __init__(self, root: Path, *options: str) -> None:
        self.root = root
        self._options = options
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._init_pid = 0

    def boot(self) -> None:
        """Start its systemd."""
        with (self.root / "console.log").open("wb") as console:
            self._nspawn = subprocess.Popen(
                [
                    "systemd-nspawn",
                    "-q",
                    "-D",
                    str(self.root),
                    "--machine=proof",
                    "--boot",
                    "--register=no",
                    "--keep-unit",
                    # Its systemd must be allowed to set the filters of devices and addresses, or the service has none.
                    "--system-call-filter=bpf",
                    "--capability=CAP_BPF,CAP_NET_ADMIN",
                    *self._options,
                ],
                env=os.environ | {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )
        self._init_pid = wait_for("systemd", self._find_init)
        wait_for("boot", lambda: self.ask("systemctl", "is-system-running") in ("running", "degraded"))

    def _find_init(self) -> int | None:
        assert self._nspawn is not None
        children = subprocess.run(["pgrep", "-P", str(self._nspawn.pid)], capture_output=True, text=True, check=False)
        names = {int(pid): Path(f"/proc/{pid}/comm").read_text().strip() for pid in children.stdout.split()}
        return next((pid for pid, name in names.items() if name == "systemd"), None)

    def run(self, *words: str) -> tuple[int, str]:
        """Run a program in it. Return its exit status and output."""
        done = subprocess.run(
            ["nsenter", "-t", str(self._init_pid), "-a", "--", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
             "LC_ALL=C.UTF-8", "HOME=/root", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
        return done.returncode, done.stdout

    def ask(self, *words: str) -> str:
        """Return a program's output."""
        return self.run(*words)[1].strip()

    def halt(self) -> None:
        """Switch it off."""
        if self._nspawn is not None:
            self.run("systemctl", "--no-block", "poweroff")
            try:
                self._nspawn.wait(30)
            except subprocess.TimeoutExpired:
                self.cut_power()

    def cut_power(self) -> None:
        """Stop it at once, without a word."""
        if self._nspawn is not None:
            os.kill(self._init_pid, signal.SIGKILL)
            self._nspawn.wait(30)

    def is_on(self) -> bool:
        """Return whether it still runs."""
        return self._nspawn is not None and self._nspawn.poll() is None


def wait_for(what: str, look: Callable[[], Any], seconds: float = 300.0) -> Any:
    """Poll until there is a result."""
    ends_s = time.monotonic() + seconds
    while time.monotonic() < ends_s:
        found = look()
        if found:
            return found
        time.sleep(0.3)
    raise SystemExit(f"waited {seconds:.0f} s for {what}")


def call(path: str, body: Any = None) -> Any:
    """Send a request to the tray over HTTP; None if it does not respond."""
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", sent)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=5.0) as answer:
            return json.loads(answer.read())
    except OSError:
        return None


def rows_kept() -> int:
    """Return the number of rows in the roll log."""
    output = wait_for("the roll log", lambda: call("/api/rolls?limit=100"))
    return len(output["rolls"] if isinstance(output, dict) else output)


def show(step: str, is_right: bool, seen: str) -> None:
    """Print what was seen, and stop at the first failure."""
    print(f"{'ok  ' if is_right else 'FAIL'} {step}: {seen.strip()}", flush=True)
    if not is_right:
        raise SystemExit(1)


def copy_sources(root: Path) -> Path:
    """Put a clean copy of this project into the root."""
    there = root / "src/pushtray"
    shutil.rmtree(there, ignore_errors=True)
    there.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(SOURCES), "archive", "HEAD"], capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(there)], input=archive.stdout, check=True)
    return there


def last_line(text: str) -> str:
    """Return the last line that is not blank."""
    return ([line for line in text.splitlines() if line.strip()] or [""])[-1]


def throw(dice: int, seed: int) -> Any:
    """Throw and wait for the result."""
    call("/api/throw", {"base": dice, "skill": 0, "gear": 0, "seed": seed})

    def scored() -> Any:
        state = call("/api/state")
        return state if state and state["state"] == "scored" and len(state["dice"]) == dice else None

    return wait_for("a scored roll", scored, 60.0)


def prove(root: Path) -> None:
    """Run the whole procedure."""
    there = copy_sources(root)
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    machine = Machine(root)
    machine.boot()
    try:
        _install(machine)
        release = machine.ask("readlink", CURRENT)
        kept = _play_and_install_again(machine)
        _upgrade(machine, there, release, kept)
        _hang(machine)
        _uninstall(machine, kept)
    finally:
        if machine.is_on():
            machine.halt()


def _install(machine: Machine) -> None:
    status, output = machine.run(*INSTALLER, "install", "--camera", "usb:0", "--no-apt")
    show("install", status == 0, last_line(output) if status == 0 else output)
    output = machine.ask("du", "-s", "--block-size=1MB", CURRENT + "/")
    show(
        "a release takes no more than doctor counts on", int(output.split()[0]) <= RELEASE_MB, f"{output.split()[0]} MB"
    )
    status, output = machine.run(f"{CURRENT}/venv/bin/pushtray", "run", "--camera", "simulated", "--port", str(PORT))
    is_right = status == 2 and output.count("\n") == 1 and "simulation.lock" in output
    show("simulated dice where there is no MuJoCo", is_right, output)
    settings = machine.root / "etc/pushtray/settings.toml"
    changed = settings.read_text().replace("port = 8000", f"port = {PORT}").replace('"usb:0" ', '"simulated" ')
    settings.write_text(changed)
    status, output = machine.run(*INSTALLER, "upgrade", "--no-apt")
    show("install for simulated dice", status == 0, last_line(output) if status == 0 else output)
    output = machine.ask("systemctl", "show", "-p", "ActiveState,StatusText", "pushtray").replace("\n", "  ")
    show("service", "ActiveState=active" in output, output)
    units = ("pushtray.service", "pushtray-poweroff.path", "pushtray-poweroff.service")
    output = machine.ask("systemd-analyze", "verify", *(f"/etc/systemd/system/{unit}" for unit in units))
    show("verify", output == "", output or "nothing output")
    output = last_line(machine.ask("systemd-analyze", "security", "--no-pager", "pushtray.service"))
    level = re.search(r"pushtray\.service: ([0-9.]+)", output)
    show("exposure", level is not None and float(level[1]) <= 2.0, output)
    pid = machine.ask(*MAIN_PID)
    facts = machine.ask("grep", "-hE", "^(Uid|CapEff|NoNewPrivs|Seccomp):", f"/proc/{pid}/status")
    is_right = all(fact in facts for fact in ("Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"))
    show("rights of the running process", is_right, " ".join(facts.split()))
    _open_devices(machine)


def _open_devices(machine: Machine) -> None:
    """Open devices whose drivers were never loaded, as a process of the service: ENXIO means allowed, EPERM refused."""
    known = machine.ask("cat", "/proc/devices")
    for name, major in {"ttyUSB": 188, "ttyACM": 166, "video4linux": 81, "input": 13}.items():
        node = machine.root / f"root/{name}"
        node.unlink(missing_ok=True)
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(major, 0))
        procs = "/sys/fs/cgroup/system.slice/pushtray.service/cgroup.procs"
        output = machine.ask("sh", "-c", f"echo $$ > {procs} && exec cat /root/{name}")
        is_right = ("not permitted" in output) == (name == "input")
        seen = "" if re.search(rf" {name}$", known, re.MULTILINE) else f", when no driver of {name} is loaded"
        show(f"{name} {'refused' if name == 'input' else 'allowed'} to the service{seen}", is_right, output)


def _play_and_install_again(machine: Machine) -> int:
    state = throw(3, 11)
    show("roll", True, f"{[die['value'] for die in state['dice']]} -> {state['outcome']['headline']}")
    kept = rows_kept()
    status, output = machine.run(*INSTALLER, "install", "--camera", "pi", "--no-apt")
    show("second install builds nothing", status == 0 and "is there already" in output, last_line(output))
    show("the roll is still there", rows_kept() == kept, f"{kept} rows")
    status, output = machine.run("/usr/local/bin/pushtray", "export", "--format", "jsonl")
    show("the command speaks for the tray", status == 0 and len(output.splitlines()) == kept, last_line(output)[:60])
    _, output = machine.run("/usr/local/bin/pushtray", "doctor")
    show("doctor", output.startswith("ok") and "Traceback" not in output, output.partition("\n")[0])
    return kept


def _upgrade(machine: Machine, there: Path, release: str, kept: int) -> None:
    (there / "device/cli/main.py").write_text("def main(:\n")
    status, output = machine.run(*INSTALLER, "upgrade", "--no-apt")
    same = machine.ask("readlink", CURRENT) == release and call("/api/state") is not None
    show("upgrade to a program that does not start", status == 1 and same, last_line(output))
    copy_sources(machine.root)
    (there / "device/app.py").write_text("raise SystemExit(7)\n")
    status, output = machine.run(*INSTALLER, "upgrade", "--no-apt")
    same = machine.ask("readlink", CURRENT) == release
    show("upgrade to a service that does not start", status == 1 and same, last_line(output))
    wait_for("the old version", lambda: call("/api/state"))
    show("the old version runs", rows_kept() == kept, release)
    copy_sources(machine.root)
    (there / "device/__init__.py").write_text('"""Newer."""\n')
    status, output = machine.run(*INSTALLER, "upgrade", "--no-apt")
    show("upgrade", status == 0 and machine.ask("readlink", CURRENT) != release, last_line(output))
    show("rolls outlive the upgrade", rows_kept() == kept, f"{kept} rows")


def _hang(machine: Machine) -> None:
    pid = machine.ask(*MAIN_PID)
    began_s = time.monotonic()
    status, output = machine.run("python3", "-c", "import os, sys; os.kill(int(sys.argv[1]), 19)", pid)  # SIGSTOP
    show("a process that is stopped", status == 0, output or pid)
    wait_for("the watchdog", lambda: machine.ask(*MAIN_PID) not in (pid, "0"), 120.0)
    show("watchdog", True, f"a process that hangs is replaced after {time.monotonic() - began_s:.0f} s")
    wait_for("the tray", lambda: call("/api/state"))


def _uninstall(machine: Machine, kept: int) -> None:
    status, output = machine.run(*INSTALLER, "uninstall")
    left = [part for part in ("opt/pushtray", "etc/systemd/system/pushtray.service") if (machine.root / part).exists()]
    show("uninstall", status == 0 and not left and call("/api/state") is None, last_line(output))
    status, output = machine.run(*INSTALLER, "install", "--camera", "simulated", "--no-apt")
    show("installed again, with the old rolls", status == 0 and rows_kept() == kept, f"{kept} rows")
    machine.run("touch", "/run/pushtray/poweroff")
    wait_for("the machine to switch itself off", lambda: not machine.is_on(), 60.0)
    show("poweroff", True, "the note in /run/pushtray switched the machine off")


if __name__ == "__main__":
    if len(sys.argv) != 2 or os.geteuid() != 0:
        raise SystemExit("usage, as root: prove_install.py ROOT")
    prove(Path(sys.argv[1]))
