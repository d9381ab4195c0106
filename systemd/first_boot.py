"""Install the tray when a Raspberry Pi first starts: `device/cli/user-data` runs this at each start until it is done.

Progress is shown at the address of the tray's pages, which the tray takes over, on the screen, and in `pushtray.txt` on
the card's boot partition. A step that fails is tried again, and so is everything after a power cut. The page stays on a
port of its own for an hour: the first browser that opens it is given the PIN. Only the standard library.
"""

import argparse
import functools
import ipaddress
import os
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(SOURCES), str(SOURCES / "systemd")]

import install  # noqa: E402 - of this folder

from device.texts.catalogue import ENGLISH, LazyText, in_language, languages, translate  # noqa: E402

TRAY_PORT, OWN_PORT = 8000, 8001
COOKIE = "pushtray-first-boot"
OPEN_S = 3600.0
RETRY_S = 30.0
APT = ("apt-get", "-y", "-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3")

_PAGE = """<!doctype html>
<html lang="{language}" data-page="first-boot">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>PushTray</title>
<style>
body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem;
  color: #eee; background: #16181d; }}
ol {{ padding-left: 1.5rem; }} li {{ color: #9aa0ab; }} li[aria-current] {{ color: #fff; font-weight: 600; }}
[role="alert"] {{ padding: 1rem; border-left: .3rem solid #f2b84b; background: #262a33; overflow-wrap: anywhere; }}
pre {{ font-size: .8rem; color: #9aa0ab; white-space: pre-wrap; overflow-wrap: anywhere; }}
.pin {{ font-size: 2.5rem; letter-spacing: .2em; }}
a {{ display: inline-block; padding: .8rem 1.5rem; border-radius: .4rem; color: #16181d; background: #f2b84b; }}
</style></head>
<body><h1>{title}</h1>{body}</body>
<script>
setInterval(async () => {{
  try {{
    const text = await (await fetch("/", {{ cache: "no-store" }})).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    if (page.documentElement.dataset.page !== "first-boot") throw new Error("the tray answers here now");
    if (page.body.innerHTML !== document.body.innerHTML) document.body.replaceWith(page.body);
  }} catch {{
    if (location.port !== "{own_port}") location.port = "{own_port}";
  }}
}}, 2000);
</script></html>
"""

STEPS = ("packages", "building", "starting", "screen")
"""What is done, in this order."""
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x1f\x7f]")  # apt's terminal has colours and cursors
_BUILDING = "install.py: building"
_STARTING = f"install.py: {install.STARTING}"
_PIN = f"install.py: {install.PIN_LINE}"


class StepFailed(Exception):
    """A step cannot be done now; `text` says what failed, and what to do."""

    def __init__(self, text: LazyText) -> None:
        self.text = text
        super().__init__(str(text))


@dataclass(slots=True)
class Progress:
    """What is shown. Written by the installation, read by the threads of the page.

    Attributes:
        step: One of `STEPS`; empty once the tray is there.
        lines: The newest lines of the programs that run.
        failed: What failed, and what to do; None while it goes on.
        notes: What does not keep the tray from starting.
        pin: The PIN of the tray's game master, for the first browser alone.
        first: The first browser's cookie.
        is_given: Whether some browser has that cookie.
    """

    step: str = STEPS[0]
    lines: list[str] = field(default_factory=list)
    failed: LazyText | None = None
    notes: list[LazyText] = field(default_factory=list)
    pin: str | None = None
    first: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    is_given: bool = False

    def page(self, language: str, host: str, *, is_first: bool) -> str:
        """Return the page; `host` is what the browser calls this machine."""

        def say(text: LazyText) -> str:
            return escape(str(in_language(text, language)))

        parts = []
        if self.step:
            marks = ((name, " aria-current='step'" if name == self.step else "") for name in STEPS)
            items = (f"<li{mark}>{say(translate(f'first_boot.step.{name}'))}</li>" for name, mark in marks)
            parts.append(f"<ol>{''.join(items)}</ol>")
        elif self.pin is not None and is_first:
            parts.append(f"<p>{say(translate('first_boot.pin'))}</p><p class='pin'>{escape(self.pin)}</p>")
        elif self.pin is not None:
            parts.append(f"<p>{say(translate('first_boot.pin_elsewhere'))}</p>")
        parts += [f"<p role='alert'>{say(text)}</p>" for text in (*self.notes, self.failed) if text is not None]
        if self.step:
            parts.append(f"<pre>{escape(chr(10).join(self.lines[-8:]))}</pre>")
        else:
            address = f"http://{escape(host)}:{TRAY_PORT}/start"
            parts.append(f"<p><a href='{address}'>{say(translate('first_boot.open'))}</a></p>")
        title = say(translate("first_boot.title" if self.step else "first_boot.ready"))
        return _PAGE.format(language=language, title=title, body="".join(parts), own_port=OWN_PORT)


