"""The page in a browser: nothing is wider than a phone but what scrolls in its own box, links unfold stages, and the
best run stands where one looks first."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from wokflow.report.adaptation import METRICS

from tests.conftest import ROOT
from tests.report.test_page import EVIL, page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
WIDTHS = (360, 800, 1440)
FRAMES = """<!DOCTYPE html><body>{frames}<script>
onmessage = message => document.body.append(message.data + ";");
</script>"""
MEASURE = """<script>
document.querySelectorAll("details").forEach(each => each.open = FOLDED || each.open);
onload = () => parent.postMessage([innerWidth, document.documentElement.scrollWidth,
  document.querySelectorAll("details[open]").length,
  Math.ceil(document.querySelector(".best figure")?.getBoundingClientRect().bottom ?? 0)].join(" "), "*");
</script>"""


def measured(
    folder: Path, widths: tuple[int, ...], target: str = "", *, unfolded: bool = True
) -> set[tuple[int, ...]]:
    """Of the page in frames of these widths: the frame's width, the page's, how many details are open, and how far
    down the first picture of results ends.
    """
    html = (folder / "index.html").read_text(encoding="utf-8")
    html, policies = re.subn(
        "<meta http-equiv.*?>", "", html
    )  # which would keep the measuring script from running
    assert policies == 1
    script = MEASURE.replace("FOLDED", "true" if unfolded else "false")
    (folder / "measured.html").write_text(html.replace("</body>", f"{script}</body>"), encoding="utf-8")
    frames = "".join(
        f'<iframe width="{width}" height="900" src="measured.html{target}"></iframe>' for width in widths
    )
    (folder / "frames.html").write_text(FRAMES.format(frames=frames), encoding="utf-8")
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
    ]
    command += ["--virtual-time-budget=20000", "--dump-dom", (folder / "frames.html").as_uri()]
    shown = subprocess.run(map(str, command), capture_output=True, text=True, check=True, timeout=120).stdout
    return {tuple(map(int, numbers)) for numbers in re.findall(r"(\d+) (\d+) (\d+) (-?\d+);", shown)}


def test_no_page_is_wider_than_the_window(tmp_path: Path) -> None:
    page(tmp_path, 6, EVIL + "宫保鸡丁" * 20 + "unbreakable" * 20)
    found = measured(tmp_path, WIDTHS)
    assert len(found) == len(WIDTHS)
    assert [(window, width) for window, width, _, _ in found if width > window] == []


def test_on_paper_a_table_of_all_metrics_is_not_cut(tmp_path: Path) -> None:
    """Browsers shrink what is wider than paper, all text with it, and cut the rest."""
    css = (ROOT / "scripts/wokflow/report/templates/style.css").read_text(encoding="utf-8")
    cells = '<td class="n">▲ 43.1<small>40.2 to 45.9</small></td>' * len(METRICS)
    heads = "".join(f"<th>{name}</th>" for name in ("Run", *METRICS.values()))
    table = f"<thead><tr>{heads}</tr></thead><tbody><tr><th>opus-mt-zh-en</th>{cells}</tr></tbody>"
    page = f'<meta http-equiv="X"><style>{css.replace("@media print", "@media all")}</style>'
    page += f'<main><div class="scroll"><table>{table}</table></div></main></body>'
    (tmp_path / "index.html").write_text(f"<!DOCTYPE html><body>{page}", encoding="utf-8")
    paper = 718  # pixels of A4 between margins of 1 cm
    [(_, width, _, _)] = measured(tmp_path, (paper,))
    assert width <= paper


def test_the_first_result_is_seen_without_scrolling_whatever_is_to_check(tmp_path: Path) -> None:
    html = page(tmp_path, 6, "Spring rolls", rejects=9)
    assert html.count('class="warning"') > 1
    ends = {window: end for window, _, _, end in measured(tmp_path, (360, 1280), unfolded=False)}
    assert 0 < ends[1280] <= 800 and 0 < ends[360] <= 740


def test_a_link_of_the_contents_unfolds_its_stage(tmp_path: Path) -> None:
    page(tmp_path, 1)
    [(_, _, closed, _)] = measured(tmp_path, (800,), unfolded=False)
    [(_, _, unfolded, _)] = measured(tmp_path, (800,), "#parse", unfolded=False)
    assert unfolded == closed + 1
