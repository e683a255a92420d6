/** What a program needs to ask for a feature, in a language. */
export interface Language {
  label: string;
  /** The kind of token that is safe where the program runs. */
  token: "client" | "frontend";
  install: string;
  file: string;
  /** Nothing where the token stands in the program, and something else runs it. */
  run: string;
  code: (asked: Asked) => string;
}

export interface Asked {
  /** Of the server. */
  url: string;
  feature: string;
  /** What the program calls itself. */
  program: string;
  token: string;
}

/** Any text as one of JavaScript, Python and Rust, which all read JSON's. */
const text = (value: string) => JSON.stringify(value);

/** The name of the variable that the token is in. */
export const variable = "FLAGSTONE_TOKEN";

export const languages: Record<string, Language> = {
  node: {
    label: "Node.js",
    token: "client",
    install: "npm install unleash-client@6.12.1",
    file: "ask.mjs",
    run: "node ask.mjs",
    code: ({ url, feature, program }) => `import { startUnleash } from "unleash-client";

const flags = await startUnleash({
  url: ${text(`${url}/api`)},
  appName: ${text(program)},
  customHeaders: { Authorization: process.env.${variable} },
});
console.log(flags.isEnabled(${text(feature)}, { userId: "7" }) ? "on" : "off");
flags.destroy();
`,
  },
  python: {
    label: "Python",
    token: "client",
    install: "pip install UnleashClient==6.9.1",
    file: "ask.py",
    run: "python ask.py",
    code: ({ url, feature, program }) => `import os

from UnleashClient import UnleashClient

flags = UnleashClient(
    url=${text(`${url}/api`)},
    app_name=${text(program)},
    custom_headers={"Authorization": os.environ["${variable}"]},
)
flags.initialize_client()
print("on" if flags.is_enabled(${text(feature)}, {"userId": "7"}) else "off")
flags.destroy()
`,
  },
  rust: {
    label: "Rust",
    token: "client",
    install: `cargo add tokio@1 --features macros,rt,time
cargo add unleash-api-client@0.17 --features reqwest`,
    file: "src/main.rs",
    run: "cargo run",
    code: ({ url, feature, program }) => `use std::{env, error::Error, time::Duration};

use unleash_api_client::client::{Client, ClientBuilder, FeatureKey};

#[derive(Debug, Clone, Copy)]
struct Asked;

impl FeatureKey for Asked {
    fn name(self) -> &'static str {
        ${text(feature)}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let token = env::var("${variable}")?;
    let flags: Client<Asked> =
        ClientBuilder::default().into_client(${text(`${url}/api`)}, ${text(program)}, "first", Some(token))?;
    flags.register().await?;
    let asking = async {
        while flags.cached_state().is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        println!("{}", if flags.is_enabled(Asked, None, false) { "on" } else { "off" });
    };
    tokio::select! {
        () = flags.poll_for_updates() => {}
        () = asking => {}
    }
    Ok(())
}
`,
  },
  browser: {
    label: "Browser",
    token: "frontend",
    install: "npm install unleash-proxy-client@3.8.2",
    file: "ask.js",
    run: "",
    code: ({ url, feature, program, token }) => `import { UnleashClient } from "unleash-proxy-client";

const flags = new UnleashClient({
  url: ${text(`${url}/api/frontend`)},
  appName: ${text(program)},
  // Anybody who opens the page can read it: that is what frontend tokens are for.
  clientKey: ${text(token)},
});
flags.on("ready", () => console.log(flags.isEnabled(${text(feature)}) ? "on" : "off"));
flags.start();
`,
  },
  curl: {
    label: "Something else: over HTTP",
    token: "frontend",
    install: "",
    file: "ask.sh",
    run: "sh ask.sh",
    code: ({ url }) => `# Answers the features that are on for this user, and their variants.
curl -sS -H "Authorization: $${variable}" ${quoted(`${url}/api/frontend?userId=7`)}
`,
  },
};

/** One word for a POSIX shell. */
export const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** How long ago, for those who watch: seconds count. */
export function ago(seenAt: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(seenAt)) / 1000));
  return seconds < 90 ? `${seconds} s ago` : `${Math.round(seconds / 60)} minutes ago`;
}