class Handler(BaseHTTPRequestHandler):
    """Answers every GET with the page."""

    timeout = 10.0

    def __init__(self, progress: Progress, language: str | None, *rest: object) -> None:
        self.progress = progress
        self.language = language
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer, and let the first browser of this network have the PIN later."""
        host = re.sub(r":\d+$", "", self.headers.get("Host", ""))
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        is_first = cookie is not None and secrets.compare_digest(cookie.value, self.progress.first)
        is_ours = names_this_machine(host)
        gives = is_ours and not self.progress.is_given and ipaddress.ip_address(self.client_address[0]).is_private
        body = self.progress.page(
            self._language(), host if is_ours else own_name(), is_first=is_ours and (is_first or gives)
        )
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Cache-Control", "no-store")
        if gives:
            self.progress.is_given = True
            self.send_header("Set-Cookie", f"{COOKIE}={self.progress.first}; HttpOnly; SameSite=Strict; Path=/")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_words: object) -> None:
        """Log nothing: the journal is for the installation."""

    def _language(self) -> str:
        preferred = self.headers.get("Accept-Language", "")[:2].lower()
        return self.language or (preferred if preferred in languages() else ENGLISH)


def own_name() -> str:
    """Return this machine's name in the network."""
    return f"{socket.gethostname().partition('.')[0]}.local"


def names_this_machine(host: str) -> bool:
    """Return whether a host is this machine's name or an address: no name that another page made up for it."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host.lower() in {"localhost", own_name().lower(), own_name().removesuffix(".local").lower()}
    return True


class Pages:
    """Serves the page on the tray's port, until the tray takes that, and on its own."""

    def __init__(self, progress: Progress, language: str | None) -> None:
        self._handler = functools.partial(Handler, progress, language)
        self._servers: dict[int, ThreadingHTTPServer] = {}

    def open(self, port: int) -> None:
        """Serve on a port, unless it is taken: then it is no reason to stop."""
        if port in self._servers:
            return
        try:
            server = ThreadingHTTPServer(("", port), self._handler)
        except OSError as error:
            print(f"no page on port {port}: {error}", flush=True)  # noqa: T201
            return
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self._servers[port] = server

    def close(self, port: int) -> None:
        """Leave a port."""
        if port in self._servers:
            server = self._servers.pop(port)
            server.shutdown()
            server.server_close()


def notify_ready() -> None:
    """Let the service manager go on: it starts the desktop after this."""
    where = os.environ.get("NOTIFY_SOCKET", "")
    if where:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.sendto(b"READY=1", where.replace("@", "\0", 1) if where.startswith("@") else where)


def has_network() -> bool:
    """Return whether there is a way out of this machine."""
    try:
        lines = Path("/proc/net/route").read_text().splitlines()[1:]
    except OSError:
        return False
    return any(line.split()[1] == "00000000" for line in lines)


def has_screen(root: Path = Path("/")) -> bool:
    """Return whether a screen is connected."""
    states = (path.read_text().strip() for path in root.glob("sys/class/drm/*/status"))
    return "connected" in states


def desktop_user(root: Path = Path("/")) -> str | None:
    """Return the user whom the desktop logs in automatically; None if there is none yet."""
    try:
        text = (root / "etc/lightdm/lightdm.conf").read_text(errors="replace")
    except OSError:
        return None
    named = re.findall(r"^\s*autologin-user\s*=\s*(\S+)", text, re.MULTILINE)
    return named[-1] if named and named[-1] != "rpi-first-boot-wizard" else None


