//! Every state, wish and kind of user through HTTP, against the rules of the domain.

use flagstone::{
    domain::change_request::{
        state::State,
        transition::{Circumstances, Effect, Refusal, Standing, Step, Wish, step},
    },
    store::change_requests,
};
use poem::http::Method;
use serde_json::json;

use super::shop::{ALL, Shop, reviewer, switching};
use crate::harness::{Answer, Client, role};

const OTHER: Standing = Standing {
    is_author: false,
    is_admin: false,
    may_approve: false,
    may_apply: false,
    may_submit: true,
    has_approved: false,
};

/// Each kind of user, with its name.
async fn kinds(shop: &Shop) -> Vec<(&'static str, Standing, Client)> {
    let app = &shop.app;
    let (approve, apply) = ("APPROVE_CHANGE_REQUEST", "APPLY_CHANGE_REQUEST");
    vec![
        ("author", Standing { is_author: true, ..OTHER }, app.member("shop").await),
        (
            "author who approves and applies those of others",
            Standing { is_author: true, may_approve: true, may_apply: true, ..OTHER },
            reviewer(app, &[approve, apply]).await,
        ),
        (
            "author who administers",
            Standing { is_author: true, is_admin: true, may_approve: true, may_apply: true, ..OTHER },
            app.person(role::ADMIN, None).await,
        ),
        ("approver", Standing { may_approve: true, ..OTHER }, reviewer(app, &[approve]).await),
        ("applier", Standing { may_apply: true, ..OTHER }, reviewer(app, &[apply]).await),
        ("both", Standing { may_approve: true, may_apply: true, ..OTHER }, reviewer(app, &[approve, apply]).await),
        (
            "administrator",
            Standing { is_admin: true, may_approve: true, may_apply: true, ..OTHER },
            app.person(role::ADMIN, None).await,
        ),
        ("member", OTHER, app.member("shop").await),
        ("viewer", Standing { may_submit: false, ..OTHER }, app.viewer().await),
        ("author who has left", Standing { is_author: true, may_submit: false, ..OTHER }, app.viewer().await),
    ]
}

async fn ask(shop: &Shop, client: &Client, wish: Wish, id: i64, change: i64) -> Answer {
    let path = format!("{ALL}/{id}");
    let put = async |path: String, body| client.json(Method::PUT, &path, body).await;
    let state = |state: &str| json!({ "state": state, "scheduledAt": "2026-02-01T08:00:00+01:00" });
    match wish {
        Wish::Read => client.get(&path).await,
        Wish::Edit => put(format!("{path}/changes/{change}"), switching("cart", false)).await,
        Wish::Discard => client.request(Method::DELETE, &path, &[], Vec::new()).await,
        Wish::SendToReview => put(format!("{path}/state"), state("In review")).await,
        Wish::Approve => put(format!("{path}/state"), state("Approved")).await,
        Wish::Reject => put(format!("{path}/state"), state("Rejected")).await,
        Wish::Cancel => put(format!("{path}/state"), state("Cancelled")).await,
        Wish::Apply => put(format!("{path}/state"), state("Applied")).await,
        Wish::Schedule => put(format!("{path}/state"), state("Scheduled")).await,
        Wish::Comment => client.post(&format!("{path}/comments"), json!({ "text": "why?" })).await,
        Wish::Retitle => put(format!("{path}/title"), json!({ "title": "Launch" })).await,
        Wish::RequestReviewers => {
            let reviewer = shop.cleo.user_id.expect("a person");
            put(format!("{path}/approvers"), json!({ "reviewers": [reviewer] })).await
        }
    }
}

fn expected_status(wished: Result<Step, Refusal>) -> &'static [u16] {
    match wished {
        Ok(_) => &[200],
        Err(Refusal::Hidden) => &[404],
        Err(Refusal::State(..) | Refusal::AlreadyApproved) => &[409],
        Err(_) => &[403],
    }
}

#[tokio::test]
async fn each_state_wish_and_kind_of_user_is_granted_or_refused_as_the_rules_say() {
    let shop = Shop::needing(2).await;
    let protected = json!({ "name": "shop", "mode": "protected" });
    shop.app.admin().json(Method::PUT, "/api/admin/projects/shop", protected).await.expect(200);
    let somebody = shop.app.member("shop").await.user_id.expect("a person");
    let (mut cases, mut granted) = (0, 0);
    for (kind, standing, client) in kinds(&shop).await {
        let author = if standing.is_author { client.user_id.expect("a person") } else { somebody };
        for state in State::ALL {
            for wish in Wish::ALL {
                let (id, change) = shop.put(author, state).await;
                let now = Circumstances {
                    state,
                    is_enabled: true,
                    approvals: 0,
                    min_approvals: 2,
                    has_required_reviewers: true,
                };
                let wished = step(&now, wish, standing);
                let events = shop.app.event_types().await.len();
                let answer = ask(&shop, &client, wish, id, change).await;
                let case = format!("{wish:?} in {state:?} by {kind}: {}", answer.text);
                assert!(expected_status(wished).contains(&answer.status), "{} {case}, not {wished:?}", answer.status);
                let after = change_requests::find(shop.app.db(), id).await.expect("reads");
                match wished {
                    Ok(Step { effect: Effect::Gone, .. }) => assert_eq!(after, None, "{case}"),
                    Ok(step) => assert_eq!(after.expect("there").state, step.to, "{case}"),
                    Err(_) => {
                        let after = after.expect("there");
                        assert_eq!((after.state, after.revision, after.title), (state, 1, None), "{case}");
                        let given = if matches!(state, State::Approved | State::Scheduled) { 2 } else { 0 };
                        assert!(after.comments.is_empty() && after.approvals.len() == given, "{case}");
                        assert_eq!(shop.app.event_types().await.len(), events, "{case}");
                    }
                }
                if answer.status >= 400 {
                    assert!(answer.body["message"].is_string(), "{case}");
                }
                shop.remove(id).await;
                cases += 1;
                granted += usize::from(wished.is_ok());
            }
        }
    }
    assert_eq!(cases, 7 * 12 * 10);
    assert!(granted > 150, "{granted}");
}
