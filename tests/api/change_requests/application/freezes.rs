//! Approved change requests wait for the end of a freeze, unless they only switch off.

use flagstone::{
    changes::freeze::is_freeze,
    domain::{change_reason::ChangeReason, change_request::state::State},
};

use super::{DEVELOPMENT, apply, approved, caller, state};
use crate::{
    change_requests::world::{World, is_on, switch},
    freeze_windows::freeze,
};

#[tokio::test]
async fn an_approved_request_is_applied_after_the_freeze_or_with_a_reason_by_an_administrator() {
    for breaks_glass in [false, true] {
        let world = World::new().await;
        let app = &world.app;
        let id = approved(app, world.ada, world.ben, &[switch("cart", true)]).await;
        freeze(app, Some(DEVELOPMENT), &[]).await;
        let applier = caller(app, world.cleo).await;
        let events = app.event_types().await;
        let error = apply(app, &applier, id, false).await.expect_err("a freeze");
        assert!(is_freeze(&error), "{error:?}");
        assert!(error.to_string().contains("\"Stocktaking\""), "{error}");
        assert_eq!(
            (state(app, id).await, is_on(app, DEVELOPMENT).await, app.event_types().await),
            (State::Approved, false, events)
        );
        if breaks_glass {
            let admin = app.root_admin().await.user_id.expect("a person");
            let admin = caller(app, admin).await.because(ChangeReason::parse("The till is down").expect("a reason"));
            apply(app, &admin, id, false).await.expect("applies");
            let reasons: Vec<_> = app.events().await.into_iter().rev().take(2).map(|event| event.reason).collect();
            assert_eq!(reasons, [Some("The till is down".to_owned()), Some("The till is down".to_owned())]);
        } else {
            app.clock.advance(24 * 60 * 60 * 1000);
            apply(app, &caller(app, world.cleo).await, id, false).await.expect("applies");
        }
        assert_eq!((state(app, id).await, is_on(app, DEVELOPMENT).await), (State::Applied, true));
    }
}

#[tokio::test]
async fn an_approved_request_that_only_switches_off_is_applied_in_a_freeze() {
    let world = World::new().await;
    let app = &world.app;
    let path = format!("/api/admin/projects/shop/features/cart/environments/{DEVELOPMENT}/on");
    app.admin().request(poem::http::Method::POST, &path, &[], Vec::new()).await.expect(200);
    let id = approved(app, world.ada, world.ben, &[switch("cart", false)]).await;
    freeze(app, None, &[]).await;
    apply(app, &caller(app, world.cleo).await, id, false).await.expect("applies");
    assert_eq!((state(app, id).await, is_on(app, DEVELOPMENT).await), (State::Applied, false));
}
