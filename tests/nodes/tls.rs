//! The connection to the database is encrypted where the URL says so, and the server's certificate checked.

use flagstone::store::{db::Db, migrate};
use sea_orm::{ConnectionTrait as _, Statement};

use crate::{
    cluster::{Program, database_on, empty_database},
    private_server::PrivateServer,
};

async fn is_encrypted(url: &str) -> Result<bool, String> {
    let db = Db::open(url).await.map_err(|error| error.to_string())?;
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let row = db.query_one_raw(Statement::from_string(sea_orm::DatabaseBackend::Postgres, sql)).await;
    Ok(row.expect("reads").expect("a row").try_get_by_index(0).expect("a truth value"))
}

#[tokio::test]
async fn the_url_says_how_far_the_server_is_trusted() {
    if empty_database().await.is_none() {
        return;
    }
    let Some((mut server, plain)) = PrivateServer::start() else { return };
    let plain = database_on(&plain).await;
    let by_name = plain.replace("127.0.0.1", "localhost");
    assert_eq!(is_encrypted(&plain).await, Ok(false));
    let complaint = is_encrypted(&format!("{plain}?sslmode=require")).await.expect_err("the server speaks no TLS");
    assert!(complaint.contains("TLS") && !complaint.contains("flagstone:"), "{complaint}");

    let certificate = server.offer_tls();
    for (url, expected) in [
        (format!("{plain}?sslmode=disable"), false),
        (plain.clone(), true),
        (format!("{plain}?sslmode=require"), true),
        (format!("{by_name}?sslmode=verify-full&sslrootcert={certificate}"), true),
        (format!("{plain}?sslmode=verify-ca&sslrootcert={certificate}"), true),
    ] {
        assert_eq!(is_encrypted(&url).await, Ok(expected), "{url}");
    }
    // Nobody but the server itself vouches for its certificate.
    let complaint = is_encrypted(&format!("{by_name}?sslmode=verify-full")).await.expect_err("nobody vouches");
    assert!(complaint.contains("certificate") && !complaint.contains("flagstone:"), "{complaint}");

    let url = format!("{by_name}?sslmode=verify-full&sslrootcert={certificate}");
    migrate::migrate(&Db::open(&url).await.expect("opens")).await.expect("migrates");
    let program = Program::start(&url);
    program.wait_until_ready();
    let (status, projects) = program.call("/api/admin/projects", None).expect("an answer");
    assert_eq!((status, projects["projects"].as_array().map(Vec::len)), (200, Some(1)));
}
