//! Secrets of integrations, which are readable nowhere.

use flagstone::{
    domain::secret::random_part,
    store::{self, entity::integration},
    vault::Vault,
};
use sea_orm::EntityTrait;
use serde_json::json;

use super::{ADDONS, FIRST, deliver, make, told, webhook};
use crate::providers::server::Reply;

#[tokio::test]
async fn secrets_are_sealed_in_the_row_to_which_they_belong() {
    let (app, server) = told(|_| Reply::with_headers(200, "", b"")).await;
    let secret = random_part();
    let mut body = webhook(&server.url(&format!("/{secret}")));
    body["parameters"]["authorization"] = json!(secret);
    app.admin().post(ADDONS, body).await.expect(201);
    let rows = integration::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert!(row.sealed.starts_with("v1:") && !row.sealed.contains(&secret));
        let place = |id: i64| format!("integration {id}");
        assert!(app.state.vault.open(&place(row.id), &row.sealed).is_ok());
        assert!(app.state.vault.open(&place(3 - row.id), &row.sealed).is_err(), "no other row's");
    }
    make(&app, "till").await;
    deliver(&app).await;
    assert_eq!(server.seen(&format!("/{secret}"))[0].headers["authorization"], secret);
    for path in [ADDONS, "/api/admin/addons/2", "/api/admin/addons/2/events"] {
        let answer = app.admin().get(path).await;
        assert!(answer.status == 200 && !answer.text.contains(&secret), "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn they_go_on_under_another_key_and_go_when_the_key_is_lost() {
    let (app, server) = told(|_| Reply::with_headers(200, "", b"")).await;
    let both = Vault::with_keys(&[8; 32], &[7; 32]);
    let tx = app.tx().await;
    let resealed = store::settings::reseal(&tx, &both, app.clock.now()).await.expect("reseals");
    assert!(matches!(resealed, store::settings::Resealed::All(_)));
    app.commit(tx).await;
    let later = app.beside(Vault::with_key(&[8; 32]));
    make(&later, "till").await;
    deliver(&later).await;
    assert_eq!(server.seen("/hook").len(), 1);
    let tx = later.tx().await;
    store::settings::forget_sealed(&tx).await.expect("forgets");
    later.commit(tx).await;
    later.admin().get(FIRST).await.expect(404);
}
