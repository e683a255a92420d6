// The public address of two nodes: sign-ins begin at the first and are finished at the second, all else goes to either.
import { createServer, request } from "node:http";

const [port, ...nodes] = process.argv.slice(2);
let turn = 0;

function node({ method, url }) {
  const [, provider, step] = url.match(/^\/auth\/(oidc|saml|providers\/[^/]+)\/(login|callback|acs)\b/) ?? [];
  if (step === "login") return nodes[0];
  // SAML comes back in two steps.
  if (step === "acs" || (step && provider === "saml")) return nodes[method === "POST" ? 1 : 0];
  if (step === "callback") return nodes[1];
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
