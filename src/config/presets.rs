//! Credentials that an operator wants a new instance to start with.

use flagstone_domain::{
    email, opaque_debug,
    secret::{self, Strength, TokenKind, TokenScope, WEAK},
    token::Reach,
};

use super::variables::{Holds, Variable};

/// Variables with comma-separated lists of full secrets.
const TOKEN_VARIABLES: [(&str, TokenKind); 4] = [
    ("INIT_ADMIN_API_TOKENS", TokenKind::Admin),
    ("INIT_BACKEND_API_TOKENS", TokenKind::Client),
    ("INIT_CLIENT_API_TOKENS", TokenKind::Client),
    ("INIT_FRONTEND_API_TOKENS", TokenKind::Frontend),
];
const USERNAME_VARIABLE: &str = "UNLEASH_DEFAULT_ADMIN_USERNAME";
const PASSWORD_VARIABLE: &str = "UNLEASH_DEFAULT_ADMIN_PASSWORD";

/// Presets of a new instance, as far as the operator gave them. Printing it shows no secret.
#[derive(Clone, Default)]
pub struct Presets {
    /// API tokens, for an instance that has none.
    pub tokens: Vec<PresetToken>,
    /// Name of the first user.
    pub username: Option<String>,
    /// Password of the first user.
    pub password: Option<String>,
}

/// One token of a list.
#[derive(Clone)]
pub struct PresetToken {
    /// The full secret.
    pub secret: String,
    /// Kind of token.
    pub kind: TokenKind,
    /// The variable that lists it, for messages.
    pub variable: &'static str,
    /// Its place in the list, from 1, for messages.
    pub position: usize,
}

/// The variables that are read here.
pub(super) fn variables() -> impl Iterator<Item = Variable> {
    let lists = TOKEN_VARIABLES.map(|(name, _)| (name, Holds::List, true));
    let user = [(USERNAME_VARIABLE, Holds::Text, false), (PASSWORD_VARIABLE, Holds::Text, true)];
    let all = lists.into_iter().chain(user);
    all.map(|(name, holds, is_secret)| Variable { name: name.to_owned(), holds, is_secret })
}

opaque_debug!(Presets { tokens, username, .. });

impl std::fmt::Debug for PresetToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.position, self.variable)
    }
}

impl Presets {
    /// Reads variables; empty ones count as absent.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let given = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let mut tokens: Vec<PresetToken> = Vec::new();
        for (name, kind) in TOKEN_VARIABLES {
            let list = given(name).unwrap_or_default();
            let secrets = list.split(',').map(str::trim).filter(|secret| !secret.is_empty());
            // Client tokens can be listed in both variables, under the present name and the former one.
            let is_known = |secret: &str| {
                tokens.iter().any(|token| token.secret == secret && token.kind == kind && token.variable != name)
            };
            let new: Vec<_> = secrets.zip(1..).filter(|(secret, _)| !is_known(secret)).collect();
            tokens.extend(new.into_iter().map(|(secret, position)| PresetToken {
                secret: secret.to_owned(),
                kind,
                variable: name,
                position,
            }));
        }
        Self { tokens, username: given(USERNAME_VARIABLE), password: given(PASSWORD_VARIABLE) }
    }

    /// Returns warnings about the tokens before a new instance starts; one that has tokens does not look at these.
    pub fn doubts(&self) -> Vec<String> {
        let doubt = |token: &PresetToken| match token.judge() {
            Ok((_, Strength::Strong)) => None,
            Ok((_, Strength::Weak)) => Some(format!("token {token:?} {WEAK}")),
            Err(reason) => Some(format!("token {token:?}: {reason}: a new instance does not start with it")),
        };
        self.tokens.iter().filter_map(doubt).collect()
    }

    /// Refuses presets that cannot be meant; what has an `@` is an email, and people would sign in with it as one.
    pub fn judge(&self) -> Result<(), String> {
        match &self.username {
            Some(name) if name.contains('@') && !email::is_email(name) => {
                Err(format!("{USERNAME_VARIABLE} has an @ and is no email. {}", email::RULE))
            }
            _ => Ok(()),
        }
    }

    /// Whether the operator said who may get in first.
    pub const fn names_a_user(&self) -> bool {
        self.username.is_some() || self.password.is_some()
    }
}

impl PresetToken {
    /// Returns its scope and the strength of its secret, or why it is no token.
    pub fn judge(&self) -> Result<(Reach, Strength), String> {
        let scope = TokenScope::parse(&self.secret).ok_or("it must have the form project:environment.secret")?;
        let reach = Reach { kind: self.kind, projects: scope.projects, environment: scope.environment };
        reach.judge().map_err(|reason| reason.to_string())?;
        let strength = secret::judge_given(secret::unknown_part(&self.secret));
        Ok((reach, strength.map_err(|short| format!("its secret, after the dot, {short}"))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_and_trimmed_and_empty_variables_are_absent() {
        let presets = Presets::from_variables(|name| match name {
            "INIT_ADMIN_API_TOKENS" => Some(" *:*.hunter1 ,, *:*.hunter2,".to_owned()),
            "INIT_BACKEND_API_TOKENS" => Some("*:dev.hunter5,*:dev.hunter6".to_owned()),
            "INIT_CLIENT_API_TOKENS" => Some("*:dev.hunter6,*:dev.hunter7".to_owned()),
            "INIT_FRONTEND_API_TOKENS" => Some("shop:dev.hunter3".to_owned()),
            "UNLEASH_DEFAULT_ADMIN_USERNAME" => Some("  ".to_owned()),
            "UNLEASH_DEFAULT_ADMIN_PASSWORD" => Some(" hunter4 ".to_owned()),
            _ => None,
        });
        let tokens: Vec<_> =
            presets.tokens.iter().map(|token| (token.secret.as_str(), token.kind, token.position)).collect();
        assert_eq!(
            tokens,
            [
                ("*:*.hunter1", TokenKind::Admin, 1),
                ("*:*.hunter2", TokenKind::Admin, 2),
                ("*:dev.hunter5", TokenKind::Client, 1),
                ("*:dev.hunter6", TokenKind::Client, 2),
                ("*:dev.hunter7", TokenKind::Client, 2),
                ("shop:dev.hunter3", TokenKind::Frontend, 1)
            ]
        );
        assert_eq!((presets.username.as_deref(), presets.password.as_deref()), (None, Some(" hunter4 ")));
        assert!(presets.names_a_user());
        let printed = format!("{presets:?}");
        assert!(!printed.contains("hunter"), "{printed}");
        assert!(!Presets::from_variables(|_| None).names_a_user());
    }

    #[test]
    fn the_first_user_s_name_is_an_email_where_it_looks_like_one() {
        let named = |name: &str| Presets { username: Some(name.to_owned()), ..Presets::default() }.judge();
        for name in ["admin", "ada@example.com", "ada lovelace"] {
            assert_eq!(named(name), Ok(()), "{name}");
        }
        let refused = named("a b@@c").expect_err("no email");
        assert!(refused.starts_with("UNLEASH_DEFAULT_ADMIN_USERNAME has an @ and is no email. "), "{refused}");
    }
}
