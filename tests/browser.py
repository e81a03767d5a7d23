"""A Chromium that shows pages of ours, driven over a pipe: as it is asked, so that it needs no package of Python's."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

A4 = {"paperWidth": 8.27, "paperHeight": 11.69}  # inches

MARGIN = 18  # millimetres, as in the style of reports


def find_chromium() -> str | None:
    """Return where the browser is, None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((found for name in names if (found := shutil.which(name))), None)


class Browser:
    """One page in a browser of its own, with a folder of its own."""

    def __init__(self, folder: Path) -> None:
        chromium = find_chromium()
        assert chromium is not None
        ours, theirs = os.pipe(), os.pipe()
        options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-extensions", "--disable-background-networking", "--hide-scrollbars", f"--user-data-dir={folder}",
            "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip
        # it reads commands from file 3 and writes to file 4
        command = ["bash", "-c", f'exec "$@" 3<&{ours[0]} 4>&{theirs[1]}', "bash", chromium, *options]
        self._process = subprocess.Popen(
            command, pass_fds=(ours[0], theirs[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )  # fmt: skip
        os.close(ours[0])
        os.close(theirs[1])
        self._write, self._read = os.fdopen(ours[1], "wb", buffering=0), os.fdopen(theirs[0], "rb")
        self._number, self._session = 0, None
        self._left = b""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Page.enable")

    def close(self) -> None:
        """End the browser."""
        self._write.close()
        self._process.terminate()
        self._process.wait(20)
        self._read.close()

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            more = os.read(self._read.fileno(), 1 << 16)
            if not more:
                raise EOFError("The browser has ended.")
            self._left += more
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        while True:
            found = self._receive()
            if found.get("id") == self._number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                return found["result"]

    def _set_screen(self, width: int, height: int, *, dark: bool) -> None:
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._call("Emulation.setEmulatedMedia", media="screen", features=scheme)

    def visit(self, address: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Show the page at an address, once it is there with all that it loads."""
        self._set_screen(width, height, dark=dark)
        self._call("Page.navigate", url=address)
        assert self.wait(f"document.readyState == 'complete' && location.href == {json.dumps(address)}")

    def wait(self, script: str, seconds: float = 30) -> Any:
        """Return what a script gives, once it gives something."""
        end = time.monotonic() + seconds
        while True:
            found = self.ask(script)
            if found or time.monotonic() > end:
                return found
            time.sleep(0.05)

    def show(self, html: str, *, width: int = 1100, height: int = 900, dark: bool = False) -> None:
        """Show a page of so many pixels, with the colours of a dark or a light screen."""
        self._set_screen(width, height, dark=dark)
        frame = self._call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self._call("Page.setDocumentContent", frameId=frame, html=html)

    def ask(self, script: str) -> Any:
        """Return what a script of JavaScript gives, awaited."""
        found = self._call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def photograph(self, path: Path, *, whole: bool = True) -> None:
        """Write what is shown as PNG: the whole page, or what the window holds."""
        found = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))
        path.write_bytes(base64.b64decode(found["data"]))

    def _clip(self, whole: bool) -> Mapping[str, Any]:
        if not whole:
            return {}
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def print_pages(self, path: Path) -> None:
        """Write the page as PDF on A4, with the margins and the running title of its style."""
        self._call("Emulation.setEmulatedMedia", media="print", features=[])  # or it prints what is for screens
        found = self._call("Page.printToPDF", printBackground=False, preferCSSPageSize=True, **A4)
        path.write_bytes(base64.b64decode(found["data"]))


def measure_fill(pages: Path, folder: Path) -> list[float]:
    """Return how far down each printed page goes, as a share of what lies within its margins."""
    subprocess.run(["pdftoppm", "-r", "30", "-gray", pages, folder / "page"], check=True)
    found = []
    for page in sorted(folder.glob("page*.pgm")):
        head, size, _, pixels = page.read_bytes().split(b"\n", 3)
        assert head == b"P5"
        width, height = map(int, size.split())
        margin = round(MARGIN / 297 * height)
        rows = [pixels[i * width : (i + 1) * width] for i in range(margin, height - margin)]
        inked = [i for i, row in enumerate(rows) if min(row) < 200]
        found.append((inked[-1] + 1) / len(rows) if inked else 0.0)
    return found
