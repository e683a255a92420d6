import{r as e}from"./rolldown-runtime-XKyaHtl9.js";import{Ht as t,Vt as n,Wt as r,at as i,on as a,vt as o,wt as s}from"./vendor-DhRhes1I.js";import{i as c,n as l}from"./react-CELlnBRq.js";import{n as u}from"./clock-Vx2yLmHE.js";import{E as d,N as f,m as p,v as m,y as h}from"./people-BkPNyfyp.js";import{r as g}from"./EnvironmentName-D8_TfaoS.js";import{W as _,g as v}from"./index-B8XPgxB7.js";import{t as y}from"./ActionButton-CIvjUr8q.js";import{t as b}from"./act-DTA0pEdD.js";import{t as x}from"./EnvironmentSwitch-Dohk3Di8.js";import{t as S}from"./overview-DafgbHBs.js";import{t as C}from"./NewSecret-CFBpkkSB.js";var w=e(c(),1),T=`FLAGSTONE_TOKEN`,E=e=>`'${e.replaceAll(`'`,`'\\''`)}'`,D=e=>JSON.stringify(e),O=e=>D(e).replaceAll(`</`,`<\\/`),k=e=>JSON.stringify(e).replaceAll(`$`,`\\$`),A=e=>`'${e.replaceAll(`\\`,`\\\\`).replaceAll(`'`,`\\'`)}'`,j=e=>JSON.stringify(e).replaceAll(`#{`,`\\#{`),M={page:`_page_127h3_1`,code:`_code_127h3_17`,fields:`_fields_127h3_26`},N=l();function P({sdk:e,feature:t,appName:n,secret:r}){let i=e.code({url:d,feature:t,appName:n,token:r??`…`}),a=`export ${T}=${r?E(r):`'…'`}`;return(0,N.jsxs)(N.Fragment,{children:[e.into&&(0,N.jsxs)(`p`,{children:[`In `,(0,N.jsx)(`span`,{className:`mono`,children:e.into}),`:`]}),(0,N.jsx)(F,{label:`Install`,text:e.install}),(0,N.jsxs)(`p`,{children:[`In `,(0,N.jsx)(`span`,{className:`mono`,children:e.file}),`:`]}),(0,N.jsx)(F,{label:`The application`,text:i}),!r&&(0,N.jsx)(`p`,{children:`Put the token in place of the dots.`}),e.run&&(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(`p`,{children:`Run it with the token:`}),(0,N.jsx)(F,{label:`Run`,text:`${a}\n${e.run}`})]})]})}function F({label:e,text:i}){return(0,N.jsxs)(`div`,{className:M.code,children:[(0,N.jsx)(t,{block:!0,tabIndex:0,role:`region`,"aria-label":e,children:i}),(0,N.jsx)(n,{value:i,children:({copied:t,copy:n})=>(0,N.jsx)(r,{size:`compact-xs`,variant:`default`,mt:4,onClick:n,"aria-label":`Copy: ${e}`,children:t?`Copied`:`Copy`})})]})}var I=({url:e,appName:t,token:n},r=``)=>[`url: ${O(`${e}/api/frontend`)},`,`appName: ${O(t)},`,`clientKey: ${O(n)},`].map(e=>`${r}  ${e}`).join(`
`),L={browser:{label:`JavaScript`,token:`frontend`,install:`npm install unleash-proxy-client@3.8.2`,file:`ask.js`,run:``,code:e=>`import { UnleashClient } from "unleash-proxy-client";

const flags = new UnleashClient({
${I(e)}
});
flags.on("ready", () => console.log(flags.isEnabled(${O(e.feature)}) ? "on" : "off"));
flags.start();
`},react:{label:`React`,token:`frontend`,install:`npm install @unleash/proxy-client-react@5.1.0 unleash-proxy-client@3.8.2`,file:`main.jsx`,run:``,code:e=>`import { createRoot } from "react-dom/client";
import { FlagProvider, useFlag } from "@unleash/proxy-client-react";

const config = {
${I(e)}
};

function Asked() {
  return <p>{useFlag(${O(e.feature)}) ? "on" : "off"}</p>;
}

createRoot(document.getElementById("root")).render(
  <FlagProvider config={config}>
    <Asked />
  </FlagProvider>,
);
`},next:{label:`Next.js`,token:`frontend`,install:`npm install @unleash/nextjs@1.6.7`,file:`app/asked.tsx`,run:``,code:e=>`"use client";
import { FlagProvider, useFlag } from "@unleash/nextjs/client";

const config = {
${I(e)}
};

function Asked() {
  return <p>{useFlag(${O(e.feature)}) ? "on" : "off"}</p>;
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
    const isOn = useFlag(${O(e.feature)});
    return () => h("p", isOn.value ? "on" : "off");
  },
};
const config = {
${I(e)}
};
createApp(Asked).use(flags, { config }).mount("#app");
`},svelte:{label:`Svelte`,token:`frontend`,install:`npm install @unleash/proxy-client-svelte unleash-proxy-client@3.8.2`,file:`App.svelte and Asked.svelte`,run:``,code:e=>`<!-- App.svelte -->
<script>
  import { FlagProvider } from "@unleash/proxy-client-svelte";
  import Asked from "./Asked.svelte";

  const config = {
${I(e,`  `)}
  };
<\/script>

<FlagProvider {config}><Asked /></FlagProvider>

<!-- Asked.svelte -->
<script>
  import { useFlag } from "@unleash/proxy-client-svelte";

  const isOn = useFlag(${O(e.feature)});
<\/script>

<p>{$isOn ? "on" : "off"}</p>
`},angular:{label:`Angular`,token:`frontend`,install:`npm install unleash-proxy-client@3.8.2`,file:`src/app/flags.ts`,run:``,code:e=>`import { Injectable, signal } from "@angular/core";
import { UnleashClient } from "unleash-proxy-client";

@Injectable({ providedIn: "root" })
export class Flags {
  readonly isOn = signal(false);
  private readonly client = new UnleashClient({
${I(e,`  `)}
  });

  constructor() {
    const read = () => this.isOn.set(this.client.isEnabled(${O(e.feature)}));
    this.client.on("ready", read);
    this.client.on("update", read);
    void this.client.start();
  }
}
`}},R={android:{label:`Android (Kotlin)`,token:`frontend`,install:`implementation("io.getunleash:unleash-android:3.2.3")`,into:`build.gradle.kts, under dependencies`,file:`Shop.kt`,run:``,code:({url:e,feature:t,appName:n,token:r})=>`import android.app.Application
import android.util.Log
import io.getunleash.android.DefaultUnleash
import io.getunleash.android.UnleashConfig
import io.getunleash.android.events.UnleashReadyListener

class Shop : Application() {
    override fun onCreate() {
        super.onCreate()
        val config = UnleashConfig.newBuilder(appName = ${k(n)})
            .proxyUrl(${k(`${e}/api/frontend`)})
            .clientKey(${k(r)})
            .build()
        val flags = DefaultUnleash(androidContext = this, unleashConfig = config)
        flags.start(
            eventListeners = listOf(
                object : UnleashReadyListener {
                    override fun onReady() {
                        Log.i("flags", if (flags.isEnabled(${k(t)})) "on" else "off")
                    }
                },
            ),
        )
    }
}
`},swift:{label:`iOS (Swift)`,token:`frontend`,install:`.package(url: "https://github.com/Unleash/unleash-ios-sdk.git", from: "2.5.2")`,into:`Package.swift, under dependencies`,file:`Flags.swift`,run:``,code:({url:e,feature:t,appName:n,token:r})=>`import UnleashProxyClientSwift

let flags = UnleashProxyClientSwift.UnleashClient(
    unleashUrl: ${D(`${e}/api/frontend`)},
    clientKey: ${D(r)},
    refreshInterval: 15,
    appName: ${D(n)},
    context: ["userId": "7"]
)
flags.subscribe(name: "ready") {
    print(flags.isEnabled(name: ${D(t)}) ? "on" : "off")
}
flags.start()
`},flutter:{label:`Flutter`,token:`frontend`,install:`flutter pub add unleash_proxy_client_flutter`,file:`lib/main.dart`,run:``,code:({url:e,feature:t,appName:n,token:r})=>`import 'package:flutter/widgets.dart';
import 'package:unleash_proxy_client_flutter/unleash_proxy_client_flutter.dart';

Future<void> main() async {
  WidgetsFlutterBinding.ensureInitialized();
  final flags = UnleashClient(
    url: Uri.parse(${k(`${e}/api/frontend`)}),
    clientKey: ${k(r)},
    appName: ${k(n)},
  );
  await flags.start();
  debugPrint(flags.isEnabled(${k(t)}) ? 'on' : 'off');
}
`},"react-native":{label:`React Native`,token:`frontend`,install:`npm install @unleash/unleash-react-native-sdk unleash-proxy-client@3.8.2`,file:`App.tsx`,run:``,code:e=>`import { Text } from "react-native";
import { FlagProvider, useFlag } from "@unleash/unleash-react-native-sdk";

const config = {
${I(e)}
};

function Asked() {
  return <Text>{useFlag(${D(e.feature)}) ? "on" : "off"}</Text>;
}

export default function App() {
  return (
    <FlagProvider config={config}>
      <Asked />
    </FlagProvider>
  );
}
`}},z={"openfeature-server":{label:`OpenFeature, server`,token:`client`,install:`npm install @openfeature/server-sdk@1.23.0 @openfeature/ofrep-provider@0.1.3`,file:`ask.mjs`,run:`node ask.mjs`,code:({url:e,feature:t,appName:n})=>`import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OpenFeature } from "@openfeature/server-sdk";

await OpenFeature.setProviderAndWait(
  new OFREPProvider({
    baseUrl: ${D(e)},
    headers: { Authorization: process.env.${T} },
  }),
);
const user = { targetingKey: "7", appName: ${D(n)} };
const isOn = await OpenFeature.getClient().getBooleanValue(${D(t)}, false, user);
console.log(isOn ? "on" : "off");
`},"openfeature-web":{label:`OpenFeature, web`,token:`frontend`,install:`npm install @openfeature/web-sdk@1.10.0 @openfeature/ofrep-web-provider@0.4.3`,file:`ask.js`,run:``,code:({url:e,feature:t,appName:n,token:r})=>`import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature } from "@openfeature/web-sdk";

await OpenFeature.setContext({ targetingKey: "7", appName: ${D(n)} });
await OpenFeature.setProviderAndWait(
  new OFREPWebProvider({
    baseUrl: ${D(e)},
    headers: [["Authorization", ${D(r)}]],
  }),
);
console.log(OpenFeature.getClient().getBooleanValue(${D(t)}, false) ? "on" : "off");
`},ofrep:{label:`OFREP over HTTP`,token:`frontend`,install:`command -v curl || sudo apt-get install curl`,file:`ask.sh`,run:`sh ask.sh`,code:({url:e,feature:t,appName:n})=>`curl -sS ${E(`${e}/ofrep/v1/evaluate/flags/${encodeURIComponent(t)}`)} \\
  -H "Authorization: $${T}" -H "Content-Type: application/json" \\
  -d ${E(JSON.stringify({context:{targetingKey:`7`,appName:n}}))}
`}},B={curl:{label:`HTTP, without an SDK`,token:`frontend`,install:`command -v curl || sudo apt-get install curl`,file:`ask.sh`,run:`sh ask.sh`,code:({url:e,appName:t})=>`# Answers the flags that are on for this user, and their variants.
curl -sS -H "Authorization: $${T}" \\
  ${E(`${e}/api/frontend?${new URLSearchParams({userId:`7`,appName:t})}`)}
`}},V={node:{label:`Node.js`,token:`client`,install:`npm install unleash-client@6.12.1`,file:`ask.mjs`,run:`node ask.mjs`,code:({url:e,feature:t,appName:n})=>`import { startUnleash } from "unleash-client";

const flags = await startUnleash({
  url: ${D(`${e}/api`)},
  appName: ${D(n)},
  customHeaders: { Authorization: process.env.${T} },
});
console.log(flags.isEnabled(${D(t)}, { userId: "7" }) ? "on" : "off");
await flags.destroyWithFlush();
`},java:{label:`Java, Kotlin`,token:`client`,install:`implementation("io.getunleash:unleash-client-java:12.2.3")`,into:`build.gradle.kts, under dependencies`,file:`src/main/java/Ask.java`,run:`gradle run`,code:({url:e,feature:t,appName:n})=>`import io.getunleash.DefaultUnleash;
import io.getunleash.UnleashContext;
import io.getunleash.util.UnleashConfig;

public class Ask {
  public static void main(String[] args) {
    var flags = new DefaultUnleash(UnleashConfig.builder()
        .unleashAPI(${D(`${e}/api`)})
        .appName(${D(n)})
        .apiKey(System.getenv("${T}"))
        .synchronousFetchOnInitialisation(true)
        .build());
    var context = UnleashContext.builder().userId("7").build();
    System.out.println(flags.isEnabled(${D(t)}, context) ? "on" : "off");
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
		unleash.WithUrl(${D(`${e}/api`)}),
		unleash.WithAppName(${D(n)}),
		unleash.WithCustomHeaders(http.Header{"Authorization": {os.Getenv("${T}")}}),
		unleash.WithListener(&unleash.DebugListener{}),
	)
	if err != nil {
		panic(err)
	}
	defer unleash.Close()
	unleash.WaitForReady()
	user := unleash.WithContext(context.Context{UserId: "7"})
	fmt.Println(${D(t)}, unleash.IsEnabled(${D(t)}, user))
}
`},python:{label:`Python`,token:`client`,install:`pip install UnleashClient==6.9.1`,file:`ask.py`,run:`python ask.py`,code:({url:e,feature:t,appName:n})=>`import os

from UnleashClient import UnleashClient

flags = UnleashClient(
    url=${D(`${e}/api`)},
    app_name=${D(n)},
    custom_headers={"Authorization": os.environ["${T}"]},
)
flags.initialize_client()
print("on" if flags.is_enabled(${D(t)}, {"userId": "7"}) else "off")
flags.destroy()
`},ruby:{label:`Ruby`,token:`client`,install:`gem install unleash`,file:`ask.rb`,run:`ruby ask.rb`,code:({url:e,feature:t,appName:n})=>`require "unleash"

flags = Unleash::Client.new(
  url: ${A(`${e}/api`)},
  app_name: ${A(n)},
  custom_http_headers: { "Authorization" => ENV.fetch("${T}") }
)
user = Unleash::Context.new(user_id: "7")
puts flags.is_enabled?(${A(t)}, user) ? "on" : "off"
flags.shutdown
`},dotnet:{label:`.NET`,token:`client`,install:`dotnet add package Unleash.Client --version 5.3.0`,file:`Program.cs`,run:`dotnet run`,code:({url:e,feature:t,appName:n})=>`using Unleash;
using Unleash.ClientFactory;

var settings = new UnleashSettings
{
    UnleashApi = new Uri(${D(`${e}/api/`)}),
    AppName = ${D(n)},
    CustomHttpHeaders = new Dictionary<string, string>
    {
        ["Authorization"] = Environment.GetEnvironmentVariable("${T}")!,
    },
};
using var flags = await new UnleashClientFactory().CreateClientAsync(settings, synchronousInitialization: true);
Console.WriteLine(flags.IsEnabled(${D(t)}, new UnleashContext { UserId = "7" }) ? "on" : "off");
`},php:{label:`PHP`,token:`client`,install:`composer require unleash/client guzzlehttp/guzzle symfony/cache`,file:`ask.php`,run:`php ask.php`,code:({url:e,feature:t,appName:n})=>`<?php

require 'vendor/autoload.php';

use Unleash\\Client\\Configuration\\UnleashContext;
use Unleash\\Client\\UnleashBuilder;

$flags = UnleashBuilder::create()
    ->withAppUrl(${A(`${e}/api`)})
    ->withAppName(${A(n)})
    ->withInstanceId(gethostname())
    ->withHeader('Authorization', getenv('${T}'))
    ->build();
$user = new UnleashContext(currentUserId: '7');
echo $flags->isEnabled(${A(t)}, $user) ? "on\\n" : "off\\n";
`},rust:{label:`Rust`,token:`client`,install:`cargo add tokio@1 --features macros,rt,time
cargo add unleash-api-client@0.17 --features reqwest`,file:`src/main.rs`,run:`cargo run`,code:({url:e,feature:t,appName:n})=>`use std::{env, error::Error, time::Duration};

use unleash_api_client::client::{Client, ClientBuilder, FeatureKey};

#[derive(Debug, Clone, Copy)]
struct Asked;

impl FeatureKey for Asked {
    fn name(self) -> &'static str {
        ${D(t)}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let token = env::var("${T}")?;
    let flags: Client<Asked> =
        ClientBuilder::default().into_client(${D(`${e}/api`)}, ${D(n)}, "first", Some(token))?;
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
  url: ${j(`${e}/api`)},
  appname: ${j(n)},
  instance_id: "first",
  custom_http_headers: [authorization: System.fetch_env!("${T}")]
)

{:ok, _} = Application.ensure_all_started(:unleash)
# The first answer arrives in the background.
Process.sleep(2_000)
IO.puts(if Unleash.enabled?(:${j(t)}, %{user_id: "7"}), do: "on", else: "off")
`}},H={Server:V,Browser:L,Mobile:R,OpenFeature:z,HTTP:B},U={...V,...L,...R,...z,...B},W=Object.entries(H).map(([e,t])=>({group:e,items:Object.entries(t).map(([e,{label:t}])=>({value:e,label:t}))})),G={client:[`client`,`backend`],frontend:[`frontend`]},K=(e,t,n)=>[...new Set(e.filter(e=>G[t].includes(e.type)&&e.environment===n).sort((e,t)=>(t.seenAt??``).localeCompare(e.seenAt??``)).map(({tokenName:e})=>e))];function q(e,t,n){return e.filter(e=>e.environment===t&&(!n||e.tokenName===n)).flatMap(({seenAt:e,tokenName:t})=>e?[{seenAt:e,tokenName:t}]:[]).sort((e,t)=>t.seenAt.localeCompare(e.seenAt))[0]}function J(e,t){let n=e.filter(e=>e.environment===t);if(n.length===0)return;let r=e=>n.reduce((t,n)=>t+n[e],0);return{yes:r(`yes`),no:r(`no`),appNames:[...new Set(n.map(({appName:e})=>e))].sort()}}function Y({project:e,environment:t,type:n,appName:r,held:i,hold:c}){let[l,u]=(0,w.useState)(),d=l??r,{act:p,busy:m,error:g}=b({inline:!0}),x={path:{projectId:e}},S=K(h(f(`get`,`/api/admin/projects/{projectId}/api-tokens`,{params:x})).data?.tokens??[],n,t),T=f(`post`,`/api/admin/projects/{projectId}/api-tokens`,{params:x,body:{tokenName:d,type:n,environment:t,projects:[e]}});async function E(){let e=await p({request:T});e&&c({name:d,type:n,secret:e.data.secret})}return i?.secret?(0,N.jsx)(C,{secret:i.secret,label:`The token ${i.name}`}):(0,N.jsxs)(`form`,{onSubmit:e=>{e.preventDefault(),E()},children:[(0,N.jsx)(`p`,{children:n===`client`?`A client token: it reads all strategies, so it belongs on servers.`:`A frontend token: it returns only what is on for one user, so it may be seen.`}),(0,N.jsxs)(a,{gap:`sm`,align:`end`,children:[(0,N.jsx)(o,{label:`Name of the token`,required:!0,maxLength:255,value:d,onChange:e=>u(e.currentTarget.value)}),(0,N.jsx)(y,{type:`submit`,request:T,loading:m,children:`Create a token`}),S.length>0&&(0,N.jsx)(s,{label:`Or use one that exists`,placeholder:`Choose a token`,searchable:!0,clearable:!0,clearButtonProps:{"aria-label":`Use none of them`},limit:50,data:S,value:i?.name??null,onChange:e=>c(e?{name:e,type:n}:void 0)})]}),(0,N.jsx)(v,{error:g}),(0,N.jsx)(_,{requests:[T]})]})}function X(e,t){let n=Math.max(0,Math.round((t-Date.parse(e))/1e3));return n<90?`${n} s ago`:`${Math.round(n/60)} minutes ago`}var Z={refetchInterval:3e3,staleTime:0},Q=e=>h(f(`get`,`/api/admin/projects/{projectId}/api-tokens`,{params:{path:{projectId:e}}}),{enabled:e!==``,...Z}),$=e=>h(f(`get`,`/api/admin/client-metrics/features/{featureName}/raw`,{params:{path:{featureName:e??``},query:{hoursBack:`1`}}}),{enabled:e!==void 0,...Z});function ee({project:e,environment:t,feature:n,token:r}){let a=Q(e),o=$(n),s=h(f(`get`,`/api/admin/projects/{projectId}/features/{featureName}`,{params:{path:{projectId:e,featureName:n}}})).data?.environments.find(e=>e.name===t),c=q(a.data?.tokens??[],t,r),l=J(o.data?.data??[],t);return a.error&&!a.data?(0,N.jsx)(v,{error:a.error,again:()=>void a.refetch()}):(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(`p`,{role:`status`,className:`breaks`,children:c?(0,N.jsxs)(N.Fragment,{children:[(0,N.jsxs)(`strong`,{className:`good`,children:[`✓ Your application asked `,X(c.seenAt,u(a.dataUpdatedAt))]}),`, by the token `,(0,N.jsx)(`bdi`,{children:c.tokenName}),`.`]}):(0,N.jsxs)(N.Fragment,{children:[`Waiting for an application that asks`,r?` by the token ${r}`:``,` … Start it, and this page will tell.`]})}),(0,N.jsx)(`p`,{role:`status`,className:`breaks`,children:l?(0,N.jsxs)(N.Fragment,{children:[(0,N.jsxs)(`strong`,{className:`good`,children:[`✓ `,(0,N.jsx)(`bdi`,{children:l.appNames.join(`, `)}),` evaluated `,(0,N.jsx)(`bdi`,{children:n})]}),`: `,l.yes,` times on, `,l.no,` times off in the last hour.`]}):c&&(0,N.jsxs)(N.Fragment,{children:[`Waiting for its first evaluation of `,(0,N.jsx)(`bdi`,{children:n}),` … SDKs report them about once a minute; HTTP and OpenFeature report none.`]})}),s&&(0,N.jsxs)(`p`,{children:[(0,N.jsx)(i,{to:`/projects/$projectId/features/$featureName`,params:{projectId:e,featureName:n},className:`breaks`,children:(0,N.jsx)(`bdi`,{children:n})}),` `,`is `,s.enabled?`on`:`off`,` in `,t,`. Switch it, and run the application again:`,` `,(0,N.jsx)(x,{projectId:e,featureName:n,environment:s})]})]})}function te({project:e,environment:t,feature:n,sdk:r,appName:i,from:a}){let o=U[r],[s,c]=(0,w.useState)(),l=s?.type===o.token?s:void 0;return(0,N.jsxs)(N.Fragment,{children:[(0,N.jsxs)(`section`,{className:`card`,"aria-label":`Token`,children:[(0,N.jsxs)(`h2`,{children:[a,`. A token lets it in`]}),(0,N.jsx)(Y,{project:e,environment:t,type:o.token,appName:i,held:l,hold:c},o.token)]}),(0,N.jsxs)(`section`,{className:`card`,"aria-label":`Application`,children:[(0,N.jsxs)(`h2`,{children:[a+1,`. The application asks`]}),(0,N.jsx)(P,{sdk:o,feature:n,appName:i,secret:l?.secret})]}),(0,N.jsxs)(`section`,{className:`card`,"aria-label":`Answer`,children:[(0,N.jsxs)(`h2`,{children:[a+2,`. And is answered`]}),(0,N.jsx)(ee,{project:e,environment:t,feature:n,token:l?.name})]})]})}var ne=`node`,re=e=>e&&Object.hasOwn(U,e)?e:ne;function ie({sdk:e,appName:t,change:n}){return(0,N.jsxs)(a,{gap:`md`,align:`start`,className:M.fields,children:[(0,N.jsx)(o,{label:`Name of the application`,description:`What it is called in the usage.`,required:!0,maxLength:200,value:t,onChange:e=>n({application:e.currentTarget.value})}),(0,N.jsx)(s,{label:`SDK`,description:`Type to search.`,searchable:!0,allowDeselect:!1,data:W,value:e,onChange:e=>e&&n({language:e})})]})}function ae(e){let t=p(),n=h(S(e),{enabled:e!==``}),r=n.data?.environments.map(({environment:e})=>e)??[];return{overview:n,environments:t.filter(({name:e})=>r.includes(e)).sort((e,t)=>Number(g(e.type))-Number(g(t.type)))}}var oe=e=>h(f(`get`,`/api/admin/search/features`,{params:{query:{project:`IS:${e}`,limit:`1`,sortBy:`createdAt`,sortOrder:`desc`}}}),{enabled:e!==``});function se({project:e,onChange:t}){let n=m();return(0,N.jsx)(s,{label:`Project`,searchable:!0,limit:50,allowDeselect:!1,data:n.map(({id:e,name:t})=>({value:e,label:t})),value:e||null,onChange:e=>e&&t(e)})}var ce=({project:e})=>(0,N.jsxs)(`p`,{children:[`The project uses no environment.`,` `,(0,N.jsx)(i,{to:`/projects/$projectId/$tab`,params:{projectId:e,tab:`environments`},children:`Give it one first`}),`.`]});export{te as a,$ as c,q as d,M as f,ae as i,Q as l,se as n,ie as o,oe as r,re as s,ce as t,J as u};