//! A user as a directory sees one, and what its patches do.

use serde_json::Value;

use super::{
    Fault, FaultKind,
    patch::{self, LONGEST_TEXT, Operation, Step, Verb, member, truth, values},
};
use crate::{email::is_email, text::is_longer};

/// Attributes of users in RFC 7643 that nothing here has: directories send them all the same.
const LEFT_OUT: [&str; 17] = [
    "nickname",
    "profileurl",
    "title",
    "usertype",
    "preferredlanguage",
    "locale",
    "timezone",
    "password",
    "phonenumbers",
    "ims",
    "photos",
    "addresses",
    "entitlements",
    "roles",
    "x509certificates",
    // Of an extension.
    "",
    "schemas",
];
/// Most emails of which one is chosen.
const MOST_EMAILS: usize = 100;
/// Attributes that the server alone sets.
const READ_ONLY: [&str; 3] = ["id", "meta", "groups"];

/// A user as a directory sees one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserDraft {
    /// The name to sign in with there.
    pub user_name: String,
    /// The id there.
    pub external_id: Option<String>,
    /// The name that people read.
    pub display_name: Option<String>,
    /// The full name.
    pub formatted: Option<String>,
    /// The given name.
    pub given_name: Option<String>,
    /// The family name.
    pub family_name: Option<String>,
    /// The email that counts.
    pub email: Option<String>,
    /// Whether the user is active.
    pub is_active: bool,
}

/// One of the emails that a directory knows of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEmail {
    /// The address.
    pub value: String,
    /// Type of the address, such as work.
    pub kind: Option<String>,
    /// Whether it is the primary one.
    pub is_primary: bool,
}

/// The email that counts of several: the primary one, else one for work, else the first.
pub fn main_email(emails: Vec<KnownEmail>) -> Option<String> {
    let is_work = |email: &KnownEmail| email.kind.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("work"));
    let place = emails.iter().position(|email| email.is_primary).or_else(|| emails.iter().position(is_work));
    emails.into_iter().nth(place.unwrap_or(0)).map(|email| email.value)
}

impl UserDraft {
    /// The name that the other names make.
    pub fn composed_name(&self) -> Option<String> {
        let parts: Vec<&str> =
            [&self.given_name, &self.family_name].into_iter().flatten().map(String::as_str).collect();
        self.formatted.clone().or_else(|| (!parts.is_empty()).then(|| parts.join(" ")))
    }

    /// Returns the user with the emails where they belong: a name to sign in with that is an email stands for one.
    #[must_use]
    pub fn completed(mut self) -> Self {
        if self.email.is_none() && is_email(&self.user_name) {
            self.email = Some(self.user_name.clone());
        }
        self
    }

    /// Applies a patch. A name that was made of others follows them, unless it is set itself.
    pub fn patch(&mut self, operations: &[Operation]) -> Result<(), Fault> {
        let composed = self.composed_name();
        let mut is_named = false;
        patch::apply(operations, |step| {
            is_named |= step.path.attribute == "displayname";
            self.apply(&step)
        })?;
        if !is_named && (self.display_name.is_none() || self.display_name == composed) {
            self.display_name = self.composed_name().or_else(|| self.display_name.take());
        }
        Ok(())
    }

    fn apply(&mut self, step: &Step) -> Result<(), Fault> {
        let path = &step.path;
        match path.attribute.as_str() {
            "name" if path.only.is_none() => return self.apply_name(step),
            "emails" => return self.apply_emails(step),
            attribute if READ_ONLY.contains(&attribute) => return step.unchangeable(),
            attribute if LEFT_OUT.contains(&attribute) => return Ok(()),
            _ if !path.is_whole() => return Err(step.unknown()),
            "username" => self.user_name = step.text()?.ok_or_else(|| step.refused("a text, and never nothing"))?,
            "externalid" => self.external_id = step.text()?,
            "displayname" => self.display_name = step.text()?,
            "active" => {
                let value = step.value.as_ref().filter(|_| step.verb != Verb::Remove);
                self.is_active =
                    value.and_then(truth).ok_or_else(|| step.refused("true or false, and never nothing"))?;
            }
            // What merely came along may be of a schema that is not known here.
            _ if !step.is_named => {}
            _ => return Err(step.unknown()),
        }
        Ok(())
    }

