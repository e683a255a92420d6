//! Second factors in addition to a password: their kinds, the codes that prove them, and the policy that requires them.

use data_encoding::BASE32_NOPAD;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use crate::{permission::Grants, preference::Preference, secret, time::Timestamp, totp};

/// Recovery codes that a user gets at once.
pub const RECOVERY_CODES: usize = 10;
/// Random bytes of a recovery code: with 80 bits, a plain hash suffices.
const RECOVERY_BYTES: usize = 10;
/// Characters of a recovery code, without the hyphens.
const RECOVERY_LENGTH: usize = 16;
/// Characters between two hyphens of a recovery code.
const GROUP: usize = 4;
/// Milliseconds in which an enrolment that was begun can be confirmed.
pub const ENROLMENT_MS: i64 = 3_600_000;

/// Kind of a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "SecondFactorKind", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One-time passwords of an authenticator app (TOTP, RFC 6238).
    Totp,
    /// A passkey (Web Authentication), of which a user can have several.
    Passkey,
}

impl Kind {
    /// The name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Passkey => "passkey",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Totp, Self::Passkey].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A second factor that is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// Its kind.
    pub kind: Kind,
    /// Since when it is in use.
    pub since: Timestamp,
}

/// Users of whom a second factor is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Enum, Serialize, Deserialize)]
#[oai(rename = "SecondFactorRequirement", rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Requirement {
    /// None of the users, who may have one all the same.
    #[default]
    Nobody,
    /// Users with a permission in the whole instance, by their root role or that of a group: administrators, editors,
    /// and users with a custom root role that has any permission. Viewers are not among them.
    RootRoles,
    /// All users who sign in with a password.
    Everybody,
}

/// Policy on second factors in addition to a password. Sign-ins through login providers and links of the operator are
/// not affected by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Object)]
#[oai(rename = "SecondFactorPolicy", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SecondFactorPolicy {
    /// Users of whom a second factor is required. Those who have none can sign in with their password, in a session
    /// that can only enrol one.
    pub required_of: Requirement,
}

impl Preference for SecondFactorPolicy {
    const ID: &'static str = "flagstone.second-factor";
}

impl SecondFactorPolicy {
    /// Whether it requires one of a user with these grants.
    pub fn requires(self, grants: &Grants) -> bool {
        match self.required_of {
            Requirement::Nobody => false,
            Requirement::RootRoles => grants.any_in_instance(),
            Requirement::Everybody => true,
        }
    }
}

/// A code that proves a second factor, as a user types it.
#[derive(Clone, PartialEq, Eq)]
pub enum Code {
    /// Digits that an authenticator app shows.
    OneTime(String),
    /// Digest of a recovery code.
    Recovery(String),
}

opaque_debug!(Code);

impl Code {
    /// Reads a code, in which blanks and hyphens, and the case of letters, do not matter. `None` for a text that has
    /// the form of neither.
    pub fn read(text: &str) -> Option<Self> {
        let is_filler = |char: &char| char.is_ascii_whitespace() || *char == '-';
        let plain: String = text.chars().filter(|char| !is_filler(char)).collect();
        if plain.len() == totp::DIGITS && plain.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::OneTime(plain));
        }
        let is_recovery = plain.len() == RECOVERY_LENGTH && plain.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_recovery.then(|| Self::Recovery(secret::digest(&plain.to_ascii_lowercase())))
    }
}

/// A fresh recovery code: 16 letters and digits, in groups of four.
pub fn recovery_code() -> String {
    let mut bytes = [0; RECOVERY_BYTES];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    let text = BASE32_NOPAD.encode(&bytes).to_ascii_lowercase();
    let groups: Vec<&str> = (0..RECOVERY_LENGTH).step_by(GROUP).map(|start| &text[start..start + GROUP]).collect();
    groups.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{Grant, Permission};

    fn grants(permission: Permission, project: Option<&str>) -> Grants {
        Grants::new(vec![Grant { permission, project: project.map(str::to_owned), environment: None }])
    }

    #[test]
    fn the_policy_tells_root_roles_from_roles_in_projects() {
        let viewer = Grants::new(Vec::new());
        let owner = grants(Permission::UpdateProject, Some("shop"));
        let (editor, admin) = (grants(Permission::CreateStrategy, None), Grants::admin());
        for (required_of, expected) in [
            (Requirement::Nobody, [false; 4]),
            (Requirement::RootRoles, [false, false, true, true]),
            (Requirement::Everybody, [true; 4]),
        ] {
            let policy = SecondFactorPolicy { required_of };
            let required = [&viewer, &owner, &editor, &admin].map(|grants| policy.requires(grants));
            assert_eq!(required, expected, "{required_of:?}");
        }
    }

    #[test]
    fn codes_are_read_as_people_type_them() {
        let made = recovery_code();
        assert_eq!(made.len(), 19);
        assert_ne!(made, recovery_code());
        let digest = secret::digest(&made.replace('-', ""));
        let upper = made.to_uppercase().replace('-', " ");
        for typed in [&made, &upper, &format!(" {} ", made.replace('-', ""))] {
            assert_eq!(Code::read(typed), Some(Code::Recovery(digest.clone())), "{typed}");
        }
        for typed in ["123456", "123 456", " 123-456"] {
            assert_eq!(Code::read(typed), Some(Code::OneTime("123456".to_owned())), "{typed}");
        }
        for typed in ["", "12345", "1234567", "12345a", "\u{661}\u{662}\u{663}", &made[1..], &format!("{made}a")] {
            assert_eq!(Code::read(typed), None, "{typed}");
        }
        assert_eq!(format!("{:?}", Code::OneTime("123456".to_owned())), "Code");
    }

    #[test]
    fn kinds_are_read_as_they_are_written() {
        for kind in [Kind::Totp, Kind::Passkey] {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(Kind::parse("letter"), None);
    }
}
