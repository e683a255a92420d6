//! Trust in the old database, as its URL says it.

use crate::{dump, private_server::PrivateServer, server};

#[tokio::test]
async fn the_old_database_may_want_tls() {
    if dump::empty().await.is_none() {
        return;
    }
    let Some((mut old, url)) = PrivateServer::start() else { return };
    let from = dump::restored_on(&url, "6.3.0").await;
    let by_name = from.replace("127.0.0.1", "localhost");
    let password = from.split([':', '@']).nth(2).expect("a password");
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let told = server::complaint(&format!("{from}?sslmode=require"), &to);
    assert!(told.contains("the source") && told.contains("TLS") && !told.contains(password), "{told}");

    let certificate = old.offer_tls();
    for way in [
        format!("{from}?sslmode=require"),
        format!("{by_name}?sslmode=verify-full&sslrootcert={certificate}"),
        format!("{from}?sslmode=verify-ca&sslrootcert={certificate}"),
    ] {
        let printed = server::moved(&way, &to, &["--dry-run"]);
        assert!(printed.contains("51 features"), "{way}: {printed}");
    }
    // Nobody but the server itself vouches for its certificate.
    let told = server::complaint(&format!("{by_name}?sslmode=verify-full"), &to);
    assert!(told.contains("certificate") && !told.contains(password), "{told}");
    let told = server::complaint(&format!("{by_name}?sslmode=verify-full&sslrootcert=/nowhere.crt"), &to);
    assert!(told.contains("sslrootcert, is not there") && !told.contains(password), "{told}");
    assert!(!directory.path().join("new.db").exists());
}
