//! Shares of people, as databases of other servers hold them: the engine reads whole numbers alone.

/// Parameters that say how many of a hundred people get something.
const SHARES: [&str; 2] = ["rollout", "percentage"];

/// A parameter as the engine reads it. People are drawn in hundredths: whoever is in at 12.5 is in at 12.
pub(super) fn whole(name: &str, value: &str) -> String {
    let share = value.trim().parse::<f64>().ok().filter(|share| share.is_finite() && *share >= 0.0);
    match share {
        Some(share) if SHARES.contains(&name) && value.parse::<usize>().is_err() => {
            format!("{:.0}", share.floor().min(100.0))
        }
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_with_a_fraction_counts_whole_percents() {
        for (written, read) in [
            ("12.5", "12"),
            ("99.99", "99"),
            ("0.5", "0"),
            (" 50 ", "50"),
            ("1e1", "10"),
            ("250.5", "100"),
            ("50", "50"),
            ("150", "150"),
            ("-1", "-1"),
            ("50%", "50%"),
            ("inf", "inf"),
            ("", ""),
        ] {
            assert_eq!(whole("rollout", written), read, "{written}");
            assert_eq!(whole("percentage", written), read, "{written}");
            assert_eq!(whole("groupId", written), written);
        }
    }
}
