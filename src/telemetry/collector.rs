//! Export of spans to a collector: OTLP over HTTP, from a bounded queue, so that no request ever waits for it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use flagstone_domain::opaque_debug;
use flagstone_outbound::{Outbound, Request};
use opentelemetry::Context;
use opentelemetry_proto::{
    tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse},
    transform::{common::tonic::ResourceAttributesWithSchema, trace::tonic::group_spans_by_resource_and_scope},
};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{Span, SpanData, SpanProcessor},
};
use prost::Message as _;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until, timeout},
};

/// Spans that are sent at once, at most.
const BATCH: usize = 512;
/// Bytes of an answer that are read.
const ANSWER: usize = 4096;
/// Pauses before what did not arrive is sent again; after the last it is given up.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];
/// The longest pause that a collector may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Period of the warnings that spans do not arrive.
const TELLING: Duration = Duration::from_mins(1);

/// Destination of spans.
#[derive(Clone)]
pub struct Destination {
    /// The way there.
    pub outbound: Outbound,
    /// The address, with its path.
    pub url: String,
    /// Headers that are sent along, which may be secrets.
    pub headers: Vec<(String, String)>,
}

opaque_debug!(Destination);

#[derive(Debug, Default)]
pub(super) struct Figures {
    sent: AtomicU64,
    crowded_out: AtomicU64,
    refused: AtomicU64,
}

/// Numbers of spans since the start, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Spans that were sent, and taken.
    pub sent: u64,
    /// Spans that were dropped since the queue was full.
    pub crowded_out: u64,
    /// Spans that the collector did not take, or that could not reach it.
    pub refused: u64,
    /// Spans that wait.
    pub waiting: usize,
}

/// Takes spans that ended.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    sender: mpsc::Sender<SpanData>,
    figures: Arc<Figures>,
}

impl Queue {
    pub(super) fn counts(&self) -> Counts {
        let Figures { sent, crowded_out, refused } = &*self.figures;
        Counts {
            sent: sent.load(Ordering::Relaxed),
            crowded_out: crowded_out.load(Ordering::Relaxed),
            refused: refused.load(Ordering::Relaxed),
            waiting: self.sender.max_capacity() - self.sender.capacity(),
        }
    }
}

impl SpanProcessor for Queue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() && self.sender.try_send(span).is_err() {
            self.figures.crowded_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// Sends what the queue holds.
pub(super) struct Sender {
    spans: mpsc::Receiver<SpanData>,
    destination: Destination,
    resource: ResourceAttributesWithSchema,
    delay: Duration,
    stopping: watch::Receiver<bool>,
    figures: Arc<Figures>,
    told: Option<Instant>,
}

/// A queue for so many spans, and who empties it: each span within `delay`, and at once when it is to stop.
pub(super) fn queue(
    room: usize,
    destination: Destination,
    resource: &Resource,
    delay: Duration,
    stopping: watch::Receiver<bool>,
) -> (Queue, Sender) {
    let (sender, spans) = mpsc::channel(room);
    let figures = Arc::<Figures>::default();
    let queue = Queue { sender, figures: Arc::clone(&figures) };
    (queue, Sender { spans, destination, resource: resource.into(), delay, stopping, figures, told: None })
}

/// Reason why spans were not taken.
struct Refusal {
    reason: String,
    /// Whether it may be otherwise later.
    passes: bool,
    /// Pause that the collector asks for.
    asked_pause: Option<Duration>,
}

impl Sender {
    /// Sends until it is to stop and nothing is left.
    pub(super) async fn run(mut self) {
        loop {
            let batch = self.gather().await;
            if batch.is_empty() {
                return;
            }
            self.send(batch).await;
        }
    }

    /// Returns the next batch to send; nothing after the last.
    async fn gather(&mut self) -> Vec<SpanData> {
        let (mut batch, mut until) = (Vec::new(), None);
        while batch.len() < BATCH {
            let room = BATCH - batch.len();
            tokio::select! {
                biased;
                _ = self.stopping.wait_for(|stopping| *stopping), if !self.spans.is_closed() => self.spans.close(),
                count = self.spans.recv_many(&mut batch, room) => {
                    if count == 0 {
                        break;
                    }
                    until.get_or_insert(Instant::now() + self.delay);
                }
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => break,
            }
        }
        batch
    }

    async fn send(&mut self, batch: Vec<SpanData>) {
        let count = batch.len() as u64;
        let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
        let body = ExportTraceServiceRequest { resource_spans }.encode_to_vec();
        let mut pauses = PAUSES.into_iter();
        loop {
            let refusal = match self.attempt(body.clone()).await {
                Ok(refused) => {
                    let refused = refused.min(count);
                    self.figures.sent.fetch_add(count - refused, Ordering::Relaxed);
                    self.figures.refused.fetch_add(refused, Ordering::Relaxed);
                    return;
                }
                Err(refusal) => refusal,
            };
            let may_wait = refusal.passes && !*self.stopping.borrow();
            let Some(pause) = pauses.next().filter(|_| may_wait) else {
                self.figures.refused.fetch_add(count, Ordering::Relaxed);
                self.tell(&refusal.reason, count);
                return;
            };
            let pause = refusal.asked_pause.unwrap_or(pause).min(LONGEST_PAUSE);
            // When it is to stop, it is tried once more without waiting.
            drop(timeout(pause, self.stopping.wait_for(|stopping| *stopping)).await);
        }
    }

    /// Sends once. Returns how many spans the collector did not want.
    async fn attempt(&self, body: Vec<u8>) -> Result<u64, Refusal> {
        let Destination { outbound, url, headers } = &self.destination;
        let mut headers = headers.clone();
        headers.push(("content-type".to_owned(), "application/x-protobuf".to_owned()));
        match outbound.send(Request::deliver(url, headers, body, ANSWER)).await {
            Ok(answer) if (200..300).contains(&answer.status) => {
                // Whoever answers something else took them as well.
                let answer = ExportTraceServiceResponse::decode(&*answer.body).unwrap_or_default();
                let refused = answer.partial_success.map_or(0, |partial| partial.rejected_spans);
                Ok(u64::try_from(refused).unwrap_or_default())
            }
            Ok(answer) => {
                let asked = answer.retry_after.as_deref().and_then(|text| text.trim().parse().ok());
                let passes = matches!(answer.status, 429 | 502 | 503 | 504);
                let reason = format!("the collector answered {}", answer.status);
                Err(Refusal { reason, passes, asked_pause: asked.map(Duration::from_secs) })
            }
            Err(failure) => {
                Err(Refusal { reason: failure.to_string(), passes: !failure.kind.lasts(), asked_pause: None })
            }
        }
    }

    fn tell(&mut self, reason: &str, spans: u64) {
        if self.told.is_none_or(|told| told.elapsed() > TELLING) {
            self.told = Some(Instant::now());
            tracing::warn!(target: "flagstone::telemetry::collector", spans, "traces do not arrive: {reason}");
        }
    }
}
