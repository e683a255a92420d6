//! Parameters of the strategy types that SDKs have built in.

use std::net::IpAddr;

use super::Parameters;
use crate::constraint::normal_form::trimmed;

/// Percents of all users.
const WHOLE: u8 = 100;

/// Fault of a parameter for which a strategy cannot be evaluated as it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterFault {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// The end of a sentence that starts with the parameter.
    pub reason: &'static str,
}

/// Kind of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Whole percents of people.
    Share,
    /// Name of the context field by which users are distributed.
    Stickiness,
    /// Text that people are hashed with.
    Group,
    /// Texts, separated by commas.
    Texts,
    /// Addresses and ranges of them, separated by commas.
    Addresses,
    /// Names of machines, separated by commas.
    Hosts,
}

/// The parameters that the built-in strategy types read.
const READ: [(&str, &[(&str, Kind)]); 7] = [
    ("flexibleRollout", &[("rollout", Kind::Share), ("stickiness", Kind::Stickiness), ("groupId", Kind::Group)]),
    ("gradualRolloutUserId", &[("percentage", Kind::Share), ("groupId", Kind::Group)]),
    ("gradualRolloutSessionId", &[("percentage", Kind::Share), ("groupId", Kind::Group)]),
    ("gradualRolloutRandom", &[("percentage", Kind::Share)]),
    ("userWithId", &[("userIds", Kind::Texts)]),
    ("remoteAddress", &[("IPs", Kind::Addresses)]),
    ("applicationHostname", &[("hostNames", Kind::Hosts)]),
];

fn read(strategy: &str) -> &'static [(&'static str, Kind)] {
    READ.iter().find(|(name, _)| *name == strategy).map_or(&[], |(_, read)| *read)
}

/// Whether people of a strategy type are hashed with a group.
pub fn has_group(strategy: &str) -> bool {
    read(strategy).iter().any(|(_, kind)| *kind == Kind::Group)
}

/// Whether a parameter of a strategy type says for how many percent of people it holds.
pub fn is_share(strategy: &str, parameter: &str) -> bool {
    read(strategy).iter().any(|(name, kind)| *name == parameter && *kind == Kind::Share)
}

/// Returns a share in whole percents, or `None` if the text is no number. People are drawn in hundredths: one who is in
/// at 12.5 is in at 12. Below 0 are none, above 100 are all.
pub fn share(text: &str) -> Option<u8> {
    let text = trimmed(text);
    // Nearly all are whole already.
    if let Ok(share) = text.parse::<u8>() {
        return Some(share.min(WHOLE));
    }
    let share = text.parse::<f64>().ok().filter(|share| share.is_finite())?;
    (0..=WHOLE).rev().find(|percent| f64::from(*percent) <= share).or(Some(0))
}

/// Writes the parameters as all SDKs read them alike: shares in whole percents, lists without blanks around them. A value
/// that has no such form stays as it is.
pub fn normalize(strategy: &str, parameters: &mut Parameters) {
    for (name, kind) in read(strategy) {
        let Some(value) = parameters.get_mut(*name) else { continue };
        let normal = match kind {
            Kind::Share => match share(value).filter(|_| is_within(value)) {
                Some(share) => share.to_string(),
                None => continue,
            },
            Kind::Texts | Kind::Addresses | Kind::Hosts => trimmed(value).to_owned(),
            Kind::Stickiness | Kind::Group => continue,
        };
        if *value != normal {
            *value = normal;
        }
    }
}

/// Writes shares beyond what there is as engines draw them: below 0 as none, above 100 as all.
pub fn clamp(strategy: &str, parameters: &mut Parameters) {
    for (_, value) in parameters.iter_mut().filter(|(name, _)| is_share(strategy, name)) {
        if let Some(share) = share(value).filter(|_| !is_within(value)) {
            *value = share.to_string();
        }
    }
}

/// Checks that all SDKs read the parameters that are there, and read them alike.
pub fn check(strategy: &str, parameters: &Parameters) -> Result<(), ParameterFault> {
    check_alike(strategy, parameters)?;
    evaluable(strategy, |name| parameters.get(name).map(String::as_str))
}

/// Checks that all SDKs read parameters alike that the engine can evaluate.
pub fn check_alike(strategy: &str, parameters: &Parameters) -> Result<(), ParameterFault> {
    let value = |name: &str| parameters.get(name).map(String::as_str);
    first_fault(strategy, value, |kind, value| match kind {
        Kind::Share if !is_within(value) => Some("must be a number from 0 to 100, as text"),
        Kind::Group if !value.is_ascii() => Some("must be ASCII: SDKs hash other letters differently"),
        Kind::Stickiness if value == "currentTime" => Some("must not be `currentTime`, which tells nobody apart"),
        Kind::Stickiness | Kind::Hosts if !stays_in_quotes(value) => {
            Some("must have no quotation marks and no backslashes: SDKs read them differently")
        }
        Kind::Addresses if !list(value).all(is_address) => {
            Some("must be IP addresses or ranges such as 10.0.0.0/8, separated by commas")
        }
        _ => None,
    })
}

