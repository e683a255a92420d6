import { expect, it } from "vitest";
import { eventTypes } from "../../api/generated/operations";
import { eventInWords, sentence, template } from "./sentence";

const words = (event: Partial<Parameters<typeof sentence>[0]> & { type: never }) =>
  sentence({ featureName: null, environment: null, project: null, data: null, preData: null, ...event })
    .map(({ text }) => text)
    .join("");

it.each(eventTypes)("has a sentence for %s", (type) => {
  expect(template(type)).toMatch(/^[a-z]+ .*[a-z}]$/);
  expect(template(type)).not.toContain("-");
  expect(words({ type: type as never })).not.toMatch(/[{}]/);
});

it("names what the event is about", () => {
  expect(
    words({
      type: "feature-environment-enabled" as never,
      featureName: "checkout",
      environment: "production",
    }),
  ).toBe("switched on checkout in production");
  expect(words({ type: "segment-created" as never, data: { name: "beta" } } as never)).toBe("created a segment: beta");
  expect(words({ type: "user-deleted" as never, preData: { username: "ada" } } as never)).toBe("deleted a user: ada");
});

it("tells links by the label of the event", () => {
  const event = { type: "feature-updated" as never, featureName: "checkout" };
  const link = { url: "https://tickets.example.com/7", title: "Ticket" };
  expect(words({ ...event, label: "feature-link-added", data: link } as never)).toBe(
    "added a link to checkout: Ticket",
  );
  expect(words({ ...event, label: "feature-link-removed", preData: { ...link, title: null } } as never)).toBe(
    "removed a link of checkout: https://tickets.example.com/7",
  );
  expect(words({ ...event, label: "feature-melted" })).toBe("changed checkout");
});

it("tells by the label of the event that a directory was left", () => {
  const event = { type: "setting-updated" as never, data: { count: 7 } };
  expect(words({ ...event, label: "scim-users-deleted" } as never)).toBe("deleted the users of the directory");
  expect(words({ ...event, label: "scim-groups-deleted" } as never)).toBe("deleted the groups of the directory");
});

it("tells by the label of the event what became of a request for access", () => {
  const event = { type: "setting-updated" as never, data: { id: 7, email: "joan@example.com", name: "Joan" } };
  expect(words({ ...event, label: "user-access-request-registered" } as never)).toBe(
    "registered a request for access: Joan",
  );
  const rejected = { type: event.type, preData: { id: 7, email: "joan@example.com" } };
  expect(words({ ...rejected, label: "user-access-request-rejected" } as never)).toBe("rejected a request for access");
});

it("tells what of the policy on accounts changed", () => {
  const policy = { id: "flagstone.account-policy", personalTokensAllowed: true, inactiveUserDays: null };
  const after = { ...policy, inactiveUserDays: 90, inactiveUsersSince: "2027-01-31T12:00:00Z" };
  expect(words({ type: "setting-updated" as never, preData: policy, data: after } as never)).toBe(
    "changed the policy on accounts: inactive user days none → 90",
  );
});

it("names the directory that an event of the settings is about", () => {
  const told = (tokenCreatedAt: string) => ({
    id: "flagstone.scim-directory",
    directory: { id: 1, name: "Okta", tokenCreatedAt },
  });
  const [before, after] = [told("2026-11-20T09:12:00.000Z"), told("2026-11-21T09:12:00.000Z")];
  expect(words({ type: "setting-created", data: before } as never)).toBe("created a SCIM directory: Okta");
  expect(words({ type: "setting-updated", preData: before, data: after } as never)).toBe(
    "replaced the token of a SCIM directory: Okta",
  );
  expect(words({ type: "setting-deleted", preData: before } as never)).toBe("deleted a SCIM directory: Okta");
  expect(words({ type: "setting-created", data: { id: "unleash.customRootRole" } } as never)).toBe("created a setting");
});

it("names the login provider that an event of the settings is about, and knows their order", () => {
  const told = (more: object) => ({ id: "flagstone.sign-in-providers.corp", kind: "oidc", label: "Corp", ...more });
  expect(words({ type: "setting-created", data: told({}) } as never)).toBe("created a login provider: Corp");
  expect(
    words({
      type: "setting-updated",
      preData: told({ enabled: true }),
      data: told({ enabled: false, changedSettings: ["clientId"] }),
    } as never),
  ).toBe("changed a login provider: Corp (enabled off, connection)");
  expect(words({ type: "setting-deleted", preData: told({}) } as never)).toBe("deleted a login provider: Corp");
  const order = (...order: string[]) => ({ id: "flagstone.sign-in-providers", order });
  expect(words({ type: "setting-updated", preData: order("a", "b"), data: order("b", "a") } as never)).toBe(
    "changed the order of the login providers",
  );
  const other = { id: "flagstone.sign-in-providers-of-another-kind", label: "Corp" };
  expect(words({ type: "setting-created", data: other } as never)).toBe("created a setting");
});

it("says what changed, where that is a word or two", () => {
  const update = { type: "feature-strategy-update" as never, featureName: "checkout", environment: "production" };
  const share = (rollout: string) => ({ parameters: { rollout } });
  expect(words({ ...update, preData: share("10"), data: share("50") } as never)).toBe(
    "changed a strategy of checkout in production: rollout 10 → 50 %",
  );
  expect(words({ ...update, preData: share("10"), data: share("10") } as never)).not.toContain("%");
  const tag = { type: "team", value: "alpha" };
  expect(words({ type: "feature-tagged" as never, featureName: "checkout", data: tag } as never)).toBe(
    "tagged checkout: team:alpha",
  );
});

it("does not repeat the name of a flag on its own page", () => {
  const of = (type: string, more = {}) =>
    sentence(
      {
        type,
        featureName: "checkout",
        environment: "production",
        project: "shop",
        data: null,
        preData: null,
        ...more,
      } as never,
      { isOfOneFlag: true },
    )
      .map(({ text }) => text)
      .join("");
  expect(of("feature-environment-enabled")).toBe("switched on in production");
  expect(of("feature-strategy-update", { preData: { title: "a" }, data: { title: "b" } })).toBe(
    "changed a strategy in production: title a → b",
  );
  expect(of("feature-tagged", { data: { type: "team", value: "alpha" } })).toBe("tagged: team:alpha");
  for (const type of eventTypes) expect(of(type)).not.toContain("checkout");
});

it("tells what a dry run would do", () => {
  expect(eventInWords("feature-environment-enabled in production")).toBe("switched on in production");
  expect(eventInWords("feature-archived")).toBe("archived");
});
