//! Signing out through a provider of SAML beside the one of the settings: at addresses of its own, and of its sessions alone.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flagstone::{
    providers::saml::{identity::NameId, request::LogoutCall, signing::SigningKey},
    sign_in,
};
use poem::http::{Method, header};
use serde_json::{Value, json};
use url::Url;

use super::{
    Company, DONE, SIGN_INS,
    beside::{sign_in as sign_in_at_corp, with_corp_by},
    forge::{ENTITY, OTHER_KEY, PROVIDER, PROVIDER_KEY, Style, sign, sign_as},
    message,
};
use crate::{
    harness::Answer,
    providers::{
        beside::PROVIDERS,
        browser::{Browser, location},
    },
};

const DONE_AT_CORP: &str = "/auth/providers/corp/logout/done";
const EMAIL: &str = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

/// Alice has a session of each of both providers, by the same name and in the same session there.
async fn both(settings: Value) -> (Company, Browser, Browser) {
    let company = with_corp_by(settings, &json!({ "linkByEmail": true })).await;
    let (mut of_settings, mut of_corp) = (company.browser(), company.browser());
    assert_eq!(company.sign_in(&mut of_settings, &[]).await.status, 302);
    sign_in_at_corp(&company, &mut of_corp).await;
    let who = async |browser: &mut Browser| browser.get("/api/admin/user").await.expect(200)["user"]["id"].clone();
    assert_eq!(who(&mut of_settings).await, who(&mut of_corp).await);
    (company, of_settings, of_corp)
}

/// A request to sign Alice out that was made for an address of this server.
fn request(path: &str, id: &str) -> String {
    format!(
        "<samlp:LogoutRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Destination=\"{ENTITY}{path}\" \
         ID=\"{id}\" IssueInstant=\"2026-11-22T12:00:00Z\" Version=\"2.0\"><saml:Issuer \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{PROVIDER}</saml:Issuer><saml:NameID \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" Format=\"{EMAIL}\">alice@example.com</saml:NameID>\
         <samlp:SessionIndex>_session</samlp:SessionIndex></samlp:LogoutRequest>"
    )
}

fn signed(path: &str, id: &str) -> String {
    sign(&request(path, id), "samlp:LogoutRequest")
}

async fn post(browser: &mut Browser, path: &str, xml: &str) -> Answer {
    browser.post_form(path, &[("SAMLRequest", &STANDARD.encode(xml)), ("RelayState", "word")]).await
}

#[tokio::test]
async fn s25_a_provider_ends_the_sessions_that_came_through_it_and_no_others() {
    let (company, mut of_settings, mut of_corp) = both(json!({ "signOutUrl": "https://idp.example/corp/slo" })).await;
    let mut provider = company.browser();
    let asked = signed(DONE_AT_CORP, "_out");
    let answer = post(&mut provider, DONE_AT_CORP, &asked).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let back = Url::parse(answer.headers[header::LOCATION].to_str().expect("a text")).expect("an address");
    assert_eq!((back.host_str(), back.path()), (Some("idp.example"), "/corp/slo"));
    assert!(back.query_pairs().any(|pair| pair == ("RelayState".into(), "word".into())));
    let told = message(&back, "SAMLResponse");
    assert!(told.contains("InResponseTo=\"_out\"") && told.contains("/auth/providers/corp/metadata<"), "{told}");
    assert!(!of_corp.is_signed_in().await && of_settings.is_signed_in().await);
    // It counts once, on every node.
    let node = company.other_node();
    for browser in [&mut company.browser(), &mut Browser::new(&node)] {
        post(browser, DONE_AT_CORP, &asked).await.refused(400, "LogoutRefusedError", "used-logout");
    }
    sign_in::log::write(&node.state).await.expect("writes");
    let log = company.app.admin().get(SIGN_INS).await.expect(200);
    let entries = log["signIns"].as_array().expect("entries").iter();
    let of_corp: Vec<_> =
        entries.filter(|entry| entry["providerId"] == "corp").map(|entry| &entry["outcome"]).collect();
    assert!(of_corp.contains(&&json!("signed-out")) && of_corp.contains(&&json!("sign-out-refused")), "{log}");
    // The same id of a request is another one at the other provider.
    assert_eq!(post(&mut provider, DONE, &signed(DONE, "_out")).await.status, 303);
    assert!(!of_settings.is_signed_in().await);
}