/// Checks that the engine can evaluate the parameters at all. A strategy that it cannot evaluate never holds.
pub fn evaluable<'a>(strategy: &str, value: impl Fn(&str) -> Option<&'a str>) -> Result<(), ParameterFault> {
    first_fault(strategy, value, |kind, value| match kind {
        Kind::Share if share(value).is_none() => Some("must be a number from 0 to 100, as text"),
        Kind::Group if value.contains('"') || value.ends_with('\\') => {
            Some("must have no quotation marks, and no backslash at its end: SDKs read them differently")
        }
        Kind::Texts if list(value).any(|text| text.ends_with('\\')) => {
            Some("must have no entry that ends with a backslash: SDKs read it differently")
        }
        _ => None,
    })
}

/// Returns the first fault of the parameters that are there, of those that the strategy type reads.
fn first_fault<'a>(
    strategy: &str,
    value: impl Fn(&str) -> Option<&'a str>,
    reason: impl Fn(Kind, &str) -> Option<&'static str>,
) -> Result<(), ParameterFault> {
    let fault = |(name, kind): &(&'static str, Kind)| {
        let reason = reason(*kind, value(name)?)?;
        Some(ParameterFault { parameter: name, reason })
    };
    read(strategy).iter().find_map(fault).map_or(Ok(()), Err)
}

/// Whether a text can stand between quotation marks in a rule as it is.
pub fn stays_in_quotes(text: &str) -> bool {
    !text.contains(['"', '\\'])
}

/// Whether a text is an address or a range that the engine reads.
pub fn is_address(text: &str) -> bool {
    let (address, length) = text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let most = if address.is_ipv4() { 32 } else { 128 };
    length.is_none_or(|length| {
        (1..=3).contains(&length.len())
            && length.bytes().all(|byte| byte.is_ascii_digit())
            && length.parse::<u8>().is_ok_and(|length| length <= most)
    })
}

/// The entries of a list, without blanks around them; none of an empty text.
pub fn list(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(trimmed).filter(move |_| !trimmed(value).is_empty())
}

fn is_within(value: &str) -> bool {
    trimmed(value).parse::<f64>().is_ok_and(|share| (0.0..=f64::from(WHOLE)).contains(&share))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(pairs: &[(&str, &str)]) -> Parameters {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn normal(strategy: &str, name: &str, value: &str) -> (String, bool) {
        let mut parameters = parameters(&[(name, value)]);
        normalize(strategy, &mut parameters);
        (parameters[name].clone(), check(strategy, &parameters).is_ok())
    }

    #[test]
    fn shares_are_whole_percents_up_to_a_hundred() {
        for (written, stored) in [
            ("0", "0"),
            ("50", "50"),
            ("100", "100"),
            ("12.5", "12"),
            ("99.99", "99"),
            ("0.5", "0"),
            (" 50 ", "50"),
            ("1e1", "10"),
            ("+7", "7"),
            ("007", "7"),
        ] {
            for (strategy, name) in [
                ("flexibleRollout", "rollout"),
                ("gradualRolloutUserId", "percentage"),
                ("gradualRolloutRandom", "percentage"),
            ] {
                assert_eq!(normal(strategy, name, written), (stored.to_owned(), true), "{written}");
            }
        }
        for refused in ["150", "100.1", "-1", "50%", "half", "", "NaN", "inf"] {
            assert_eq!(normal("flexibleRollout", "rollout", refused), (refused.to_owned(), false), "{refused}");
            assert_eq!(normal("default", "rollout", refused), (refused.to_owned(), true), "of no use to it");
        }
    }

    #[test]
    fn shares_that_move_in_are_read_as_sdks_draw() {
        let cases =
            [("150", Some(100)), ("-1", Some(0)), ("12.5", Some(12)), ("1e300", Some(100)), ("x", None), ("", None)];
        for (text, expected) in cases {
            assert_eq!(share(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_those_that_all_engines_read_alike() {
        let refused = [
            ("flexibleRollout", "groupId", "cart\""),
            ("flexibleRollout", "groupId", "cart\\"),
            ("gradualRolloutSessionId", "groupId", "\""),
            ("flexibleRollout", "groupId", "Gruppe ü"),
            ("flexibleRollout", "stickiness", "a\\b"),
            ("flexibleRollout", "stickiness", "currentTime"),
            ("userWithId", "userIds", "a, b\\ ,c"),
            ("remoteAddress", "IPs", "10.0.0.1, localhost"),
            ("remoteAddress", "IPs", "10.0.0.0/33"),
            ("remoteAddress", "IPs", "10.0.0.1-10.0.0.9"),
            ("remoteAddress", "IPs", "10.0.0.1,"),
            ("applicationHostname", "hostNames", "a\"b"),
        ];
        for (strategy, name, value) in refused {
            let fault = check(strategy, &parameters(&[(name, value)])).expect_err(value);
            assert_eq!(fault.parameter, name, "{value}");
        }
        let taken = [
            ("flexibleRollout", "groupId", "DOMAIN\\cart (new)"),
            ("flexibleRollout", "groupId", ""),
            ("flexibleRollout", "stickiness", "random"),
            ("userWithId", "userIds", "DOMAIN\\ada, \"b\",,"),
            ("userWithId", "userIds", ""),
            ("remoteAddress", "IPs", "10.0.0.0/8, ::1, 2001:db8::/32"),
            ("remoteAddress", "IPs", ""),
            ("applicationHostname", "hostNames", "web-1,web-2.example.com"),
            ("ownStrategy", "groupId", "\""),
        ];
        for (strategy, name, value) in taken {
            assert_eq!(check(strategy, &parameters(&[(name, value)])), Ok(()), "{value}");
        }
        assert_eq!(normal("userWithId", "userIds", " a, b\n"), ("a, b".to_owned(), true));
    }
}
