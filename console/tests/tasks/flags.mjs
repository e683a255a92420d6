// What somebody does with flags in a day: each task begins on Home, and ends when the server says that it is done.
import assert from "node:assert/strict";
import { ask } from "../chromium.mjs";
import { dialog, named } from "./hands.mjs";

const environment = ({ id, flag }, name) => ask(`/api/admin/projects/${id}/features/${flag}/environments/${name}`);
const shareIn = async (day, name) => (await environment(day, name)).strategies[0]?.parameters.rollout;
const inProduction = (page) => page.getByRole("region", { name: "production, production" });

/** A share of the strategy in production, with the question that follows. */
async function grow({ page, hand }, share) {
  await hand.press(inProduction(page).getByRole("button", { name: `${share} %`, exact: true }));
  await hand.press(named(page, "button", `Change to ${share} %`));
}

export const flags = [
  {
    task: "Create a project",
    async act({ page, hand, title }) {
      await hand.area("Projects");
      const form = await hand.form("New project");
      await hand.type(form.getByLabel(/^Name/), title);
      await hand.submit(named(form, "button", `Create ${title}`));
    },
    isDone: async ({ id, title }) => (await ask(`/api/admin/projects/${id}/overview`)).name === title,
  },
  {
    task: "Create a flag",
    async act({ page, hand, flag }) {
      await hand.area("Feature flags");
      const form = await hand.form("New feature flag");
      await hand.type(form.getByLabel(/^Name/), flag);
      await form.getByText("✓").waitFor();
      await hand.submit(named(form, "button", `Create ${flag}`));
      await named(page, "heading", flag).waitFor();
    },
    isDone: async ({ id, flag }) => (await ask(`/api/admin/projects/${id}/features/${flag}`)).project === id,
  },
  {
    task: "Mark a flag as a favourite",
    async act({ page, hand, flag }) {
      await hand.find(flag);
      await named(page, "heading", flag).waitFor();
      const star = named(page, "button", `Favourite: ${flag}`);
      await hand.press(star);
      await named(page, "button", `Favourite: ${flag}`).and(page.locator("[aria-pressed=true]")).waitFor();
    },
    isDone: async ({ page, id, flag, server }) =>
      (await (await page.request.get(`${server}/api/admin/projects/${id}/features/${flag}`)).json()).favorite === true,
  },
  {
    task: "Create a segment",
    async act({ page, hand, segment }) {
      await hand.find("Segments");
      const form = await hand.form("New segment");
      await hand.type(form.getByLabel(/^Name/), segment);
      await hand.press(named(form, "button", "Add constraint"));
      await hand.type(form.getByLabel("Values", { exact: true }), "7", { enter: true });
      await hand.submit(named(form, "button", `Create ${segment}`));
    },
    isDone: async ({ segment }) =>
      (await ask("/api/admin/segments")).segments.some(
        ({ name, constraints }) => name === segment && constraints[0].values.join() === "7",
      ),
  },
  {
    task: "Roll out to 10 % in production, with a constraint, a segment and two variants",
    async act({ page, hand, flag, segment }) {
      await hand.find(flag);
      await hand.press(named(inProduction(page), "button", "Add strategy"));
      const form = dialog(page, /^New strategy/);
      await hand.type(form.getByLabel("Share of users", { exact: true }), "10");
      await hand.press(named(form, "button", "Add constraint"));
      await hand.type(form.getByLabel("Values", { exact: true }), "7,42", { enter: true });
      await hand.choose(named(form, "combobox", "Only in these segments"), segment);
      await hand.leave();
      for (const [at, variant] of ["blue", "green"].entries()) {
        await hand.press(named(form, "button", "Add variant"));
        await hand.type(
          form
            .getByRole("group", { name: /^Variant(?!s)/ })
            .nth(at)
            .getByRole("textbox", { name: "Name" }),
          variant,
        );
      }
      await form.getByText(/On for: .*10 %.*blue 50 %, green 50 %/).waitFor();
      await hand.submit(named(form, "button", "Add"));
      await hand.press(named(dialog(page, "Add a strategy in production"), "button", "Add strategy"));
    },
    async isDone(day) {
      const [strategy] = (await environment(day, "production")).strategies;
      return (
        strategy?.parameters.rollout === "10" &&
        strategy.constraints[0].values.join() === "7,42" &&
        strategy.segments.length === 1 &&
        strategy.variants.map(({ name }) => name).join() === "blue,green"
      );
    },
  },
  {
    task: "Enable a flag in production",
    async act({ page, hand, flag }) {
      await hand.find(flag);
      await hand.check(named(page, "switch", `${flag} in production`));
      await hand.press(named(page, "button", "Switch on in production"));
    },
    isDone: async (day) => (await environment(day, "production")).enabled,
  },
  {
    task: "Grow a share in production: 10, 25, 50, 100 %",
    async act(day) {
      await day.hand.find(day.flag);
      for (const share of [25, 50, 100]) {
        await grow(day, share);
        await day.page.getByRole("group", { name: `Share of users, ${share} % now` }).waitFor();
      }
    },
    isDone: async (day) => (await shareIn(day, "production")) === "100",
  },
  {
    task: "Disable a flag in production by an order",
    async act({ page, hand, flag }) {
      await hand.find(`disable ${flag} in production`, `Disable ${flag} in production`);
      await hand.submit(named(page, "button", "Switch off in production"));
    },
    isDone: async (day) => !(await environment(day, "production")).enabled,
  },
  {
    task: "Find who disabled it",
    async act({ page, hand, flag }) {
      await hand.area("Event log");
      await hand.type(named(page, "searchbox", "Feature flag, or text in what changed"), flag);
    },
    async isDone({ page, flag, person }) {
      await page
        .getByRole("row")
        .filter({ hasText: new RegExp(`${person} switched off ${flag} in .*production`) })
        .waitFor();
      return true;
    },
  },
  {
    task: "Put it back, from its event",
    async act({ page, hand, flag }) {
      await hand.find(flag);
      await hand.press(
        page.getByRole("navigation", { name: "About this flag" }).getByRole("link", { name: "Event log" }),
      );
      const row = page.getByRole("row").filter({ hasText: /switched off/ });
      await hand.press(row.getByRole("button", { name: /^Open event/ }));
      await hand.press(named(page, "button", "Put it back …"));
      await hand.press(named(page, "button", "Put it back"));
    },
    isDone: async (day) => (await environment(day, "production")).enabled,
  },
  {
    task: "Rewind a flag to what it was three changes ago",
    async act({ page, hand, flag }) {
      await hand.find(flag);
      await hand.press(page.getByRole("navigation", { name: "About this flag" }).getByRole("link", { name: "Rewind" }));
      await hand.back(named(page, "slider", "Moment"), 3);
      await named(page, "region", "production")
        .getByRole("row", { name: /Strategy different none .*50 %/ })
        .waitFor();
      await hand.press(named(page, "button", "Put this back …"));
      await hand.press(named(page, "button", "Put it back"));
    },
    isDone: async (day) =>
      (await shareIn(day, "production")) === "50" && (await environment(day, "production")).enabled,
  },
  {
    task: "Compare two environments, and copy production to development",
    async act({ page, hand, flag }) {
      await hand.find(flag);
      await hand.press(named(page, "button", "Compare environments"));
      const drawer = dialog(page, "Compare environments");
      await hand.choose(named(drawer, "combobox", "Environment"), "▲ production");
      await hand.choose(named(drawer, "combobox", "Compared with"), "development");
      await hand.press(named(drawer, "button", "Copy production to development …"));
      await hand.press(named(page, "button", "Copy to development"));
    },
    isDone: async (day) => (await shareIn(day, "development")) === "50",
  },
  {
    task: "Clone a flag",
    async act({ page, hand, flag }) {
      await hand.find(flag);
      await hand.press(named(page, "button", "More actions"));
      await hand.press(named(page, "menuitem", "Clone …"));
      const form = dialog(page, `Clone ${flag}`);
      await hand.type(form.getByLabel(/^Name/), `twin-${flag}`);
      await hand.submit(named(form, "button", `Create twin-${flag}`));
      await named(page, "heading", `twin-${flag}`).waitFor();
    },
    isDone: async ({ id, flag }) => {
      const { environments } = await ask(`/api/admin/projects/${id}/features/twin-${flag}`);
      return environments.every(({ enabled }) => !enabled);
    },
  },
  {
    task: "Move a flag to another project",
    async act({ page, hand, flag }) {
      await hand.find(`twin-${flag}`);
      await hand.press(named(page, "button", "More actions"));
      await hand.press(named(page, "menuitem", "Move to another project …"));
      const form = dialog(page, `Move twin-${flag} to another project`);
      await hand.choose(named(form, "combobox", "Project"), "Default");
      await hand.press(named(form, "button", "Move to default"));
      await page.waitForURL(`**/projects/default/features/twin-${flag}`);
    },
    isDone: async ({ flag }) => (await ask(`/api/admin/projects/default/features/twin-${flag}`)).project === "default",
  },
  {
    task: "Ask in the playground why a flag is on for one user and off for another",
    async act({ page, hand, flag }) {
      await hand.area("Playground");
      await hand.type(named(page, "textbox", "userId"), "7, 8");
      await hand.submit(named(page, "button", "Ask"));
      await hand.press(named(page, "button", `Why ${flag}`));
    },
    async isDone({ page }) {
      await dialog(page, /./)
        .getByText(/userId is .*7/)
        .first()
        .waitFor();
      return true;
    },
  },
  {
    task: "Let a flag depend on another one",
    prepare: ({ id, flag }) =>
      ask(`/api/admin/projects/${id}/features`, { method: "POST", body: { name: `parent-of-${flag}` } }),
    async act({ page, hand, flag }) {
      await hand.find(flag);
      await hand.press(
        page.getByRole("navigation", { name: "About this flag" }).getByRole("link", { name: "Settings" }),
      );
      const card = page.getByRole("region", { name: "Dependencies" });
      await hand.choose(named(card, "combobox", "Parent"), `parent-of-${flag}`);
      await hand.press(named(card, "button", "Depend on it"));
    },
    isDone: async ({ id, flag }) =>
      (await ask(`/api/admin/projects/${id}/features/${flag}`)).dependencies[0]?.feature === `parent-of-${flag}`,
  },
  {
    task: "Archive three flags, of which one cannot",
    async prepare({ id, flag }) {
      for (const name of ["old-a", "old-b"])
        await ask(`/api/admin/projects/${id}/features`, {
          method: "POST",
          body: { name: `parent-of-${flag}-${name}` },
        });
    },
    async act({ page, hand, flag }) {
      await hand.area("Feature flags");
      await hand.type(named(page, "searchbox", "Part of the name, or of a tag"), `parent-of-${flag}`);
      await page.getByText("1–3 of 3", { exact: true }).waitFor();
      await hand.check(named(page, "checkbox", "Select all on this page"));
      await hand.press(named(page, "button", "Change them …"));
      await hand.press(named(page, "menuitem", "Archive"));
      await page.getByText(`parent-of-${flag}: ${flag} depends on it.`).waitFor();
      await hand.press(named(page, "button", "Archive the 2"));
    },
    isDone: async ({ id }) => (await ask(`/api/admin/archive/features/${id}`)).features.length === 2,
  },
  {
    task: "Find what is archived, by its stage, and revive one",
    async act({ page, hand, flag, title }) {
      await hand.area("Feature flags");
      await hand.type(named(page, "searchbox", "Part of the name, or of a tag"), `parent-of-${flag}`);
      if (hand.isNarrow) await hand.press(page.getByRole("button", { name: "Filters" }));
      await hand.press(named(page, "button", "Stage"));
      await hand.check(named(page, "checkbox", "archived"));
      await page.getByText("1–2 of 2", { exact: true }).waitFor();
      await hand.close();
      const row = page.getByRole("row").filter({ hasText: `parent-of-${flag}-old-a` });
      assert.equal(await row.getByRole("switch").count(), 0, "what is archived cannot be switched");
      await hand.press(row.getByRole("link", { name: "archived" }));
      await page.getByRole("heading", { level: 1 }).filter({ hasText: title }).waitFor();
      await hand.check(named(page, "checkbox", `Select parent-of-${flag}-old-a`));
      await hand.press(named(page, "button", "Revive"));
    },
    isDone: async ({ id }) => (await ask(`/api/admin/archive/features/${id}`)).features.length === 1,
  },
  {
    task: "Find technical debt, and clean it",
    async prepare({ id, flag }) {
      const body = { name: `stale-${flag}`, type: "release" };
      await ask(`/api/admin/projects/${id}/features`, { method: "POST", body });
      await ask(`/api/admin/projects/${id}/stale`, { method: "POST", body: { features: [body.name], stale: true } });
    },
    async act({ page, hand, flag, title }) {
      await hand.find(title);
      await hand.press(
        page.getByRole("navigation", { name: "About this project" }).getByRole("link", { name: "Health" }),
      );
      const due = page.getByRole("row", { name: new RegExp(`stale-${flag}`) });
      await hand.press(named(due, "button", "Archive"));
    },
    isDone: async ({ id, flag }) =>
      (await ask(`/api/admin/archive/features/${id}`)).features.some(({ name }) => name === `stale-${flag}`),
  },
  {
    task: "Save a list of flags as a view",
    async act({ page, hand }) {
      await hand.area("Feature flags");
      if (hand.isNarrow) await hand.press(page.getByRole("button", { name: "Filters" }));
      await hand.choose(named(page, "combobox", "Switched"), "On in production");
      await page.waitForFunction(() => location.search.includes("status="));
      await hand.press(named(page, "button", "Views"));
      await hand.type(page.getByLabel("Save these filters as"), "Live ones");
      await hand.submit(named(page, "button", "Save"));
    },
    async isDone({ page }) {
      await named(page, "button", "View: Live ones").waitFor();
      return true;
    },
  },
];
