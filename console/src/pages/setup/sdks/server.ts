import { elixir, literal, text, variable, type Sdk } from "./sdk";

/** SDKs that read the whole configuration and evaluate it themselves. */
export const server: Record<string, Sdk> = {
  node: {
    label: "Node.js",
    token: "client",
    install: "npm install unleash-client@6.12.1",
    file: "ask.mjs",
    run: "node ask.mjs",
    code: ({ url, feature, appName }) => `import { startUnleash } from "unleash-client";

const flags = await startUnleash({
  url: ${text(`${url}/api`)},
  appName: ${text(appName)},
  customHeaders: { Authorization: process.env.${variable} },
});
console.log(flags.isEnabled(${text(feature)}, { userId: "7" }) ? "on" : "off");
await flags.destroyWithFlush();
`,
  },
  java: {
    label: "Java, Kotlin",
    token: "client",
    install: `implementation("io.getunleash:unleash-client-java:12.2.3")`,
    into: "build.gradle.kts, under dependencies",
    file: "src/main/java/Ask.java",
    run: "gradle run",
    code: ({ url, feature, appName }) => `import io.getunleash.DefaultUnleash;
import io.getunleash.UnleashContext;
import io.getunleash.util.UnleashConfig;

public class Ask {
  public static void main(String[] args) {
    var flags = new DefaultUnleash(UnleashConfig.builder()
        .unleashAPI(${text(`${url}/api`)})
        .appName(${text(appName)})
        .apiKey(System.getenv("${variable}"))
        .synchronousFetchOnInitialisation(true)
        .build());
    var context = UnleashContext.builder().userId("7").build();
    System.out.println(flags.isEnabled(${text(feature)}, context) ? "on" : "off");
    flags.shutdown();
  }
}
`,
  },
  go: {
    label: "Go",
    token: "client",
    install: "go get github.com/Unleash/unleash-go-sdk/v5",
    file: "main.go",
    run: "go run .",
    code: ({ url, feature, appName }) => `package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/Unleash/unleash-go-sdk/v5"
	"github.com/Unleash/unleash-go-sdk/v5/context"
)

func main() {
	err := unleash.Initialize(
		unleash.WithUrl(${text(`${url}/api`)}),
		unleash.WithAppName(${text(appName)}),
		unleash.WithCustomHeaders(http.Header{"Authorization": {os.Getenv("${variable}")}}),
		unleash.WithListener(&unleash.DebugListener{}),
	)
	if err != nil {
		panic(err)
	}
	defer unleash.Close()
	unleash.WaitForReady()
	user := unleash.WithContext(context.Context{UserId: "7"})
	fmt.Println(${text(feature)}, unleash.IsEnabled(${text(feature)}, user))
}
`,
  },
  python: {
    label: "Python",
    token: "client",
    install: "pip install UnleashClient==6.9.1",
    file: "ask.py",
    run: "python ask.py",
    code: ({ url, feature, appName }) => `import os

from UnleashClient import UnleashClient

flags = UnleashClient(
    url=${text(`${url}/api`)},
    app_name=${text(appName)},
    custom_headers={"Authorization": os.environ["${variable}"]},
)
flags.initialize_client()
print("on" if flags.is_enabled(${text(feature)}, {"userId": "7"}) else "off")
flags.destroy()
`,
  },
  ruby: {
    label: "Ruby",
    token: "client",
    install: "gem install unleash",
    file: "ask.rb",
    run: "ruby ask.rb",
    code: ({ url, feature, appName }) => `require "unleash"

flags = Unleash::Client.new(
  url: ${literal(`${url}/api`)},
  app_name: ${literal(appName)},
  custom_http_headers: { "Authorization" => ENV.fetch("${variable}") }
)
user = Unleash::Context.new(user_id: "7")
puts flags.is_enabled?(${literal(feature)}, user) ? "on" : "off"
flags.shutdown
`,
  },
  dotnet: {
    label: ".NET",
    token: "client",
    install: "dotnet add package Unleash.Client --version 5.3.0",
    file: "Program.cs",
    run: "dotnet run",
    code: ({ url, feature, appName }) => `using Unleash;
using Unleash.ClientFactory;

var settings = new UnleashSettings
{
    UnleashApi = new Uri(${text(`${url}/api/`)}),
    AppName = ${text(appName)},
    CustomHttpHeaders = new Dictionary<string, string>
    {
        ["Authorization"] = Environment.GetEnvironmentVariable("${variable}")!,
    },
};
using var flags = await new UnleashClientFactory().CreateClientAsync(settings, synchronousInitialization: true);
Console.WriteLine(flags.IsEnabled(${text(feature)}, new UnleashContext { UserId = "7" }) ? "on" : "off");
`,
  },
  php: {
    label: "PHP",
    token: "client",
    install: "composer require unleash/client guzzlehttp/guzzle symfony/cache",
    file: "ask.php",
    run: "php ask.php",
    code: ({ url, feature, appName }) => `<?php

require 'vendor/autoload.php';

use Unleash\\Client\\Configuration\\UnleashContext;
use Unleash\\Client\\UnleashBuilder;

$flags = UnleashBuilder::create()
    ->withAppUrl(${literal(`${url}/api`)})
    ->withAppName(${literal(appName)})
    ->withInstanceId(gethostname())
    ->withHeader('Authorization', getenv('${variable}'))
    ->build();
$user = new UnleashContext(currentUserId: '7');
echo $flags->isEnabled(${literal(feature)}, $user) ? "on\\n" : "off\\n";
`,
  },
  rust: {
    label: "Rust",
    token: "client",
    install: `cargo add tokio@1 --features macros,rt,time
cargo add unleash-api-client@0.17 --features reqwest`,
    file: "src/main.rs",
    run: "cargo run",
    code: ({ url, feature, appName }) => `use std::{env, error::Error, time::Duration};

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
        ClientBuilder::default().into_client(${text(`${url}/api`)}, ${text(appName)}, "first", Some(token))?;
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
  elixir: {
    label: "Elixir",
    token: "client",
    install: `{:unleash, "~> 1.12"},
{:req, "~> 0.5"}`,
    into: "mix.exs, under deps",
    file: "ask.exs",
    run: "mix run --no-start ask.exs",
    code: ({ url, feature, appName }) => `Application.put_env(:unleash, Unleash,
  url: ${elixir(`${url}/api`)},
  appname: ${elixir(appName)},
  instance_id: "first",
  custom_http_headers: [authorization: System.fetch_env!("${variable}")]
)

{:ok, _} = Application.ensure_all_started(:unleash)
# The first answer arrives in the background.
Process.sleep(2_000)
IO.puts(if Unleash.enabled?(:${elixir(feature)}, %{user_id: "7"}), do: "on", else: "off")
`,
  },
};
