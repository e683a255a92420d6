// The public address of two nodes: sign-ins begin at the first and are finished at the second, all else goes to either.
import { createServer, request } from "node:http";

const [port, ...nodes] = process.argv.slice(2);
let turn = 0;

function node({ method, url }) {
  if (/^\/auth\/(oidc|saml)\/login/.test(url)) return nodes[0];
  if (/^\/auth\/oidc\/callback/.test(url)) return nodes[1];
  // SAML comes back in two steps.
  if (/^\/auth\/saml\/callback/.test(url)) return nodes[method === "POST" ? 1 : 0];
  turn += 1;
  return nodes[turn % nodes.length];
}

createServer((asked, answer) => {
  const forwarded = request(node(asked) + asked.url, { method: asked.method, headers: asked.headers }, (answered) => {
    answer.writeHead(answered.statusCode, answered.rawHeaders);
    answered.pipe(answer);
  });
  forwarded.on("error", (error) => answer.writeHead(502).end(`${error.message}\n`));
  asked.pipe(forwarded);
}).listen(Number(port), "127.0.0.1", () => console.log("listens"));
