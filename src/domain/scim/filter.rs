//! Which users or groups a directory asks for. It looks one up before it makes it: that, and no more, is understood.

use super::{
    Fault, FaultKind,
    path::{Comparison, Path},
};
use crate::domain::text::has_nul;

/// The one that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// By the id here.
    Id(String),
    /// By the id there.
    ExternalId(String),
    /// A user by the name to sign in with there.
    UserName(String),
    /// By the name that people read.
    DisplayName(String),
    /// A user by an email.
    Email(String),
}

/// Whom a filter on users looks for.
pub fn user(filter: &str) -> Result<Wanted, Fault> {
    let Comparison { path, value } = comparison(filter)?;
    let is_of_work = |only: &Comparison| {
        only.path.is_whole() && only.path.attribute == "type" && only.value.eq_ignore_ascii_case("work")
    };
    match (path.attribute.as_str(), path.part.as_deref(), &path.only) {
        ("username", None, None) => Ok(Wanted::UserName(value)),
        ("emails", None | Some("value"), None) => Ok(Wanted::Email(value)),
        ("emails", Some("value"), Some(only)) if is_of_work(only) => Ok(Wanted::Email(value)),
        _ => common(&path, value),
    }
}

/// Which group a filter on groups looks for.
pub fn group(filter: &str) -> Result<Wanted, Fault> {
    let Comparison { path, value } = comparison(filter)?;
    common(&path, value)
}

fn common(path: &Path, value: String) -> Result<Wanted, Fault> {
    match path.attribute.as_str() {
        "id" if path.is_whole() => Ok(Wanted::Id(value)),
        "externalid" if path.is_whole() => Ok(Wanted::ExternalId(value)),
        "displayname" if path.is_whole() => Ok(Wanted::DisplayName(value)),
        _ => Err(refused()),
    }
}

fn comparison(filter: &str) -> Result<Comparison, Fault> {
    let comparison = Comparison::parse(filter).ok_or_else(refused)?;
    // No text here has one.
    if has_nul(&comparison.value) { Err(refused()) } else { Ok(comparison) }
}

fn refused() -> Fault {
    let message = "The query parameter `filter` compares one attribute by `eq` with a text: `id`, `externalId` or \
        `displayName`, of users also `userName` or `emails.value`.";
    Fault::new(FaultKind::Filter, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_directories_look_up_is_understood() {
        let text = || "Ada@x".to_owned();
        for (filter, expected) in [
            (r#"userName eq "Ada@x""#, Wanted::UserName(text())),
            (r#"  USERNAME  Eq  "Ada@x"  "#, Wanted::UserName(text())),
            (r#"urn:ietf:params:scim:schemas:core:2.0:User:userName eq "Ada@x""#, Wanted::UserName(text())),
            (r#"externalId eq "Ada@x""#, Wanted::ExternalId(text())),
            (r#"displayName eq "Ada@x""#, Wanted::DisplayName(text())),
            (r#"id eq "Ada@x""#, Wanted::Id(text())),
            (r#"emails.value eq "Ada@x""#, Wanted::Email(text())),
            (r#"emails eq "Ada@x""#, Wanted::Email(text())),
            (r#"emails[type eq "work"].value eq "Ada@x""#, Wanted::Email(text())),
        ] {
            assert_eq!(user(filter), Ok(expected), "{filter}");
        }
        assert_eq!(group(r#"displayName eq "a \"b\"""#), Ok(Wanted::DisplayName("a \"b\"".to_owned())));
    }

    #[test]
    fn every_other_filter_is_refused() {
        let long = format!("userName eq \"{}\"", "x".repeat(2000));
        for filter in [
            "",
            "userName",
            "userName eq",
            "userName eq x",
            "userName eq 'x'",
            r#"userName co "x""#,
            "userName pr",
            r#"userName eq "x" and active eq true"#,
            r#"not (userName eq "x")"#,
            r#"title eq "x""#,
            "active eq true",
            r#"emails[type eq "home"].value eq "x""#,
            r#"userName eq "x\u0000""#,
            "userName eq \"x",
            &long,
        ] {
            assert_eq!(user(filter).map_err(|fault| fault.kind), Err(FaultKind::Filter), "{filter}");
        }
        assert!(group(r#"userName eq "x""#).is_err() && group(r#"members eq "1""#).is_err());
    }
}
