import { quoted, text, variable, type Sdk } from "./sdk";

/** The protocols that need no SDK of a vendor. */
export const openFeature: Record<string, Sdk> = {
  "openfeature-server": {
    label: "OpenFeature, server",
    token: "client",
    install: "npm install @openfeature/server-sdk@1.23.0 @openfeature/ofrep-provider@0.1.3",
    file: "ask.mjs",
    run: "node ask.mjs",
    code: ({ url, feature, appName }) => `import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OpenFeature } from "@openfeature/server-sdk";

await OpenFeature.setProviderAndWait(
  new OFREPProvider({
    baseUrl: ${text(url)},
    headers: { Authorization: process.env.${variable} },
  }),
);
const user = { targetingKey: "7", appName: ${text(appName)} };
const isOn = await OpenFeature.getClient().getBooleanValue(${text(feature)}, false, user);
console.log(isOn ? "on" : "off");
`,
  },
  "openfeature-web": {
    label: "OpenFeature, web",
    token: "frontend",
    install: "npm install @openfeature/web-sdk@1.10.0 @openfeature/ofrep-web-provider@0.4.3",
    file: "ask.js",
    run: "",
    code: ({ url, feature, appName, token }) => `import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature } from "@openfeature/web-sdk";

await OpenFeature.setContext({ targetingKey: "7", appName: ${text(appName)} });
await OpenFeature.setProviderAndWait(
  new OFREPWebProvider({
    baseUrl: ${text(url)},
    headers: [["Authorization", ${text(token)}]],
  }),
);
console.log(OpenFeature.getClient().getBooleanValue(${text(feature)}, false) ? "on" : "off");
`,
  },
  ofrep: {
    label: "OFREP over HTTP",
    token: "frontend",
    install: "command -v curl || sudo apt-get install curl",
    file: "ask.sh",
    run: "sh ask.sh",
    code: ({
      url,
      feature,
      appName,
    }) => `curl -sS ${quoted(`${url}/ofrep/v1/evaluate/flags/${encodeURIComponent(feature)}`)} \\
  -H "Authorization: $${variable}" -H "Content-Type: application/json" \\
  -d ${quoted(JSON.stringify({ context: { targetingKey: "7", appName } }))}
`,
  },
};

export const http: Record<string, Sdk> = {
  curl: {
    label: "HTTP, without an SDK",
    token: "frontend",
    install: "command -v curl || sudo apt-get install curl",
    file: "ask.sh",
    run: "sh ask.sh",
    code: ({ url, appName }) => `# Answers the flags that are on for this user, and their variants.
curl -sS -H "Authorization: $${variable}" \\
  ${quoted(`${url}/api/frontend?${new URLSearchParams({ userId: "7", appName })}`)}
`,
  },
};
