#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""page.py [--read] PAGE [FOLDER]: exits with 1 unless a page that koine wrote is well-formed, refers to nothing outside and has less than
5 MB, and, where Chromium is installed, unless all of this holds of it, opened there without a window, from its file:
no message on the console, no request but for the page, open in less than a second, each chart drawn inside its frame, text that
contrasts (WCAG's 4.5) in light and in dark, no page wider than a phone, and tables with the class "sortable" sorted by a click and
by the keyboard. With FOLDER the screenshots wide.png, narrow.png and dark.png are written there; with --read the page is not opened."""
import base64
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Chromium's names for keys: key, code, the text it types.
ENTER, SPACE = ("Enter", "Enter", "\r", 13), (" ", "Space", " ", 32)

# What is measured in the page. The contrast of each text to the nearest background that is not transparent.
LOOK = """(() => {
  const rgb = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const back = e => { for (; e; e = e.parentElement) {
    const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const low = new Set();
  let texts = 0;
  for (const e of document.querySelectorAll("main *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const style = getComputedStyle(e), pair = [rgb(e.closest("svg") ? style.fill : style.color), back(e)].map(light).sort((a, b) => a - b);
    texts++;
    if ((pair[1] + 0.05) / (pair[0] + 0.05) < 4.5) low.add(e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40));
  }
  const outside = [], plots = document.querySelectorAll("svg.plot");
  for (const plot of plots) {
    const frame = plot.querySelector(".frame").getBBox(), at = JSON.stringify([frame.x, frame.y, frame.width, frame.height]);
    for (const e of plot.querySelectorAll("path.line, circle")) {
      const b = e.getBBox(), slack = 5;
      if (!e.getTotalLength() || b.x < frame.x - slack || b.y < frame.y - slack || b.x + b.width > frame.x + frame.width + slack
          || b.y + b.height > frame.y + frame.height + slack) outside.push(e.outerHTML.slice(0, 120) + " of " + at);
    }
  }
  return {low: [...low], texts, outside, plots: plots.length, bars: [...document.querySelectorAll(".bar rect")]
    .filter(e => e.getBoundingClientRect().width > 1).length, width: document.documentElement.scrollWidth, view: innerWidth,
    images: [...document.images].filter(i => !i.complete || !i.naturalWidth).length,
    opened: performance.getEntriesByType("navigation")[0].loadEventEnd, back: getComputedStyle(document.body).backgroundColor};
})()"""
SORTED = """((table, column) => [...document.querySelectorAll("table.sortable")[table].tBodies[0].rows].map(r => r.cells[column])
  .map(c => c.hasAttribute("data-value") ? Number(c.dataset.value) : c.textContent))"""


class Reader(html.parser.HTMLParser):
    """Elements that are not closed, or closed twice, and what refers to something that is not in the page."""

    VOID = {"meta", "img", "br", "hr", "link", "input", "path", "line", "rect", "circle"}
    ALLOWED = {"html", "head", "meta", "title", "style", "body", "main", "script", "h1", "h2", "h3", "p", "pre", "code", "div", "span", "table",
               "thead", "tbody", "tr", "th", "td", "button", "figure", "figcaption", "svg", "path", "line", "rect", "circle", "text", "ul", "ol", "li",
               "img", "dl", "dt", "dd"}  # fmt: skip

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.scripts = 0
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]
        if self.scripts != 1:
            self.wrong.append(f"{self.scripts} scripts, not 1")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        if tag not in self.VOID:
            self.open.append(tag)
        if tag not in self.ALLOWED:
            self.wrong.append(f"line {self.getpos()[0]}: <{tag}>")
        for name, value in attributes:
            if name.startswith("on") or (name in ("src", "href", "xlink:href") and not (value or "").startswith("data:image/png;base64,")):
                self.wrong.append(f"line {self.getpos()[0]}: {name}={value}")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(f"line {self.getpos()[0]}: </{tag}>")


def read(page: pathlib.Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    wrong = Reader(text).wrong
    if len(text.encode()) >= 5e6:
        wrong.append(f"{len(text.encode())} bytes")
    style = text.split("<style>")[1].split("</style>")[0]
    if re.search(r"url\(|@import", style) or "{{" in text.replace(style, ""):
        wrong.append("the style refers to something outside, or a mark of the template is left")
    return wrong


class Browser:
    def __init__(self, program: str, profile: str) -> None:
        commands, self.to = os.pipe()
        self.back, events = os.pipe()

        def as_chromium_wants() -> None:
            first, second = os.dup(commands), os.dup(events)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-dev-shm-usage",
             f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=as_chromium_wants, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        os.close(commands)
        os.close(events)
        self.number, self.rest, self.events, self.session = 0, b"", [], None

    def receive(self) -> dict:
        while b"\0" not in self.rest:
            part = os.read(self.back, 1 << 16)
            if not part:
                raise SystemExit("page.py: Chromium ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method: str, **parameters) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while (answer := self.receive()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise SystemExit(f"page.py: {method}: {answer['error']}")
        return answer["result"]

    def wait(self, method: str) -> None:
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def value(self, expression: str):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"page.py: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, url: str) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def screen(self, width: int, height: int, scheme: str) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media="screen", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shoot(self, path: pathlib.Path) -> None:
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(image))

    def press(self, key: tuple) -> None:
        name, code, text, number = key
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, code=code, text=text, windowsVirtualKeyCode=number)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=code, windowsVirtualKeyCode=number)

    def click(self, element: str) -> None:
        self.value(f"{element}.scrollIntoView({{block: 'center', inline: 'center'}})")
        box = self.value(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({element}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)


def in_order(cells: list, down: bool) -> bool:
    """Whether numbers go up, or down, and cells without one are last."""
    numbers = [cell for cell in cells if not isinstance(cell, str)]
    return numbers == sorted(numbers, reverse=down) and cells[: len(numbers)] == numbers


def sorts(browser: Browser, table: int) -> list[str]:
    names = browser.value(f"[...document.querySelectorAll('table.sortable')[{table}].tHead.rows[0].cells].map(c => c.textContent)")
    before = browser.value(f"document.querySelectorAll('table.sortable')[{table}].tBodies[0].rows.length")
    wrong = []
    for column, name in enumerate(names):
        button = f"document.querySelectorAll('table.sortable')[{table}].tHead.rows[0].cells[{column}].firstElementChild"
        browser.click(button)
        cells = browser.value(f"{SORTED}({table}, {column})")
        if not any(isinstance(cell, str) and cell for cell in cells):  # a column of numbers
            if not in_order(cells, False):
                wrong.append(f"'{name}' is not sorted by a click: {cells[:8]}")
            browser.value(f"{button}.focus()")
            browser.press(ENTER)
            if not in_order(browser.value(f"{SORTED}({table}, {column})"), True):
                wrong.append(f"'{name}' is not sorted the other way by Enter")
            browser.press(SPACE)
            if not in_order(browser.value(f"{SORTED}({table}, {column})"), False):
                wrong.append(f"'{name}' is not sorted by the space bar")
        if browser.value(f"{button}.parentElement.getAttribute('aria-sort')") != "ascending":
            wrong.append(f"'{name}' does not say that the table is sorted by it")
    if browser.value(f"document.querySelectorAll('table.sortable')[{table}].tBodies[0].rows.length") != before or before < 2:
        wrong.append("rows were lost")
    return wrong


def check(browser: Browser, page: pathlib.Path, folder: pathlib.Path | None) -> list[str]:
    wrong = []
    browser.open(page.resolve().as_uri())
    for name, width, scheme in (("wide", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 390, "light")):
        browser.screen(width, 900, scheme)
        seen = browser.value(LOOK)
        wrong += [f"{name}: too little contrast: {text}" for text in seen["low"]]
        wrong += [f"{name}: outside of its chart, or empty: {text}" for text in seen["outside"]]
        if seen["texts"] < 10 or seen["width"] > seen["view"] or seen["images"]:
            wrong.append(f"{name}: {seen}")
        if (seen["back"] == "rgb(255, 255, 255)") != (scheme == "light"):
            wrong.append(f"{name}: the background is {seen['back']}")
        if folder:
            browser.shoot(folder / f"{name}.png")
    busy = os.getloadavg()[0] > (os.cpu_count() or 1)  # says nothing about the page then
    if seen["opened"] > 1000 and not busy:
        wrong.append(f"it opens in {seen['opened']:.0f} ms")
    print({key: seen[key] for key in ("plots", "bars", "texts", "opened")})
    browser.screen(1280, 900, "light")
    for table in range(browser.value("document.querySelectorAll('table.sortable').length")):
        wrong += sorts(browser, table)
    browser.value("0")
    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            wrong.append(f"on the console: {parameters}")
        if method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(("file://", "data:", "about:")):
            wrong.append(f"it asked for {parameters['request']['url']}")
    return wrong


def main() -> int:
    program = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
    arguments = [argument for argument in sys.argv[1:] if argument != "--read"]
    page = pathlib.Path(arguments[0])
    wrong = read(page)
    if not program or "--read" in sys.argv:
        print("the page was not opened" if program else "Chromium is not installed: the page was not opened", *wrong, sep="\n")
        return bool(wrong)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # its processes may still write there
        browser = Browser(program, profile)
        try:
            folder = pathlib.Path(arguments[1]) if len(arguments) > 1 else None
            wrong += check(browser, page, folder)
        finally:
            browser.process.terminate()
            browser.process.wait()
    print(*wrong[:40], sep="\n", end="\n" if wrong else "")
    return bool(wrong)


sys.exit(main())