    fn apply_name(&mut self, step: &Step) -> Result<(), Fault> {
        let place = |draft: &mut Self, part: &str, text: Option<String>| match part {
            "formatted" => draft.formatted = text,
            "givenname" => draft.given_name = text,
            "familyname" => draft.family_name = text,
            // The others of RFC 7643: nothing here has them.
            _ => {}
        };
        if let Some(part) = &step.path.part {
            place(self, part, step.text()?);
            return Ok(());
        }
        if step.verb == Verb::Remove {
            for part in ["formatted", "givenname", "familyname"] {
                place(self, part, None);
            }
            return Ok(());
        }
        let Some(Value::Object(members)) = &step.value else { return Err(step.refused("an object")) };
        for (name, value) in members {
            let text = match value {
                Value::Null => None,
                Value::String(text) if !is_longer(text, LONGEST_TEXT) => {
                    Some(text.clone()).filter(|text| !text.is_empty())
                }
                _ => return Err(step.refused("an object of texts of at most 255 characters")),
            };
            place(self, &name.to_ascii_lowercase(), text);
        }
        Ok(())
    }

    fn apply_emails(&mut self, step: &Step) -> Result<(), Fault> {
        if let Some(only) = &step.path.only {
            if only.and.is_some() {
                return Err(step.unknown());
            }
            let value = only.value.to_ascii_lowercase();
            let is_ours = match only.path.attribute.as_str() {
                "type" => value == "work",
                "primary" => value == "true",
                "value" => self.email.as_deref().is_some_and(|email| email.eq_ignore_ascii_case(&value)),
                _ => return Err(step.unknown()),
            };
            if !is_ours {
                return Ok(());
            }
        }
        match step.path.part.as_deref() {
            Some("value") => self.email = step.text()?,
            Some(_) => {}
            None if step.verb == Verb::Remove => self.email = None,
            None => {
                let refused =
                    || Fault::new(FaultKind::Value, "value of emails is a list of objects with a text `value`.");
                let emails = values(step.value.as_ref().unwrap_or(&Value::Null)).ok_or_else(refused)?;
                let known = |email: &Value| {
                    Some(KnownEmail {
                        value: member(email, "value")?.as_str()?.to_owned(),
                        kind: member(email, "type").and_then(Value::as_str).map(str::to_owned),
                        is_primary: member(email, "primary").and_then(truth).unwrap_or(false),
                    })
                };
                if emails.len() > MOST_EMAILS {
                    return Err(step.refused("a list of at most 100"));
                }
                let emails: Option<Vec<_>> = emails.iter().map(known).collect();
                self.email = main_email(emails.ok_or_else(refused)?).filter(|email| !email.is_empty());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::ParseFromJSON as _;
    use serde_json::json;

    use super::*;

    fn ada() -> UserDraft {
        UserDraft {
            user_name: "ada@x.com".to_owned(),
            display_name: Some("Ada Byron".to_owned()),
            given_name: Some("Ada".to_owned()),
            family_name: Some("Byron".to_owned()),
            email: Some("ada@x.com".to_owned()),
            is_active: true,
            ..UserDraft::default()
        }
    }

    fn patched(operations: Value) -> Result<UserDraft, Fault> {
        let operations = Vec::<Operation>::parse_from_json(Some(operations)).expect("operations");
        let mut draft = ada();
        draft.patch(&operations).map(|()| draft)
    }

    type Meaning = fn(&mut UserDraft);

    #[test]
    fn patches_of_all_directories_do_what_they_mean() {
        let cases: [(Value, Meaning); 14] = [
            (json!([{ "op": "Replace", "path": "active", "value": "False" }]), |draft| draft.is_active = false),
            (json!([{ "op": "replace", "value": { "active": false } }]), |draft| draft.is_active = false),
            (json!([{ "op": "Add", "path": "externalId", "value": "7" }]), |draft| {
                draft.external_id = Some("7".to_owned());
            }),
            (json!([{ "op": "replace", "path": "displayName", "value": "A" }]), |draft| {
                draft.display_name = Some("A".to_owned());
            }),
            (json!([{ "op": "replace", "path": "name.familyName", "value": "King" }]), |draft| {
                draft.family_name = Some("King".to_owned());
                draft.display_name = Some("Ada King".to_owned());
            }),
            (json!([{ "op": "replace", "value": { "name.formatted": "Countess" } }]), |draft| {
                draft.formatted = Some("Countess".to_owned());
                draft.display_name = Some("Countess".to_owned());
            }),
            (
                json!([{ "op": "replace", "path": "name", "value": { "givenName": null, "honorificPrefix": "Mx" } }]),
                |draft| {
                    draft.given_name = None;
                    draft.display_name = Some("Byron".to_owned());
                },
            ),
            (json!([{ "op": "Replace", "path": "emails[type eq \"work\"].value", "value": "a@y" }]), |draft| {
                draft.email = Some("a@y".to_owned());
            }),
            (json!([{ "op": "add", "path": "emails[type eq \"home\"].value", "value": "a@y" }]), |_| {}),
            (
                json!([{ "op": "add", "path": "emails", "value": [{ "value": "h@y" }, { "value": "a@y", "primary": "True" }] }]),
                |draft| {
                    draft.email = Some("a@y".to_owned());
                },
            ),
            (json!([{ "op": "remove", "path": "emails" }]), |draft| draft.email = None),
            (
                json!([{ "op": "replace", "value": { "userName": "b@x", "id": "9", "title": "x", "some": 1,
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department": "y" } }]),
                |draft| {
                    draft.user_name = "b@x".to_owned();
                },
            ),
            (json!([{ "op": "add", "path": "title", "value": "x" }]), |_| {}),
            (json!([{ "op": "remove", "path": "externalId" }]), |_| {}),
        ];
        for (operations, change) in cases {
            let mut expected = ada();
            change(&mut expected);
            assert_eq!(patched(operations.clone()), Ok(expected), "{operations}");
        }
    }

    #[test]
    fn patches_that_mean_nothing_are_refused_with_their_place() {
        for (operation, kind) in [
            (json!({ "op": "move", "path": "active", "value": true }), FaultKind::Syntax),
            (json!({ "op": "remove" }), FaultKind::NoTarget),
            (json!({ "op": "replace", "value": true }), FaultKind::Value),
            (json!({ "op": "replace", "path": "active" }), FaultKind::Value),
            (json!({ "op": "replace", "path": "active", "value": "perhaps" }), FaultKind::Value),
            (json!({ "op": "remove", "path": "active" }), FaultKind::Value),
            (json!({ "op": "remove", "path": "userName" }), FaultKind::Value),
            (json!({ "op": "replace", "path": "userName", "value": 7 }), FaultKind::Value),
            (json!({ "op": "replace", "path": "emails", "value": "a@y" }), FaultKind::Value),
            (json!({ "op": "replace", "path": "emails", "value": [{ "value": 7 }] }), FaultKind::Value),
            (json!({ "op": "replace", "path": "id", "value": "7" }), FaultKind::Mutability),
            (json!({ "op": "replace", "path": "some", "value": "7" }), FaultKind::Path),
            (json!({ "op": "replace", "path": "userName[value eq \"7\"]", "value": "7" }), FaultKind::Path),
            (json!({ "op": "replace", "path": "[", "value": "7" }), FaultKind::Path),
        ] {
            let right = json!({ "op": "add", "path": "title", "value": "x" });
            let fault = patched(json!([right, operation])).expect_err("refused");
            assert_eq!(fault.kind, kind, "{operation}");
            assert!(fault.message.starts_with("/body/Operations/1/"), "{fault}");
        }
    }

    #[test]
    fn the_email_that_counts_is_found_and_a_name_may_stand_for_it() {
        let email = |value: &str, kind: Option<&str>, is_primary| KnownEmail {
            value: value.to_owned(),
            kind: kind.map(str::to_owned),
            is_primary,
        };
        let (first, work, main) = (email("f", None, false), email("w", Some("Work"), false), email("m", None, true));
        assert_eq!(main_email(vec![first.clone(), work.clone(), main]).as_deref(), Some("m"));
        assert_eq!(main_email(vec![first.clone(), work]).as_deref(), Some("w"));
        assert_eq!(main_email(vec![first]).as_deref(), Some("f"));
        assert_eq!(main_email(vec![]), None);
        let named = |user_name: &str| UserDraft { user_name: user_name.to_owned(), ..UserDraft::default() };
        assert_eq!(named("a@x").completed().email.as_deref(), Some("a@x"));
        assert_eq!(named("ada").completed().email, None);
    }
}