class FirstBoot:
    """Installs the package, and tries again what fails."""

    def __init__(self, package: Path, boot: Path, options: Sequence[str], progress: Progress, pages: Pages) -> None:
        self._package = package
        self._boot = boot
        self._options = options
        self._progress = progress
        self._pages = pages

    def run(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """Return once the tray answers."""
        is_waiting = True
        while True:
            self._pages.open(TRAY_PORT)
            try:
                self._install()
                break
            except StepFailed as failure:
                self._progress.failed = failure.text
                self.report(str(failure.text))
                if is_waiting:
                    notify_ready()  # the desktop may be what helps, as with the network
                is_waiting = False
                sleep(RETRY_S)
        self._show_on_screen(is_running=not is_waiting)
        notify_ready()

    def report(self, line: str) -> None:
        """Tell a person: on the screen, in the journal and on the card."""
        print(line, flush=True)  # noqa: T201
        with suppress(OSError):  # there may be no screen
            Path("/dev/tty1").write_text(f"PushTray: {line}\n")
        # If the card is read-only or full, the installation itself names that.
        with suppress(OSError), (self._boot / "pushtray.txt").open("a") as file:
            file.write(f"{time.strftime('%F %T')}  {line}\n")
        self._call("plymouth", "display-message", f"--text=PushTray: {line}")

    def _enter(self, step: str) -> None:
        self._progress.step = step
        self._progress.failed = None
        if step:
            self.report(str(translate(f"first_boot.step.{step}")))

    def _call(self, *words: str) -> int:
        """Run a program and follow its lines; return its exit status, 127 if there is none."""
        try:
            running = subprocess.Popen(  # noqa: S603 - fixed words, no shell
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env=os.environ
                | {
                    "DEBIAN_FRONTEND": "noninteractive",
                    "LC_ALL": "C.UTF-8",
                    "PUSHTRAY_INSTALL": " ".join(self._options),
                },
            )
        except FileNotFoundError:
            return 127
        assert running.stdout is not None  # noqa: S101 - a pipe was asked for
        for line in running.stdout:
            self._follow(line)
        return running.wait()

    def _follow(self, output: str) -> None:
        line = _CONTROLS.sub("", output).rstrip()
        if not line:
            return
        print(line, flush=True)  # noqa: T201
        if _PIN not in line:  # anyone in the network reads these lines
            self._progress.lines = [*self._progress.lines[-40:], line]
        if line.startswith(_BUILDING):
            self._enter("building")
        elif line.startswith(_STARTING):
            self._enter("starting")
            self._pages.close(TRAY_PORT)

    def _install(self) -> None:
        self._progress.lines = []
        self._enter("packages")
        # What a power cut left half done.
        self._call("dpkg", "--configure", "-a", "--force-confold")
        words = (*APT, "install", str(self._package))
        if self._call(*words) == 0:
            return
        if self._progress.step == "packages":
            if not has_network():
                raise StepFailed(translate("first_boot.no_network"))
            # The lists of a new card are empty or old.
            if self._call(*APT, "update") == 0 and self._call(*words) == 0:
                return
        # The installer's own line has a cure; apt's says only that a script failed.
        raise StepFailed(
            translate("first_boot.failed", why=self._last("install.py: ") or self._last("E: ") or "apt-get")
        )

    def _last(self, begins: str) -> str:
        """Return the rest of the newest line that begins with these words; empty if there is none."""
        return next((line.removeprefix(begins) for line in self._progress.lines[::-1] if line.startswith(begins)), "")

    def _show_on_screen(self, *, is_running: bool) -> None:
        user = desktop_user()
        if user is None or not has_screen():
            return
        self._enter("screen")
        installer = "/usr/lib/pushtray/systemd/install.py"
        if self._call("python3", installer, "install", "--kiosk", user) != 0:
            why = translate("first_boot.no_screen", why=self._last("install.py: "))
            self._progress.notes.append(why)
            self.report(str(why))
        elif is_running:
            self._call("systemctl", "try-restart", "display-manager.service")

    def hand_over(self) -> None:
        """Show where the tray is."""
        tray = install.tray_now(install.Places(Path("/")))
        addresses = [f"{address}start" for address in tray.addresses] if tray is not None else []
        self._progress.pin = None if tray is None else tray.pin
        self._enter("")
        where = ", ".join(addresses) or f"http://127.0.0.1:{TRAY_PORT}/start"
        self.report(str(translate("first_boot.ready_at", where=where)))


def main() -> None:
    """Install, and show the page for another hour."""
    parser = argparse.ArgumentParser(description="Install PushTray when a Raspberry Pi first starts.")
    parser.add_argument("--package", type=Path, required=True, help="the Debian package")
    parser.add_argument("--boot", type=Path, required=True, help="folder of the boot partition")
    parser.add_argument("--state", type=Path, default=Path("/var/lib/pushtray-first-boot"))
    words, options = parser.parse_known_args()
    named = dict(pairwise(options)).get("--language")
    progress = Progress()
    pages = Pages(progress, named)
    pages.open(OWN_PORT)
    first_boot = FirstBoot(words.package, words.boot, options, progress, pages)
    first_boot.run()
    first_boot.hand_over()
    for fetched in words.state.glob("*.deb"):
        fetched.unlink()
    (words.state / "done").touch()
    os.sync()
    time.sleep(OPEN_S)


if __name__ == "__main__":
    main()
