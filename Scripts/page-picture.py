#!/usr/bin/env python3
"""Takes the screenshot in README.md of the page that `report` writes about a sample capture.

usage: page-picture.py GATTSCOPE OUT.png
"""

import base64
import subprocess
import sys
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CAPTURE = Path(__file__).resolve().parent.parent / "captures" / "write-refused.btsnoop"
WIDTH, HEIGHT = 1160, 1040


def main(gattscope: str, out: str) -> None:
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        subprocess.run([gattscope, "report", "-o", str(page), str(CAPTURE)], check=True)
        browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        try:
            browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride", {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})
            browser.get(page.as_uri())
            # Shows the ladder around the refused write, with the page scrolled to its top.
            browser.execute_script(
                "document.querySelector('[value=ladder]').click(); location.hash = 'packet=80'; setTimeout(() => scrollTo({top: 0, behavior: 'instant'}), 50)")
            browser.implicitly_wait(1)
            browser.execute_async_script("setTimeout(arguments[0], 400)")
            picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": False})
            Path(out).write_bytes(base64.b64decode(picture["data"]))
        finally:
            browser.quit()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
