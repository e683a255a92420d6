import{n as e}from"./rolldown-runtime-WkwZ5CU-.js";import{It as t,J as n,Nt as r,Pt as i,Qt as a,Y as o,_t as s,lt as c,q as l,ut as u}from"./vendor-BXzaYlVu.js";import{i as d,n as f}from"./react-BnkVWKrY.js";import{O as p,S as m,d as h,r as g}from"./index-D19psREq.js";import{C as _,_ as v,c as y,i as b,l as x}from"./queries-CAxA8E5K.js";import{n as S}from"./EnvironmentName-D98KkcLk.js";import{t as C}from"./ActionButton-C6CG7LZs.js";import{t as w}from"./act-nVg15Iw8.js";import{t as T}from"./NewSecret-CRg--o2F.js";import{t as E}from"./EnvironmentSwitch-B9vHWijD.js";var D=e(d(),1),O=e=>JSON.stringify(e),k=`FLAGSTONE_TOKEN`,A={node:{label:`Node.js`,token:`client`,install:`npm install unleash-client@6.12.1`,file:`ask.mjs`,run:`node ask.mjs`,code:({url:e,feature:t,program:n})=>`import { startUnleash } from "unleash-client";

const flags = await startUnleash({
  url: ${O(`${e}/api`)},
  appName: ${O(n)},
  customHeaders: { Authorization: process.env.${k} },
});
console.log(flags.isEnabled(${O(t)}, { userId: "7" }) ? "on" : "off");
flags.destroy();
`},python:{label:`Python`,token:`client`,install:`pip install UnleashClient==6.9.1`,file:`ask.py`,run:`python ask.py`,code:({url:e,feature:t,program:n})=>`import os

from UnleashClient import UnleashClient

flags = UnleashClient(
    url=${O(`${e}/api`)},
    app_name=${O(n)},
    custom_headers={"Authorization": os.environ["${k}"]},
)
flags.initialize_client()
print("on" if flags.is_enabled(${O(t)}, {"userId": "7"}) else "off")
flags.destroy()
`},rust:{label:`Rust`,token:`client`,install:`cargo add tokio@1 --features macros,rt,time
cargo add unleash-api-client@0.17 --features reqwest`,file:`src/main.rs`,run:`cargo run`,code:({url:e,feature:t,program:n})=>`use std::{env, error::Error, time::Duration};

use unleash_api_client::client::{Client, ClientBuilder, FeatureKey};

#[derive(Debug, Clone, Copy)]
struct Asked;

impl FeatureKey for Asked {
    fn name(self) -> &'static str {
        ${O(t)}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let token = env::var("${k}")?;
    let flags: Client<Asked> =
        ClientBuilder::default().into_client(${O(`${e}/api`)}, ${O(n)}, "first", Some(token))?;
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
  url: ${O(`${e}/api/frontend`)},
  appName: ${O(n)},
  // Anybody who opens the page can read it: that is what frontend tokens are for.
  clientKey: ${O(r)},
});
flags.on("ready", () => console.log(flags.isEnabled(${O(t)}) ? "on" : "off"));
flags.start();
`},curl:{label:`Something else: over HTTP`,token:`frontend`,install:``,file:`ask.sh`,run:`sh ask.sh`,code:({url:e})=>`# Answers the features that are on for this user, and their variants.
curl -sS -H "Authorization: $${k}" ${j(`${e}/api/frontend?userId=7`)}
`}},j=e=>`'${e.replaceAll(`'`,`'\\''`)}'`;function M(e,t){let n=Math.max(0,Math.round((t-Date.parse(e))/1e3));return n<90?`${n} s ago`:`${Math.round(n/60)} minutes ago`}var N={page:`_page_1re02_1`,code:`_code_1re02_17`},P=f();function F({language:e,feature:t,secret:n}){let r=e.code({url:v,feature:t,program:`first-program`,token:n??`…`}),i=`export ${k}=${n?j(n):`'…'`}`;return(0,P.jsxs)(P.Fragment,{children:[e.install&&(0,P.jsx)(I,{label:`Install`,text:e.install}),(0,P.jsxs)(`p`,{children:[`In `,(0,P.jsx)(`span`,{className:`mono`,children:e.file}),`:`]}),(0,P.jsx)(I,{label:`The program`,text:r}),e.run&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{children:n?`Run it with the token:`:`Run it, with a token in place of the dots:`}),(0,P.jsx)(I,{label:`Run`,text:`${i}\n${e.run}`})]})]})}function I({label:e,text:n}){return(0,P.jsxs)(`div`,{className:N.code,children:[(0,P.jsx)(i,{block:!0,tabIndex:0,role:`region`,"aria-label":e,children:n}),(0,P.jsx)(r,{value:n,children:({copied:n,copy:r})=>(0,P.jsx)(t,{size:`compact-xs`,variant:`default`,mt:4,onClick:r,"aria-label":`Copy: ${e}`,children:n?`Copied`:`Copy`})})]})}function L({project:e,environment:t,type:n,made:r,setMade:i}){let[o,s]=(0,D.useState)(`${e}-first-program`),{act:c,busy:l,error:d}=w({inline:!0}),f=_(`post`,`/api/admin/projects/{projectId}/api-tokens`,{params:{path:{projectId:e}},body:{tokenName:o,type:n,environment:t,projects:[e]}});async function m(){let e=await c({request:f});e&&i({name:o,type:n,secret:e.data.secret})}return r?(0,P.jsx)(T,{secret:r.secret,label:`The token ${r.name}`}):(0,P.jsxs)(`form`,{onSubmit:e=>{e.preventDefault(),m()},children:[(0,P.jsxs)(`p`,{children:[n===`client`?`A client token: it reads all strategies, so it belongs on servers.`:`A frontend token: it tells only what is on for one user, so it may be seen.`,` `,`Whoever has one already goes on without.`]}),(0,P.jsxs)(a,{gap:`sm`,align:`end`,children:[(0,P.jsx)(u,{label:`Name of the token`,required:!0,maxLength:255,value:o,onChange:e=>s(e.currentTarget.value)}),(0,P.jsx)(C,{type:`submit`,request:f,loading:l,children:`Make a token`})]}),(0,P.jsx)(h,{error:d}),(0,P.jsx)(p,{requests:[f]})]})}var R=3e3;function z({project:e,environment:t,feature:n,name:r}){let i=x(_(`get`,`/api/admin/projects/{projectId}/api-tokens`,{params:{path:{projectId:e}}}),{refetchInterval:R,staleTime:0}),a=x(_(`get`,`/api/admin/projects/{projectId}/features/{featureName}`,{params:{path:{projectId:e,featureName:n}}})).data?.environments.find(e=>e.name===t),o=(i.data?.tokens??[]).filter(e=>e.environment===t&&(!r||e.tokenName===r)).flatMap(({seenAt:e,tokenName:t})=>e?[{seenAt:e,tokenName:t}]:[]).sort((e,t)=>t.seenAt.localeCompare(e.seenAt))[0];return i.error&&!i.data?(0,P.jsx)(h,{error:i.error,again:()=>void i.refetch()}):(0,P.jsxs)(P.Fragment,{children:[(0,P.jsx)(`p`,{role:`status`,className:`breaks`,children:o?(0,P.jsxs)(P.Fragment,{children:[(0,P.jsxs)(`strong`,{className:`good`,children:[`✓ Your program asked `,M(o.seenAt,i.dataUpdatedAt)]}),`, by the token`,` `,(0,P.jsx)(`bdi`,{children:o.tokenName}),`.`]}):(0,P.jsxs)(P.Fragment,{children:[`Waiting for a program that asks`,r?` by the token ${r}`:``,` … Start it, and this page will tell.`]})}),a&&(0,P.jsxs)(`p`,{children:[(0,P.jsx)(l,{to:`/projects/$projectId/features/$featureName`,params:{projectId:e,featureName:n},className:`breaks`,children:(0,P.jsx)(`bdi`,{children:n})}),` `,`is `,a.enabled?`on`:`off`,` in `,t,`. Switch it, and run the program again:`,` `,(0,P.jsx)(E,{projectId:e,featureName:n,environment:a})]})]})}function B(){g(`Connect a program`);let e=o({strict:!1}),t=n(),r=y(),i=b(),[u,d]=(0,D.useState)(),f=m(e.project)??r[0]?.id??``,p=x(_(`get`,`/api/admin/projects/{projectId}/overview`,{params:{path:{projectId:f}}}),{enabled:f!==``}),v=x(_(`get`,`/api/admin/search/features`,{params:{query:{project:`IS:${f}`,limit:`1`,sortBy:`createdAt`}}}),{enabled:f!==``}),C=p.data?.environments.map(({environment:e})=>e)??[],w=i.filter(({name:e})=>C.includes(e)).sort((e,t)=>Number(S(e.type))-Number(S(t.type))),T=w.find(({name:t})=>t===m(e.environment))?.name??w[0]?.name,E=A[m(e.language)??``]?m(e.language):`node`,O=A[E],k=m(e.feature)??v.data?.features[0]?.name,j=e=>{d(void 0),t({to:`.`,search:t=>({...t,...e}),replace:!0})},M=u?.type===O.token?u:void 0;return(0,P.jsxs)(`div`,{className:N.page,children:[(0,P.jsx)(c,{order:1,children:`Connect a program`}),(0,P.jsxs)(`section`,{className:`card`,"aria-label":`Where`,children:[(0,P.jsx)(`h2`,{children:`1. Where is it, and what is it written in?`}),(0,P.jsxs)(a,{gap:`md`,align:`start`,children:[(0,P.jsx)(s,{label:`Project`,searchable:!0,limit:50,allowDeselect:!1,data:r.map(({id:e,name:t})=>({value:e,label:t})),value:f||null,onChange:e=>j({project:e,feature:null})}),(0,P.jsx)(s,{label:`Environment`,allowDeselect:!1,data:w.map(({name:e,type:t})=>({value:e,label:`${S(t)?`▲ `:``}${e}`})),value:T??null,onChange:e=>j({environment:e})}),(0,P.jsx)(s,{label:`Language`,allowDeselect:!1,data:Object.entries(A).map(([e,{label:t}])=>({value:e,label:t})),value:E,onChange:e=>j({language:e})})]}),p.error&&(0,P.jsx)(h,{error:p.error,again:()=>void p.refetch()}),v.data&&!k&&(0,P.jsxs)(`p`,{children:[`The project has no feature that a program could ask for.`,` `,(0,P.jsx)(l,{to:`/projects/$projectId/features`,params:{projectId:f},search:{new:`true`},children:`Make one first`}),`.`]}),p.data&&!T&&(0,P.jsxs)(`p`,{children:[`The project uses no environment.`,` `,(0,P.jsx)(l,{to:`/projects/$projectId/$tab`,params:{projectId:f,tab:`environments`},children:`Give it one first`}),`.`]})]}),T&&k&&(0,P.jsxs)(P.Fragment,{children:[(0,P.jsxs)(`section`,{className:`card`,"aria-label":`Token`,children:[(0,P.jsx)(`h2`,{children:`2. A token lets it in`}),(0,P.jsx)(L,{project:f,environment:T,type:O.token,made:M,setMade:d},`${f} ${T} ${O.token}`)]}),(0,P.jsxs)(`section`,{className:`card`,"aria-label":`Program`,children:[(0,P.jsx)(`h2`,{children:`3. The program asks`}),(0,P.jsx)(F,{language:O,feature:k,secret:M?.secret})]}),(0,P.jsxs)(`section`,{className:`card`,"aria-label":`Answer`,children:[(0,P.jsx)(`h2`,{children:`4. And is answered`}),(0,P.jsx)(z,{project:f,environment:T,feature:k,name:M?.name})]})]})]})}export{B as default};