// Serves the files of a console and the API of a server on one address, as a console expects them.
//
//   node docs/console.mjs DIRECTORY [SERVER [PORT]]
//
// What is no file and no address of the server is a page of the console, which finds its way itself. For more than
// trying out, let the proxy that speaks TLS do the same.
import { createReadStream, statSync } from "node:fs";
import { createServer, request } from "node:http";
import { extname, join, resolve } from "node:path";

const [directory, server = "http://127.0.0.1:4242", port = "4243"] = process.argv.slice(2);
const files = resolve(directory);
const api = /^\/(api|auth|logout|health|docs)(\/|$)/;
const kinds = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".png": "image/png", ".svg": "image/svg+xml" };

const find = (path) => {
  const file = join(files, decodeURIComponent(path));
  return file.startsWith(files) && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : join(files, "index.html");
};

const pass = (asked, answer) => {
  const forwarded = request(server + asked.url, { method: asked.method, headers: asked.headers }, (answered) => {
    answer.writeHead(answered.statusCode, answered.headers);
    answered.pipe(answer);
  });
  forwarded.on("error", (error) => answer.writeHead(502).end(`${server} does not answer: ${error.message}\n`));
  asked.pipe(forwarded);
};

createServer((asked, answer) => {
  const { pathname } = new URL(asked.url, server);
  if (api.test(pathname)) return pass(asked, answer);
  const file = find(pathname);
  answer.writeHead(200, { "content-type": kinds[extname(file)] ?? "application/octet-stream" });
  createReadStream(file).pipe(answer);
}).listen(Number(port), "127.0.0.1", () => console.log(`The console is at http://127.0.0.1:${port}/`));
