/** Calls of the administration API, with the token that the server was started with. */
export class Admin {
  constructor(url, token) {
    this.url = `${url}/api/admin`;
    this.headers = { authorization: token, 'content-type': 'application/json' };
  }

  async get(path) {
    return this.#call('GET', path);
  }

  /** The answer, or undefined where there is nothing of that name. */
  async find(path) {
    return this.#call('GET', path, undefined, [404]);
  }

  async post(path, body = {}) {
    return this.#call('POST', path, body);
  }

  async put(path, body) {
    return this.#call('PUT', path, body);
  }

  async delete(path) {
    return this.#call('DELETE', path);
  }

  async #call(method, path, body, absent = []) {
    const request = { method, headers: this.headers, body: body && JSON.stringify(body) };
    const answer = await fetch(this.url + path, request);
    const text = await answer.text();
    if (absent.includes(answer.status)) return undefined;
    if (!answer.ok) throw new Error(`${method} ${path} ${request.body ?? ''} is answered ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }
}
