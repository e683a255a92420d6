// What the dashboard asks for is there, and what the rules watch is measured.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { before, after, test } from "node:test";

const { FLAGSTONE_URL: server, PROMETHEUS_URL: prometheus } = process.env;
const dashboard = JSON.parse(await readFile(process.env.DASHBOARD, "utf8"));
const panels = dashboard.panels.filter(({ type }) => type !== "row");
/** What a server does not tell that has no replica, no TLS, nothing that waits, and made no checkpoint yet. */
const absent = /flagstone_replica_|flagstone_tls_|flagstone_deliveries_waiting_since|flagstone_event_log_checkpoint/;

const until = async (what, isTrue) => {
  for (const end = Date.now() + 90_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 300))) {
    if (await isTrue()) return;
  }
  assert.fail(what);
};

async function found(expression) {
  const query = expression.replaceAll("$instance", ".*").replaceAll("$__rate_interval", "1m");
  const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { status, error, data } = await answer.json();
  assert.equal(status, "success", `${query}: ${error}`);
  return data.result;
}

async function call(path, token, body) {
  const answer = await fetch(server + path, {
    method: body ? "POST" : "GET",
    headers: { authorization: token, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
}

let receiver;
let busy;

before(async () => {
  const { FLAGSTONE_ADMIN_TOKEN: admin, FLAGSTONE_CLIENT_TOKEN: client } = process.env;
  receiver = createServer((request, response) => request.resume().on("end", () => response.end()));
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const parameters = { url: `http://127.0.0.1:${receiver.address().port}/` };
  const integration = { provider: "webhook", enabled: true, parameters, events: ["feature-created"] };
  await call("/api/admin/addons", admin, integration);
  await call("/api/admin/projects/default/features", admin, { name: "watched" });
  const work = () =>
    Promise.all([call("/api/admin/search/features", admin), call("/api/client/features", client)]).catch(() => {});
  await work();
  busy = setInterval(work, 200);
  await until("Prometheus scrapes", async () => {
    const up = await found("up").catch(() => []);
    return up.length === 1 && up[0].value[1] === "1";
  });
  // Rates need several scrapes.
  await until("requests are counted", async () => (await found("rate(flagstone_http_requests_total[1m]) > 0")).length > 1);
});

after(() => {
  clearInterval(busy);
  receiver.close();
});

for (const { title, targets } of panels) {
  test(`the dashboard shows: ${title}`, async () => {
    for (const { expr } of targets) {
      if (absent.test(expr)) await found(expr);
      else await until(`${expr} finds something`, async () => (await found(expr)).length > 0);
    }
  });
}

test("every figure of the server is on the dashboard", async () => {
  const names = new Set((await found('{__name__=~"flagstone_.+"}')).map(({ metric }) => metric.__name__));
  assert.ok(names.size > 20, [...names].join());
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n");
  const family = (name) => name.replace(/_(bucket|sum|count)$/, "");
  assert.deepEqual(
    [...names].filter((name) => !shown.includes(family(name))),
    [],
  );
});

test("every rule is read, and none fires on a server that is well", async () => {
  let rules;
  await until("the rules are evaluated", async () => {
    const { data } = await (await fetch(`${prometheus}/api/v1/rules`)).json();
    rules = data.groups.flatMap(({ rules }) => rules);
    return rules.every(({ health }) => health === "ok");
  });
  assert.equal(rules.length, (await readFile(process.env.RULES, "utf8")).match(/- alert:/g).length);
  assert.deepEqual(
    // One that waits whether it lasts may be the machine's pace.
    rules.filter(({ state }) => state === "firing").map(({ name }) => name),
    [],
  );
});

/** What this text says of these labels. */
const told = (text, metric) => text.replace(/\{\{ *(?:\$labels\.)?(\w+) *\}\}/g, (_, label) => metric[label] ?? "");

// Prometheus has a label `job` of its own, so this holds only for what it has actually scraped.
for (const [alert, condition, always] of [
  ["FlagstoneJobFails", "== 0", ">= 0"],
  ["FlagstoneJobLate", " > ", " < "],
]) {
  test(`${alert} tells each job by its name`, async () => {
    const { data } = await (await fetch(`${prometheus}/api/v1/rules`)).json();
    const { query, annotations } = data.groups.flatMap(({ rules }) => rules).find(({ name }) => name === alert);
    assert.ok(query.includes(condition), query);
    let sentences = [];
    await until(`${alert} speaks of several jobs`, async () => {
      const series = await found(query.replace(condition, always));
      sentences = series.map(({ metric }) => told(annotations.summary, metric));
      return new Set(sentences).size > 1;
    });
    assert.equal(new Set(sentences).size, sentences.length, sentences.join("\n"));
    assert.ok(
      sentences.some((sentence) => sentence.startsWith("The job usage of ")),
      sentences.join("\n"),
    );
  });
}

test("the dashboard has a line for each job", async () => {
  const byJob = panels.flatMap(({ targets }) => targets).filter(({ expr }) => expr.includes("flagstone_job_"));
  assert.ok(byJob.length > 3);
  for (const { expr, legendFormat } of byJob) {
    let names = [];
    await until(`${expr} tells jobs apart`, async () => {
      names = (await found(expr)).map(({ metric }) => told(legendFormat, metric));
      return new Set(names).size > 1;
    });
    assert.equal(new Set(names).size, names.length, names.join());
  }
});
