//! One connection, from its first byte to its last.

use std::{convert::Infallible, future::poll_fn, net::SocketAddr, pin::pin, sync::Arc, task::Poll, time::Duration};

use hyper::{Version, body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use poem::{
    Addr, Endpoint, Request, Response,
    http::{HeaderValue, header, uri::Scheme},
    web::{LocalAddr, RemoteAddr},
};
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::watch,
    time::{Instant, sleep_until},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::{
    admission::Permit,
    figures::{CloseReason, Figures},
    request_guard::RequestGuard,
    sent::WhenSent,
    socket::{SharedWatch, Socket},
    unread::Unread,
    watch::{Timeouts, Watch},
};

/// Time limit for requests under way after the signal to stop.
pub(super) const GRACE: Duration = Duration::from_secs(30);
/// Time limit for a connection at rest to say goodbye.
const GOODBYE: Duration = Duration::from_secs(5);

/// Most bytes of a request's head, and of an answer before it is written. An address alone may have 64 KiB.
const BUFFER: usize = 1 << 17;
/// Requests that one connection of HTTP/2 may have under way.
const STREAMS: u32 = 100;
/// Most bytes of the fields of a request of HTTP/2.
const FIELDS: u32 = 1 << 14;
/// Requests of HTTP/2 that were taken back before they were looked at: beyond so many the connection ends.
const TAKEN_BACK: usize = 20;
/// Most bytes of one answer of HTTP/2 that wait for its reader.
const WAITING: usize = 1 << 16;

/// State that all connections share.
pub(super) struct Handler<E> {
    endpoint: Arc<E>,
    protocols: auto::Builder<TokioExecutor>,
    timeouts: Timeouts,
    figures: Arc<Figures>,
}

/// Event that wakes the task of a connection.
#[derive(Clone, Copy)]
enum Wake {
    Over,
    /// A timeout may be due.
    Alarm,
    /// Its place is needed.
    Needed,
    /// The server stops.
    Stop,
}

/// Next step with a connection.
enum Step {
    /// End the task.
    Over,
    /// Wait for the next event.
    GoOn,
    /// Say that it is busy and stays open.
    KeepOpen,
    /// Shut it down, as the server stops, in this time.
    Stop(Duration),
    /// End it, for this reason.
    End(CloseReason),
}

impl<E: Endpoint<Output = Response> + 'static> Handler<E> {
    pub(super) fn new(endpoint: E, timeouts: Timeouts, figures: Arc<Figures>) -> Self {
        let mut protocols = auto::Builder::new(TokioExecutor::new());
        // The watch knows when a head is late, and distinguishes it from a rest.
        protocols.http1().header_read_timeout(None).max_buf_size(BUFFER);
        protocols
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(FIELDS)
            .max_pending_accept_reset_streams(TAKEN_BACK)
            .max_send_buf_size(WAITING)
            .keep_alive_interval(timeouts.write / 2)
            .keep_alive_timeout(timeouts.write / 2);
        Self { endpoint: Arc::new(endpoint), protocols, timeouts, figures }
    }

    /// Serves a connection until either side ends it, or the server stops.
    pub(super) async fn serve(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        tls: Option<Arc<ServerConfig>>,
        permit: Permit,
        mut stopping: watch::Receiver<bool>,
    ) {
        let local = stream.local_addr().map_or_else(|_| Addr::custom("", ""), Addr::from);
        let watch = SharedWatch::new(Watch::new(self.timeouts, Instant::now()));
        let socket = Socket::new(stream, watch.clone());
        let from = (LocalAddr(local), RemoteAddr(peer.into()));
        let Some(tls) = tls else {
            return self.converse(socket, &watch, (from.0, from.1, Scheme::HTTP), permit, stopping).await;
        };
        if let Some(socket) = self.shake_hands(socket, tls, &permit, &mut stopping).await {
            self.converse(socket, &watch, (from.0, from.1, Scheme::HTTPS), permit, stopping).await;
        }
    }

    /// Agrees on TLS within the time for a head: as long as nothing is agreed on, no request has arrived, and the place
    /// may be given to another caller.
    async fn shake_hands(
        &self,
        socket: Socket,
        tls: Arc<ServerConfig>,
        permit: &Permit,
        stopping: &mut watch::Receiver<bool>,
    ) -> Option<TlsStream<Socket>> {
        let close_requested = permit.close_requested();
        let late = sleep_until(Instant::now() + self.timeouts.head);
        tokio::select! {
            agreed = TlsAcceptor::from(tls).accept(socket) => {
                return agreed.map_err(|_| self.figures.count_failed_handshake()).ok();
            }
            () = close_requested.notified() => self.figures.count_ended(CloseReason::Room),
            () = late => self.figures.count_ended(CloseReason::Head),
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
        None
    }

    async fn converse<S>(
        &self,
        socket: S,
        watch: &SharedWatch,
        origin: (LocalAddr, RemoteAddr, Scheme),
        mut permit: Permit,
        mut stopping: watch::Receiver<bool>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(|request: hyper::Request<Incoming>| {
            let guard = RequestGuard::begin(watch, request.version() == Version::HTTP_2);
            let unread = Unread::of(&request);
            let mut request: Request = (request, origin.0.clone(), origin.1.clone(), origin.2.clone()).into();
            if let Some(unread) = &unread {
                let body = unread.watch(request.take_body());
                request.set_body(body);
            }
            let endpoint = Arc::clone(&self.endpoint);
            // Boxed, so that a connection without a request under way has no room for one.
            Box::pin(async move {
                let mut answer: hyper::Response<_> = endpoint.get_response(request).await.into();
                let when_sent = answer.extensions_mut().remove::<WhenSent>();
                if let Some(unread) = unread
                    && !unread.drain().await
                {
                    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(answer.map(|body| guard.answer(body, when_sent)))
            })
        });
        let mut connection = pin!(self.protocols.serve_connection(TokioIo::new(socket), service));
        let close_requested = permit.close_requested();
        let mut alarm = pin!(sleep_until(Instant::now() + self.timeouts.head));
        let mut farewell = None;
        loop {
            let wake = tokio::select! {
                biased;
                wake = poll_fn(|cx| {
                    // A connection that fails is over like any other: the other end knows why.
                    if connection.as_mut().poll(cx).is_ready() {
                        return Poll::Ready(Wake::Over);
                    }
                    let now = Instant::now();
                    let (idle, next) = {
                        let watch = watch.look();
                        (watch.rest(), due(&watch, farewell).map_or(now + self.timeouts.write, |(at, _)| at))
                    };
                    permit.set_idle(idle);
                    if next < alarm.deadline() || alarm.is_elapsed() {
                        alarm.as_mut().reset(next);
                    }
                    alarm.as_mut().poll(cx).map(|()| Wake::Alarm)
                }) => wake,
                () = close_requested.notified() => Wake::Needed,
                _ = stopping.wait_for(|stopping| *stopping), if farewell.is_none() => Wake::Stop,
            };
            let now = Instant::now();
            let step = next_step(wake, &watch.look(), farewell, now);
            if let Step::End(reason) = step {
                self.figures.count_ended(reason);
            }
            match step {
                Step::Over | Step::End(CloseReason::Head | CloseReason::Unread) => return,
                Step::GoOn => {}
                Step::KeepOpen => permit.keep_open(),
                Step::Stop(grace) => {
                    farewell = Some(now + grace);
                    connection.as_mut().graceful_shutdown();
                }
                Step::End(CloseReason::Idle) => {
                    farewell = Some(now + GOODBYE);
                    connection.as_mut().graceful_shutdown();
                }
                Step::End(CloseReason::Room) => {
                    connection.as_mut().graceful_shutdown();
                    // What can be said at once is said.
                    poll_fn(|cx| Poll::Ready(connection.as_mut().poll(cx).is_ready())).await;
                    return;
                }
            }
        }
    }
}

/// Decides the next step with a connection after an event.
fn next_step(wake: Wake, watch: &Watch, farewell: Option<Instant>, now: Instant) -> Step {
    let is_idle = watch.rest().is_some();
    match wake {
        Wake::Over => Step::Over,
        Wake::Stop => Step::Stop(if is_idle { GOODBYE } else { GRACE }),
        Wake::Needed if is_idle => Step::End(CloseReason::Room),
        Wake::Needed => Step::KeepOpen,
        Wake::Alarm if farewell.is_some_and(|farewell| farewell <= now) => Step::Over,
        Wake::Alarm => match due(watch, farewell) {
            Some((at, reason)) if at <= now => Step::End(reason),
            _ => Step::GoOn,
        },
    }
}

/// Time at which to look at a connection again, and the reason to end it then. One that is being closed is not closed
/// again.
fn due(watch: &Watch, farewell: Option<Instant>) -> Option<(Instant, CloseReason)> {
    let due = watch.due();
    match farewell {
        None => due,
        Some(farewell) => {
            let due = due.filter(|(at, ending)| *ending != CloseReason::Idle && *at < farewell);
            Some(due.unwrap_or((farewell, CloseReason::Idle)))
        }
    }
}
