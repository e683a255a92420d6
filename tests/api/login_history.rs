//! History of attempts to sign in, as the console of the reference and spreadsheets read it, and for how long it is
//! kept.

use flagstone::{
    config::Config,
    jobs::{self, JOBS},
    store::{self, access::people::NewUser, entity::sign_in_log},
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, START, TestApp, role},
    users::{STRONG, sign_in, user},
};

const LOGINS: &str = "/api/admin/logins";

async fn table(app: &TestApp) -> Answer {
    app.admin().request(Method::GET, LOGINS, &[("accept", "text/csv")], Vec::new()).await
}

#[tokio::test]
async fn attempts_are_told_newest_first_and_never_with_a_password() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    sign_in(&app, "ada", STRONG).await.expect(200);
    sign_in(&app, "ada", "guessed-Wrong-1").await.refused(401, "PasswordMismatch", "");
    // A password, typed into the field for the name.
    sign_in(&app, "guessed-Wrong-2", "x").await.refused(401, "PasswordMismatch", "");
    let answer = app.admin().get(LOGINS).await;
    assert!(!answer.text.contains("guessed") && !answer.text.contains("horse"), "{}", answer.text);
    let list = answer.expect(200);
    let told: Vec<Value> = list["events"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| {
            json!([event["username"], event["auth_type"], event["successful"], event["failure_reason"].is_string()])
        })
        .collect();
    let expected = [
        json!(["", "simple", false, true]),
        json!(["ada", "simple", false, true]),
        json!(["ada", "simple", true, false]),
    ];
    assert_eq!(told, expected);
    assert_eq!(list["events"][0]["created_at"], START);
    app.viewer().await.get(LOGINS).await.refused(403, "NoAccessError", "READ_LOGS");
}

#[tokio::test]
async fn the_same_comes_as_a_table_that_no_spreadsheet_takes_for_formulas() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    sign_in(&app, "ada", STRONG).await.expect(200);
    let evil = "=HYPERLINK(\"http://evil\",\"a\")";
    let tx = app.tx().await;
    let new = NewUser { username: Some(evil.to_owned()), root_role_id: role::VIEWER, ..NewUser::default() };
    store::access::people::insert_user(&tx, &new, app.clock.now()).await.expect("a user");
    app.commit(tx).await;
    sign_in(&app, evil, "x").await.refused(401, "PasswordMismatch", "");
    let list = app.admin().get(LOGINS).await.expect(200);
    let events = &list["events"];
    let answer = table(&app).await;
    assert_eq!(
        (answer.status, &answer.headers["content-type"]),
        (200, &"text/csv; charset=utf-8".parse().expect("a value"))
    );
    let lines: Vec<&str> = answer.text.split_terminator("\r\n").collect();
    let reason = events[0]["failure_reason"].as_str().expect("a reason");
    let ip = |event: &Value| event["ip"].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        lines,
        [
            "id,username,auth_type,created_at,successful,ip,failure_reason".to_owned(),
            format!(
                "{},\"'=HYPERLINK(\"\"http://evil\"\",\"\"a\"\")\",simple,{START},false,{},{reason}",
                events[0]["id"],
                ip(&events[0])
            ),
            format!("{},ada,simple,{START},true,{},", events[1]["id"], ip(&events[1])),
        ]
    );
    let viewer = app.viewer().await;
    let refused = viewer.request(Method::GET, LOGINS, &[("accept", "text/csv")], Vec::new()).await;
    refused.refused(403, "NoAccessError", "READ_LOGS");
}

#[tokio::test]
async fn entries_go_when_the_operator_says() {
    let app = TestApp::with_config(Config { login_history_hours: 24, ..Config::default() }).await;
    user(&app, "ada", role::VIEWER).await;
    sign_in(&app, "ada", STRONG).await.expect(200);
    app.admin().get(LOGINS).await.expect(200);
    let job = JOBS.iter().find(|job| job.name == "ended-sessions").expect("the job");
    for (hours, left) in [(23, 1), (2, 0)] {
        app.clock.advance(hours * 60 * 60 * 1000);
        assert!(jobs::run_if_due(&app.state, job).await.expect("runs"));
        assert_eq!(sign_in_log::Entity::find().all(app.db()).await.expect("rows").len(), left, "after {hours} hours");
    }
}
