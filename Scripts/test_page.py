"""Tests the page that `report` writes, as Chromium shows it: compares it with `show --json`, and uses it as a reader would.

Needs Chromium, its driver and Selenium (`make test-page` installs them). Without them, the tests are skipped.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from tested_program import IN_CI, PROGRAM, ROOT

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

DRIVER = shutil.which("chromedriver")
IS_THERE = webdriver is not None and DRIVER is not None and shutil.which("chromium") is not None
CAPTURES = ROOT / "captures"
SHARED = ROOT.parent / "shared" / "captures" / "real"
WIDTHS = (320, 390, 1440, 2560)
SCHEMES = ("light", "dark")
LEAST_CONTRAST = 4.5
# Targets for the time and memory that a large page needs to open.
MOST_PAINT_MS, MOST_OPEN_MS, MOST_RENDERER_MB = 500, 3000, 600
MOST_LINES = 1350
LIMIT = 20_000_000
# How wide an empty stripe between two columns may be, and how small a target for a finger.
MOST_EMPTY_PX, LEAST_TARGET_PX = 400, 24

# The colour and background of each visible text, as CSS values.
COLOURS = """
const seen = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.data.trim() || !element.checkVisibility || !element.checkVisibility() || element.closest('script,style,option')) continue;
  const style = getComputedStyle(element);
  let behind = element, paper = 'rgba(0, 0, 0, 0)';
  while (behind && /rgba\\(.*, 0\\)|transparent/.test(paper)) {
    paper = getComputedStyle(behind).backgroundColor;
    behind = behind.parentElement;
  }
  const ink = element.closest('svg') ? style.fill : style.color;
  if (!/^rgb/.test(ink)) continue;
  seen.set(ink + '|' + paper, node.data.trim().slice(0, 40) + ' in ' + element.tagName + '.' + element.className);
}
return [...seen];
"""


def contrast(ink: str, paper: str) -> float:
    """Returns the contrast of two CSS colours (WCAG 2.2, relative luminance)."""

    def luminance(colour: str) -> float:
        parts = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def program(*arguments: str, status: int = 0) -> str:
    ended = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if ended.returncode != status:
        raise AssertionError(f"{arguments}: exit status {ended.returncode}, expected {status}: {ended.stderr}")
    return ended.stdout


def packets(capture: Path) -> list[dict]:
    return [json.loads(line) for line in program("show", "--json", str(capture)).splitlines()]


@unittest.skipUnless(IS_THERE or IN_CI, "Chromium, its driver or Selenium is not installed")
class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp())
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(service=Service(DRIVER), options=options)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.quit()
        shutil.rmtree(cls.folder)

    def page(self, capture: Path, *arguments: str, status: int = 0) -> Path:
        path = self.folder / f"{capture.name}.html"
        program("report", "--force", "-o", str(path), *arguments, str(capture), status=status)
        return path

    def open(self, path: Path, place: str = "", width: int = 1440, scheme: str = "light") -> None:
        """Opens a page, which must become ready and log no errors."""
        commands = self.browser.execute_cdp_cmd
        commands("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        commands("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.get("about:blank")
        for log in ("browser", "performance"):
            self.browser.get_log(log)
        self.browser.get(path.as_uri() + place)
        complaints = [entry["message"] for entry in self.browser.get_log("browser")]
        self.assertEqual(complaints, [], f"{path.name}{place}: the browser complains")
        self.assertIsNotNone(self.run_script("return document.documentElement.dataset.ready"), f"{path.name}: the script has not ended")

    def run_script(self, script: str, *arguments):
        return self.browser.execute_script(script, *arguments)

    def element(self, selector: str):
        return self.browser.find_element("css selector", selector)

    def entries(self, selector: str = ".row") -> list[str]:
        """Returns the texts of all rows by scrolling, since only some are drawn at a time."""
        return self.run_script(
            """
            const grid = document.getElementById('rows'), found = new Map();
            for (grid.scrollTop = 0;;) {
              grid.dispatchEvent(new Event('scroll'));
              for (const row of grid.querySelectorAll('.row')) if (row.matches(arguments[0])) {
                found.set(+row.dataset.entry, [...row.children].map(one => one.textContent).join(' ').trim());
              }
              const before = grid.scrollTop;
              grid.scrollTop += grid.clientHeight / 2;
              if (grid.scrollTop == before) break;
            }
            return [...found].sort((a, b) => a[0] - b[0]).map(one => one[1]);
            """,
            selector,
        )

    def unfold(self) -> None:
        for name in ("fold", "quiet"):
            if self.element(f"#{name}").is_selected():
                self.run_script("document.getElementById(arguments[0]).click()", name)

    def show_list(self) -> None:
        """Shows the list instead of the ladder."""
        self.run_script("document.querySelector('input[value=list]').click()")
        self.run_script("const one = document.getElementById('connection'); one.value = ''; one.dispatchEvent(new Event('change', {bubbles: true}))")

    def selected(self) -> str:
        return self.element("#rows [aria-selected=true] .n").text

    # What is on the page

    def test_rows_are_those_of_show(self) -> None:
        for name in ("write-refused", "channels", "advertising-types", "monitor"):
            capture = CAPTURES / f"{name}.btsnoop"
            self.open(self.page(capture))
            self.show_list()
            self.unfold()
            expected = packets(capture)
            self.assertEqual(self.run_script("return document.documentElement.dataset.ready"), str(len(expected)), f"{name}: rows")
            texts = self.entries()
            self.assertEqual(len(texts), len(expected), f"{name}: rows in the list")
            for packet, text in zip(expected, texts, strict=True):
                # The page separates the words from the rest by colour instead of a colon.
                summary = packet["summary"].replace(": ", " ", 1)
                self.assertTrue(text.startswith(str(packet["packet"])), f"{name}: expected #{packet['packet']}, got {text}")
                self.assertIn(summary.replace(" ", ""), text.replace(":", "").replace(" ", "") + text.replace(" ", ""), f"{name}: #{packet['packet']}")

    def test_ladder_has_an_arrow_for_each_pdu(self) -> None:
        capture = CAPTURES / "write-refused.btsnoop"
        expected = [
            packet
            for packet in packets(capture)
            if packet.get("protocol") in ("att", "smp", "l2cap") and "direction" in packet and packet["connection"]["id"] == 1
        ]
        self.open(self.page(capture), "#ladder=1")
        self.unfold()
        for direction in ("sent", "received"):
            arrows = self.entries(f".{direction}:has(.arrow)")
            self.assertGreater(len(arrows), 10)
            numbers = [int(re.match(r"\d+", text)[0]) for text in arrows]
            self.assertEqual(numbers, [packet["packet"] for packet in expected if packet["direction"] == direction], f"arrows {direction}")
        answers = {packet["packet"]: packet["att"]["latency_ms"] for packet in expected if "latency_ms" in packet.get("att", {})}
        self.assertGreater(len(answers), 10)
        ends = self.entries(":has(.wait.end)")
        told = {int(re.match(r"\d+", text)[0]): text for text in ends}
        for packet, latency in answers.items():
            self.assertIn(packet, told, f"#{packet} has no bracket")
            self.assertIn(f"{latency:.1f} ms", told[packet], f"latency of #{packet}")
        self.assertEqual(len(self.entries(":has(.silence)")), 1, "one silence of over half a second")

    def test_links_lead_to_packets(self) -> None:
        self.open(self.page(CAPTURES / "pairing-fails.btsnoop"))
        links = self.browser.find_elements("css selector", ".finding a[href^='#packet=']")
        self.assertGreater(len(links), 2)
        for link in links[:3]:
            number = link.get_attribute("href").split("=")[1]
            self.run_script("arguments[0].click()", link)
            self.browser.implicitly_wait(1)
            self.assertEqual(self.element("#rows [aria-selected=true] .n").text, number, "the row that is chosen")
            self.assertTrue(self.element("#packet h3").text.startswith(f"#{number} "), "the packet that is shown")

    def test_connections_are_links(self) -> None:
        """A finding about several connections leads to the story of each one."""
        self.open(self.page(CAPTURES / "peer-leaves.btsnoop"))
        links = self.browser.find_elements("css selector", ".finding a[href^='#connection-']")
        self.assertEqual([link.text for link in links[:2]], ["1", "3"], "the links of “connections 1–3”")
        self.run_script("arguments[0].click()", links[1])
        self.browser.implicitly_wait(1)
        self.assertIsNotNone(self.element("#connection-3[open]"), "the story that is opened")

    def test_verdict_is_selected(self) -> None:
        first = "return String(JSON.parse(document.getElementById('data').textContent).marks[0][2])"
        self.open(self.page(CAPTURES / "pairing-all-keys.btsnoop"))
        number = self.element(".verdict a").get_attribute("href").split("=")[1]
        self.assertNotEqual(self.run_script(first), number, "this verdict must not be about the first error")
        self.assertEqual(self.element("#rows [aria-selected=true] .n").text, number, "the packet of the verdict")
        # This verdict names no packet.
        self.open(self.page(CAPTURES / "peer-leaves.btsnoop"))
        self.assertEqual(self.element("#rows [aria-selected=true] .n").text, self.run_script(first), "the first warning")

    def test_link_to_a_packet_that_is_not_on_the_page(self) -> None:
        self.open(self.page(CAPTURES / "heart-rate.btsnoop"), "#packet=9999")
        self.assertEqual(self.element("#packet").text, "#9999\nThis packet is not on the page.")

    def test_details_are_those_of_show(self) -> None:
        capture = CAPTURES / "heart-rate.btsnoop"
        self.open(self.page(capture), "#packet=139")
        fields = "return [...document.querySelectorAll('#packet .field > span, #packet summary')].map(one => one.textContent)"
        shown = self.run_script(fields)
        text = [line[13:].strip() for line in program("show", "-v", "--packets", "139", str(capture)).splitlines()[2:]]
        # Labels are words, and the highest layer is the first.
        values = lambda lines: sorted(line.partition(": ")[2].replace("_", " ") for line in lines)
        self.assertEqual(values(shown), values(text), "the fields of #139")
        self.assertEqual([line for line in shown if "_" in line.partition(":")[0]], [], "labels that are keys")
        self.assertEqual(self.run_script("return [...document.querySelectorAll('#packet details')].map(one => one.open)"), [True, False])
        self.assertEqual(shown[0], "HCI")
        self.open(self.page(capture), "#packet=161")
        layers = [one.text for one in self.browser.find_elements("css selector", "#packet summary")]
        self.assertEqual(layers, ["Decoded", "ATT", "L2CAP", "HCI", "Connection"])
        opened = self.run_script("return [...document.querySelectorAll('#packet details')].filter(one => one.open).length")
        self.assertEqual(opened, 2, "what the value means, and the layer that has it")
        self.assertIn("Request opcode", self.fields_of(163))
        self.run_script("location.hash = 'packet=139'")
        raw = json.loads(program("show", "--json", "--raw", "--packets", "139", str(capture)))["raw"]
        dump = self.run_script("return document.querySelector('#packet .dump').textContent")
        digits = "".join("".join(re.findall(r"\b[0-9a-f]{2}\b", line[6:][:50])) for line in dump.splitlines())
        self.assertTrue(digits.startswith(raw[:16]), f"bytes of #139: expected {raw}, got {digits}")

    def fields_of(self, packet: int) -> list[str]:
        self.run_script("location.hash = arguments[0]", f"packet={packet}")
        self.browser.implicitly_wait(1)
        self.element(f"#rows [aria-selected=true]")
        return self.run_script("return [...document.querySelectorAll('#packet .field i')].map(one => one.textContent)")

    def test_fields_mark_their_bytes(self) -> None:
        self.open(self.page(CAPTURES / "heart-rate.btsnoop"), "#packet=139")
        self.run_script(
            "[...document.querySelectorAll('#packet .field:not([data-place=\"\"])')].at(-1).dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))")
        self.assertGreater(len(self.browser.find_elements("css selector", ".dump b")), 0, "no byte is marked")

    # Search, filters, keys

    def test_search_finds_what_show_says(self) -> None:
        capture = CAPTURES / "heart-rate.btsnoop"
        self.open(self.page(capture), "#find=notification")
        self.show_list()
        expected = {packet["packet"] for packet in packets(capture) if "notification" in packet["summary"].lower()}
        texts = self.entries()
        self.assertEqual(self.run_script("return document.getElementById('count').textContent").split()[0], str(len(texts)))
        # If only a packet's fields match, the row shows them.
        self.assertEqual([text for text in texts if "notification" not in text.lower()], [])
        self.assertLessEqual(expected, {int(text.split()[0]) for text in texts})
        hits = self.run_script("return document.querySelector('nav a[href=\"#values\"] b').textContent")
        self.assertGreater(int(hits or 0), 0, "no value was found")

    def test_slash_and_enter(self) -> None:
        self.open(self.page(CAPTURES / "heart-rate.btsnoop"))
        self.element("body").send_keys("/")
        self.assertEqual(self.run_script("return document.activeElement.id"), "search")
        self.element("#search").send_keys("indication", Keys.ENTER)
        first = self.element("#rows [aria-selected=true]").get_attribute("textContent")
        self.assertIn("ndication", first)
        self.element("#search").send_keys(Keys.ENTER)
        self.assertNotEqual(self.element("#rows [aria-selected=true]").get_attribute("textContent"), first, "Enter selects the next match")
        self.element("#search").send_keys(Keys.ESCAPE)
        self.assertEqual(self.element("#search").get_attribute("value"), "")
        self.element("#search").send_keys("12:00:11.40", Keys.ENTER)
        # 159 only reports free buffers.
        self.assertEqual(self.element("#rows [aria-selected=true] .n").text, "160", "the first from that time on that is not folded")
        self.assertTrue(self.run_script("return document.getElementById('fold').checked"))

    def test_bytes_are_searched_as_one(self) -> None:
        self.open(self.page(CAPTURES / "wristband.btsnoop"))
        self.show_list()
        self.element("#search").send_keys("a5 04 02 a3 write", Keys.ENTER)
        found = program("show", "--json", "--value", "a50402a3", "--layer", "att", str(CAPTURES / "wristband.btsnoop")).splitlines()
        self.assertEqual(self.element("#rows [aria-selected=true] .n").text, str(json.loads(found[0])["packet"]))
        self.assertEqual(self.element("#count").text.split()[0], str(len(found)))
        self.element("#search").send_keys(Keys.ESCAPE)
        self.assertEqual(self.element("#rows [aria-selected=true] .n").text, str(json.loads(found[0])["packet"]), "it stays selected, and is seen")

    def test_arrow_keys_move_through_the_list(self) -> None:
        self.open(self.page(CAPTURES / "write-refused.btsnoop"), "#packet=78")
        self.show_list()
        grid = self.element("#rows")
        grid.send_keys(Keys.ARROW_DOWN)
        self.assertEqual(self.element("#rows [aria-selected=true] .n").text, "80")
        grid.send_keys(Keys.ARROW_UP)
        self.assertEqual(self.element("#rows [aria-selected=true] .n").text, "78")
        grid.send_keys(Keys.END)
        self.assertEqual(self.element("#rows [aria-selected=true] .n").text, "227")
        self.assertEqual(grid.get_attribute("aria-activedescendant"), self.element("#rows [aria-selected=true]").get_attribute("id"))
        grid.send_keys(Keys.ENTER)
        self.assertEqual(self.run_script("return document.activeElement.id"), "packet")

    def test_filters_are_those_of_the_command_line(self) -> None:
        capture = CAPTURES / "write-refused.btsnoop"
        self.open(self.page(capture))
        self.show_list()
        self.unfold()
        for name, value, option in (("layer", "security", "--layer"), ("layer", "adv", "--layer"), ("layer", "att", "--layer"), ("direction", "1", "--direction")):
            self.run_script(
                "const one = document.getElementById(arguments[0]); one.value = arguments[1]; one.dispatchEvent(new Event('change', {bubbles: true}))",
                name, value)
            expected = len(program("show", "--json", option, "sent" if value == "1" else value, str(capture)).splitlines())
            found = self.run_script("return document.getElementById('count').textContent")
            self.assertEqual(int(found.split()[0]), expected, f"{option} {value}: {found}")
            self.run_script(
                "const one = document.getElementById(arguments[0]); one.value = ''; one.dispatchEvent(new Event('change', {bubbles: true}))", name)
        self.run_script("document.getElementById('errors').click()")
        expected = len(program("show", "--json", "--errors", str(capture)).splitlines())
        self.assertEqual(int(self.run_script("return document.getElementById('count').textContent").split()[0]), expected)

    def test_codes_in_the_search_are_the_options_of_show(self) -> None:
        words = (
            ("write-refused", "op:0x12", "--opcode", "0x12"), ("write-refused", "op:18", "--opcode", "18"),
            ("write-refused", "op:write-request", "--opcode", "Write Request"), ("write-refused", "op:scan", "--opcode", "scan"),
            ("write-refused", "status:!0", "--status", "!0"), ("peer-leaves", "status:0x13", "--status", "0x13"),
            ("mitm-demanded", "status:insufficient-auth", "--status", "Insufficient Auth"), ("channels", "status:!0", "--status", "!0"),
            ("pairing-fails", "event:0x3e:0x01", "--event", "0x3e:0x01"), ("pairing-all-keys", "event:8", "--event", "8"),
            ("management", "event:0x0b", "--event", "0x0b"), ("management", "op:0x05", "--opcode", "0x05"),
            ("heart-rate", "event:connection-complete", "--event", "connection complete"),
            ("heart-rate", "handle:0x0010", "--handle", "0x0010"), ("heart-rate", "handle:16", "--handle", "16"),
            ("heart-rate", "uuid:2a37", "--uuid", "2a37"), ("heart-rate", "uuid:2902", "--uuid", "0x2902"),
            ("heart-rate", "uuid:180d", "--uuid", "180d"), ("advertising-types", "uuid:180d", "--uuid", "180d"),
            ("mitm-demanded", "uuid:5ca1ab1e-0002-\u2026", "--uuid", "5ca1ab1e-0002-\u2026"),
            ("heart-rate", "uuid:0000180f-0000-1000-8000-00805f9b34fb", "--uuid", "0000180f-0000-1000-8000-00805f9b34fb"),
        )
        for name, word, option, value in words:
            capture = CAPTURES / f"{name}.btsnoop"
            self.open(self.page(capture), f"#find={word}")
            self.show_list()
            found = self.run_script("return document.getElementById('count').textContent")
            expected = len(program("show", "--json", option, value, str(capture)).splitlines())
            self.assertEqual(int(found.split()[0]), expected, f"{word} in {name}: {found}")
            self.assertGreater(expected, 0, f"{option} {value} in {name} tests nothing")

    def test_filters_stay_near_the_chosen_packet(self) -> None:
        # A received packet; those sent around it stay in view.
        self.open(self.page(CAPTURES / "write-refused.btsnoop"), "#packet=100")
        self.show_list()
        self.run_script("const one = document.getElementById('direction'); one.value = '1'; one.dispatchEvent(new Event('change', {bubbles: true}))")
        shown = self.run_script("return [...document.querySelectorAll('#rows .row .n')].map(one => Number(one.textContent)).filter(Boolean)")
        self.assertNotIn(100, shown)
        self.assertTrue(min(shown) < 100 < max(shown), f"{shown}")

    def test_time_line_zooms(self) -> None:
        self.open(self.page(CAPTURES / "write-refused.btsnoop"))
        before = self.run_script("return document.getElementById('count').textContent")
        self.element("#lanes").send_keys("+")
        self.assertNotEqual(self.run_script("return document.getElementById('count').textContent"), before)
        self.assertEqual(self.selected(), self.run_script("return document.querySelector('#rows .row:not(.folded) .n').textContent"), "the first packet of the range")
        self.element("#lanes").send_keys("0")
        self.assertEqual(self.run_script("return document.getElementById('count').textContent"), before)

    def test_summary_is_markdown(self) -> None:
        capture = CAPTURES / "pairing-fails.btsnoop"
        self.open(self.page(capture))
        text = self.run_script("return document.getElementById('markdown').textContent")
        expected = program("explain", "--markdown", str(capture)).splitlines()[1:]
        self.assertEqual(text.splitlines()[1:], expected)

    # How it looks

    def test_contrast_in_both_schemes(self) -> None:
        for name in ("pairing-fails", "heart-rate", "write-refused"):
            path = self.page(CAPTURES / f"{name}.btsnoop")
            for scheme in SCHEMES:
                for place in ("", "#ladder=1", "#find=write"):
                    self.open(path, place, scheme=scheme)
                    for pair, where in self.run_script(COLOURS):
                        ink, paper = pair.split("|")
                        self.assertGreaterEqual(contrast(ink, paper), LEAST_CONTRAST, f"{name}, {scheme}: {ink} on {paper}: {where}")

    def test_nothing_is_wider_than_the_window(self) -> None:
        captures = [CAPTURES / f"{name}.btsnoop" for name in ("heart-rate", "classic", "channels")]
        if SHARED.is_dir():
            captures += sorted(SHARED.glob("*"))[13:20]
        for capture in captures:
            ended = subprocess.run([PROGRAM, "info", str(capture)], capture_output=True)
            if ended.returncode != 0:
                continue
            path = self.page(capture)
            for width in WIDTHS:
                self.open(path, width=width)
                found = self.run_script("return document.documentElement.scrollWidth")
                self.assertLessEqual(found, width, f"{capture.name} at {width}")

    def test_roles_and_labels(self) -> None:
        self.open(self.page(CAPTURES / "heart-rate.btsnoop"))
        for selector in ("main", "nav[aria-label]", "header", "[role=search]", "#rows[role=grid][aria-rowcount][aria-label]", "aside[aria-label]"):
            self.assertEqual(len(self.browser.find_elements("css selector", selector)), 1, selector)
        unnamed = self.run_script(
            """
            return [...document.querySelectorAll('input, select, button, svg[role=img], section, [role=row]')].filter(one => {
              const label = one.getAttribute('aria-label') || one.textContent.trim() || (one.labels && one.labels.length)
                || one.getAttribute('aria-labelledby');
              return !label;
            }).map(one => one.outerHTML.slice(0, 80));
            """
        )
        self.assertEqual(unnamed, [], "controls without a name")
        headings = self.run_script("return [...document.querySelectorAll('h1,h2,h3,h4')].map(one => +one.tagName[1])")
        self.assertEqual(headings[0], 1)
        for before, after in zip(headings, headings[1:]):
            self.assertLessEqual(after - before, 1, f"a level of headings is missing: {headings}")

    def test_charts(self) -> None:
        self.open(self.page(CAPTURES / "heart-rate.btsnoop"))
        figures = self.browser.find_elements("css selector", ".chart")
        self.assertGreater(len(figures), 1)
        for figure in figures:
            label = figure.find_element("css selector", "svg").get_attribute("aria-label")
            self.assertEqual(label, figure.find_element("css selector", "p").text, "a chart's text is its label")
            self.assertTrue(figure.find_element("css selector", "path.curve").get_attribute("d").startswith("M"))

    # What must not happen

    def test_nothing_is_requested(self) -> None:
        path = self.page(CAPTURES / "heart-rate.btsnoop")
        self.open(path)
        text = path.read_text()
        self.assertIn("default-src 'none'", text)
        self.run_script("document.getElementById('copy').click()")
        self.assertEqual(self.requests(), [])

    def requests(self) -> list[str]:
        """Returns what the browser requested since the page was opened, except files and what the policy stopped."""
        found = {}
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            values = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                found[values["requestId"]] = values["request"]["url"]
            elif message["method"] == "Network.loadingFailed" and values.get("blockedReason") == "csp":
                del found[values["requestId"]]
        return [url for url in found.values() if not url.startswith(("file:", "data:", "about:"))]

    def test_policy_stops_what_a_hole_in_the_page_could_add(self) -> None:
        """Text that reached the page as HTML could run no script, change no link, and send nothing by a form."""
        path = self.page(CAPTURES / "heart-rate.btsnoop")
        added = """<base href="http://example.org/"><script>document.title = 'ran'</script>
        <svg onload="document.title = 'ran'"></svg><a id="j" href="javascript:document.title = 'ran'">j</a>
        <img src="http://example.org/i"><link rel="stylesheet" href="http://example.org/s"><iframe src="http://example.org/f"></iframe>
        <form id="f" action="http://example.org/" method="post"><input name="stolen" value="1"></form>"""
        path.write_text(path.read_text().replace("<header>", added + "<header>", 1))
        self.browser.get(path.as_uri())
        self.assertIsNotNone(self.run_script("return document.documentElement.dataset.ready"), "the page's own script runs")
        self.run_script("document.getElementById('j').click(); document.getElementById('f').submit()")
        self.browser.implicitly_wait(1)
        self.assertEqual(self.run_script("return [document.title, document.baseURI]"), ["heart-rate.btsnoop", path.as_uri()])
        self.assertEqual(self.requests(), [])
        refused = " ".join(entry["message"] for entry in self.browser.get_log("browser"))
        for directive in ("script-src", "base-uri", "form-action", "img-src|default-src", "style-src", "frame-src|default-src"):
            self.assertRegex(refused, directive)

    def test_saved_page_works(self) -> None:
        """A browser saves a page as it is then, with what the script has added."""
        path = self.page(CAPTURES / "write-refused.btsnoop")
        self.open(path)
        rows = self.entries()
        saved = self.folder / "a saved page.html"
        saved.write_text("<!doctype html>\n" + self.run_script("return document.documentElement.outerHTML"))
        self.open(saved)
        self.assertEqual(self.entries(), rows)

    def test_hostile_names_stay_text(self) -> None:
        hostile = b"</script><script>document.title='x'</script><img src=x onerror=\"document.title='x'\">"
        bytes_ = (CAPTURES / "heart-rate.btsnoop").read_bytes()
        capture = self.folder / "hostile.btsnoop"
        # The file's name, the title and the note are hostile, too.
        for name in (b"Manufacturer", b"Strap", b"HRM", b"Heart"):
            if name in bytes_:
                bytes_ = bytes_.replace(name, hostile[: len(name)])
        capture.write_bytes(bytes_)
        for kind in ("<!--", "</script>", "\u2028\u202e", "<img src=x onerror=document.title='x'>"):
            path = self.page(capture, "--title", f"T{kind}", "--note", kind)
            self.open(path)
            self.assertTrue(self.run_script("return document.title").startswith("T"), kind)
            self.assertEqual(self.run_script("return document.querySelectorAll('img, iframe, object').length"), 0)
            self.assertEqual(self.run_script("return document.querySelectorAll('script').length"), 3, kind)

    def test_without_script_findings_values_and_map_stay(self) -> None:
        path = self.page(CAPTURES / "heart-rate.btsnoop")
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.browser.get(path.as_uri())
        finally:
            self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        for selector in (".finding", "table.values tbody tr", "table.tree tr", ".story li", ".verdict"):
            self.assertGreater(len(self.browser.find_elements("css selector", selector)), 0, selector)
        for selector in ("#packets", "#timeline"):
            self.assertFalse(self.element(selector).is_displayed(), selector)

    # How large and how fast it is

    def test_long_captures(self) -> None:
        # All of a million packets need a larger page than usual.
        for count, limit in ((100_000, LIMIT), (1_000_000, 3 * LIMIT)):
            capture = self.folder / "long.btsnoop"
            subprocess.run(["python3", str(ROOT / "Benchmarks" / "make-traffic.py"), str(capture), str(count), "--mix", "working"], check=True)
            path = self.page(capture, *(["--limit", str(limit)] if limit != LIMIT else []))
            self.open(path)
            self.assertEqual(self.run_script("return document.documentElement.dataset.ready"), str(count))
            self.assertLessEqual(path.stat().st_size, limit)
            paint, loaded, heap = self.run_script(
                """
                const paint = performance.getEntriesByType('paint').map(one => one.startTime);
                return [Math.max(...paint), performance.getEntriesByType('navigation')[0].loadEventEnd, performance.memory.usedJSHeapSize];
                """
            )
            # No test asserts a time: the figures are printed for the user.
            print(f"{count} packets: {path.stat().st_size / 1e6:.1f} MB, painted after {paint:.0f} ms (target {MOST_PAINT_MS}), "
                  f"loaded after {loaded:.0f} ms (target {MOST_OPEN_MS}), heap {heap / 1e6:.0f} MB (target {MOST_RENDERER_MB})")
            capture.unlink()

    def test_limit_is_kept_and_said(self) -> None:
        capture = self.folder / "limit.btsnoop"
        subprocess.run(["python3", str(ROOT / "Benchmarks" / "make-traffic.py"), str(capture), "60000", "--mix", "spine"], check=True)
        path = self.page(capture, "--limit", "1M")
        self.assertLess(path.stat().st_size, 1_000_000)
        self.open(path)
        remarks = self.element(".remarks").text
        self.assertRegex(remarks, r"\d+ packets of flow control or advertising left out to keep the page below its limit")
        self.assertLess(int(self.run_script("return document.documentElement.dataset.ready")), 60000)

    def test_limit_measures_the_page(self) -> None:
        """Nothing is left out while the page has room, and what is left out leaves little room."""
        capture = self.folder / "room.btsnoop"
        subprocess.run(["python3", str(ROOT / "Benchmarks" / "make-traffic.py"), str(capture), "30000", "--mix", "working"], check=True)
        whole = self.page(capture)
        text = whole.read_text()
        self.assertNotIn("left out to keep the page below its limit", text)
        size = whole.stat().st_size
        self.assertLess(size, LIMIT)
        limit = size * 2 // 3
        cut = self.page(capture, "--limit", str(limit))
        self.assertIn("without their fields left out to keep the page below its limit", cut.read_text())
        self.assertLessEqual(cut.stat().st_size, limit)
        self.assertGreater(cut.stat().st_size, limit * 3 // 4, "room that is not used")

    # The order of the page, and what is open

    def test_order_of_sections(self) -> None:
        self.open(self.page(CAPTURES / "pairing-fails.btsnoop"))
        places = self.run_script("return ['.verdict', '#about', '#connections', '#findings', '#timeline', '#packets', '#values', '#map']"
                                 ".map(one => document.querySelector(one).getBoundingClientRect().top)")
        self.assertEqual(places, sorted(places))
        links = [one.text for one in self.browser.find_elements("css selector", "nav li a")]
        self.assertEqual(links, ["Overview", "Connections", "Findings", "Timeline", "Packets", "Values", "Map"])

    def test_facts_are_those_of_info(self) -> None:
        capture = CAPTURES / "heart-rate.btsnoop"
        self.open(self.page(capture))
        lines = [line.strip() for line in program("info", str(capture)).splitlines()]
        line = next(line for line in lines if line.startswith("1  peer"))
        cells = [one.text for one in self.browser.find_elements("css selector", ".links tbody tr:first-child > *")]
        self.assertEqual(len(cells), 7)
        for cell in cells[:6]:
            self.assertIn(cell, line + line.replace("this host", "the central"))
        self.assertIn("MTU", cells[3])

    def test_findings_in_one_column(self) -> None:
        self.open(self.page(CAPTURES / "peer-leaves.btsnoop"), width=2560)
        found = self.run_script("return [...document.querySelectorAll('.finding')].map(one => [one.className, one.open, one.offsetLeft])")
        self.assertEqual(len({left for _, _, left in found if left}), 1, "columns")
        self.assertGreater(len(found), 1)
        for style, is_open, _ in found:
            self.assertEqual(is_open, "note" not in style, style)
        titles = [one.get_attribute("textContent") for one in self.browser.find_elements("css selector", ".finding h3")]
        self.assertEqual(len(titles), len(set(titles)), "equal findings")
        rule = self.element(".finding .rule a")
        self.assertLess(self.run_script("return parseFloat(getComputedStyle(arguments[0]).fontSize)", rule), 14)
        self.open(self.page(CAPTURES / "peer-leaves.btsnoop"), "#" + rule.get_attribute("href").split("#")[1])
        self.assertTrue(self.run_script("return document.querySelector(location.hash).open"))

    def test_opens_where_it_failed(self) -> None:
        for name in ("pairing-fails", "mitm-demanded", "peer-leaves"):
            self.open(self.page(CAPTURES / f"{name}.btsnoop"))
            self.assertTrue(self.element("input[value=ladder]").is_selected())
            chosen = self.run_script("return document.getElementById('connection').value")
            marks = self.run_script("return JSON.parse(document.getElementById('data').textContent).marks")
            verdict = self.browser.find_elements("css selector", ".verdict a")
            first = verdict[0].text.strip("#") if verdict else str(marks[0][2])
            self.assertEqual(self.selected(), first, name)
            self.assertNotEqual(chosen, "")
            self.assertTrue(self.element("#quiet").is_selected())
        self.open(self.page(CAPTURES / "write-refused.btsnoop"))
        self.show_list()
        shown = self.run_script("return document.getElementById('count').textContent").split()
        advertising = program("show", "--json", "--layer", "adv", str(CAPTURES / "write-refused.btsnoop")).splitlines()
        hidden = sum("connection" not in json.loads(line) for line in advertising)
        self.assertGreater(hidden, 0)
        self.assertEqual(int(shown[0]), int(shown[2]) - hidden, "the list without advertising")

    def test_places_work_together(self) -> None:
        path = self.page(CAPTURES / "write-refused.btsnoop")
        self.open(path, "#packet=219&ladder=1")
        self.assertEqual(self.selected(), "219")
        self.assertTrue(self.element("input[value=ladder]").is_selected())
        self.open(path, "#find=write%20request&packet=219&ladder=1")
        self.assertEqual((self.selected(), self.element("#search").get_attribute("value")), ("219", "write request"))
        self.element("#rows").send_keys(Keys.ARROW_UP)
        self.assertRegex(self.run_script("return location.hash"), r"^#packet=\d+&ladder=1$")

    def test_bytes_are_monospaced(self) -> None:
        self.open(self.page(CAPTURES / "wristband.btsnoop"), "#find=a5")
        shown = """
        const bytes = /(^|[^\\w.-])[0-9a-f]{2}( [0-9a-f]{2})+($|[^\\w.])/, found = [];
        const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const element = walker.currentNode.parentElement;
          if (bytes.test(walker.currentNode.data) && !element.closest('script, .legend, svg') && element.checkVisibility()
            && !/mono/i.test(getComputedStyle(element).fontFamily)) found.push(walker.currentNode.data);
        }
        return found;
        """
        self.assertEqual(self.run_script(shown), [])
        self.assertGreater(len(self.browser.find_elements("css selector", "#rows code")), 0)

    def test_time_line_of_links(self) -> None:
        path = self.page(CAPTURES / "peer-leaves.btsnoop")
        self.open(path)
        texts = [one.get_attribute("textContent") for one in self.browser.find_elements("css selector", "#lanes text")]
        self.assertTrue({"1", "2", "3"} <= set(texts), f"numbers of the connections of one device: {texts}")
        self.open(self.page(CAPTURES / "wristband.btsnoop"))
        words = self.element("#lanes").get_attribute("textContent")
        self.assertIn("throughput", words)
        self.assertRegex(words, r"≤ [\d.]+ k?B/s")

    def test_throughput_of_all_connections(self) -> None:
        """The lane stays when a connection without values is selected, and shows what the others sent in grey."""
        merged = self.folder / "merged.btsnoop"
        program("convert", "--force", "--merge", str(CAPTURES / "wristband.btsnoop"), str(CAPTURES / "connecting-fails.btsnoop"), str(merged))
        self.open(self.page(merged))
        data = self.run_script("return JSON.parse(document.getElementById('data').textContent).connections")
        silent = next(one["id"] for one in data if "received" not in one and "sent" not in one)
        busy = next(one["id"] for one in data if "received" in one)
        for chosen, own in ((silent, 0), (busy, 2)):
            self.run_script(
                "const list = document.getElementById('connection'); list.value = arguments[0];"
                "list.dispatchEvent(new Event('change', {bubbles: true}))", str(chosen))
            self.assertIn("throughput", self.element("#lanes").get_attribute("textContent"))
            drawn = self.run_script("return [...document.querySelectorAll('#lanes .others')].filter(one => one.getAttribute('d')).length")
            self.assertEqual(drawn, 2, "both directions of all connections")

    def test_failed_connections_are_not_folded_away(self) -> None:
        """Twelve connections that this host ends come before one that fails."""
        usual = self.folder / "usual.btsnoop"
        content = bytearray(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        for number in range(12):
            connected = bytes([4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, number, 2, 3, 4, 5, 0xC0, 24, 0, 0, 0, 72, 0, 0])
            end = bytes([1, 6, 4, 3, 0x40, 0, 0x13]), bytes([4, 0x0F, 4, 0, 1, 6, 4]), bytes([4, 5, 4, 0, 0x40, 0, 0x16])
            for step, record in enumerate((connected, *end)):
                moment = 0x00E0000000000000 + number * 2_000_000 + step * 100_000
                content += struct.pack(">IIIIq", len(record), len(record), 2 if record[0] == 1 else 3, 0, moment) + record
        usual.write_bytes(content)
        merged = self.folder / "many.btsnoop"
        program("convert", "--force", "--merge", str(usual), str(CAPTURES / "pairing-fails.btsnoop"), str(merged))
        self.open(self.page(merged))
        failed = self.run_script("return JSON.parse(document.getElementById('data').textContent).marks.filter(one => one[0] == 'error').map(one => one[1])")
        self.assertEqual(set(failed), {13})
        self.assertIn("more connections", self.element("#connections").text)
        visible = "return document.getElementById(arguments[0]).checkVisibility()"
        self.assertEqual([self.run_script(visible, f"connection-{number}") for number in (13, 12)], [True, False])

    @unittest.skipUnless(SHARED.is_dir(), "there are no shared captures")
    def test_time_line_of_a_long_capture(self) -> None:
        """Idle time is short, and only advertisers that were connected have a lane."""
        path = self.page(SHARED / "fossibot-bluetooth-btsnoop_hci.log")
        self.open(path)
        idle = [one.size["width"] for one in self.browser.find_elements("css selector", "#lanes .idle")]
        self.assertGreater(len(idle), 0)
        self.assertLess(max(idle), 120, "idle time")
        data = self.run_script("return JSON.parse(document.getElementById('data').textContent)")
        peers = " ".join(one["peer"] for one in data["connections"])
        self.assertGreater(len(data["signals"]), 0)
        for signal in data["signals"]:
            self.assertIn(signal["name"][:17], peers)
        self.assertEqual(data["otherSignals"], 0)

    def test_targets_for_fingers(self) -> None:
        self.open(self.page(CAPTURES / "write-refused.btsnoop"), width=390)
        small = self.run_script(
            """
            return [...document.querySelectorAll('a, button, input, select, summary')].filter(one => {
              const box = (one.closest('label') || one).getBoundingClientRect();
              return one.checkVisibility() && !one.closest('.skip') && box.width && Math.min(box.width, box.height) < arguments[0] - 0.5;
            }).map(one => one.outerHTML.slice(0, 90));
            """, LEAST_TARGET_PX)
        self.assertEqual(small, [])

    def test_errors_are_never_cut(self) -> None:
        captures = [CAPTURES / "write-refused.btsnoop", CAPTURES / "mitm-demanded.btsnoop", CAPTURES / "connecting-fails.btsnoop"]
        if SHARED.is_dir():
            captures.append(SHARED / "PoGo-Plus-BLE-bt_log_plus_pair_2017_12_13.log")
        cut = """
        return [...document.querySelectorAll('#rows .row.failed .rest')].filter(one => {
          const lane = one.closest('.arrow, .aside, .what').getBoundingClientRect(), range = document.createRange();
          range.selectNodeContents(one);
          const box = range.getBoundingClientRect();
          return !one.textContent.match(/^ ?⚠/) && (box.right > lane.right + 1 || box.bottom > lane.bottom + 1);
        }).map(one => one.textContent);
        """
        seen = 0
        for capture in captures:
            path = self.page(capture)
            for width in (390, 1440):
                self.open(path, width=width)
                self.assertEqual(self.run_script(cut), [], f"{capture.name} at {width}")
                seen += len(self.browser.find_elements("css selector", "#rows .row.failed .rest"))
        self.assertGreater(seen, 4)
        self.open(self.page(CAPTURES / "mitm-demanded.btsnoop"), width=390)
        rows = self.browser.find_elements("css selector", "#rows .row")
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertNotRegex(row.text, r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-", "a UUID in full")

    def test_no_words_of_the_command_line(self) -> None:
        for name in ("pairing-all-keys", "write-refused", "pairing-fails", "advertising-types", "heart-rate"):
            self.open(self.page(CAPTURES / f"{name}.btsnoop"), "#packet=99999")
            text = self.run_script("return document.querySelector('main').textContent")
            self.assertEqual(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text), [], name)
            self.assertEqual(re.findall(r"gattscope (?!explain " + re.escape(name) + r")\S+", text), [], name)

    def test_values_and_charts(self) -> None:
        self.open(self.page(CAPTURES / "heart-rate.btsnoop"))
        figures = self.browser.find_elements("css selector", ".chart")
        self.assertGreater(len(figures), 1)
        for figure in figures:
            value = figure.find_element("xpath", "../..").find_element("css selector", "div")
            if not figure.find_elements("xpath", "preceding-sibling::*"):
                self.assertLess(abs(figure.rect["y"] - value.rect["y"]), 8)
            self.assertGreaterEqual(figure.rect["x"], value.rect["x"] + value.rect["width"])
        rows = [one.text for one in self.browser.find_elements("css selector", "table.values tbody th[scope=row]")]
        self.assertEqual([row for row in rows if row.startswith("2902")], [], "a CCCD has a row")
        self.assertTrue(any("notifications on" in row for row in rows), rows)

    def test_advertisers_are_folded(self) -> None:
        self.open(self.page(CAPTURES / "wristband.btsnoop"))
        fold = self.element("#values details.fold")
        self.assertRegex(fold.text, r"^\d+ advertisers?$")

    def test_map_has_no_empty_stripe(self) -> None:
        for width in (1440, 2560):
            self.open(self.page(CAPTURES / "heart-rate.btsnoop"), width=width)
            gaps = self.run_script(
                """
                // The narrowest space between two columns of a table is what is empty in all rows.
                return [...document.querySelectorAll('#map .tree')].map(table => {
                  const ends = [], starts = [];
                  for (const row of table.rows) [...row.cells].forEach((cell, k) => {
                    if (cell.colSpan > 1 || !cell.textContent) return;
                    const range = document.createRange();
                    range.selectNodeContents(cell);
                    const box = range.getBoundingClientRect();
                    ends[k] = Math.max(ends[k] || 0, box.right);
                    starts[k] = Math.min(starts[k] ?? Infinity, box.left);
                  });
                  return Math.max(0, ...starts.slice(1).map((start, k) => start - ends[k]));
                });
                """)
            self.assertGreater(len(gaps), 0)
            self.assertLess(max(gaps), MOST_EMPTY_PX, f"at {width}")

    def test_page_of_diff(self) -> None:
        path = self.folder / "diff.html"
        for order in (("mitm-demanded", "write-refused"), ("write-refused", "mitm-demanded")):
            program("diff", "--html", "--force", "-o", str(path), *(str(CAPTURES / f"{name}.btsnoop") for name in order), status=1)
            self.browser.get("about:blank")
            self.browser.get(path.as_uri())
            text = self.element("body").text
            self.assertNotRegex(text, r"\b(left|right)\b")
            self.assertNotRegex(text, r"(?<![\w-])--[a-z]")
            self.assertEqual(self.element(".verdict").text, "mitm-demanded.btsnoop fails where write-refused.btsnoop succeeds")
            sides = [one.text for one in self.browser.find_elements("css selector", "section:first-of-type dt")]
            self.assertEqual(sides, ["mitm-demanded.btsnoop", "write-refused.btsnoop"], "the side that fails is the first")
            heads = [one.text for one in self.browser.find_elements("css selector", ".sides b")]
            self.assertEqual(heads, [f"{name}.btsnoop" for name in order])


class SourceTest(unittest.TestCase):
    """Tests the page's sources."""

    def test_script_style_and_template_stay_short(self) -> None:
        folder = ROOT / "Sources" / "Reports" / "Page"
        lines = {file.name: len(file.read_text().splitlines()) for file in folder.glob("page.*")}
        self.assertLessEqual(sum(lines.values()), MOST_LINES, lines)

    @unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
    def test_only_equal_reasons_are_one_finding(self) -> None:
        """Three links are lost: two of them after data, whose timeouts differ, and one without any."""
        content = bytearray(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        moment = 0x00E2FA0100000000

        def add(record: list[int], flags: int, seconds: float) -> None:
            nonlocal moment
            moment += int(seconds * 1e6)
            content.extend(struct.pack(">IIIIq", len(record), len(record), flags, 0, moment) + bytes(record))

        for number, (timeout, has_data) in enumerate(((72, True), (400, True), (72, False))):
            add([4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, number, 2, 3, 4, 5, 0xC0, 24, 0, 0, 0, timeout & 255, timeout >> 8, 0], 3, 0.1)
            if has_data:
                add([2, 0x40, 0, 7, 0, 3, 0, 4, 0, 2, 0xB9, 0], 2, 0.1)
                add([2, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 3, 0xB9, 0], 3, 0.05)
            add([4, 5, 4, 0, 0x40, 0, 8], 3, timeout / 100 + 1)
        with tempfile.TemporaryDirectory() as folder:
            capture = Path(folder) / "lost.btsnoop"
            capture.write_bytes(content)
            text = program("report", str(capture))
        found = re.findall(r"<details class=\"finding error\".*?</details>", text, re.DOTALL)
        lost = [re.sub(r"<[^>]+>", "", one) for one in found if "link_supervision_timeout" in one]
        self.assertEqual(len(lost), 2, lost)
        for timeout, packets in (("720 ms", "#3 #4"), ("4000 ms", "#7 #8")):
            self.assertIn(f"supervision timeout of {timeout}", lost[0])
            self.assertIn(packets, lost[0])
        self.assertIn("connection 3", lost[1])

    def test_policy_names_the_script(self) -> None:
        page = program("report", str(CAPTURES / "heart-rate.btsnoop"))
        digest = base64.b64encode(hashlib.sha256(re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1].encode()).digest()).decode()
        comparison = program("diff", "--html", *(str(CAPTURES / f"{name}.btsnoop") for name in ("mitm-demanded", "write-refused")), status=1)
        for text, scripts in ((page, [f"script-src 'sha256-{digest}'"]), (comparison, [])):
            policy = re.search(r'http-equiv="Content-Security-Policy"\s+content="([^"]*)"', text)[1].split("; ")
            self.assertEqual(policy, ["default-src 'none'", *scripts, "style-src 'unsafe-inline'", "form-action 'none'", "base-uri 'none'"])
            # A policy does not cover what precedes it.
            self.assertNotRegex(text.partition("Content-Security-Policy")[0], "<(script|style|link|base)")

    def test_data_enters_as_text_only(self) -> None:
        script = (ROOT / "Sources" / "Reports" / "Page" / "page.js").read_text()
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http:", "https:"):
            allowed = 1 if way == "http:" else 0  # the namespace of SVG
            self.assertLessEqual(script.count(way), allowed, way)


if __name__ == "__main__":
    unittest.main()
