import http from 'node:http';

/** Stands between one library and the server, passes everything on as it is, and remembers what was asked. */
export class Recorder {
  exchanges = [];

  constructor(target) {
    this.target = new URL(target);
    this.server = http.createServer((request, answer) => this.#pass(request, answer));
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** The exchanges of a method and path, whatever the query. */
  of(method, path) {
    return this.exchanges.filter((exchange) => exchange.method === method && exchange.path === path);
  }

  #pass(request, answer) {
    const { method, url, headers } = request;
    const exchange = { method, path: url.split('?')[0], headers, status: undefined, body: '' };
    this.exchanges.push(exchange);
    const { hostname, port } = this.target;
    const onward = http.request({ hostname, port, method, path: url, headers }, (reply) => {
      exchange.status = reply.statusCode;
      if (reply.statusCode >= 400) reply.on('data', (part) => (exchange.body += part));
      answer.writeHead(reply.statusCode, reply.rawHeaders);
      answer.flushHeaders();
      reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    request.pipe(onward);
  }
}
