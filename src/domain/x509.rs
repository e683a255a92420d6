//! Fields of X.509 certificates in DER, as far as the libraries that verify them keep them to themselves.

use chrono::{DateTime, NaiveDateTime, Utc};

/// The tag, content and rest of a DER element.
pub fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        ..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The end of the validity: the fifth part of a certificate of version 2 or 3, the fourth where the version is left
/// out.
pub fn expiry(certificate: &[u8]) -> Option<DateTime<Utc>> {
    let (_, certificate, _) = element(certificate)?;
    let (_, mut rest, _) = element(certificate)?;
    if element(rest)?.0 == 0xa0 {
        rest = element(rest)?.2;
    }
    for _serial_algorithm_issuer in 0..3 {
        rest = element(rest)?.2;
    }
    let (_, validity, _) = element(rest)?;
    let (tag, end, _) = element(element(validity)?.2)?;
    let end = std::str::from_utf8(end).ok()?;
    // Two digits of a year mean 1950 to 2049 (RFC 5280, 4.1.2.5.1).
    let full = match (tag, end.as_bytes().first()?) {
        (0x17, b'5'..=b'9') => format!("19{end}"),
        (0x17, _) => format!("20{end}"),
        _ => end.to_owned(),
    };
    NaiveDateTime::parse_from_str(&full, "%Y%m%d%H%M%SZ").ok().map(|end| end.and_utc())
}
