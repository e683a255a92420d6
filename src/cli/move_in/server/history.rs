//! The log and usage of a running server: page by page and feature by feature, never in memory as a whole.

use std::collections::HashSet;

use futures_util::{StreamExt as _, stream};

use super::{AT_ONCE, Asked, Asking, BrokenOff, segment};
use crate::{
    cli::progress::Progress,
    moving_in::{Counted, Event, Set, Usage, UsageOfFeature},
    store::{
        db::Tx,
        moving_in::{self, MoveInError, unleash::UsageKind},
    },
};

/// Events of one page: the most that a server gives.
const PAGE: u64 = 1000;

/// Writes the history where there is a transaction, and returns how much there is of it.
pub(super) async fn bring(asking: &Asking<'_>, set: &Set, with_events: bool, tx: Option<&Tx>) -> Asked<Vec<Counted>> {
    let mut counted = Vec::new();
    let mut count = |kind: &str, number| {
        counted.push(Counted { kind: kind.to_owned(), before: number, after: number });
    };
    if with_events {
        count("events", events(asking, tx).await?);
    }
    let [hours, variants] = usage(asking, set, tx).await?;
    count("hours of usage", hours);
    count("hours of usage by variant", variants);
    Ok(counted)
}

/// The log, latest first. Events that happen meanwhile move pages on, so that some are read again, and none is missed.
async fn events(asking: &Asking<'_>, tx: Option<&Tx>) -> Asked<u64> {
    let bar = Progress::new("asking for events {bar:40} {percent:>3}% {elapsed}", 4);
    let mut seen = HashSet::new();
    let mut offset = 0;
    loop {
        let path = format!("search/events?limit={PAGE}&offset={offset}");
        let mut page = asking.events(&path).await.map_err(BrokenOff)?;
        if offset == 0 && page.total.is_none() {
            // Versions in which it cannot be searched answer all of it at once.
            page = asking.events("events").await.map_err(BrokenOff)?;
        }
        bar.begin(page.total.unwrap_or_default());
        let length = page.length;
        offset += length;
        page.events.retain(|event| seen.insert(event.id));
        write_events(tx, page.events).await?;
        let _quarter = bar.advance(length);
        if length == 0 || page.total.is_none_or(|total| offset >= total) {
            bar.end();
            return Ok(u64::try_from(seen.len())?);
        }
    }
}

async fn write_events(tx: Option<&Tx>, events: Vec<Event>) -> Result<(), MoveInError> {
    if let Some(tx) = tx {
        moving_in::write_events(tx, stream::iter(events).map(|event| Ok(Some(event))), &|_| ()).await?;
    }
    Ok(())
}

/// Usage by the hour, and by the hour and variant, of every feature.
async fn usage(asking: &Asking<'_>, set: &Set, tx: Option<&Tx>) -> Asked<[u64; 2]> {
    let bar = Progress::new("asking for usage {bar:40} {percent:>3}% {elapsed}", 4);
    bar.begin(u64::try_from(set.features.len())?);
    let named = set.features.iter().filter_map(|feature| segment(&feature.name).ok());
    let answers = stream::iter(named).map(|name| {
        let path = format!("client-metrics/features/{name}/raw?hoursBack=48");
        async move { asking.maybe(&path).await.map_err(BrokenOff) }
    });
    let mut answers = std::pin::pin!(answers.buffered(AT_ONCE));
    let mut counts = [0, 0];
    while let Some(answer) = answers.next().await {
        let of_feature = UsageOfFeature::read(&answer?, asking.repairs);
        let kinds = [(UsageKind::Hourly, of_feature.hours), (UsageKind::Variants, of_feature.variants)];
        for (count, (kind, usage)) in counts.iter_mut().zip(kinds) {
            *count += u64::try_from(usage.len())?;
            write_usage(tx, kind, usage).await?;
        }
        let _quarter = bar.advance(1);
    }
    bar.end();
    Ok(counts)
}

async fn write_usage(tx: Option<&Tx>, kind: UsageKind, usage: Vec<Usage>) -> Result<(), MoveInError> {
    if let Some(tx) = tx {
        moving_in::write_usage(tx, kind, stream::iter(usage).map(|usage| Ok(Some(usage))), &|_| ()).await?;
    }
    Ok(())
}
