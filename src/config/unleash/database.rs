//! The URL of a PostgreSQL database from the variables that Unleash has for its parts.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::table::is_on;

/// Characters that stand for themselves in every part of a URL.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Database of Unleash where none is named.
const NAME: &str = "unleash";
/// Schema of the tables.
const SCHEMA: &str = "public";

/// Parts of which any says that there is a database to connect to. Others, such as the port, also stand in the
/// environment of containers that only run next to a database.
const NAMING: [&str; 4] = ["DATABASE_HOST", "DATABASE_USERNAME", "DATABASE_PASSWORD", "DATABASE_NAME"];

/// Returns the URL, or `None` if no variable names a database. Errors name the variable, and repeat no secret.
pub(super) fn url(set: &BTreeMap<&'static str, String>) -> Result<Option<String>, String> {
    if !NAMING.iter().any(|name| set.contains_key(name)) {
        return Ok(None);
    }
    let get = |name: &str| set.get(name).map(|value| value.trim());
    let encoded = |text: &str| utf8_percent_encode(text, ENCODED).to_string();
    if get("DATABASE_SCHEMA").is_some_and(|schema| schema != SCHEMA) {
        return Err(format!("DATABASE_SCHEMA: the tables are in the schema {SCHEMA} of their database"));
    }
    let mut parameters = Vec::new();
    let host = get("DATABASE_HOST").unwrap_or("localhost");
    let port = match get("DATABASE_PORT") {
        Some(port) => {
            port.parse().ok().filter(|port: &u16| *port > 0).ok_or("DATABASE_PORT takes a port, 1 to 65535")?
        }
        None => 5432,
    };
    let authority = if host.starts_with('/') {
        parameters.push(("host", host));
        format!("localhost:{port}")
    } else if host.parse::<std::net::Ipv6Addr>().is_ok() {
        format!("[{host}]:{port}")
    } else if url::Host::parse(host).is_ok() {
        format!("{host}:{port}")
    } else {
        return Err("DATABASE_HOST takes the name or address of a host, or the directory of a socket".to_owned());
    };
    let mode = ssl_mode(&get)?;
    parameters.push(("sslmode", mode));
    for (name, parameter) in [
        ("DATABASE_SSL_CA_FILE", "sslrootcert"),
        ("DATABASE_SSL_CERT_FILE", "sslcert"),
        ("DATABASE_SSL_KEY_FILE", "sslkey"),
        ("DATABASE_APPLICATION_NAME", "application_name"),
    ] {
        parameters.extend(get(name).map(|value| (parameter, value)));
    }
    let mut user = get("DATABASE_USERNAME").map(encoded).unwrap_or_default();
    if let Some(password) = set.get("DATABASE_PASSWORD") {
        user = format!("{user}:{}", encoded(password));
    }
    let at = if user.is_empty() { "" } else { "@" };
    let name = encoded(get("DATABASE_NAME").unwrap_or(NAME));
    let parameters: Vec<_> = parameters.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    Ok(Some(format!("postgres://{user}{at}{authority}/{name}?{}", parameters.join("&"))))
}

/// Returns how connections are encrypted: without a variable they are, and the certificate is not verified, as the
/// default of Unleash is; given files of certificates, it is verified.
fn ssl_mode<'a>(get: &impl Fn(&str) -> Option<&'a str>) -> Result<&'static str, String> {
    let verified = |is_verified: bool| if is_verified { "verify-full" } else { "require" };
    let Some(text) = get("DATABASE_SSL") else {
        let has_files = ["DATABASE_SSL_CA_FILE", "DATABASE_SSL_CERT_FILE", "DATABASE_SSL_KEY_FILE"];
        let default = has_files.iter().any(|name| get(name).is_some());
        return Ok(verified(get("DATABASE_SSL_REJECT_UNAUTHORIZED").map_or(default, is_on)));
    };
    match serde_json::from_str(text) {
        Ok(serde_json::Value::Bool(false) | serde_json::Value::Null) => Ok("disable"),
        Ok(serde_json::Value::Bool(true)) => Ok(verified(true)),
        Ok(serde_json::Value::Object(members)) => match members.get("rejectUnauthorized") {
            Some(serde_json::Value::Bool(is_verified)) if members.len() == 1 => Ok(verified(*is_verified)),
            None if members.is_empty() => Ok(verified(true)),
            _ => Err("DATABASE_SSL takes only rejectUnauthorized in an object; give certificates and keys as files, \
                      with DATABASE_SSL_CA_FILE, DATABASE_SSL_CERT_FILE and DATABASE_SSL_KEY_FILE"
                .to_owned()),
        },
        _ => Err("DATABASE_SSL takes true, false or an object in JSON".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&'static str, &str)]) -> Result<Option<String>, String> {
        url(&set.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
    }

    #[test]
    fn the_url_has_every_part_that_is_set() {
        for (set, expected) in [
            (&[("DATABASE_HOST", "db.internal")][..], "postgres://db.internal:5432/unleash?sslmode=require"),
            (
                &[("DATABASE_HOST", "fd00::1"), ("DATABASE_PORT", "6543"), ("DATABASE_SSL", "false")],
                "postgres://[fd00::1]:6543/unleash?sslmode=disable",
            ),
            (
                &[("DATABASE_NAME", "my flags"), ("DATABASE_USERNAME", "a@b"), ("DATABASE_PASSWORD", " p:/?#@% ")],
                "postgres://a%40b:%20p%3A%2F%3F%23%40%25%20@localhost:5432/my%20flags?sslmode=require",
            ),
            (
                &[("DATABASE_HOST", "/run/postgresql"), ("DATABASE_SCHEMA", "public"), ("DATABASE_SSL", "{}")],
                "postgres://localhost:5432/unleash?host=%2Frun%2Fpostgresql&sslmode=verify-full",
            ),
            (
                &[("DATABASE_HOST", "db"), ("DATABASE_SSL_CA_FILE", "/ca.pem"), ("DATABASE_APPLICATION_NAME", "x&y")],
                "postgres://db:5432/unleash?sslmode=verify-full&sslrootcert=%2Fca.pem&application_name=x%26y",
            ),
            (
                &[("DATABASE_HOST", "db"), ("DATABASE_SSL", r#"{"rejectUnauthorized":false}"#)],
                "postgres://db:5432/unleash?sslmode=require",
            ),
            (
                &[("DATABASE_HOST", "db"), ("DATABASE_SSL_REJECT_UNAUTHORIZED", "1")],
                "postgres://db:5432/unleash?sslmode=verify-full",
            ),
        ] {
            assert_eq!(of(set), Ok(Some(expected.to_owned())), "{set:?}");
        }
        assert_eq!(of(&[("DATABASE_PORT", "tcp://10.0.0.1:5432"), ("DATABASE_SSL", "false")]), Ok(None));
    }

    #[test]
    fn errors_name_the_variable_and_repeat_no_value() {
        for (name, value) in [
            ("DATABASE_PORT", "tcp://hush:5432"),
            ("DATABASE_PORT", "0"),
            ("DATABASE_SSL", "hush"),
            ("DATABASE_SSL", r#"{"ca":"hush"}"#),
            ("DATABASE_SSL", r#"{"rejectUnauthorized":"hush"}"#),
            ("DATABASE_SCHEMA", "hush"),
            ("DATABASE_HOST", "hush hush"),
            ("DATABASE_HOST", "db?hush"),
        ] {
            let refused = of(&[("DATABASE_NAME", "x"), (name, value)]).expect_err(value);
            assert!(refused.starts_with(name) && !refused.contains("hush"), "{refused}");
        }
    }
}
