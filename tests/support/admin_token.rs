//! The API token that may do everything in the databases of tests.

use flagstone::{
    domain::{secret::TokenKind, time::Timestamp},
    store::{self, db::Db, tokens::NewApiToken},
};

/// Its secret.
pub const ADMIN_TOKEN: &str = "*:*.admin-token-of-the-tests";

/// Puts it into a migrated database, without an event.
pub async fn insert(db: &Db, now: Timestamp) {
    let token = NewApiToken {
        secret: ADMIN_TOKEN.to_owned(),
        name: "tests".to_owned(),
        kind: TokenKind::Admin,
        projects: vec!["*".to_owned()],
        environment: "*".to_owned(),
        expires_at: None,
        created_by: None,
    };
    let tx = db.begin().await.expect("a transaction");
    store::tokens::insert_api_token(&tx, &token, now).await.expect("a token");
    tx.commit(now, []).await.expect("commits");
}
