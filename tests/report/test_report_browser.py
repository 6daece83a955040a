"""The report in a real browser: readable at every width, light and dark, by keyboard, with nothing fetched."""

import re

import pytest
from chromium import BINARY, open_page
from report_chapters import page_of, sheet_of
from report_samples import Words, dialogue, report

from mysteryshopper.report import write_report

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="no chromium on this machine"),
]

WIDTHS = (360, 800, 1400)

CONTRAST = """
(() => {
  const light = c => { const s = c / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; };
  const bright = rgb => 0.2126 * light(rgb[0]) + 0.7152 * light(rgb[1]) + 0.0722 * light(rgb[2]);
  const parts = text => (text.match(/[0-9.]+/g) || []).map(Number);
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const rgb = parts(getComputedStyle(one).backgroundColor);
      if (rgb.length === 3 || rgb[3] > 0) return rgb;
    }
    return [255, 255, 255];
  };
  let worst = [99, ''];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.getClientRects().length) continue;
    const a = bright(parts(getComputedStyle(element).color)), b = bright(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, element.outerHTML.slice(0, 120)];
  }
  return worst;
})()
"""


@pytest.fixture
def page_file(tmp_path):
    hostile = Words(
        user="<script>document.title='gone'</script><img src=x onerror=\"document.title='gone'\">" + "w" * 400,
        system="\u202e reversed? مرحبا 千と千尋 " + "long words " * 4_000,
        title="A very long title " + "x" * 200,
        extra={"why": "listing"},
    )
    sample = report(count=4)
    sample.store.dialogue_list.append(dialogue(9, hostile))
    lost = dialogue(7, Words(names="other"), ended="http_error", fault="system", success=None, detail="answered 502")
    twin = dialogue(3, Words(names="other"), id="d3-other", ended="user_gave_up", success=False)
    sample.store.dialogue_list.extend([lost, twin])
    return write_report(tmp_path / "report.html", sample)


async def test_the_page_is_readable_and_quiet_in_a_browser(page_file):
    async with open_page(page_file) as page:
        await page.look("document.querySelectorAll('details').forEach(one => one.open = true)")
        backgrounds = {}
        for scheme in ("light", "dark"):
            for width in WIDTHS:
                await page.view(width, scheme)
                assert await page.look("document.documentElement.scrollWidth") <= width, (scheme, width)
            ratio, element = await page.look(CONTRAST)
            assert ratio >= 4.5, (scheme, element)
            backgrounds[scheme] = await page.look("getComputedStyle(document.body).backgroundColor")
        assert backgrounds["light"] != backgrounds["dark"]

        assert await page.look("document.title") == "evening – mysteryshopper report"
        assert await page.look("document.scripts.length") == 1
        assert await page.look("document.querySelectorAll('svg.plot').length") >= 2
        fetched = [
            event["params"]["request"]["url"] for event in page.events if event["method"] == "Network.requestWillBeSent"
        ]
        assert fetched == [page_file.as_uri()]
        complaints = [
            event for event in page.events if event["method"] in {"Log.entryAdded", "Runtime.exceptionThrown"}
        ]
        assert not complaints


@pytest.mark.parametrize("what", ["chapters", "sheet"])
async def test_what_protocols_add_and_sheets_for_people_are_readable_too(tmp_path, what):
    words = "a name that is long, and then some more of it " + "x" * 60
    file = tmp_path / "page.html"
    if what == "sheet":
        file.write_text(sheet_of(words), "utf-8")
    else:
        write_report(file, page_of(words))
    async with open_page(file) as page:
        await page.look("document.querySelectorAll('details').forEach(one => one.open = true)")
        for scheme in ("light", "dark"):
            for width in WIDTHS:
                await page.view(width, scheme)
                assert await page.look("document.documentElement.scrollWidth") <= width, (scheme, width)
            ratio, element = await page.look(CONTRAST)
            assert ratio >= 4.5, (scheme, element)
        complaints = [event for event in page.events if event["method"] in {"Log.entryAdded"}]
        assert not complaints


