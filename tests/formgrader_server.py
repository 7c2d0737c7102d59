"""Formgrader's own server for tests, on the loopback interface."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from tests.browser import Browser
from tests.nbgrader_course import BIN

TOKEN = "letmein"


class Formgrader:
    """A server that runs, at `address`."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}/formgrader"

    def ask(self, path: str, method: str = "GET", content: object = None) -> object:
        """Send a request and give back the answer's JSON, or its text."""
        request = urllib.request.Request(f"{self.address}/{path}", method=method)
        request.add_header("Authorization", f"token {TOKEN}")
        data = None if method == "GET" else json.dumps(content).encode() if content else b""
        with urllib.request.urlopen(request, data=data, timeout=120) as answer:
            text = answer.read().decode()
        return json.loads(text) if path.startswith("api/") else text


@contextmanager
def formgrader(course: Path) -> Iterator[Formgrader]:
    """Formgrader over a course folder, until it is left."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(BIN / "jupyter"), "server", "--allow-root", "--no-browser", "--ServerApp.ip=127.0.0.1"]
    command += [f"--port={port}", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={course}"]
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    process = subprocess.Popen(
        command, cwd=course, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        server = Formgrader(port)
        _wait_for(lambda: server.ask("api/assignments"))
        yield server
    finally:
        process.terminate()
        process.wait(30)


def log_in(window: Browser, server: Formgrader) -> None:
    """As a person does, at a browser's window."""
    window.open(server.address)
    window.wait_for("//input[@type='password']").send_keys(TOKEN, Keys.ENTER)
    window.wait_for("//a[contains(., 'Manual Grading')]")


def _wait_for(answer: Callable[[], object]) -> None:
    for _ in range(120):
        try:
            answer()
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.5)
    raise TimeoutError("the server does not answer")
