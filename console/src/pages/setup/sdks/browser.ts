import { script, type Asked, type Sdk } from "./sdk";

/** What each of these SDKs is given. Anybody who opens the page can read it: frontend tokens are made for that. */
export const settings = ({ url, appName, token }: Asked, indent = "") =>
  [`url: ${script(`${url}/api/frontend`)},`, `appName: ${script(appName)},`, `clientKey: ${script(token)},`]
    .map((line) => `${indent}  ${line}`)
    .join("\n");

/** SDKs that are given what is on for one user, in a page. */
export const browser: Record<string, Sdk> = {
  browser: {
    label: "JavaScript",
    token: "frontend",
    install: "npm install unleash-proxy-client@3.8.2",
    file: "ask.js",
    run: "",
    code: (asked) => `import { UnleashClient } from "unleash-proxy-client";

const flags = new UnleashClient({
${settings(asked)}
});
flags.on("ready", () => console.log(flags.isEnabled(${script(asked.feature)}) ? "on" : "off"));
flags.start();
`,
  },
  react: {
    label: "React",
    token: "frontend",
    install: "npm install @unleash/proxy-client-react@5.1.0 unleash-proxy-client@3.8.2",
    file: "main.jsx",
    run: "",
    code: (asked) => `import { createRoot } from "react-dom/client";
import { FlagProvider, useFlag } from "@unleash/proxy-client-react";

const config = {
${settings(asked)}
};

function Asked() {
  return <p>{useFlag(${script(asked.feature)}) ? "on" : "off"}</p>;
}

createRoot(document.getElementById("root")).render(
  <FlagProvider config={config}>
    <Asked />
  </FlagProvider>,
);
`,
  },
  next: {
    label: "Next.js",
    token: "frontend",
    install: "npm install @unleash/nextjs@1.6.7",
    file: "app/asked.tsx",
    run: "",
    code: (asked) => `"use client";
import { FlagProvider, useFlag } from "@unleash/nextjs/client";

const config = {
${settings(asked)}
};

function Asked() {
  return <p>{useFlag(${script(asked.feature)}) ? "on" : "off"}</p>;
}

export default function AskedInPage() {
  return (
    <FlagProvider config={config}>
      <Asked />
    </FlagProvider>
  );
}
`,
  },
  vue: {
    label: "Vue",
    token: "frontend",
    install: "npm install @unleash/proxy-client-vue@0.1.6 unleash-proxy-client@3.8.2",
    file: "main.js",
    run: "",
    code: (asked) => `import { createApp, h } from "vue";
import { plugin as flags, useFlag } from "@unleash/proxy-client-vue";

const Asked = {
  setup() {
    const isOn = useFlag(${script(asked.feature)});
    return () => h("p", isOn.value ? "on" : "off");
  },
};
const config = {
${settings(asked)}
};
createApp(Asked).use(flags, { config }).mount("#app");
`,
  },
  svelte: {
    label: "Svelte",
    token: "frontend",
    install: "npm install @unleash/proxy-client-svelte unleash-proxy-client@3.8.2",
    file: "App.svelte and Asked.svelte",
    run: "",
    code: (asked) => `<!-- App.svelte -->
<script>
  import { FlagProvider } from "@unleash/proxy-client-svelte";
  import Asked from "./Asked.svelte";

  const config = {
${settings(asked, "  ")}
  };
</script>

<FlagProvider {config}><Asked /></FlagProvider>

<!-- Asked.svelte -->
<script>
  import { useFlag } from "@unleash/proxy-client-svelte";

  const isOn = useFlag(${script(asked.feature)});
</script>

<p>{$isOn ? "on" : "off"}</p>
`,
  },
  angular: {
    label: "Angular",
    token: "frontend",
    install: "npm install unleash-proxy-client@3.8.2",
    file: "src/app/flags.ts",
    run: "",
    code: (asked) => `import { Injectable, signal } from "@angular/core";
import { UnleashClient } from "unleash-proxy-client";

@Injectable({ providedIn: "root" })
export class Flags {
  readonly isOn = signal(false);
  private readonly client = new UnleashClient({
${settings(asked, "  ")}
  });

  constructor() {
    const read = () => this.isOn.set(this.client.isEnabled(${script(asked.feature)}));
    this.client.on("ready", read);
    this.client.on("update", read);
    void this.client.start();
  }
}
`,
  },
};
