//! Connections: who is let in, for how long, and what is counted of them. What is asked over them is the endpoint's
//! business.

mod admission;
mod connection;
mod figures;
mod files;
mod refusal;
mod sent;
mod socket;
mod turn;
mod watch;

use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use poem::{Endpoint, Response};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch as channel,
    time::Instant,
};

use self::{
    admission::{Admission, Bounds},
    connection::{GRACE, Handler},
    refusal::Rejector,
    watch::Timeouts,
};
pub use self::{
    figures::{CloseReason, Figures, Refusal},
    sent::{Sent, WhenSent},
};
use crate::config::{Connections, TrustedProxies};

/// Most connections unless the operator says otherwise: each may take a hundred kibibytes for a while.
const LIMIT: usize = 10_000;
/// How long nobody is let in after the system could not open a connection, unless somebody makes room.
const PAUSE: Duration = Duration::from_millis(100);
/// How often it is told that the system cannot.
const TELLING: Duration = Duration::from_mins(1);

/// A bound socket.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    admission: Arc<Admission>,
    timeouts: Timeouts,
    figures: Arc<Figures>,
}

impl Server {
    /// Binds an address, and raises the limit of open files as far as the system allows.
    pub async fn bind(
        address: SocketAddr,
        options: &Connections,
        proxies: TrustedProxies,
        figures: Arc<Figures>,
    ) -> io::Result<Self> {
        let room = files::room_for_connections().unwrap_or(usize::MAX);
        let all = options.limit().unwrap_or(LIMIT).min(room);
        if options.limit().is_some_and(|limit| limit > all) {
            tracing::warn!(connections = all, "the limit of open files has no room for more connections");
        }
        let of_one = options.per_address_limit();
        let bounds =
            Bounds { all, of_one: of_one.unwrap_or(all.div_ceil(2)), counts_loopback: of_one.is_some(), proxies };
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            admission: Admission::new(bounds, Arc::clone(&figures)),
            timeouts: Timeouts { head: options.head(), idle: options.idle(), write: options.write() },
            figures,
        })
    }

    /// The address that callers reach.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` ends. What is under way then has half a minute to finish.
    pub async fn run<E>(self, endpoint: E, stop: impl Future<Output = ()>)
    where
        E: Endpoint<Output = Response> + 'static,
    {
        let Self { listener, admission, timeouts, figures } = self;
        let handler = Arc::new(Handler::new(endpoint, timeouts, figures));
        let stopping = channel::Sender::new(false);
        let mut acceptor = Acceptor { listener, admission, told: None };
        let accepting = async {
            let rejector = Rejector::new();
            loop {
                let (stream, peer) = acceptor.next().await;
                match acceptor.admission.admit(peer.ip()).await {
                    Ok(permit) => {
                        let (handler, stopping) = (Arc::clone(&handler), stopping.subscribe());
                        tokio::spawn(async move { handler.serve(stream, peer, permit, stopping).await });
                    }
                    Err(_) => rejector.reject(stream),
                }
            }
        };
        tokio::select! {
            () = accepting => {}
            () = stop => {}
        }
        drop(acceptor);
        stopping.send_replace(true);
        if tokio::time::timeout(GRACE, stopping.closed()).await.is_err() {
            tracing::warn!("some requests did not end in time");
        }
    }
}

/// Where callers come in.
struct Acceptor {
    listener: TcpListener,
    admission: Arc<Admission>,
    told: Option<Instant>,
}

impl Acceptor {
    /// The next caller. When the system cannot open a connection, which is told seldom, somebody who rests makes room,
    /// and nobody is let in for a moment: asking again at once would take all of a processor.
    async fn next(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok(caller) => return caller,
                Err(error) if is_of_caller(&error) => {}
                Err(error) => {
                    if self.told.is_none_or(|told| told.elapsed() > TELLING) {
                        self.told = Some(Instant::now());
                        tracing::warn!(%error, "cannot accept connections; trying again");
                    }
                    self.admission.relieve(PAUSE).await;
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
