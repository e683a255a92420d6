//! Changes that this version cannot read: their change requests are shown, and never approved or applied.

use flagstone::{domain::change_request::state::State, store::entity::change_request_change};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};

use super::{
    shop::{ALL, REQUEST, Shop, adding, id_of, switching},
    world::{PRODUCTION, World, is_on, of, segment},
};
use crate::{
    calls::{delete, put},
    change_requests::application::approve,
    harness::TestApp,
};

/// Gives a change an action and a payload as only another version writes them.
async fn overwrite(app: &TestApp, change: i64, action: &str, payload: &str) {
    use change_request_change::{Column, Entity};
    let tx = app.tx().await;
    let columns = Entity::update_many()
        .col_expr(Column::Action, Expr::value(action))
        .col_expr(Column::Payload, Expr::value(payload))
        .filter(Column::Id.eq(change));
    assert_eq!(columns.exec(&tx).await.expect("writes").rows_affected, 1);
    app.commit(tx).await;
}

fn first_change(request: &Value) -> i64 {
    id_of(&request["features"][0]["changes"][0])
}

#[tokio::test]
async fn an_unreadable_change_is_shown_as_such_and_hides_nothing_else() {
    for (action, payload) in
        [("renameFeature", r#"{"name":"basket"}"#), ("updateEnabled", "{"), ("updateEnabled", "[]")]
    {
        let shop = Shop::needing(1).await;
        let asked = json!([switching("cart", true), adding("cart", "Half")]);
        let draft = shop.ada.post(REQUEST, asked).await.expect(200);
        let (id, change) = (id_of(&draft), first_change(&draft));
        assert_eq!(draft["unreadableChanges"], Value::Null);
        overwrite(&shop.app, change, action, payload).await;

        let request = shop.ada.get(&format!("{ALL}/{id}")).await.expect(200);
        let (shown, unreadable) = (&request["features"][0]["changes"], &request["unreadableChanges"]);
        assert_eq!((shown.as_array().map(Vec::len), &shown[0]["action"]), (Some(1), &json!("addStrategy")));
        assert_eq!((unreadable.as_array().map(Vec::len), &unreadable[0]["id"]), (Some(1), &json!(change)));
        assert_eq!((&unreadable[0]["action"], &unreadable[0]["feature"]), (&json!(action), &json!("cart")));
        for list in [ALL.to_owned(), format!("{ALL}/pending"), format!("{ALL}/pending/cart")] {
            assert_eq!(shop.ada.get(&list).await.expect(200)[0]["id"], id, "{list}");
        }
        let found = shop.ada.get("/api/admin/search/change-requests").await.expect(200);
        assert_eq!(found["total"], 1);

        // Nobody can review it until it is discarded.
        let refused = shop.to(&shop.ada, id, "In review").await;
        refused.refused(409, "ChangeRequestStateError", &format!("cannot read change {change} ({action})"));
        delete(&shop.ada, &format!("{ALL}/{id}/changes/{change}")).await.expect(200);
        shop.to(&shop.ada, id, "In review").await.expect(200);
        shop.to(&shop.ben, id, "Approved").await.expect(200);
        shop.to(&shop.ben, id, "Applied").await.expect(200);
    }
}

#[tokio::test]
async fn an_unreadable_change_is_neither_approved_nor_scheduled_nor_applied() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    let path = format!("{ALL}/{id}");
    let readable = shop.ben.get(&path).await.expect(200);
    let change = first_change(&readable);
    overwrite(&shop.app, change, "switchOn", r#"{"enabled":true}"#).await;
    shop.to(&shop.ben, id, "Approved").await.refused(409, "ChangeRequestStateError", "cannot read change");

    // The version that wrote it could approve it.
    approve(&shop.app, id, shop.ben.user_id.expect("a person")).await;
    let request = shop.ben.get(&path).await.expect(200);
    assert_eq!((&request["state"], &request["unreadableChanges"][0]["id"]), (&json!("Approved"), &json!(change)));
    assert_ne!(request["changesDigest"], readable["changesDigest"]);
    let reason = "This version of the server cannot read the change";
    shop.to(&shop.ben, id, "Applied").await.refused(409, "ChangeRequestConflictError", reason);
    shop.ben.get(&format!("{path}/impact")).await.refused(409, "ChangeRequestConflictError", reason);
    shop.ben.get(&format!("{path}/proof")).await.expect(200);
    let later = json!({ "state": "Scheduled", "scheduledAt": "2027-01-01T00:00:00Z" });
    let scheduled = put(&shop.ben, &format!("{path}/state"), later).await;
    scheduled.refused(409, "ChangeRequestStateError", reason);
    assert!(!is_on(&shop.app, PRODUCTION).await);

    // Nothing of it is lost for a version that can read it.
    overwrite(&shop.app, change, "updateEnabled", r#"{"enabled":true}"#).await;
    let request = shop.ben.get(&path).await.expect(200);
    assert_eq!(request["changesDigest"], readable["changesDigest"]);
    shop.to(&shop.ada, id, "Cancelled").await.expect(200);
}

#[tokio::test]
async fn the_uses_of_a_segment_are_listed_with_an_unreadable_one_among_them() {
    let world = World::new().await;
    let admin = world.app.admin();
    let segment = segment(&admin).await;
    let add = of(world.target(), "addStrategy", json!({ "name": "default", "segments": [segment] }));
    let id = world.request(world.ada, State::InReview, &[add]).await;
    let change = world.read(id).await.changes[0].id;
    overwrite(&world.app, change, "addStrategy", "{}").await;
    let uses = admin.get(&format!("/api/admin/segments/{segment}/strategies")).await.expect(200);
    assert_eq!(uses["changeRequestStrategies"][0]["featureName"], "cart");
}
