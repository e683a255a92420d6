//! Connections: who is let in, for how long, and what is counted of them. What is asked over them is the endpoint's
//! business.

mod admission;
mod connection;
mod figures;
mod files;
mod redirect;
mod refusal;
mod request_guard;
mod sent;
mod socket;
mod tls;
mod unread;
mod watch;

use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use flagstone_config::{Connections, TrustedProxies};
use futures_util::future::join_all;
use poem::{Endpoint, Response};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch as channel,
    time::Instant,
};

use self::{
    admission::{Admission, Bounds},
    connection::{GRACE, Handler},
    redirect::Redirect,
    refusal::Rejector,
    watch::Timeouts,
};
pub use self::{
    figures::{CloseReason, Figures, Refusal, Reload, TlsFigures},
    files::files_of_process,
    sent::{Sent, WhenSent},
    tls::Certificates,
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::server";

/// Most connections unless the operator says otherwise: each may take a hundred kibibytes for a while.
const LIMIT: usize = 10_000;
/// Pause in accepting after the system could not open a connection, unless an idle connection makes room.
const PAUSE: Duration = Duration::from_millis(100);
/// Period between two reports that the system cannot.
const TELLING: Duration = Duration::from_mins(1);

/// Bound sockets, which share the places for connections.
#[derive(Debug)]
pub struct Server {
    doors: Vec<Door>,
    redirects: Vec<(Door, Redirect)>,
    admission: Arc<Admission>,
    timeouts: Timeouts,
    figures: Arc<Figures>,
}

/// A socket, and with what callers are spoken to over TLS.
#[derive(Debug)]
struct Door {
    listener: TcpListener,
    certificates: Option<Arc<Certificates>>,
}

impl Server {
    /// A server without an address. Raises the limit of open files as far as the system allows.
    pub fn new(options: &Connections, proxies: TrustedProxies, figures: Arc<Figures>) -> Self {
        let room = files::room_for_connections().unwrap_or(usize::MAX);
        let all = options.limit().unwrap_or(LIMIT).min(room);
        if options.limit().is_some_and(|limit| limit > all) {
            tracing::warn!(
                target: LOG,
                connections = all,
                "the limit of open files allows fewer connections than the setting"
            );
        }
        let of_one = options.per_address_limit();
        let bounds =
            Bounds { all, of_one: of_one.unwrap_or(all.div_ceil(2)), counts_loopback: of_one.is_some(), proxies };
        Self {
            doors: Vec::new(),
            redirects: Vec::new(),
            admission: Admission::new(bounds, Arc::clone(&figures)),
            timeouts: Timeouts { head: options.head(), idle: options.idle(), write: options.write() },
            figures,
        }
    }

    /// Binds an address, with TLS where there are certificates, and returns it. The error names it.
    pub async fn open(
        &mut self,
        address: SocketAddr,
        certificates: Option<Arc<Certificates>>,
    ) -> Result<SocketAddr, String> {
        let listener = listen(address).await?;
        let bound = listener.local_addr().map_err(|error| error.to_string())?;
        self.doors.push(Door { listener, certificates });
        Ok(bound)
    }

    /// Binds an address at which all requests are redirected to https: below the public address that the operator gave,
    /// or to this port of the requested host.
    pub async fn redirect(&mut self, address: SocketAddr, base_url: Option<&str>, port: u16) -> Result<(), String> {
        let origin = base_url.and_then(|base_url| url::Url::parse(base_url).ok()).filter(|url| url.scheme() == "https");
        let redirect = Redirect { origin: origin.map(|url| url.origin().ascii_serialization()), port };
        let listener = listen(address).await?;
        self.redirects.push((Door { listener, certificates: None }, redirect));
        Ok(())
    }

    /// Serves until `stop` ends. What is under way then has half a minute to finish. Calls `begun` once nothing is left
    /// to do but to answer.
    pub async fn run<E>(self, endpoint: E, begun: impl FnOnce(), stop: impl Future<Output = ()>)
    where
        E: Endpoint<Output = Response> + 'static,
    {
        let Self { doors, redirects, admission, timeouts, figures } = self;
        let stopping = channel::Sender::new(false);
        // All doors have one pair.
        let certificates = doors.iter().find_map(|door| door.certificates.clone());
        let following = certificates.map(|certificates| tokio::spawn(certificates.follow(Arc::clone(&figures))));
        let handler = Arc::new(Handler::new(endpoint, timeouts, Arc::clone(&figures)));
        let accepting = doors.into_iter().map(|door| door.welcome(&admission, Arc::clone(&handler), &stopping));
        let sending_on = redirects.into_iter().map(|(door, redirect)| {
            let handler = Arc::new(Handler::new(redirect, timeouts, Arc::clone(&figures)));
            door.welcome(&admission, handler, &stopping)
        });
        let (accepting, sending_on) = (join_all(accepting), join_all(sending_on));
        begun();
        tokio::select! {
            _ = async { tokio::join!(accepting, sending_on) } => {}
            () = stop => {}
        }
        if let Some(following) = following {
            following.abort();
        }
        stopping.send_replace(true);
        if tokio::time::timeout(GRACE, stopping.closed()).await.is_err() {
            tracing::warn!(target: LOG, "some requests did not end in time");
        }
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|error| format!("cannot listen on {address}: {error}"))
}

impl Door {
    /// Lets callers in as long as there is room. Does not end.
    async fn welcome<E>(self, admission: &Arc<Admission>, handler: Arc<Handler<E>>, stopping: &channel::Sender<bool>)
    where
        E: Endpoint<Output = Response> + 'static,
    {
        let mut acceptor = Acceptor { listener: self.listener, admission: Arc::clone(admission), told: None };
        let rejector = Rejector::new();
        loop {
            let (stream, peer) = acceptor.next().await;
            match admission.admit(peer.ip()).await {
                Ok(mut permit) => {
                    // A connection without a request yet gives way from the start.
                    permit.set_idle(Some(0));
                    let (handler, stopping) = (Arc::clone(&handler), stopping.subscribe());
                    let tls = self.certificates.as_ref().map(|certificates| certificates.current());
                    tokio::spawn(async move { handler.serve(stream, peer, tls, permit, stopping).await });
                }
                // Who expects TLS would not understand.
                Err(_) if self.certificates.is_some() => {}
                Err(_) => rejector.reject(stream),
            }
        }
    }
}

/// A listener with its handling of connections.
struct Acceptor {
    listener: TcpListener,
    admission: Arc<Admission>,
    told: Option<Instant>,
}

impl Acceptor {
    /// The next caller. When the system cannot open a connection, which is logged seldom, an idle connection makes
    /// room, and none is accepted for a moment: asking again at once would take all of a processor.
    async fn next(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok(caller) => return caller,
                Err(error) if is_of_caller(&error) => {}
                Err(error) => {
                    if self.told.is_none_or(|told| told.elapsed() > TELLING) {
                        self.told = Some(Instant::now());
                        tracing::warn!(target: LOG, %error, "cannot accept connections; trying again");
                    }
                    self.admission.evict_one(PAUSE).await;
                }
            }
        }
    }
}

/// Whether a connection failed and not the system.
fn is_of_caller(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::Interrupted
    )
}
