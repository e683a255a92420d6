import{n as e}from"./rolldown-runtime-WkwZ5CU-.js";import{Bt as t,Lt as n,Rt as r,bt as i,et as a,ft as o,nn as s,nt as c,pt as l,tt as u}from"./vendor-CwHgCwG6.js";import{i as d,n as f}from"./react-BnkVWKrY.js";import{T as p,d as m,j as h,r as g}from"./index-D6rsMqFa.js";import{F as _,T as v,a as y,l as b,u as x,y as S}from"./queries-DlyKUel5.js";import{n as C,r as w}from"./EnvironmentName-gmoRuuvP.js";import{t as T}from"./ActionButton-B3_IBNTz.js";import{t as E}from"./act-yHlvSqle.js";import{t as D}from"./NewSecret-BcRmupp2.js";import{t as O}from"./EnvironmentSwitch-BpU05tDW.js";var k=e(d(),1),A=e=>JSON.stringify(e),j=`FLAGSTONE_TOKEN`,M={node:{label:`Node.js`,token:`client`,install:`npm install unleash-client@6.12.1`,file:`ask.mjs`,run:`node ask.mjs`,code:({url:e,feature:t,program:n})=>`import { startUnleash } from "unleash-client";

const flags = await startUnleash({
  url: ${A(`${e}/api`)},
  appName: ${A(n)},
  customHeaders: { Authorization: process.env.${j} },
});
console.log(flags.isEnabled(${A(t)}, { userId: "7" }) ? "on" : "off");
flags.destroy();
`},python:{label:`Python`,token:`client`,install:`pip install UnleashClient==6.9.1`,file:`ask.py`,run:`python ask.py`,code:({url:e,feature:t,program:n})=>`import os

from UnleashClient import UnleashClient

flags = UnleashClient(
    url=${A(`${e}/api`)},
    app_name=${A(n)},
    custom_headers={"Authorization": os.environ["${j}"]},
)
flags.initialize_client()
print("on" if flags.is_enabled(${A(t)}, {"userId": "7"}) else "off")
flags.destroy()
`},rust:{label:`Rust`,token:`client`,install:`cargo add tokio@1 --features macros,rt,time
cargo add unleash-api-client@0.17 --features reqwest`,file:`src/main.rs`,run:`cargo run`,code:({url:e,feature:t,program:n})=>`use std::{env, error::Error, time::Duration};

use unleash_api_client::client::{Client, ClientBuilder, FeatureKey};

#[derive(Debug, Clone, Copy)]
struct Asked;

impl FeatureKey for Asked {
    fn name(self) -> &'static str {
        ${A(t)}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let token = env::var("${j}")?;
    let flags: Client<Asked> =
        ClientBuilder::default().into_client(${A(`${e}/api`)}, ${A(n)}, "first", Some(token))?;
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
`},browser:{label:`Browser`,token:`frontend`,install:`npm install unleash-proxy-client@3.8.2`,file:`ask.js`,run:``,code:({url:e,feature:t,program:n,token:r})=>`import { UnleashClient } from "unleash-proxy-client";

const flags = new UnleashClient({
  url: ${A(`${e}/api/frontend`)},
  appName: ${A(n)},
  // Anybody who opens the page can read it: that is what frontend tokens are for.
  clientKey: ${A(r)},
});
flags.on("ready", () => console.log(flags.isEnabled(${A(t)}) ? "on" : "off"));
flags.start();
`},curl:{label:`Something else: over HTTP`,token:`frontend`,install:``,file:`ask.sh`,run:`sh ask.sh`,code:({url:e})=>`# Answers the features that are on for this user, and their variants.
curl -sS -H "Authorization: $${j}" ${N(`${e}/api/frontend?userId=7`)}
`}},N=e=>`'${e.replaceAll(`'`,`'\\''`)}'`;function P(e,t){let n=Math.max(0,Math.round((t-Date.parse(e))/1e3));return n<90?`${n} s ago`:`${Math.round(n/60)} minutes ago`}var F={page:`_page_1re02_1`,code:`_code_1re02_17`},I=f();function L({language:e,feature:t,secret:n}){let r=e.code({url:S,feature:t,program:`first-program`,token:n??`…`}),i=`export ${j}=${n?N(n):`'…'`}`;return(0,I.jsxs)(I.Fragment,{children:[e.install&&(0,I.jsx)(R,{label:`Install`,text:e.install}),(0,I.jsxs)(`p`,{children:[`In `,(0,I.jsx)(`span`,{className:`mono`,children:e.file}),`:`]}),(0,I.jsx)(R,{label:`The application`,text:r}),e.run&&(0,I.jsxs)(I.Fragment,{children:[(0,I.jsx)(`p`,{children:n?`Run it with the token:`:`Run it, with a token in place of the dots:`}),(0,I.jsx)(R,{label:`Run`,text:`${i}\n${e.run}`})]})]})}function R({label:e,text:i}){return(0,I.jsxs)(`div`,{className:F.code,children:[(0,I.jsx)(r,{block:!0,tabIndex:0,role:`region`,"aria-label":e,children:i}),(0,I.jsx)(n,{value:i,children:({copied:n,copy:r})=>(0,I.jsx)(t,{size:`compact-xs`,variant:`default`,mt:4,onClick:r,"aria-label":`Copy: ${e}`,children:n?`Copied`:`Copy`})})]})}function z({project:e,environment:t,type:n,made:r,setMade:i}){let[a,o]=(0,k.useState)(`${e}-first-application`),{act:c,busy:u,error:d}=E({inline:!0}),f=v(`post`,`/api/admin/projects/{projectId}/api-tokens`,{params:{path:{projectId:e}},body:{tokenName:a,type:n,environment:t,projects:[e]}});async function p(){let e=await c({request:f});e&&i({name:a,type:n,secret:e.data.secret})}return r?(0,I.jsx)(D,{secret:r.secret,label:`The token ${r.name}`}):(0,I.jsxs)(`form`,{onSubmit:e=>{e.preventDefault(),p()},children:[(0,I.jsxs)(`p`,{children:[n===`client`?`A client token: it reads all strategies, so it belongs on servers.`:`A frontend token: it tells only what is on for one user, so it may be seen.`,` `,`Whoever has one already goes on without.`]}),(0,I.jsxs)(s,{gap:`sm`,align:`end`,children:[(0,I.jsx)(l,{label:`Name of the token`,required:!0,maxLength:255,value:a,onChange:e=>o(e.currentTarget.value)}),(0,I.jsx)(T,{type:`submit`,request:f,loading:u,children:`Create a token`})]}),(0,I.jsx)(m,{error:d}),(0,I.jsx)(h,{requests:[f]})]})}var B=3e3;function V({project:e,environment:t,feature:n,name:r}){let i=x(v(`get`,`/api/admin/projects/{projectId}/api-tokens`,{params:{path:{projectId:e}}}),{refetchInterval:B,staleTime:0}),o=x(v(`get`,`/api/admin/projects/{projectId}/features/{featureName}`,{params:{path:{projectId:e,featureName:n}}})).data?.environments.find(e=>e.name===t),s=(i.data?.tokens??[]).filter(e=>e.environment===t&&(!r||e.tokenName===r)).flatMap(({seenAt:e,tokenName:t})=>e?[{seenAt:e,tokenName:t}]:[]).sort((e,t)=>t.seenAt.localeCompare(e.seenAt))[0];return i.error&&!i.data?(0,I.jsx)(m,{error:i.error,again:()=>void i.refetch()}):(0,I.jsxs)(I.Fragment,{children:[(0,I.jsx)(`p`,{role:`status`,className:`breaks`,children:s?(0,I.jsxs)(I.Fragment,{children:[(0,I.jsxs)(`strong`,{className:`good`,children:[`✓ Your application asked `,P(s.seenAt,_(i.dataUpdatedAt))]}),`, by the token `,(0,I.jsx)(`bdi`,{children:s.tokenName}),`.`]}):(0,I.jsxs)(I.Fragment,{children:[`Waiting for an application that asks`,r?` by the token ${r}`:``,` … Start it, and this page will tell.`]})}),o&&(0,I.jsxs)(`p`,{children:[(0,I.jsx)(a,{to:`/projects/$projectId/features/$featureName`,params:{projectId:e,featureName:n},className:`breaks`,children:(0,I.jsx)(`bdi`,{children:n})}),` `,`is `,o.enabled?`on`:`off`,` in `,t,`. Switch it, and run the application again:`,` `,(0,I.jsx)(O,{projectId:e,featureName:n,environment:o})]})]})}function H(){g(`Connect an application`);let e=c({strict:!1}),t=u(),n=b(),r=y(),[l,d]=(0,k.useState)(),f=p(e.project)??n[0]?.id??``,h=x(v(`get`,`/api/admin/projects/{projectId}/overview`,{params:{path:{projectId:f}}}),{enabled:f!==``}),_=x(v(`get`,`/api/admin/search/features`,{params:{query:{project:`IS:${f}`,limit:`1`,sortBy:`createdAt`}}}),{enabled:f!==``}),S=h.data?.environments.map(({environment:e})=>e)??[],T=r.filter(({name:e})=>S.includes(e)).sort((e,t)=>Number(w(e.type))-Number(w(t.type))),E=T.find(({name:t})=>t===p(e.environment))?.name??T[0]?.name,D=M[p(e.language)??``]?p(e.language):`node`,O=M[D],A=p(e.feature)??_.data?.features[0]?.name,j=e=>{d(void 0),t({to:`.`,search:t=>({...t,...e}),replace:!0})},N=l?.type===O.token?l:void 0;return(0,I.jsxs)(`div`,{className:F.page,children:[(0,I.jsx)(o,{order:1,children:`Connect an application`}),(0,I.jsxs)(`section`,{className:`card`,"aria-label":`Where`,children:[(0,I.jsx)(`h2`,{children:`1. Where is it, and what is it written in?`}),(0,I.jsxs)(s,{gap:`md`,align:`start`,children:[(0,I.jsx)(i,{label:`Project`,searchable:!0,limit:50,allowDeselect:!1,data:n.map(({id:e,name:t})=>({value:e,label:t})),value:f||null,onChange:e=>j({project:e,feature:null})}),(0,I.jsx)(i,{label:`Environment`,allowDeselect:!1,data:T.map(C),value:E??null,onChange:e=>j({environment:e})}),(0,I.jsx)(i,{label:`Language`,allowDeselect:!1,data:Object.entries(M).map(([e,{label:t}])=>({value:e,label:t})),value:D,onChange:e=>j({language:e})})]}),h.error&&(0,I.jsx)(m,{error:h.error,again:()=>void h.refetch()}),_.data&&!A&&(0,I.jsxs)(`p`,{children:[`The project has no flag that an application could ask for.`,` `,(0,I.jsx)(a,{to:`/projects/$projectId/features`,params:{projectId:f},search:{new:`true`},children:`Create one first`}),`.`]}),h.data&&!E&&(0,I.jsxs)(`p`,{children:[`The project uses no environment.`,` `,(0,I.jsx)(a,{to:`/projects/$projectId/$tab`,params:{projectId:f,tab:`environments`},children:`Give it one first`}),`.`]})]}),E&&A&&(0,I.jsxs)(I.Fragment,{children:[(0,I.jsxs)(`section`,{className:`card`,"aria-label":`Token`,children:[(0,I.jsx)(`h2`,{children:`2. A token lets it in`}),(0,I.jsx)(z,{project:f,environment:E,type:O.token,made:N,setMade:d},`${f} ${E} ${O.token}`)]}),(0,I.jsxs)(`section`,{className:`card`,"aria-label":`Application`,children:[(0,I.jsx)(`h2`,{children:`3. The application asks`}),(0,I.jsx)(L,{language:O,feature:A,secret:N?.secret})]}),(0,I.jsxs)(`section`,{className:`card`,"aria-label":`Answer`,children:[(0,I.jsx)(`h2`,{children:`4. And is answered`}),(0,I.jsx)(V,{project:f,environment:E,feature:A,name:N?.name})]})]})]})}export{H as default};