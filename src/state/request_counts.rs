//! Counters of answers to requests: without a lock, by operation and never by text of an address.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::Duration,
};

use arc_swap::ArcSwap;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts, Registry, core::Metric as _,
    proto::MetricFamily,
};

/// Upper bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 13] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
/// Classes of statuses, by their first digit.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Method and route of what is no operation: the pages under `/docs`, and addresses at which there is nothing.
const OTHER: &str = "other";

/// Counts and durations of requests since the start of this node, by operation and status.
#[derive(Debug)]
pub struct RequestCounts {
    registry: Registry,
    counts: IntCounterVec,
    durations: HistogramVec,
    /// Counts by operation id; only of operations that were called.
    by_operation: ArcSwap<HashMap<&'static str, Arc<Series>>>,
}

#[derive(Debug)]
struct Series {
    method: String,
    route: String,
    durations: Histogram,
    by_class: [OnceLock<IntCounter>; CLASSES.len()],
}

impl Default for RequestCounts {
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

impl RequestCounts {
    /// Counts an answer of an operation, by its id in the document, or of something else. Method and route of an
    /// operation are asked for when it is answered for the first time.
    pub fn answered(
        &self,
        operation: Option<&'static str>,
        place_of: impl FnOnce(&'static str) -> Option<(String, String)>,
        status: u16,
        took: Duration,
    ) {
        let operation = operation.unwrap_or(OTHER);
        match self.by_operation.load().get(operation) {
            Some(series) => self.count(series, status, took),
            None => self.count(&self.begin(operation, place_of(operation)), status, took),
        }
    }

    /// The figures, and those of the process.
    pub fn gather(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }

    /// Processor seconds and bytes of memory that the process has taken; 0 where the system does not say.
    pub fn process(&self) -> (f64, f64) {
        let families = self.registry.gather();
        let figure = |name: &str| {
            let family = families.iter().find(|family| family.name() == name);
            family.and_then(|family| family.get_metric().first()).cloned().unwrap_or_default()
        };
        let processor = figure("process_cpu_seconds_total").get_counter().get_value();
        (processor, figure("process_resident_memory_bytes").get_gauge().get_value())
    }

    /// Figures of the operations that were called, each by its place.
    pub fn by_route(&self) -> Vec<RouteFigures> {
        self.by_operation.load().values().map(|series| series.figures()).collect()
    }

    fn count(&self, series: &Series, status: u16, took: Duration) {
        let class = usize::from(status / 100).clamp(1, CLASSES.len()) - 1;
        let labels = || [series.method.as_str(), series.route.as_str(), CLASSES[class]];
        series.by_class[class].get_or_init(|| self.counts.with_label_values(&labels())).inc();
        series.durations.observe(took.as_secs_f64());
    }

    fn begin(&self, operation: &'static str, place: Option<(String, String)>) -> Arc<Series> {
        let (method, route) = place.unwrap_or((OTHER.to_owned(), OTHER.to_owned()));
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

/// Figures of the answers of an operation since the start.
#[derive(Debug, Clone)]
pub struct RouteFigures {
    /// The method.
    pub method: String,
    /// The route, as the document has it.
    pub route: String,
    /// Answers by the first digit of their status.
    by_class: [u64; CLASSES.len()],
    /// Time that all of them took.
    pub took: Duration,
    /// Time that 99 of 100 took at most, to the precision of the buckets.
    pub p99: Duration,
}

impl RouteFigures {
    /// All answers.
    pub fn answers(&self) -> u64 {
        self.by_class.iter().sum()
    }

    /// Answers with a status of success.
    pub const fn successes(&self) -> u64 {
        self.by_class[1]
    }

    /// Answers that nothing had changed.
    pub const fn unchanged(&self) -> u64 {
        self.by_class[2]
    }
}

impl Series {
    fn figures(&self) -> RouteFigures {
        let by_class = [0, 1, 2, 3, 4].map(|class: usize| self.by_class[class].get().map_or(0, IntCounter::get));
        let metric = self.durations.metric();
        let histogram = metric.get_histogram();
        let enough = histogram.get_sample_count() - histogram.get_sample_count() / 100;
        let bound = histogram.get_bucket().iter().find(|bucket| bucket.cumulative_count() >= enough);
        let longest = BUCKETS[BUCKETS.len() - 1];
        RouteFigures {
            method: self.method.clone(),
            route: self.route.clone(),
            by_class,
            took: Duration::from_secs_f64(self.durations.get_sample_sum()),
            p99: Duration::from_secs_f64(bound.map_or(longest, |bucket| bucket.upper_bound().min(longest))),
        }
    }
}
