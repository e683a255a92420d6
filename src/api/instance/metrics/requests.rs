//! How requests were answered: counted without a lock, by operation and never by what somebody wrote in an address.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::Duration,
};

use arc_swap::ArcSwap;
use poem::http::StatusCode;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts, Registry, proto::MetricFamily,
};

use crate::api::document;

/// Upper bounds of the durations that are told apart, in seconds.
const BUCKETS: [f64; 13] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
/// Classes of statuses, by their first digit.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Method and route of what is no operation: the pages under `/docs`, and addresses at which there is nothing.
const OTHER: &str = "other";

/// How requests were answered since the start of this node.
#[derive(Debug)]
pub struct Requests {
    registry: Registry,
    counts: IntCounterVec,
    durations: HistogramVec,
    /// By operation id; only operations that somebody called.
    by_operation: ArcSwap<HashMap<&'static str, Arc<Series>>>,
}

#[derive(Debug)]
struct Series {
    method: String,
    route: String,
    durations: Histogram,
    by_class: [OnceLock<IntCounter>; CLASSES.len()],
}

impl Default for Requests {
    fn default() -> Self {
        let registry = Registry::new();
        let counts = Opts::new("flagstone_http_requests_total", "Requests that were answered.");
        let counts = IntCounterVec::new(counts, &["method", "route", "status"]).expect("valid names");
        let durations = HistogramOpts::new(
            "flagstone_http_request_duration_seconds",
            "Time until an answer was ready to be sent; for a stream, until its beginning was.",
        );
        let durations = durations.buckets(BUCKETS.to_vec());
        let durations = HistogramVec::new(durations, &["method", "route"]).expect("valid names");
        registry.register(Box::new(counts.clone())).expect("registered once");
        registry.register(Box::new(durations.clone())).expect("registered once");
        #[cfg(target_os = "linux")]
        registry
            .register(Box::new(prometheus::process_collector::ProcessCollector::for_self()))
            .expect("registered once");
        Self { registry, counts, durations, by_operation: ArcSwap::default() }
    }
}

impl Requests {
    /// Counts an answer of an operation, by its id in the document, or of something else.
    pub fn answered(&self, operation: Option<&'static str>, status: StatusCode, took: Duration) {
        let operation = operation.unwrap_or(OTHER);
        match self.by_operation.load().get(operation) {
            Some(series) => self.count(series, status, took),
            None => self.count(&self.begin(operation), status, took),
        }
    }

    /// The figures, and those of the process.
    pub(super) fn gather(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }

    fn count(&self, series: &Series, status: StatusCode, took: Duration) {
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1;
        let labels = || [series.method.as_str(), series.route.as_str(), CLASSES[class]];
        series.by_class[class].get_or_init(|| self.counts.with_label_values(&labels())).inc();
        series.durations.observe(took.as_secs_f64());
    }

    fn begin(&self, operation: &'static str) -> Arc<Series> {
        let (method, route) = document::place_of(operation).unwrap_or((OTHER.to_owned(), OTHER.to_owned()));
        let durations = self.durations.with_label_values(&[&method, &route]);
        let series = Arc::new(Series { method, route, durations, by_class: <[_; CLASSES.len()]>::default() });
        self.by_operation.rcu(|known| {
            let mut known = HashMap::clone(known);
            known.entry(operation).or_insert_with(|| Arc::clone(&series));
            known
        });
        series
    }
}
