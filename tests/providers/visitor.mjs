// Somebody's browser as a plain HTTP client: it keeps cookies, goes where it is sent and fills in forms.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { parse } from "node-html-parser";
import { CookieJar } from "tough-cookie";
import { base } from "./place.mjs";

const mostSteps = 30;
// Under one address of the machine is the server, under another the providers: the two are different sites.
const site = (url) => new URL(url).hostname;

export class Visitor {
  jar = new CookieJar();
  // Where it comes from, as a proxy before the server says.
  address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  // The public address of the server that it visits.
  base;
  // Every address that it was at since it last set out.
  trail = [];
  // The names of the fields and buttons that it answered.
  answered = new Set();

  constructor(at = base) {
    this.base = at;
  }

  // One request, whose answer may lead elsewhere. `from` is the page that it was sent from.
  async send(url, { method = "GET", body, headers = {}, from = url } = {}) {
    const isCross = site(from) !== site(url);
    const sameSiteContext = isCross ? (method === "GET" ? "lax" : "none") : "strict";
    const cookie = await this.jar.getCookieString(url, { sameSiteContext });
    const forwarded = this.#isOurs(url) && { "x-forwarded-for": this.address };
    const answer = await fetch(url, {
      method,
      body,
      redirect: "manual",
      headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8", ...(cookie && { cookie }), ...forwarded, ...headers },
    });
    for (const line of answer.headers.getSetCookie()) await this.jar.setCookie(line, url, { ignoreError: true });
    this.trail.push(url);
    return { url, status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  // Goes on until it is back at a page of the server, or at a page that it has no answer to. `answers` are values by the
  // names of fields and buttons, or functions that give them, or nothing, when they are asked for; with one of no name, it
  // agrees to whatever form needs nothing filled in.
  async go(url, answers = {}, first = {}) {
    this.trail = [];
    let answer = await this.send(new URL(url, this.base).href, first);
    for (let step = 0; step < mostSteps; step += 1) {
      const next = await this.#next(answer, answers);
      if (!next) return answer;
      if (this.#isHome(next.url)) return { ...answer, url: next.url, status: 200, text: "" };
      answer = await this.send(next.url, { ...next, from: answer.url });
    }
    assert.fail(`it is sent to and fro: ${this.trail.join(" ")}`);
  }

  async #next(answer, answers) {
    const location = answer.headers.get("location");
    if (location && answer.status >= 300 && answer.status < 400) return { url: new URL(location, answer.url).href };
    if (!answer.headers.get("content-type")?.startsWith("text/html") || this.#isOurs(answer.url)) return undefined;
    const page = parse(answer.text);
    for (const frame of page.querySelectorAll("iframe[src]")) {
      await this.send(new URL(text(frame, "src"), answer.url).href, { from: answer.url });
    }
    for (const form of page.querySelectorAll("form")) {
      const fields = filled(page, form, answers);
      if (!fields) continue;
      for (const name of Object.keys(answers)) if (fields.has(name)) this.answered.add(name);
      const url = new URL(text(form, "action") || answer.url, answer.url);
      if (text(form, "method").toUpperCase() !== "POST") {
        for (const [name, value] of fields) url.searchParams.set(name, value);
        return { url: url.href };
      }
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return { url: url.href, method: "POST", body: fields.toString(), headers };
    }
    return undefined;
  }

  #isOurs(url) {
    return url.startsWith(`${this.base}/`);
  }

  #isHome(url) {
    return this.#isOurs(url) && !new URL(url).pathname.startsWith("/auth/");
  }

  // What the API says to whoever this is.
  async ask(path, { method = "GET", body } = {}) {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const answer = await this.send(this.base + path, { method, headers, body: body && JSON.stringify(body) });
    return { ...answer, body: answer.text ? JSON.parse(answer.text) : undefined };
  }

  // Who it is signed in as; nothing if it is not.
  async who() {
    const { status, body } = await this.ask("/api/admin/user");
    assert.ok([200, 401].includes(status), `${status}`);
    return body.user;
  }
}

// A browser that brings what is meant for addresses below one to those below another.
export class Misled extends Visitor {
  #from;
  #to;

  constructor(from, to) {
    super();
    this.#from = from;
    this.#to = to;
  }

  send(url, how) {
    const isMeant = url.startsWith(this.#from);
    return super.send(isMeant ? this.#to + url.slice(this.#from.length) : url, how);
  }
}

const text = (element, name) => element.getAttribute(name) ?? "";

// What the form sends, if everything in it that somebody must fill in has an answer.
function filled(page, form, answers) {
  const fields = new URLSearchParams();
  const belongs = (element) => form.id && element.getAttribute("form") === form.id;
  const elements = [...form.querySelectorAll("input, button, select"), ...page.querySelectorAll("[form]").filter(belongs)];
  let isAnswered = false;
  for (const element of elements) {
    const name = text(element, "name");
    if (!name) continue;
    if (Object.hasOwn(answers, name)) {
      const value = typeof answers[name] === "function" ? answers[name]() : answers[name];
      if (value === undefined) return undefined;
      fields.set(name, value);
      isAnswered = true;
    } else if (text(element, "type") === "hidden") {
      fields.set(name, text(element, "value"));
      isAnswered ||= name.startsWith("SAML") || Object.hasOwn(answers, "");
    } else if (["text", "password", "email"].includes(text(element, "type"))) {
      return undefined;
    }
  }
  return isAnswered ? fields : undefined;
}
