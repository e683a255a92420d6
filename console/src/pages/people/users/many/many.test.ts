import { expect, it } from "vitest";
import { Refusal } from "../../../../api/refusal";
import { addressesOf, type Address } from "./addresses";
import { inviteAll, type Outcome } from "./invite";

it("reads addresses by commas, semicolons and lines, each once, with names", () => {
  const text =
    `ada@example.com, Bob Ray <bob@example.com>;\n"Cy, no` + `\nADA@example.com\r\n"Di" <di@example.com>\nnobody\n`;
  expect(addressesOf(text)).toEqual({
    addresses: [
      { email: "ada@example.com", name: "" },
      { email: "bob@example.com", name: "Bob Ray" },
      { email: "di@example.com", name: "Di" },
    ],
    others: [`"Cy`, "no", "nobody"],
  });
});

const addresses = ["a", "b", "c"].map((name): Address => ({ email: `${name}@example.com`, name: "" }));
const refusal = (status: number, retryAfter?: number) =>
  new Refusal(status, { id: "1", name: "Refused", message: "No." }, retryAfter);

async function invited(answers: (Refusal | string)[], stopAfter = Infinity) {
  const told: Outcome[] = [];
  const pauses: number[] = [];
  await inviteAll(addresses, {
    create: () => {
      const answer = answers.shift()!;
      return typeof answer === "string" ? Promise.resolve({ inviteLink: answer }) : Promise.reject(answer);
    },
    pause: (seconds) => {
      pauses.push(seconds);
      return Promise.resolve();
    },
    isStopped: () => told.length >= stopAfter,
    tell: (outcome) => told.push(outcome),
  });
  return { states: told.map(({ state }) => state), said: told.map(({ said }) => said), pauses };
}

it("waits as long as the server asks, and leaves nobody out", async () => {
  const { states, said, pauses } = await invited(["one", refusal(429, 3), refusal(429), "two", "three"]);
  expect(states).toEqual(["invited", "invited", "invited"]);
  expect(said).toEqual(["one", "two", "three"]);
  expect(pauses).toEqual([3, 5]);
});

it("goes on after a refusal, and stops when it is told to", async () => {
  expect((await invited(["one", refusal(409), "three"])).states).toEqual(["invited", "refused", "invited"]);
  expect((await invited(["one"], 1)).states).toEqual(["invited", "left out", "left out"]);
});
