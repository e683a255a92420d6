//! Event by which a change request is no longer a draft. It records everything that the events of the draft have hidden:
//! from there on, the log proves what becomes of it.

use serde_json::{Value, json};

use super::{
    Change,
    event::{ShownChange, Subject},
};
use crate::{actor::Actor, event::NewEvent, event_kind::EventKind};

impl Subject<'_> {
    /// Returns the event that it was sent to review, with these changes and the title that a user gave it.
    pub fn sent_to_review(&self, changes: &[Change], title: Option<&str>, actor: &Actor) -> NewEvent {
        // The id comes first: see `store::events::of_change_request`.
        let mut data = json!({ "changeRequestId": self.id });
        if let Some(title) = title {
            data["title"] = title.into();
        }
        data["changes"] = shown(changes);
        self.event(EventKind::ChangeRequestSentToReview, actor).with_data(&data)
    }
}

/// Changes as events show all of them, with their authors.
pub(super) fn shown(changes: &[Change]) -> Value {
    let shown = changes.iter().map(|change| {
        let shown = ShownChange { id: change.id, target: &change.target, action: &change.action, tags: &[] };
        let mut shown = shown.properties();
        shown.insert("createdByUserId".to_owned(), change.created_by.id.into());
        Value::Object(shown)
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        change_request::{
            Person, Target,
            action::{Action, tests::sample},
        },
        tag::Tag,
        time::Timestamp,
    };

    const DRAFT: Subject<'_> = Subject { id: 12, project: "shop", environment: "production", is_draft: true };

    fn change(id: i64, target: Target, action: Action) -> Change {
        let created_by = Person { id: 7, username: None, email: None, name: None };
        Change { id, target, action, snapshot: None, created_by, created_at: Timestamp::from_millis(0) }
    }

    #[test]
    fn events_of_a_draft_have_ids_and_nothing_else() {
        let actor = Actor::new(7, "ada");
        let (target, action) = (Target::Feature { name: "cart".to_owned(), id: None }, sample("addStrategy"));
        let tags = [Tag { kind: "simple".to_owned(), value: "web".to_owned() }];
        let change = ShownChange { id: 3, target: &target, action: &action, tags: &tags };
        let of_request = json!({ "changeRequestId": 12 });
        let of_change = json!({ "changeRequestId": 12, "changeId": 3 });
        for (event, expected) in [
            (DRAFT.created(&actor), &of_request),
            (DRAFT.change_added(&change, &actor), &of_change),
            (DRAFT.change_edited(&change, &change, &actor), &of_change),
            (DRAFT.change_discarded(&change, &actor), &of_change),
            (DRAFT.retitled(Some("Start"), Some("Launch"), &actor).expect("an event"), &of_request),
            (DRAFT.reviewers_asked(&[8], &[9], &actor).expect("an event"), &of_request),
            (DRAFT.cancelled(&actor), &of_request),
        ] {
            assert_eq!((event.data.as_ref(), &event.pre_data), (Some(expected), &None), "{event:?}");
            assert_eq!((&event.feature, event.tags.len()), (&None, 0), "{event:?}");
            let place = (event.project.as_deref(), event.environment.as_deref());
            assert_eq!(place, (Some("shop"), Some("production")), "{event:?}");
        }
        let discarded = DRAFT.discarded(&actor);
        assert_eq!((discarded.data, discarded.pre_data, discarded.feature), (None, Some(of_request), None));
    }

    #[test]
    fn the_event_of_the_review_shows_all_that_was_hidden_behind_the_id() {
        let changes = [
            change(3, Target::Feature { name: "cart".to_owned(), id: Some(1) }, sample("updateEnabled")),
            change(4, Target::Segment(7), sample("deleteSegment")),
        ];
        let event = DRAFT.sent_to_review(&changes, Some("Launch"), &Actor::new(7, "ada"));
        let data = event.data.expect("data");
        let payload = changes[0].action.payload().expect("a payload");
        let expected = json!({
            "changeRequestId": 12,
            "title": "Launch",
            "changes": [
                { "id": 3, "feature": "cart", "action": "updateEnabled", "payload": payload, "createdByUserId": 7 },
                { "id": 4, "action": "deleteSegment", "payload": { "id": 7 }, "createdByUserId": 7 },
            ],
        });
        assert_eq!(data, expected);
        assert!(data.to_string().starts_with("{\"changeRequestId\":12,"), "{data}");
        let untitled = DRAFT.sent_to_review(&changes, None, &Actor::new(7, "ada")).data.expect("data");
        assert_eq!(untitled.get("title"), None);
    }
}
