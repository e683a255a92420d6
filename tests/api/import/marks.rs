//! A byte-order mark before what is imported, as editors and shells write it.

use poem::http::Method;
use serde_json::{Value, json};

use super::{IMPORT, VALIDATE, command::Shell, request, shop};

const MARK: &[u8] = b"\xef\xbb\xbf";

fn marked(body: &Value) -> Vec<u8> {
    [MARK, body.to_string().as_bytes()].concat()
}

#[tokio::test]
async fn a_mark_before_a_data_set_is_passed_over_in_small_and_in_large_ones() {
    let app = shop().await;
    let admin = app.admin();
    let headers = [("content-type", "application/json")];
    for (name, length) in [("small", 1), ("large", 90_000)] {
        let feature = json!({ "name": name, "description": "x".repeat(length) });
        let body = marked(&request(json!({ "features": [feature] })));
        let found = admin.request(Method::POST, VALIDATE, &headers, body.clone()).await.expect(200);
        assert_eq!(found["errors"], json!([]), "{name}");
        let compressed = flagstone::gzip::compressed(&body, flagstone::gzip::Effort::fast());
        let coded = [headers[0], ("content-encoding", "gzip")];
        assert_eq!(admin.request(Method::POST, VALIDATE, &coded, compressed).await.expect(200), found);
        admin.request(Method::POST, IMPORT, &headers, body).await.expect(200);
        let stored = admin.get(&format!("/api/admin/projects/shop/features/{name}")).await.expect(200);
        assert_eq!(stored["description"].as_str().map(str::len), Some(length));
    }
}

#[tokio::test]
async fn a_mark_is_passed_over_before_any_body_and_nowhere_else() {
    let app = shop().await;
    let post = async |body: Vec<u8>| {
        let headers = [("content-type", "application/json")];
        app.admin().request(Method::POST, "/api/admin/projects/shop/features", &headers, body).await
    };
    assert_eq!(post(marked(&json!({ "name": "marked" }))).await.expect(201)["name"], "marked");
    for broken in [
        [MARK, MARK, br#"{"name":"twice"}"#].concat(),
        [br#"{"name":"#, MARK, br#""inside"}"#].concat(),
        [b" ".as_slice(), MARK, br#"{"name":"later"}"#].concat(),
        MARK.to_vec(),
    ] {
        post(broken).await.refused(400, "ValidationError", "JSON");
    }
}

#[test]
fn the_command_passes_over_a_mark_too() {
    let shell = Shell::new();
    let file = format!("{}/tests/data/webshop.development.json", env!("CARGO_MANIFEST_DIR"));
    let marked = shell.path("marked.json");
    std::fs::write(&marked, [MARK, &std::fs::read(file).expect("a file")].concat()).expect("writes");
    let arguments = ["import", &marked, "--project", "webshop", "--environment", "qa", "--create-missing"];
    let printed = shell.print(&arguments);
    assert!(printed.contains("imported into webshop (qa): 72 features (72 new)"), "{printed}");
}