async def test_the_keyboard_reaches_everything_that_opens_or_scrolls(page_file):
    async with open_page(page_file) as page:
        await page.view(820, "light")
        reached = []
        for _ in range(60):
            for kind in ("keyDown", "keyUp"):
                await page.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            reached.append(await page.look("document.activeElement.tagName + ' ' + document.activeElement.className"))
            if reached[-1].startswith("BODY"):
                break
        assert reached[0] == "A skip"
        assert sum(one.startswith("SUMMARY") for one in reached) == await page.look(
            "[...document.querySelectorAll('summary')].filter(one => one.checkVisibility()).length"
        )
        assert any(one == "DIV scroll" for one in reached)


VISIBLE = "[...document.querySelectorAll('details.dialogue')].filter(one => one.checkVisibility()).length"


async def test_filters_search_and_links_find_dialogues(page_file):
    async with open_page(page_file) as page:
        assert await page.look(VISIBLE) == 7
        for name, expected in (("outcome", {"gave up": 1, "lost: fault of the system": 1}), ("system", {"other": 2})):
            for choice, count in expected.items():
                pick = f"""(() => {{
                  const field = document.getElementById('f-{name}');
                  field.value = [...field.options].find(one => one.text === {choice!r}).value;
                  field.dispatchEvent(new Event('change'));
                }})()"""
                await page.look(pick)
                assert await page.look(VISIBLE) == count, choice
            await page.look("document.getElementById('f-clear').click()")
            assert await page.look(VISIBLE) == 7

        await page.look(
            "(() => { const q = document.getElementById('f-q'); q.value = 'REVERSED? مرحبا';"
            " q.dispatchEvent(new Event('input')); })()"
        )
        assert await page.look(VISIBLE) == 1
        assert "1 of 7" in await page.look("document.getElementById('f-count').textContent")
        assert (await page.look("location.hash")).startswith("#filter:q=")
        await page.look("document.getElementById('f-clear').click()")

        await page.look("document.querySelector('a.scripted').click()")
        await page.look("new Promise(done => setTimeout(done, 50))")
        assert await page.look(VISIBLE) == 2
        assert await page.look("document.querySelectorAll('details.dialogue[open]').length") == 2
        assert not [event for event in page.events if event["method"] in {"Log.entryAdded", "Runtime.exceptionThrown"}]


async def test_a_link_opens_its_turn_even_where_a_filter_hides_it(page_file):
    turn = re.findall(r'<li class="system" id="(d-[0-9a-f]{12}-t2)"', page_file.read_text("utf-8"))[2]
    async with open_page(page_file) as page:
        await page.look("location.hash = '#filter:q=nobody+said+this'")
        await page.look("new Promise(done => setTimeout(done, 50))")
        assert await page.look(VISIBLE) == 0
        await page.look(f"location.hash = '#{turn}'")
        await page.look("new Promise(done => setTimeout(done, 50))")
        assert await page.look(f"document.getElementById('{turn}').checkVisibility()")


async def test_keys_go_from_dialogue_to_dialogue(page_file):
    async with open_page(page_file) as page:
        await page.view(820, "light")
        anchors = await page.look("[...document.querySelectorAll('details.dialogue .inside[id]')].map(one => one.id)")
        seen = []
        for key in "nnp":
            await page.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            await page.call("Input.dispatchKeyEvent", type="keyUp", key=key)
            seen.append(await page.look("document.querySelector('details.dialogue[open] .inside[id]').id"))
        assert seen == [anchors[0], anchors[1], anchors[0]]


async def test_without_scripts_everything_is_there_and_opens(page_file):
    async with open_page(page_file) as page:
        await page.call("Emulation.setScriptExecutionDisabled", value=True)
        await page.call("Page.reload")
        page.events.clear()
        await page.wait_for("Page.loadEventFired")
        assert await page.look("document.querySelectorAll('details.dialogue').length") == 7
        assert await page.look("document.getElementById('filters').checkVisibility()") is False
        assert await page.look("document.querySelectorAll('ul.links a').length") == 7
        assert await page.look(
            "[...document.querySelectorAll('ul.links a')].every(one => document.querySelector(one.hash))"
        )
