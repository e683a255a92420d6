//! Regular expressions of other products, where every engine reads them alike.
//!
//! Ours takes the letters and digits of every script for `\w` and `\d`, and knows classes within classes; theirs look
//! ahead and back. What is left is written so that it means the same to all, or not taken.

use super::{
    comparison::{Comparison, Otherwise, Test},
    condition::Condition,
};

/// Most characters of a pattern.
const MOST_LENGTH: usize = 900;
/// Any character but the ends of lines, of which engines know one, two or four.
const ANY: &str = r"[^\n\r\x{2028}\x{2029}]";

/// Returns the condition that a field matches a pattern somewhere.
pub(super) fn matches(field: &str, pattern: &str, otherwise: Otherwise) -> Condition {
    let test = match plain(pattern).map_or_else(|| portable(pattern).map(Test::Matches), Ok) {
        Ok(test) => test,
        Err(reason) => return Condition::Unsupported(format!("the pattern {pattern} {reason}")),
    };
    Condition::Field(Comparison { field: field.to_owned(), test, otherwise })
}

/// A pattern that is a mere text, perhaps at the beginning or the end.
fn plain(pattern: &str) -> Option<Test> {
    let (from_start, rest) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (to_end, rest) = match rest.strip_suffix('$') {
        Some(rest) if !rest.ends_with('\\') => (true, rest),
        _ => (false, rest),
    };
    let mut text = String::new();
    let mut signs = rest.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => text.push(signs.next().filter(char::is_ascii_punctuation)?),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' => return None,
            sign => text.push(sign),
        }
    }
    if text.is_empty() || text.trim() != text || text.ends_with('\\') {
        return None;
    }
    let values = vec![text];
    Some(match (from_start, to_end) {
        (true, true) => Test::OneOf(values),
        (true, false) => Test::StartsWith(values),
        (false, true) => Test::EndsWith(values),
        (false, false) => Test::Contains(values),
    })
}

/// The pattern in a form that ours reads as theirs do.
fn portable(pattern: &str) -> Result<String, &'static str> {
    const UNLIKE: &str = "holds what engines read differently";
    let signs: Vec<char> = pattern.chars().collect();
    if signs.len() > MOST_LENGTH || pattern.contains('"') {
        return Err("is too long, or holds a quote");
    }
    let mut written = String::new();
    let mut inside = false;
    let mut place = 0;
    while let Some(&sign) = signs.get(place) {
        let next = signs.get(place + 1).copied();
        place += 1;
        match sign {
            '\\' => {
                place += 1;
                match next {
                    Some('d') => written.push_str(if inside { "0-9" } else { "[0-9]" }),
                    Some('w') => written.push_str(if inside { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
                    Some(sign) if sign.is_ascii_punctuation() => written.extend(['\\', sign]),
                    _ => return Err(UNLIKE),
                }
            }
            '[' if inside => return Err(UNLIKE),
            '[' => {
                inside = true;
                written.push('[');
                if next == Some('^') {
                    written.push('^');
                    place += 1;
                }
                // A bracket that comes first is a text to some and the end to others.
                if signs.get(place) == Some(&']') {
                    return Err(UNLIKE);
                }
            }
            ']' if inside => {
                inside = false;
                written.push(']');
            }
            '&' | '~' | '-' if inside && next == Some(sign) => return Err(UNLIKE),
            '.' if !inside => written.push_str(ANY),
            '(' if !inside && next == Some('?') && signs.get(place + 1) != Some(&':') => return Err(UNLIKE),
            '{' if !inside && next.is_none_or(|next| !next.is_ascii_digit()) => return Err(UNLIKE),
            sign => written.push(sign),
        }
    }
    if written.ends_with('\\') || written.chars().count() > MOST_LENGTH + 100 {
        return Err("is too long, or ends within an escape");
    }
    regex::Regex::new(&written).map(|_| written).map_err(|_| "cannot be compiled here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mere_texts_become_operators_that_every_sdk_knows() {
        let of = |text: &str| vec![text.to_owned()];
        for (pattern, test) in [
            ("^abc", Test::StartsWith(of("abc"))),
            (r"@example\.com$", Test::EndsWith(of("@example.com"))),
            ("^x$", Test::OneOf(of("x"))),
            ("beta", Test::Contains(of("beta"))),
        ] {
            assert_eq!(plain(pattern), Some(test), "{pattern}");
        }
        for pattern in ["a.c", "", "^", "a|b", r"\d", "a$b"] {
            assert_eq!(plain(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn what_engines_read_differently_is_not_taken() {
        assert_eq!(portable(r"^\d+[\w.]$").as_deref(), Ok("^[0-9]+[0-9A-Za-z_.]$"));
        assert_eq!(portable("a.c"), Ok(format!("a{ANY}c")));
        for pattern in [r"\s", r"(?i)a", r"(?=a)", r"\1", r"[[:alpha:]]", "[a&&b]", "[]a]", r"\bx", "a{,2}", "(", "x\""]
        {
            assert!(portable(pattern).is_err(), "{pattern}");
        }
    }
}
