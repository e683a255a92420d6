import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{Et as t,It as n,J as r,Tt as i,dt as a,wt as o}from"./vendor-kUfPGel-.js";import{i as s,n as c}from"./react-CELlnBRq.js";import{i as l}from"./widgets-BljUaQR8.js";import{Ht as u,L as d,Sn as f,Wn as p,Xt as m,_t as h,kn as g,or as _,qn as v,xt as y}from"./frame-BUii28Zr.js";import{i as b,r as x}from"./parts-VbXzj8ZU.js";import{t as S}from"./NewSecret-DvK7m9wm.js";var C=e(s(),1),w=`FLAGSTONE_TOKEN`,T=e=>`'${e.replaceAll(`'`,`'\\''`)}'`,E=e=>JSON.stringify(e),D=e=>E(e).replaceAll(`</`,`<\\/`),O=e=>JSON.stringify(e).replaceAll(`$`,`\\$`),k=e=>`'${e.replaceAll(`\\`,`\\\\`).replaceAll(`'`,`\\'`)}'`,A=e=>JSON.stringify(e).replaceAll(`#{`,`\\#{`),j={page:`_page_3zkjr_1`,code:`_code_3zkjr_17`,fields:`_fields_3zkjr_26`},M=c();function N({sdk:e,feature:t,appName:n,secret:r}){let i=e.code({url:p,feature:t,appName:n,token:r??`…`}),a=`export ${w}=${r?T(r):`'…'`}`;return(0,M.jsxs)(M.Fragment,{children:[e.into&&(0,M.jsxs)(`p`,{children:[`In `,(0,M.jsx)(`span`,{className:`mono`,children:e.into}),`:`]}),(0,M.jsx)(P,{label:`Install`,text:e.install}),(0,M.jsxs)(`p`,{children:[`In `,(0,M.jsx)(`span`,{className:`mono`,children:e.file}),`:`]}),(0,M.jsx)(P,{label:`The application`,text:i}),!r&&(0,M.jsx)(`p`,{children:`Put the token in place of the dots.`}),e.run&&(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(`p`,{children:`Run it with the token:`}),(0,M.jsx)(P,{label:`Run`,text:`${a}\n${e.run}`})]})]})}function P({label:e,text:n}){return(0,M.jsxs)(`div`,{className:j.code,children:[(0,M.jsx)(i,{block:!0,tabIndex:0,role:`region`,"aria-label":e,children:n}),(0,M.jsx)(o,{value:n,children:({copied:n,copy:r})=>(0,M.jsx)(t,{size:`compact-xs`,variant:`default`,mt:4,onClick:r,"aria-label":`Copy: ${e}`,children:n?`Copied`:`Copy`})})]})}var F=({url:e,appName:t,token:n},r=``)=>[`url: ${D(`${e}/api/frontend`)},`,`appName: ${D(t)},`,`clientKey: ${D(n)},`].map(e=>`${r}  ${e}`).join(`
`),I={browser:{label:`JavaScript`,token:`frontend`,install:`npm install unleash-proxy-client@3.8.2`,file:`ask.js`,run:``,code:e=>`import { UnleashClient } from "unleash-proxy-client";

const flags = new UnleashClient({
${F(e)}
});
flags.on("ready", () => console.log(flags.isEnabled(${D(e.feature)}) ? "on" : "off"));
flags.start();
`},react:{label:`React`,token:`frontend`,install:`npm install @unleash/proxy-client-react@5.1.0 unleash-proxy-client@3.8.2`,file:`main.jsx`,run:``,code:e=>`import { createRoot } from "react-dom/client";
import { FlagProvider, useFlag } from "@unleash/proxy-client-react";

const config = {
${F(e)}
};

function Asked() {
  return <p>{useFlag(${D(e.feature)}) ? "on" : "off"}</p>;
}

createRoot(document.getElementById("root")).render(
  <FlagProvider config={config}>
    <Asked />
  </FlagProvider>,
);
`},next:{label:`Next.js`,token:`frontend`,install:`npm install @unleash/nextjs@1.6.7`,file:`app/asked.tsx`,run:``,code:e=>`"use client";
import { FlagProvider, useFlag } from "@unleash/nextjs/client";

const config = {
${F(e)}
};

function Asked() {
  return <p>{useFlag(${D(e.feature)}) ? "on" : "off"}</p>;
}

export default function AskedInPage() {
  return (
    <FlagProvider config={config}>
      <Asked />
    </FlagProvider>
  );
}
`},vue:{label:`Vue`,token:`frontend`,install:`npm install @unleash/proxy-client-vue@0.1.6 unleash-proxy-client@3.8.2`,file:`main.js`,run:``,code:e=>`import { createApp, h } from "vue";
import { plugin as flags, useFlag } from "@unleash/proxy-client-vue";

const Asked = {
  setup() {
    const isOn = useFlag(${D(e.feature)});
    return () => h("p", isOn.value ? "on" : "off");
  },
};
const config = {
${F(e)}
};
createApp(Asked).use(flags, { config }).mount("#app");
`},svelte:{label:`Svelte`,token:`frontend`,install:`npm install @unleash/proxy-client-svelte unleash-proxy-client@3.8.2`,file:`App.svelte and Asked.svelte`,run:``,code:e=>`<!-- App.svelte -->
<script>
  import { FlagProvider } from "@unleash/proxy-client-svelte";
  import Asked from "./Asked.svelte";

  const config = {
${F(e,`  `)}
  };
<\/script>

<FlagProvider {config}><Asked /></FlagProvider>

<!-- Asked.svelte -->
<script>
  import { useFlag } from "@unleash/proxy-client-svelte";

  const isOn = useFlag(${D(e.feature)});
<\/script>

<p>{$isOn ? "on" : "off"}</p>
`},angular:{label:`Angular`,token:`frontend`,install:`npm install unleash-proxy-client@3.8.2`,file:`src/app/flags.ts`,run:``,code:e=>`import { Injectable, signal } from "@angular/core";
import { UnleashClient } from "unleash-proxy-client";

@Injectable({ providedIn: "root" })
export class Flags {
  readonly isOn = signal(false);
  private readonly client = new UnleashClient({
${F(e,`  `)}
  });

  constructor() {
    const read = () => this.isOn.set(this.client.isEnabled(${D(e.feature)}));
    this.client.on("ready", read);
    this.client.on("update", read);
    void this.client.start();
  }
}
`}},L={android:{label:`Android (Kotlin)`,token:`frontend`,install:`implementation("io.getunleash:unleash-android:3.2.3")`,into:`build.gradle.kts, under dependencies`,file:`Shop.kt`,run:``,code:({url:e,feature:t,appName:n,token:r})=>`import android.app.Application
import android.util.Log
import io.getunleash.android.DefaultUnleash
import io.getunleash.android.UnleashConfig
import io.getunleash.android.events.UnleashReadyListener

class Shop : Application() {
    override fun onCreate() {
        super.onCreate()
        val config = UnleashConfig.newBuilder(appName = ${O(n)})
            .proxyUrl(${O(`${e}/api/frontend`)})
            .clientKey(${O(r)})
            .build()
        val flags = DefaultUnleash(androidContext = this, unleashConfig = config)
        flags.start(
            eventListeners = listOf(
                object : UnleashReadyListener {
                    override fun onReady() {
                        Log.i("flags", if (flags.isEnabled(${O(t)})) "on" else "off")
                    }
                },
            ),
        )
    }
}
`},swift:{label:`iOS (Swift)`,token:`frontend`,install:`.package(url: "https://github.com/Unleash/unleash-ios-sdk.git", from: "2.5.2")`,into:`Package.swift, under dependencies`,file:`Flags.swift`,run:``,code:({url:e,feature:t,appName:n,token:r})=>`import UnleashProxyClientSwift

let flags = UnleashProxyClientSwift.UnleashClient(
    unleashUrl: ${E(`${e}/api/frontend`)},
    clientKey: ${E(r)},
    refreshInterval: 15,
    appName: ${E(n)},
    context: ["userId": "7"]
)
flags.subscribe(name: "ready") {
    print(flags.isEnabled(name: ${E(t)}) ? "on" : "off")
}
flags.start()
`},flutter:{label:`Flutter`,token:`frontend`,install:`flutter pub add unleash_proxy_client_flutter`,file:`lib/main.dart`,run:``,code:({url:e,feature:t,appName:n,token:r})=>`import 'package:flutter/widgets.dart';
import 'package:unleash_proxy_client_flutter/unleash_proxy_client_flutter.dart';

Future<void> main() async {
  WidgetsFlutterBinding.ensureInitialized();
  final flags = UnleashClient(
    url: Uri.parse(${O(`${e}/api/frontend`)}),
    clientKey: ${O(r)},
    appName: ${O(n)},
  );
  await flags.start();
  debugPrint(flags.isEnabled(${O(t)}) ? 'on' : 'off');
}
`},"react-native":{label:`React Native`,token:`frontend`,install:`npm install @unleash/unleash-react-native-sdk unleash-proxy-client@3.8.2`,file:`App.tsx`,run:``,code:e=>`import { Text } from "react-native";
import { FlagProvider, useFlag } from "@unleash/unleash-react-native-sdk";

const config = {
${F(e)}
};

function Asked() {
  return <Text>{useFlag(${E(e.feature)}) ? "on" : "off"}</Text>;
}

export default function App() {
  return (
    <FlagProvider config={config}>
      <Asked />
    </FlagProvider>
  );
}
`}},R={"openfeature-server":{label:`OpenFeature, server`,token:`client`,install:`npm install @openfeature/server-sdk@1.23.0 @openfeature/ofrep-provider@0.1.3`,file:`ask.mjs`,run:`node ask.mjs`,code:({url:e,feature:t,appName:n})=>`import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OpenFeature } from "@openfeature/server-sdk";

await OpenFeature.setProviderAndWait(
  new OFREPProvider({
    baseUrl: ${E(e)},
    headers: { Authorization: process.env.${w} },
  }),
);
const user = { targetingKey: "7", appName: ${E(n)} };
const isOn = await OpenFeature.getClient().getBooleanValue(${E(t)}, false, user);
console.log(isOn ? "on" : "off");
`},"openfeature-web":{label:`OpenFeature, web`,token:`frontend`,install:`npm install @openfeature/web-sdk@1.10.0 @openfeature/ofrep-web-provider@0.4.3`,file:`ask.js`,run:``,code:({url:e,feature:t,appName:n,token:r})=>`import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature } from "@openfeature/web-sdk";

await OpenFeature.setContext({ targetingKey: "7", appName: ${E(n)} });
await OpenFeature.setProviderAndWait(
  new OFREPWebProvider({
    baseUrl: ${E(e)},
    headers: [["Authorization", ${E(r)}]],
  }),
);
console.log(OpenFeature.getClient().getBooleanValue(${E(t)}, false) ? "on" : "off");
`},ofrep:{label:`OFREP over HTTP`,token:`frontend`,install:`command -v curl || sudo apt-get install curl`,file:`ask.sh`,run:`sh ask.sh`,code:({url:e,feature:t,appName:n})=>`curl -sS ${T(`${e}/ofrep/v1/evaluate/flags/${encodeURIComponent(t)}`)} \\
  -H "Authorization: $${w}" -H "Content-Type: application/json" \\
  -d ${T(JSON.stringify({context:{targetingKey:`7`,appName:n}}))}
`}},z={curl:{label:`HTTP, without an SDK`,token:`frontend`,install:`command -v curl || sudo apt-get install curl`,file:`ask.sh`,run:`sh ask.sh`,code:({url:e,appName:t})=>`# Answers the flags that are on for this user, and their variants.
curl -sS -H "Authorization: $${w}" \\
  ${T(`${e}/api/frontend?${new URLSearchParams({userId:`7`,appName:t})}`)}
`}},B={node:{label:`Node.js`,token:`client`,install:`npm install unleash-client@6.12.1`,file:`ask.mjs`,run:`node ask.mjs`,code:({url:e,feature:t,appName:n})=>`import { startUnleash } from "unleash-client";

const flags = await startUnleash({
  url: ${E(`${e}/api`)},
  appName: ${E(n)},
  customHeaders: { Authorization: process.env.${w} },
});
console.log(flags.isEnabled(${E(t)}, { userId: "7" }) ? "on" : "off");
await flags.destroyWithFlush();
`},java:{label:`Java, Kotlin`,token:`client`,install:`implementation("io.getunleash:unleash-client-java:12.2.3")`,into:`build.gradle.kts, under dependencies`,file:`src/main/java/Ask.java`,run:`gradle run`,code:({url:e,feature:t,appName:n})=>`import io.getunleash.DefaultUnleash;
import io.getunleash.UnleashContext;
import io.getunleash.util.UnleashConfig;

public class Ask {
  public static void main(String[] args) {
    var flags = new DefaultUnleash(UnleashConfig.builder()
        .unleashAPI(${E(`${e}/api`)})
        .appName(${E(n)})
        .apiKey(System.getenv("${w}"))
        .synchronousFetchOnInitialisation(true)
        .build());
    var context = UnleashContext.builder().userId("7").build();
    System.out.println(flags.isEnabled(${E(t)}, context) ? "on" : "off");
    flags.shutdown();
  }
}
`},go:{label:`Go`,token:`client`,install:`go get github.com/Unleash/unleash-go-sdk/v5`,file:`main.go`,run:`go run .`,code:({url:e,feature:t,appName:n})=>`package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/Unleash/unleash-go-sdk/v5"
	"github.com/Unleash/unleash-go-sdk/v5/context"
)

func main() {
	err := unleash.Initialize(
		unleash.WithUrl(${E(`${e}/api`)}),
		unleash.WithAppName(${E(n)}),
		unleash.WithCustomHeaders(http.Header{"Authorization": {os.Getenv("${w}")}}),
		unleash.WithListener(&unleash.DebugListener{}),
	)
	if err != nil {
		panic(err)
	}
	defer unleash.Close()
	unleash.WaitForReady()
	user := unleash.WithContext(context.Context{UserId: "7"})
	fmt.Println(${E(t)}, unleash.IsEnabled(${E(t)}, user))
}
`},python:{label:`Python`,token:`client`,install:`pip install UnleashClient==6.9.1`,file:`ask.py`,run:`python ask.py`,code:({url:e,feature:t,appName:n})=>`import os

from UnleashClient import UnleashClient

flags = UnleashClient(
    url=${E(`${e}/api`)},
    app_name=${E(n)},
    custom_headers={"Authorization": os.environ["${w}"]},
)
flags.initialize_client()
print("on" if flags.is_enabled(${E(t)}, {"userId": "7"}) else "off")
flags.destroy()
`},ruby:{label:`Ruby`,token:`client`,install:`gem install unleash`,file:`ask.rb`,run:`ruby ask.rb`,code:({url:e,feature:t,appName:n})=>`require "unleash"

flags = Unleash::Client.new(
  url: ${k(`${e}/api`)},
  app_name: ${k(n)},
  custom_http_headers: { "Authorization" => ENV.fetch("${w}") }
)
user = Unleash::Context.new(user_id: "7")
puts flags.is_enabled?(${k(t)}, user) ? "on" : "off"
flags.shutdown
`},dotnet:{label:`.NET`,token:`client`,install:`dotnet add package Unleash.Client --version 5.3.0`,file:`Program.cs`,run:`dotnet run`,code:({url:e,feature:t,appName:n})=>`using Unleash;
using Unleash.ClientFactory;

var settings = new UnleashSettings
{
    UnleashApi = new Uri(${E(`${e}/api/`)}),
    AppName = ${E(n)},
    CustomHttpHeaders = new Dictionary<string, string>
    {
        ["Authorization"] = Environment.GetEnvironmentVariable("${w}")!,
    },
};
using var flags = await new UnleashClientFactory().CreateClientAsync(settings, synchronousInitialization: true);
Console.WriteLine(flags.IsEnabled(${E(t)}, new UnleashContext { UserId = "7" }) ? "on" : "off");
`},php:{label:`PHP`,token:`client`,install:`composer require unleash/client guzzlehttp/guzzle symfony/cache`,file:`ask.php`,run:`php ask.php`,code:({url:e,feature:t,appName:n})=>`<?php

require 'vendor/autoload.php';

use Unleash\\Client\\Configuration\\UnleashContext;
use Unleash\\Client\\UnleashBuilder;

$flags = UnleashBuilder::create()
    ->withAppUrl(${k(`${e}/api`)})
    ->withAppName(${k(n)})
    ->withInstanceId(gethostname())
    ->withHeader('Authorization', getenv('${w}'))
    ->build();
$user = new UnleashContext(currentUserId: '7');
echo $flags->isEnabled(${k(t)}, $user) ? "on\\n" : "off\\n";
`},rust:{label:`Rust`,token:`client`,install:`cargo add tokio@1 --features macros,rt,time
cargo add unleash-api-client@0.17 --features reqwest`,file:`src/main.rs`,run:`cargo run`,code:({url:e,feature:t,appName:n})=>`use std::{env, error::Error, time::Duration};

use unleash_api_client::client::{Client, ClientBuilder, FeatureKey};

#[derive(Debug, Clone, Copy)]
struct Asked;

impl FeatureKey for Asked {
    fn name(self) -> &'static str {
        ${E(t)}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let token = env::var("${w}")?;
    let flags: Client<Asked> =
        ClientBuilder::default().into_client(${E(`${e}/api`)}, ${E(n)}, "first", Some(token))?;
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
`},elixir:{label:`Elixir`,token:`client`,install:`{:unleash, "~> 1.12"},
{:req, "~> 0.5"}`,into:`mix.exs, under deps`,file:`ask.exs`,run:`mix run --no-start ask.exs`,code:({url:e,feature:t,appName:n})=>`Application.put_env(:unleash, Unleash,
  url: ${A(`${e}/api`)},
  appname: ${A(n)},
  instance_id: "first",
  custom_http_headers: [authorization: System.fetch_env!("${w}")]
)

{:ok, _} = Application.ensure_all_started(:unleash)
# The first answer arrives in the background.
Process.sleep(2_000)
IO.puts(if Unleash.enabled?(:${A(t)}, %{user_id: "7"}), do: "on", else: "off")
`}},V={Server:B,Browser:I,Mobile:L,OpenFeature:R,HTTP:z},H={...B,...I,...L,...R,...z},ee=Object.entries(V).map(([e,t])=>({group:e,items:Object.entries(t).map(([e,{label:t}])=>({value:e,label:t}))})),U={client:[`client`,`backend`],frontend:[`frontend`]},W=(e,t,n)=>[...new Set(e.filter(e=>U[t].includes(e.type)&&e.environment===n).sort((e,t)=>(t.seenAt??``).localeCompare(e.seenAt??``)).map(({tokenName:e})=>e))];function G(e,t,n){return e.filter(e=>e.environment===t&&(!n||e.tokenName===n)).flatMap(({seenAt:e,tokenName:t})=>e?[{seenAt:e,tokenName:t}]:[]).sort((e,t)=>t.seenAt.localeCompare(e.seenAt))[0]}function K(e,t){let n=e.filter(e=>e.environment===t);if(n.length===0)return;let r=e=>n.reduce((t,n)=>t+n[e],0);return{yes:r(`yes`),no:r(`no`),appNames:[...new Set(n.map(({appName:e})=>e))].sort()}}function q({project:e,environment:t,type:r,appName:i,held:o,hold:s}){let[c,f]=(0,C.useState)(),p=c??i,{act:m,busy:_,error:b}=h({inline:!0}),x={path:{projectId:e}},w=W(g(v(`get`,`/api/admin/projects/{projectId}/api-tokens`,{params:x})).data?.tokens??[],r,t),T=v(`post`,`/api/admin/projects/{projectId}/api-tokens`,{params:x,body:{tokenName:p,type:r,environment:t,projects:[e]}});async function E(){let e=await m({request:T});e&&s({name:p,type:r,secret:e.data.secret})}return o?.secret?(0,M.jsx)(S,{secret:o.secret,label:`The token ${o.name}`}):(0,M.jsxs)(`form`,{onSubmit:e=>{e.preventDefault(),E()},children:[(0,M.jsx)(`p`,{children:r===`client`?`A client token: it reads all strategies, so it belongs on servers.`:`A frontend token: it returns only what is on for one user, so it may be seen.`}),(0,M.jsxs)(n,{gap:`sm`,align:`end`,className:j.fields,children:[(0,M.jsx)(a,{label:`Name of the token`,required:!0,maxLength:255,value:p,onChange:e=>f(e.currentTarget.value)}),(0,M.jsx)(y,{type:`submit`,request:T,loading:_,children:`Create a token`}),w.length>0&&(0,M.jsx)(l,{label:`Or use one that exists`,placeholder:`Choose a token`,searchable:!0,clearable:!0,clearButtonProps:{"aria-label":`Use none of them`},limit:50,data:w,value:o?.name??null,onChange:e=>s(e?{name:e,type:r}:void 0)})]}),(0,M.jsx)(d,{error:b}),(0,M.jsx)(u,{requests:[T]})]})}function J(e,t){let n=Math.max(0,Math.round((t-Date.parse(e))/1e3));return n<90?`${n} s ago`:`${Math.round(n/60)} minutes ago`}var Y={refetchInterval:3e3,staleTime:0},X=e=>g(v(`get`,`/api/admin/projects/{projectId}/api-tokens`,{params:{path:{projectId:e}}}),{enabled:e!==``,...Y}),Z=e=>g(v(`get`,`/api/admin/client-metrics/features/{featureName}/raw`,{params:{path:{featureName:e??``},query:{hoursBack:`1`}}}),{enabled:e!==void 0,...Y});function Q({project:e,environment:t,feature:n,token:i}){let a=X(e),o=Z(n),s=g(v(`get`,`/api/admin/projects/{projectId}/features/{featureName}`,{params:{path:{projectId:e,featureName:n}}})).data?.environments.find(e=>e.name===t),c=G(a.data?.tokens??[],t,i),l=K(o.data?.data??[],t);return a.error&&!a.data?(0,M.jsx)(d,{error:a.error,again:()=>void a.refetch()}):(0,M.jsxs)(M.Fragment,{children:[(0,M.jsx)(`p`,{role:`status`,className:`breaks`,children:c?(0,M.jsxs)(M.Fragment,{children:[(0,M.jsxs)(`strong`,{className:`good`,children:[`✓ Your application asked `,J(c.seenAt,_(a.dataUpdatedAt))]}),`, by the token `,(0,M.jsx)(`bdi`,{children:c.tokenName}),`.`]}):(0,M.jsxs)(M.Fragment,{children:[`Waiting for an application that asks`,i?` by the token ${i}`:``,` … Start it, and this page will tell.`]})}),(0,M.jsx)(`p`,{role:`status`,className:`breaks`,children:l?(0,M.jsxs)(M.Fragment,{children:[(0,M.jsxs)(`strong`,{className:`good`,children:[`✓ `,(0,M.jsx)(`bdi`,{children:l.appNames.join(`, `)}),` evaluated `,(0,M.jsx)(`bdi`,{children:n})]}),`: `,l.yes,` times on, `,l.no,` times off in the last hour.`]}):c&&(0,M.jsxs)(M.Fragment,{children:[`Waiting for its first evaluation of `,(0,M.jsx)(`bdi`,{children:n}),` … SDKs report them about once a minute; HTTP and OpenFeature report none.`]})}),s&&(0,M.jsxs)(`p`,{children:[(0,M.jsx)(r,{to:`/projects/$projectId/features/$featureName`,params:{projectId:e,featureName:n},className:`breaks`,children:(0,M.jsx)(`bdi`,{children:n})}),` `,`is `,s.enabled?`on`:`off`,` in `,t,`. Switch it, and run the application again:`,` `,(0,M.jsx)(b,{projectId:e,featureName:n,environment:s})]})]})}function te({project:e,environment:t,feature:n,sdk:r,appName:i,from:a}){let o=H[r],[s,c]=(0,C.useState)(),l=s?.type===o.token?s:void 0;return(0,M.jsxs)(M.Fragment,{children:[(0,M.jsxs)(`section`,{className:`card`,"aria-label":`Token`,children:[(0,M.jsxs)(`h2`,{children:[a,`. A token lets it in`]}),(0,M.jsx)(q,{project:e,environment:t,type:o.token,appName:i,held:l,hold:c},o.token)]}),(0,M.jsxs)(`section`,{className:`card`,"aria-label":`Application`,children:[(0,M.jsxs)(`h2`,{children:[a+1,`. The application asks`]}),(0,M.jsx)(N,{sdk:o,feature:n,appName:i,secret:l?.secret})]}),(0,M.jsxs)(`section`,{className:`card`,"aria-label":`Answer`,children:[(0,M.jsxs)(`h2`,{children:[a+2,`. And is answered`]}),(0,M.jsx)(Q,{project:e,environment:t,feature:n,token:l?.name})]})]})}var $=`node`,ne=e=>e&&Object.hasOwn(H,e)?e:$;function re({sdk:e,appName:t,change:r}){return(0,M.jsxs)(n,{gap:`md`,align:`start`,className:j.fields,children:[(0,M.jsx)(a,{label:`Name of the application`,description:`What it is called in the usage.`,required:!0,maxLength:200,value:t,onChange:e=>r({application:e.currentTarget.value})}),(0,M.jsx)(l,{label:`SDK`,description:`Type to search.`,searchable:!0,allowDeselect:!1,data:ee,value:e,onChange:e=>e&&r({language:e})})]})}function ie(e){let t=f(),n=g(x(e),{enabled:e!==``}),r=n.data?.environments.map(({environment:e})=>e)??[];return{overview:n,environments:t.filter(({name:e})=>r.includes(e)).sort((e,t)=>Number(m(e.type))-Number(m(t.type)))}}var ae=e=>g(v(`get`,`/api/admin/search/features`,{params:{query:{project:`IS:${e}`,limit:`1`,sortBy:`createdAt`,sortOrder:`desc`}}}),{enabled:e!==``}),oe=({project:e})=>(0,M.jsxs)(`p`,{children:[`The project uses no environment.`,` `,(0,M.jsx)(r,{to:`/projects/$projectId/$tab`,params:{projectId:e,tab:`environments`},children:`Give it one first`}),`.`]});export{re as a,X as c,j as d,te as i,K as l,ae as n,ne as o,ie as r,Z as s,oe as t,G as u};