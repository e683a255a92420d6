//! Directories: the default one, and those with a name and a token of their own.

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::Serialize;

use crate::{
    actor::{Actor, SYSTEM_USER_ID},
    secret,
    text::is_longer,
    time::Timestamp,
};

/// Author of changes of the default directory, as events name it. That of another one has its name behind.
const ACTOR: &str = "scim";
/// Prefix of tokens.
const PREFIX: &str = "scim-";
/// Most characters of the name of a directory.
const LONGEST_NAME: usize = 100;
/// Id of the directories among settings, as events name it.
pub const SETTING: &str = "flagstone.scim-directory";
/// Most directories with a name.
pub const MOST_DIRECTORIES: u64 = 50;

/// The directory that makes a change, or whose accounts and groups are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DirectoryRef {
    /// Id and name; `None` for the default directory.
    pub named: Option<(i64, String)>,
}

impl DirectoryRef {
    /// Id of the directory; `None` for the default one.
    pub fn id(&self) -> Option<i64> {
        self.named.as_ref().map(|(id, _)| *id)
    }

    /// The directory as the author of changes.
    pub fn actor(&self) -> Actor {
        let name = match &self.named {
            Some((_, name)) => format!("{ACTOR}: {name}"),
            None => ACTOR.to_owned(),
        };
        Actor::new(SYSTEM_USER_ID, name)
    }
}

/// A directory as answers and events show it: without its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ScimDirectory", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct DirectoryDocument {
    /// Id of the directory.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// When the directory was created.
    pub created_at: Timestamp,
    /// Name of its creator; `null` when unknown.
    pub created_by: Nullable<String>,
    /// When its token was generated.
    pub token_created_at: Timestamp,
}

/// Judges the name of a directory.
pub fn judge_name(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() || is_longer(name, LONGEST_NAME) || name.contains(char::is_control) {
        return Err("has 1 to 100 characters, not only blanks, and none of them a control character");
    }
    Ok(())
}

/// Generates a token.
pub fn generate_token() -> String {
    format!("{PREFIX}{}", secret::random_part())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_texts_that_people_can_read() {
        for (name, fits) in [
            ("Okta", true),
            ("Entra of Zürich", true),
            (&*"a".repeat(100), true),
            (&*"a".repeat(101), false),
            ("", false),
            (" ", false),
            ("a\nb", false),
        ] {
            assert_eq!(judge_name(name).is_ok(), fits, "{name:?}");
        }
    }

    #[test]
    fn events_tell_which_directory_it_was() {
        assert_eq!(DirectoryRef::default().actor().name, "scim");
        assert_eq!(DirectoryRef { named: Some((7, "Okta".to_owned())) }.actor().name, "scim: Okta");
    }
}
