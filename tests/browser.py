"""Chromium under Selenium, and the checker of accessibility axe-core: pages as people meet them.

What is not on this machine is said by `missing`; `make browser` sets it up. No page reaches any network but this
machine's own.
"""

from __future__ import annotations

import base64
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import element_to_be_clickable, invisibility_of_element_located
from selenium.webdriver.support.wait import WebDriverWait

AXE = Path(sys.prefix, "share", "axe-core", "axe.min.js")
_PROGRAMS = ("chromium", "chromedriver")
_PATIENCE = 180  # seconds
_TALLEST = 16_000  # pixels of a picture
_SERIOUS = ("serious", "critical")


def missing() -> str:
    """What there is not of a browser on this machine, and how to get it; empty where all is there."""
    lacking = [name for name in _PROGRAMS if not shutil.which(name)] + ["axe-core"] * (not AXE.is_file())
    return f"no {' and no '.join(lacking)} here: `make browser` sets it up" if lacking else ""


class Browser:
    """A window of Chromium. Use as a context manager."""

    def __init__(self) -> None:
        self._profile = tempfile.mkdtemp(prefix="chromium-")
        options = ChromeOptions()
        options.binary_location = str(shutil.which("chromium"))
        options.add_argument("--headless=new")
        options.add_argument(f"--user-data-dir={self._profile}")
        options.add_argument("--hide-scrollbars")
        options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # Chromium's own refuses root
        self.driver = Chrome(options, ChromeService(shutil.which("chromedriver")))
        self._waiting = WebDriverWait(self.driver, _PATIENCE)

    def look(self, width: int, *, is_dark: bool = False, media: str = "") -> None:
        """From now on through a window of so many pixels. media: `print`, or as on a screen."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self._tell("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self._tell("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})

    def open(self, page: Path | str) -> None:
        self.complaints()  # of the page before
        self.driver.get(page.resolve().as_uri() if isinstance(page, Path) else page)

    def picture(self, file: Path, tallest: int = _TALLEST, of: str = "body") -> None:
        """Write the first element of a CSS selector, or its upper part, as a PNG; without one, the whole page."""
        box = self.run(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [0, arguments[0] === 'body' ? 0 : box.top + scrollY, innerWidth, box.bottom + scrollY]",
            of,
        )
        clip = {"x": box[0], "y": box[1], "width": box[2], "height": min(box[3] - box[1], tallest), "scale": 1}
        shot = self._tell("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        file.write_bytes(base64.b64decode(shot["data"]))

    def findings(self, *, all_of_them: bool = False) -> dict[str, list[str]]:
        """What axe-core finds on the page, as rule and places; only what is serious or critical, if not told else."""
        self.driver.execute_script(AXE.read_text(encoding="utf-8"))
        result = self.driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        return {
            f"{one['impact']} {one['id']}": [str(node["target"][0]) for node in one["nodes"]]
            for one in result["violations"]
            if all_of_them or one["impact"] in _SERIOUS
        }

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def complaints(self) -> list[str]:
        """What the browser has said in its console about this page, since it was asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def text(self) -> str:
        """What can be read on the page now."""
        return " ".join(self.driver.find_element(By.TAG_NAME, "body").text.split())

    def unfold(self) -> None:
        """Open all that is folded."""
        self.run("for (const one of document.querySelectorAll('details')) one.open = true")

    def wait_for(self, path: str) -> WebElement:
        """The first element of an XPath that can be clicked, as soon as there is one."""
        return self._waiting.until(element_to_be_clickable((By.XPATH, path)))

    def wait_for_none(self, selector: str) -> None:
        """Until no such element is to be seen."""
        self._waiting.until(invisibility_of_element_located((By.CSS_SELECTOR, selector)))

    def wait_until(self, holds: Callable[[], bool]) -> None:
        self._waiting.until(lambda _: holds())

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a piece of JavaScript that is run in the page."""
        return self.driver.execute_script(script, *arguments)

    def close(self) -> None:
        self.driver.quit()
        shutil.rmtree(self._profile, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _tell(self, command: str, arguments: dict[str, Any]) -> Any:
        return self.driver.execute_cdp_cmd(command, arguments)
