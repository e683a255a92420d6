//! Types of strategies.

use std::net::IpAddr;

use flagstone_domain::client_feature::ClientStrategy;

use super::{Asker, Frontend, Quirk, hash, numbers};

/// Placeholder of an id that is drawn each time.
const ANYBODY: &str = "anybody";
/// Percents of all users.
const WHOLE: u32 = 100;

impl Frontend<'_> {
    /// Whether a strategy holds by its type and parameters. Types that are not known never hold.
    pub(super) fn is_enabled(&self, strategy: &ClientStrategy, feature: &str, asker: &Asker<'_>) -> bool {
        let parameter = |name: &str| strategy.parameters.get(name).map_or("", String::as_str);
        match &*strategy.name {
            "default" => true,
            "userWithId" => self.lists(parameter("userIds"), asker.value("userId")),
            "flexibleRollout" => {
                let id = sticky(parameter("stickiness"), asker);
                self.is_drawn(strategy, id, parameter("rollout"), feature)
            }
            "gradualRolloutUserId" => self.is_drawn(strategy, asker.filled("userId"), parameter("percentage"), ""),
            "gradualRolloutSessionId" => {
                self.is_drawn(strategy, asker.filled("sessionId"), parameter("percentage"), "")
            }
            "remoteAddress" => self.is_within(parameter("IPs"), asker.value("remoteAddress")),
            _ => false,
        }
    }

    /// Whether a list, separated by commas, has a value.
    fn lists(&self, list: &str, value: Option<&str>) -> bool {
        let entries = self.entries(list);
        value.is_some_and(|value| entries.iter().any(|entry| entry == value))
    }

    fn entries(&self, list: &str) -> Vec<String> {
        if list.is_empty() {
            return Vec::new();
        }
        let all: Vec<&str> = list.split(',').collect();
        let end = all.len() - 1;
        let entries = all.into_iter().enumerate().map(|(place, entry)| {
            if !self.has(Quirk::BlanksAroundLists) {
                return entry.trim().to_owned();
            }
            let entry = if place > 0 { entry.trim_start() } else { entry };
            if place < end { entry.trim_end().to_owned() } else { entry.to_owned() }
        });
        entries.collect()
    }

    fn is_within(&self, list: &str, address: Option<&str>) -> bool {
        let Some(address) = address else { return false };
        let known: Option<IpAddr> = address.parse().ok();
        let is_old = self.has(Quirk::OldAddresses);
        self.entries(list).iter().any(|range| {
            if range == address && (is_old || known.is_some()) {
                return true;
            }
            let (network, bits) = range
                .split_once('/')
                .map_or((&**range, None), |(network, bits)| (network, Some(bits.parse::<u32>().unwrap_or(u32::MAX))));
            match (network.parse(), known) {
                (Ok(IpAddr::V4(network)), Some(IpAddr::V4(known))) => {
                    is_same(network.to_bits().into(), known.to_bits().into(), 32, bits)
                }
                (Ok(IpAddr::V6(network)), Some(IpAddr::V6(known))) if !is_old => {
                    is_same(network.to_bits(), known.to_bits(), 128, bits)
                }
                _ => false,
            }
        })
    }

    /// Whether an id falls within a share. `group` is in the place of a group that is not given.
    fn is_drawn(&self, strategy: &ClientStrategy, id: Option<&str>, share: &str, group: &str) -> bool {
        let given = strategy.parameters.get("groupId").map(String::as_str);
        let group = match given {
            Some(group) => group,
            None if self.has(Quirk::EmptyGroup) => "",
            None => group,
        };
        let Some((id, share)) = id.zip(numbers::number(share)) else { return false };
        let place = hash::place(group, id, WHOLE, hash::OF_ROLLOUTS, self.has(Quirk::ByteForLetter));
        share > 0.0 && f64::from(place) <= share
    }
}

/// Returns the value that decides a draw.
fn sticky<'a>(stickiness: &str, asker: &'a Asker<'_>) -> Option<&'a str> {
    match stickiness {
        "" | "default" => asker.filled("userId").or_else(|| asker.filled("sessionId")).or(Some(ANYBODY)),
        "random" => Some(ANYBODY),
        field => asker.filled(field),
    }
}

/// Whether the first bits of two addresses are the same; all of them where no number is given.
fn is_same(one: u128, other: u128, all: u32, bits: Option<u32>) -> bool {
    let bits = bits.unwrap_or(all);
    bits <= all && (bits == 0 || (one >> (all - bits)) == (other >> (all - bits)))
}
