// Hands of a user: a mouse or a keyboard alone. Each counts its steps: a click, a key, and a text typed are one each.
import assert from "node:assert/strict";

/** What has this role and name; a name in quotes is the whole of it. */
export const named = (within, role, name) => within.getByRole(role, { name, exact: typeof name === "string" });

export const dialog = (page, name) => page.getByRole("dialog", { name });

/** No key is pressed so often to get to a control. */
const mostTabs = 150;

const areaKeys = {
  "Feature flags": "g f",
  Projects: "g p",
  "Event log": "g h",
  Playground: "g y",
  Connect: "g c",
  "API tokens": "g t",
  Integrations: "g n",
};

/** Whether a control has the focus, and otherwise in which direction of the page it is. */
const whereIs = (element) => {
  const at = document.activeElement;
  if (at === element) return "here";
  if (!at || at === document.body) return "ahead";
  return at.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING ? "behind" : "ahead";
};

/** What lies over the middle of a control, if it is not the control itself. */
const covering = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  // What is drawn instead of such a control is beside it.
  if (width < 8 || height < 8 || getComputedStyle(element).opacity === "0") return "";
  const found = document.elementFromPoint(left + width / 2, top + height / 2);
  if (!found) return "the edge of the screen";
  return element.contains(found) || found.contains(element) ? "" : found.outerHTML.slice(0, 200);
};

class Hand {
  steps = 0;

  constructor(page) {
    this.page = page;
  }

  /** The menu and the filters are behind a button. */
  get isNarrow() {
    return this.page.viewportSize().width < 800;
  }

  option(name) {
    return named(this.page, "option", name).filter({ visible: true });
  }

  /** Opens the form that stands behind a button of its name. */
  async form(name) {
    await this.press(named(this.page, "button", name));
    return dialog(this.page, name);
  }

  /** Goes to what the palette finds. */
  async find(text, label = text) {
    await this.openPalette();
    await this.type(this.page.getByRole("textbox", { name: "Go to" }), text);
    const hit = this.page.getByRole("dialog").getByRole("button", { name: new RegExp(`^${label}`) });
    await hit.first().waitFor();
    await this.take(hit.first());
  }
}

export class Mouse extends Hand {
  async press(control) {
    const role = await control.getAttribute("role");
    const isHidden = (await control.getAttribute("data-type")) === "hidden";
    // What is drawn of a switch lies over it, and of a field for several choices around it.
    const drawn = role === "switch" ? "following-sibling::*[1]" : isHidden ? "ancestor::div[@data-variant][1]" : ".";
    await control.locator(`xpath=${drawn}`).click();
    this.steps += 1;
  }

  submit = this.press;
  check = this.press;
  take = this.press;

  /** Clicks where nothing is, so that an open list closes. */
  async leave() {
    await this.page.locator("[role=dialog] h2").last().click();
    this.steps += 1;
  }

  /** Clicks beside what is open. */
  close() {
    return this.press(this.page.locator("main h1"));
  }

  async type(control, text, { enter = false } = {}) {
    await control.waitFor();
    if ((await control.evaluate(whereIs)) !== "here") await this.press(control);
    await control.selectText();
    await this.page.keyboard.type(text);
    if (enter) await this.page.keyboard.press("Enter");
    this.steps += enter ? 2 : 1;
  }

  async choose(control, name) {
    await this.press(control);
    await this.press(this.option(name));
  }

  async area(name) {
    const link = this.page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name, exact: true });
    if (!(await link.isVisible())) await this.press(this.page.getByRole("button", { name: "Menu" }));
    await this.press(link);
  }

  openPalette() {
    return this.press(this.page.getByRole("button", { name: /^Go to/ }));
  }

  /** Takes a slider back from its end by so many steps. */
  async back(slider, count) {
    const { width, height } = await slider.boundingBox();
    const most = Number(await slider.getAttribute("max"));
    // The middle of the thumb is half a thumb inside at both ends.
    const thumb = 16;
    const x = thumb / 2 + ((width - thumb) * (most - count)) / most;
    await slider.click({ position: { x, y: height / 2 } });
    this.steps += 1;
  }
}

export class Keys extends Hand {
  async key(name, times = 1) {
    for (let at = 0; at < times; at += 1) await this.page.keyboard.press(name);
    this.steps += times;
  }

  /** Gives a control the focus by Tab, as somebody does who sees where it is. */
  async reach(control) {
    await control.waitFor({ state: "attached" });
    const passed = [];
    for (let tabs = 0; tabs <= mostTabs; tabs += 1) {
      const where = await control.evaluate(whereIs);
      if (where === "here") {
        assert.equal(await control.evaluate(covering), "", `${control} has the focus and is covered`);
        return;
      }
      await this.key(where === "behind" ? "Shift+Tab" : "Tab");
      passed.push(
        await this.page.evaluate(() => {
          const { tagName, textContent, ariaLabel } = document.activeElement;
          return `${tagName} ${ariaLabel ?? textContent.slice(0, 30)}`;
        }),
      );
    }
    assert.fail(`the keyboard does not get to ${control}: ${passed.slice(-20).join(" · ")}`);
  }

  async press(control) {
    // Tab leaves a menu, in which the arrow keys go from one to the next.
    const isInMenu = (await control.getAttribute("role")) === "menuitem";
    if (isInMenu) await this.down(async () => (await control.evaluate(whereIs)) === "here");
    else {
      await this.reach(control);
      await this.key("Enter");
    }
  }

  async check(control) {
    await this.reach(control);
    await this.key("Space");
  }

  /** Enter in a field sends its form. */
  async submit(button) {
    const isInForm = await button.evaluate((element) => {
      const at = document.activeElement;
      return at !== element && at.form && at.form === element.form && at.matches("input:not([role=combobox])");
    });
    if (isInForm) await this.key("Enter");
    else await this.press(button);
  }

  /** Takes one of the results of the palette. */
  take(hit) {
    return this.down(() => hit.evaluate((element) => element.matches("[data-selected]")));
  }

  async down(isThere) {
    for (let keys = 0; keys < mostTabs; keys += 1) {
      if (await isThere()) {
        await this.key("Enter");
        return;
      }
      await this.key("ArrowDown");
    }
    assert.fail("the arrow keys do not get there");
  }

  /** The next Tab closes an open list. */
  leave() {}

  close() {
    return this.key("Escape");
  }

  async type(control, text, { enter = false } = {}) {
    await this.reach(control);
    if ((await control.inputValue()) !== "") await this.key("Control+a");
    await this.page.keyboard.type(text);
    this.steps += 1;
    if (enter) await this.key("Enter");
  }

  async choose(control, name) {
    const option = this.option(name);
    if (await control.evaluate((element) => element.readOnly)) {
      await this.reach(control);
      await this.key("ArrowDown");
    } else {
      await this.type(control, name);
    }
    await option.first().waitFor();
    await this.down(() => option.first().evaluate((element) => element.matches("[data-combobox-selected]")));
  }

  async area(name) {
    for (const key of areaKeys[name].split(" ")) await this.key(key);
  }

  openPalette() {
    return this.key("Control+k");
  }

  async back(slider, count) {
    await this.reach(slider);
    await this.key("ArrowLeft", count);
  }
}
