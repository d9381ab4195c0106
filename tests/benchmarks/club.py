"""Prints the cost of a club of many trays: `club.py [--trays 200] [--rolls 20]`.

Mosquitto on loopback, many simulated trays, each with its own connection, that all roll at the same time, and `pushtray
club` as a separate process with one page open: the time until the page has each tray's result, the page's downloads,
and the club's processor time and memory. The next round begins when a round is on the page.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx

from tests.benchmarks.club_trays import Publishers
from tests.device.integrations.counterparts import OPEN, Broker
from tests.narrowing import there

BASE = "pushtray"


class Page:
    """What one page of the club receives."""

    def __init__(self, url: str) -> None:
        self.last: dict[str, str] = {}
        self.bytes = 0
        self.events = 0
        self._url = url
        self.opened = threading.Event()
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        with httpx.stream("GET", f"{self._url}api/club/events", timeout=60) as stream:
            for line in stream.iter_lines():
                self.opened.set()
                self.bytes += len(line) + 1
                if line.startswith("data: ["):
                    self.events += 1
                    for tray in json.loads(line[6:]):
                        if tray["rolls"]:
                            self.last[tray["id"]] = tray["rolls"][0]["id"]


def spent_s(process: int) -> float:
    """Return the processor time of a process, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


def memory_mb(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trays", type=int, default=200)
    parser.add_argument("--rolls", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder), OPEN)
        command = [sys.executable, "-m", "device", "club", "--broker", f"127.0.0.1:{broker.port}", "--port", "0"]
        environment = {**os.environ, "XDG_CONFIG_HOME": folder}
        club = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            url = there(club.stderr).readline().split("The club is at ")[1].split()[0]
            page = Page(url)
            page.opened.wait(60)
            with Publishers(broker.port, BASE, args.trays) as publishers:
                before_s, took_s, count = spent_s(club.pid), [], 0
                for _ in range(args.rolls):
                    began_s = time.monotonic()
                    count += publishers.roll(1)
                    while set(page.last.values()) != publishers.last_ids:
                        time.sleep(0.01)
                    took_s.append(time.monotonic() - began_s)
                cost_s = spent_s(club.pid) - before_s
            print(f"{args.trays} trays roll {args.rolls} times at the same time: {count} messages")
            print(f"all on the page after {statistics.median(took_s):.2f} s (median), {max(took_s):.2f} s (longest)")
            print(f"the club: {cost_s / count * 1e6:.0f} us of processor time a message, {memory_mb(club.pid):.0f} MB")
            print(f"the page: {page.events} events, {page.bytes / 1e6:.2f} MB")
        finally:
            club.terminate()
            club.wait()
            there(club.stderr).close()
            broker.stop()


if __name__ == "__main__":
    main()