#[tokio::test]
async fn s25_o45_what_is_not_for_this_provider_or_not_signed_by_it_ends_nothing() {
    let (company, mut of_settings, mut of_corp) = both(json!({ "signOutUrl": "https://idp.example/corp/slo" })).await;
    let by_another = Style { key: OTHER_KEY, ..Style::default() };
    let by_another = sign_as(&request(DONE_AT_CORP, "_a"), "samlp:LogoutRequest", &by_another);
    let of_another = request(DONE_AT_CORP, "_b").replace(PROVIDER, "https://other.example/metadata");
    let of_another = sign(&of_another, "samlp:LogoutRequest");
    let changed = signed(DONE_AT_CORP, "_c").replace("alice@", "mallory@");
    let late = request(DONE_AT_CORP, "_d").replace("T12:00:00Z", "T11:00:00Z");
    let late = sign(&late, "samlp:LogoutRequest");
    for (path, xml, reason) in [
        (DONE_AT_CORP, request(DONE_AT_CORP, "_e"), "unsigned-request"),
        (DONE_AT_CORP, by_another, "signature-mismatch"),
        (DONE_AT_CORP, changed, "digest-mismatch"),
        (DONE_AT_CORP, of_another, "wrong-issuer"),
        (DONE_AT_CORP, late, "expired"),
        (DONE_AT_CORP, signed(DONE, "_f"), "wrong-destination"),
        (DONE, signed(DONE_AT_CORP, "_g"), "wrong-destination"),
    ] {
        let refused = post(&mut company.browser(), path, &xml).await;
        refused.refused(400, "LogoutRefusedError", reason);
        assert!(of_corp.is_signed_in().await && of_settings.is_signed_in().await, "{reason}");
    }
    let empty = company.browser().post_form(DONE_AT_CORP, &[("RelayState", "word")]).await;
    empty.refused(400, "ValidationError", "SAMLRequest");
    // Whoever cannot sign in through it is signed out by nobody.
    for id in ["unknown", "staff"] {
        let path = DONE_AT_CORP.replace("corp", id);
        post(&mut company.browser(), &path, &signed(&path, "_h")).await.refused(404, "NotFoundError", id);
        company.browser().get(&format!("{path}?SAMLRequest=x")).await.refused(404, "NotFoundError", id);
        let settings = json!({ "clientId": "c", "secret": "s", "discoverUrl": "https://id.example.com" });
        let other = json!({ "id": "staff", "kind": "oidc", "label": "Staff", "enabled": true, "settings": settings });
        if id == "unknown" {
            company.app.admin().post(PROVIDERS, other).await.expect(201);
        }
    }
}

#[tokio::test]
async fn s25_a_provider_asks_by_redirect_too() {
    let (company, mut of_settings, mut of_corp) = both(json!({ "signOutUrl": "https://idp.example/corp/slo" })).await;
    let name_id = NameId {
        value: "alice@example.com".to_owned(),
        format: Some(EMAIL.to_owned()),
        name_qualifier: None,
        sp_name_qualifier: None,
    };
    let (address, other) = (format!("{ENTITY}{DONE_AT_CORP}"), format!("{ENTITY}{DONE}"));
    let asked = |address: &str, id: &str, key: Option<&str>| {
        let call = LogoutCall {
            id,
            issued: company.app.clock.now().instant(),
            sign_out_url: address,
            entity_id: PROVIDER,
            name_id: &name_id,
            session_index: None,
        };
        let key = key.map(|key| SigningKey::read(key).expect("a key"));
        let url = call.redirect(Some("word"), key.as_ref()).expect("an address");
        url.strip_prefix(address).expect("its own").to_owned()
    };
    for (query, reason) in [
        (asked(&address, "_a", None), "unsigned-request"),
        (asked(&address, "_b", Some(OTHER_KEY)), "signature-mismatch"),
        (asked(&other, "_c", Some(PROVIDER_KEY)), "wrong-destination"),
    ] {
        let refused = company.browser().get(&format!("{DONE_AT_CORP}{query}")).await;
        refused.refused(400, "LogoutRefusedError", reason);
        assert!(of_corp.is_signed_in().await, "{reason}");
    }
    let query = asked(&address, "_d", Some(PROVIDER_KEY));
    // Whoever only looks at the address uses nothing up.
    let looked = company.browser().send(Method::HEAD, &format!("{DONE_AT_CORP}{query}"), &[], Vec::new()).await;
    assert_eq!(looked.status, 405);
    assert!(of_corp.is_signed_in().await);
    let back = location(&company.browser().get(&format!("{DONE_AT_CORP}{query}")).await);
    assert_eq!(back.path(), "/corp/slo");
    assert!(!of_corp.is_signed_in().await && of_settings.is_signed_in().await);
}

#[tokio::test]
async fn signing_out_here_asks_the_provider_that_the_session_came_through() {
    let settings = json!({ "signOutUrl": "https://idp.example/corp/slo", "spCertificate": PROVIDER_KEY });
    let (company, mut of_settings, mut of_corp) = both(settings).await;
    let leave = async |browser: &mut Browser| location(&browser.send(Method::POST, "/logout", &[], Vec::new()).await);
    let address = leave(&mut of_corp).await;
    assert_eq!((address.host_str(), address.path()), (Some("idp.example"), "/corp/slo"));
    let asked = message(&address, "SAMLRequest");
    assert!(asked.contains("alice@example.com") && asked.contains("_session"), "{asked}");
    assert!(asked.contains(">https://flags.example/auth/providers/corp/metadata<"), "{asked}");
    assert!(address.query_pairs().any(|(name, _)| name == "Signature"), "it is signed");
    assert!(!of_corp.is_signed_in().await && of_settings.is_signed_in().await);
    // What the provider answers leads to the start page.
    let answer = "<samlp:LogoutResponse xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" \
        Destination=\"https://flags.example/auth/providers/corp/logout/done\" ID=\"_done\" InResponseTo=\"_asked\" \
        IssueInstant=\"2026-11-22T12:00:00Z\" Version=\"2.0\"><saml:Issuer \
        xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">https://idp.example/metadata</saml:Issuer><samlp:Status>\
        <samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"></samlp:StatusCode></samlp:Status>\
        </samlp:LogoutResponse>";
    let answer = STANDARD.encode(answer);
    let fields = [("SAMLResponse", answer.as_str())];
    let done = company.browser().post_form(DONE_AT_CORP, &fields).await;
    assert_eq!(done.status, 303, "{}", done.text);
    assert_eq!(done.headers[header::LOCATION], "https://flags.example/");
    company.browser().post_form(DONE, &fields).await.refused(400, "LogoutRefusedError", "wrong-destination");
    assert_eq!(leave(&mut of_settings).await.path(), "/slo");
}
