// @vitest-environment happy-dom
import { MantineProvider, TextInput } from "@mantine/core";
import { notifyManager, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { keyOf, me, queryClient } from "../../api/queries";
import { Refusal } from "../../api/refusal";
import { addressOf, type Planned } from "../../api/request";
import { useAct } from "../../parts/act";
import { AtField } from "../../parts/forms/AtField";
import { Form } from "../../parts/forms/FormDrawer";
import { noRules, planOutcome, planTrial } from "./providers/draft";
import { Trial } from "./Trial";

const { answers, asked } = vi.hoisted(() => ({
  answers: new Map<string, () => unknown>(),
  asked: [] as string[],
}));

vi.mock("@tanstack/react-router", async (actual) => ({
  ...(await actual()),
  useParams: () => ({}),
  useNavigate: () => () => undefined,
}));
vi.mock("../../api/client", async (actual) => ({
  ...(await actual()),
  send: async (planned: Planned) => {
    const call = `${planned.method} ${addressOf(planned)}`;
    asked.push(call);
    const answer = answers.get(call);
    return answer ? { data: answer(), version: undefined } : new Promise(() => undefined);
  },
}));
// What was read is shown before `act` ends.
notifyManager.setScheduler(queueMicrotask);
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
queryClient.setQueryData(keyOf(me), { data: { permissions: [{ permission: "ADMIN" }] }, version: undefined });

const tests = "/api/admin/auth/providers/corp/test";
const checks = [{ name: "discoverUrl", ok: true, message: "The issuer is https://id.example.com." }];
const begun = { id: "one", url: "https://flags.example.com/login", expiresAt: "2031-02-01T10:00:00.000Z", checks };
const nothing = { reason: null, explanation: null, expected: null, found: null, claims: null, email: null, name: null };
const outcome = { state: "admitted", ...nothing, userId: null, rootRoleId: null, groups: null };

function Tried({ id, clientId, lacking = [] }: { id: string; clientId: string; lacking?: string[] }) {
  const acting = useAct({ inline: true });
  const request = planTrial(id, "oidc", { settings: { clientId }, rules: noRules });
  return (
    <Form request={request} action="Save" busy={acting.busy} error={acting.error} onSubmit={() => undefined}>
      <AtField of="settings/clientId">
        <TextInput label="Client id" value={clientId} readOnly />
      </AtField>
      <Trial request={request} planOutcome={(trialId) => planOutcome(id, trialId)} lacking={lacking} acting={acting} />
    </Form>
  );
}

let root: Root;
const place = document.createElement("div");
const show = async (props: React.ComponentProps<typeof Tried>) => {
  root ??= createRoot(place);
  const shown = (
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <Tried {...props} />
      </QueryClientProvider>
    </MantineProvider>
  );
  await act(() => Promise.resolve(root.render(shown)));
};
const tryIt = async () => {
  const button = [...place.querySelectorAll("button")].find((one) => one.textContent === "Try it out");
  await act(() => Promise.resolve(button?.click()));
};

afterEach(() => {
  answers.clear();
  asked.length = 0;
});

it("begins nothing while something is missing", async () => {
  await show({ id: "corp", clientId: "", lacking: ["Client id"] });
  await tryIt();
  expect(asked).not.toContain(`POST ${tests}`);
});

it("says what is refused beside its field, once", async () => {
  await show({ id: "corp", clientId: "flags" });
  answers.set(`POST ${tests}`, () => {
    const message = "The /body/settings/clientId property is missing.";
    throw new Refusal(400, { id: "1", name: "ValidationError", message });
  });
  await tryIt();
  expect(place.querySelector("input")?.getAttribute("aria-invalid")).toBe("true");
  expect(place.textContent?.split("Is missing.")).toHaveLength(2);
  expect(place.querySelector("[role=alert]")).toBeNull();
});

it("follows the trial that was begun, and says when the form holds something else by now", async () => {
  await show({ id: "corp", clientId: "flags" });
  answers.set(`POST ${tests}`, () => begun);
  answers.set(`GET ${tests}/one`, () => ({ ...outcome, state: "waiting" }));
  await tryIt();
  expect(place.querySelector("input")?.getAttribute("aria-invalid")).toBeNull();
  expect(place.querySelector("ul")?.textContent).toBe("✓ Discovery URL: The issuer is https://id.example.com.");
  const link = [...place.querySelectorAll("a")].find((one) => one.textContent === "Sign in at the provider");
  expect(link?.getAttribute("href")).toBe(begun.url);
  expect(place.textContent).not.toContain("You changed the form since");

  await show({ id: "corp", clientId: "other" });
  expect(place.textContent).toContain("You changed the form since");
  await show({ id: "corp", clientId: "flags" });
  expect(place.textContent).not.toContain("You changed the form since");

  // The id of a new provider can change, too: the result is that of the one before.
  await show({ id: "company", clientId: "flags" });
  expect(place.textContent).toContain("You changed the form since");
  answers.set(`GET ${tests}/one`, () => outcome);
  await act(() => queryClient.invalidateQueries({ queryKey: keyOf(planOutcome("corp", "one")) }));
  expect(place.querySelector("[role=status]")?.textContent).toContain("They would come in");
  expect(asked.filter((call) => call.includes("/company/"))).toEqual([]);
  act(() => root.unmount());
});
