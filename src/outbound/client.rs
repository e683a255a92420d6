//! The client for outgoing requests.

use std::{borrow::Cow, sync::Arc, time::Duration};

use flagstone_domain::opaque_debug;
use flagstone_domain::settings::{is_local, is_safe_address};
use flagstone_spans as spans;
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};
use ureq::{
    Agent, Proxy,
    http::{self, header},
    tls::{ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem},
    unversioned::{resolver::DefaultResolver, resolver::Resolver, transport::DefaultConnector},
};
use url::{Host, Url};

use super::{
    answer::{Answer, read},
    failure::{Failure, FailureKind, of_client},
    policy::Policy,
    proxy::NoProxy,
    resolver::{Guarded, Lookup},
};

/// The largest document by which a provider describes itself, in bytes.
pub const DOCUMENT_LIMIT: usize = 256 * 1024;
/// The largest answer of another kind, in bytes.
pub const ANSWER_LIMIT: usize = 1024 * 1024;
/// Default limit of concurrent requests: each occupies a thread.
const REQUESTS: usize = 8;
/// Maximum time to find the address, and to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum time of a request from its first to its last byte, and of its wait for its turn before.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest head of an answer, and what is read at a time.
pub(super) const BUFFER: usize = 32 * 1024;

/// Certificate authorities that are trusted.
#[derive(Debug, Clone, Default)]
pub enum Roots {
    /// The authorities that browsers trust (webpki-roots).
    #[default]
    Public,
    /// The certificates of a PEM file, and no others.
    Pem(Vec<u8>),
}

/// Options of outgoing requests.
#[derive(Debug, Clone)]
pub struct Options {
    /// Policy of the addresses that they may go to.
    pub policy: Policy,
    /// Whether they may go to other machines by plain http too.
    pub plain_http: bool,
    /// The proxy through which they go: the value of `HTTPS_PROXY`. Names are then its business; an address that is
    /// written as a number is still judged here, and this very machine is never reached through it.
    pub proxy: Option<String>,
    /// Hosts that are reached without the proxy: the value of `NO_PROXY`.
    pub no_proxy: Option<String>,
    /// Certificate authorities that are trusted.
    pub roots: Roots,
    /// Resolver of names.
    pub lookup: Lookup,
    /// Maximum time to find the address, and to connect.
    pub connect_timeout: Duration,
    /// Maximum time of a request as a whole.
    pub call_timeout: Duration,
    /// Whether any certificate will do: for trials, where there is nothing to steal.
    pub trusts_everybody: bool,
    /// The certificates and the key by which this program makes itself known, each as PEM.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl Options {
    /// Straight, by the public authorities and with the limits of time that the documentation names.
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            plain_http: false,
            proxy: None,
            no_proxy: None,
            roots: Roots::Public,
            lookup: Lookup::System,
            connect_timeout: CONNECT_TIMEOUT,
            call_timeout: CALL_TIMEOUT,
            trusts_everybody: false,
            identity: None,
        }
    }
}

/// Client for outgoing requests. Cheap to clone; the clones share the limit of requests at a time.
#[derive(Clone)]
pub struct Outbound {
    straight: Agent,
    through_proxy: Option<(Agent, NoProxy)>,
    tls: TlsConfig,
    options: Options,
    slots: Arc<Semaphore>,
}

impl std::fmt::Debug for Outbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbound").field("policy", &self.options.policy).finish_non_exhaustive()
    }
}

/// A request. Printing it shows neither headers nor body, which hold secrets.
pub struct Request {
    url: String,
    body: Option<Vec<u8>>,
    headers: Vec<(Cow<'static, str>, String)>,
    limit: Limit,
}

/// Part of an answer that is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// Maximum bytes of an answer; one with more of them is a failure.
    Whole(usize),
    /// Maximum bytes that are read; the rest of the answer, if there is any, is ignored.
    Beginning(usize),
}

opaque_debug!(Request { limit, .. });

impl Request {
    /// Asks for what is at an address, of which at most `limit` bytes are read.
    pub fn get(url: &str, limit: usize) -> Self {
        Self { url: url.into(), body: None, headers: Vec::new(), limit: Limit::Whole(limit) }
    }

    /// Sends a body to an address. Of the answer at most `limit` bytes are read.
    pub fn post(url: &str, content_type: &'static str, body: Vec<u8>, limit: usize) -> Self {
        let headers = vec![(header::CONTENT_TYPE.as_str().into(), content_type.into())];
        Self { url: url.into(), body: Some(body), headers, limit: Limit::Whole(limit) }
    }

    /// Sends a body with these headers, the media type among them, to a receiver: an answer counts by its status, and
    /// of its body the beginning is read, so many bytes at most.
    pub fn deliver(url: &str, headers: Vec<(String, String)>, body: Vec<u8>, beginning: usize) -> Self {
        let headers = headers.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self { url: url.into(), body: Some(body), headers, limit: Limit::Beginning(beginning) }
    }

    /// Returns the request with one more header. What cannot be the value of one makes the request fail as
    /// `bad-address` before it is sent.
    #[must_use]
    pub fn header(mut self, name: impl Into<Cow<'static, str>>, value: String) -> Self {
        self.headers.push((name.into(), value));
        self
    }
}

impl Request {
    const fn method(&self) -> &'static str {
        if self.body.is_some() { "POST" } else { "GET" }
    }

    /// Returns the request with the header of the trace that it belongs to, unless it names one itself.
    pub(super) fn within(mut self, trace: Option<&(&'static str, String)>) -> Self {
        if let Some((name, value)) = trace
            && !self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            self.headers.push(((*name).into(), value.clone()));
        }
        self
    }

    pub(super) fn into_headers(self) -> Vec<(Cow<'static, str>, String)> {
        self.headers
    }
}

impl Outbound {
    /// A client. The error is a sentence that names what cannot be: the proxy's address or the file of certificates.
    pub fn new(options: Options) -> Result<Self, String> {
        let tls = TlsConfig::builder()
            .root_certs(certificates(&options.roots)?)
            .disable_verification(options.trusts_everybody)
            .client_cert(options.identity.as_ref().map(identity).transpose()?)
            .build();
        let through_proxy = match &options.proxy {
            Some(address) => {
                let agent = agent(&options, tls.clone(), Some(proxy(address)?), DefaultResolver::default());
                Some((agent, NoProxy::parse(options.no_proxy.as_deref().unwrap_or_default())))
            }
            None => None,
        };
        Ok(Self {
            straight: straight(&options, &tls),
            through_proxy,
            tls,
            options,
            slots: Arc::new(Semaphore::new(REQUESTS)),
        })
    }

    /// Returns a client for another purpose: with its own limit of concurrent requests, and to other machines by plain
    /// http too.
    #[must_use]
    pub fn in_plain_http_too(&self, requests: usize) -> Self {
        let options = Options { plain_http: true, ..self.options.clone() };
        let straight = straight(&options, &self.tls);
        Self { straight, options, slots: Arc::new(Semaphore::new(requests)), ..self.clone() }
    }

    /// Maximum time of a request.
    pub(super) const fn call_timeout(&self) -> Duration {
        self.options.call_timeout
    }

    /// Returns the address that a request goes to, and the agent that sends it.
    pub(super) fn way(&self, request: &Request) -> Result<(Url, Agent), Failure> {
        let url = checked(&request.url, self.options.plain_http)?;
        let agent = self.agent_for(&url)?.clone();
        Ok((url, agent))
    }

    /// Sends a request and reads its answer. It waits for its turn at most as long as it may then take.
    pub async fn send(&self, request: Request) -> Result<Answer, Failure> {
        let (url, agent) = self.way(&request)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let call = spans::call(request.method(), &host);
        let request = request.within(call.header.as_ref());
        let sending = Box::pin(self.send_in_turn(request, url, agent, host));
        call.ended(sending.await, |answer| answer.status)
    }

    async fn send_in_turn(&self, request: Request, url: Url, agent: Agent, host: String) -> Result<Answer, Failure> {
        let Ok(turn) = timeout(self.options.call_timeout, self.slots.clone().acquire_owned()).await else {
            return Err(Failure::new(&host, FailureKind::Busy));
        };
        let work = spawn_blocking(move || {
            // It is the thread that counts: it goes on when nobody waits for the answer any more.
            let _turn = turn;
            run(&agent, &url, request)
        });
        work.await.unwrap_or_else(|_| Err(Failure::new(&host, FailureKind::Broken)))
    }

    fn agent_for(&self, url: &Url) -> Result<&Agent, Failure> {
        let Some((agent, no_proxy)) = &self.through_proxy else { return Ok(&self.straight) };
        if is_local(url) || no_proxy.includes(url) {
            return Ok(&self.straight);
        }
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(address.into()),
            Some(Host::Ipv6(address)) => Some(address.into()),
            _ => None,
        };
        match literal.filter(|address| !self.options.policy.permits(*address)) {
            Some(address) => {
                let host = url.host_str().unwrap_or_default();
                Err(Failure::new(host, FailureKind::AddressRefused).with(address))
            }
            None => Ok(agent),
        }
    }
}

/// Without a proxy.
fn straight(options: &Options, tls: &TlsConfig) -> Agent {
    let Options { policy, lookup, plain_http, .. } = options.clone();
    agent(options, tls.clone(), None, Guarded { policy, plain_http, lookup })
}

fn identity((certificates, key): &(Vec<u8>, Vec<u8>)) -> Result<ClientCert, String> {
    let chain: Vec<_> = parse_pem(certificates)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if chain.is_empty() {
        return Err("the file of the own certificates holds none in PEM (-----BEGIN CERTIFICATE-----)".into());
    }
    let key = PrivateKey::from_pem(key).map_err(|_| "the file of the own key holds none in PEM".to_owned())?;
    Ok(ClientCert::new_with_certs(&chain, key))
}

fn agent(options: &Options, tls: TlsConfig, proxy: Option<Proxy>, resolver: impl Resolver) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(proxy)
        .tls_config(tls)
        .user_agent(concat!("Flagstone/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(options.connect_timeout))
        .timeout_connect(Some(options.connect_timeout))
        .timeout_global(Some(options.call_timeout))
        .accept_encoding("gzip")
        .max_response_header_size(BUFFER)
        .input_buffer_size(BUFFER)
        .output_buffer_size(BUFFER)
        // Requests are few, and one that is sent on a connection which the other side just closed would be lost.
        .max_idle_connections(0)
        .max_idle_connections_per_host(0)
        .build();
    Agent::with_parts(config, DefaultConnector::default(), resolver)
}

fn proxy(address: &str) -> Result<Proxy, String> {
    let wanted = || "the proxy is not an address such as http://proxy.internal:3128".to_owned();
    let url = Url::parse(address).map_err(|_| wanted())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(wanted());
    }
    Proxy::new(address).map_err(|_| wanted())
}

fn certificates(roots: &Roots) -> Result<RootCerts, String> {
    let Roots::Pem(file) = roots else { return Ok(RootCerts::WebPki) };
    let mut trusted = rustls::RootCertStore::empty();
    let mut certificates = Vec::new();
    for item in parse_pem(file) {
        let Ok(PemItem::Certificate(certificate)) = item else {
            return Err("the file of trusted certificates holds something else, or a damaged one".into());
        };
        trusted
            .add(certificate.der().to_vec().into())
            .map_err(|_| "the file of trusted certificates holds one that cannot be read".to_owned())?;
        certificates.push(certificate);
    }
    if certificates.is_empty() {
        return Err("the file of trusted certificates holds none in PEM (-----BEGIN CERTIFICATE-----)".into());
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

fn checked(address: &str, plain_http: bool) -> Result<Url, Failure> {
    let Ok(mut url) = Url::parse(address) else { return Err(Failure::new("", FailureKind::BadAddress)) };
    let host = url.host_str().unwrap_or_default();
    let is_plain = url.scheme() == "http" && !is_local(&url);
    if is_safe_address(address) || (plain_http && is_plain && url.username().is_empty() && url.password().is_none()) {
        url.set_fragment(None);
        return Ok(url);
    }
    Err(Failure::new(host, if is_plain { FailureKind::PlainHttp } else { FailureKind::BadAddress }))
}

/// The head of a request.
pub(super) fn head(url: &Url, headers: Vec<(Cow<'static, str>, String)>) -> http::request::Builder {
    let head = http::Request::builder().uri(url.as_str());
    headers.into_iter().fold(head, |head, (name, value)| head.header(name.as_ref(), value))
}

fn run(agent: &Agent, url: &Url, request: Request) -> Result<Answer, Failure> {
    let host = url.host_str().unwrap_or_default();
    let head = head(url, request.headers);
    let sent = match request.body {
        None => head.body(()).map_err(ureq::Error::from).and_then(|request| agent.run(request)),
        Some(body) => head.method("POST").body(body).map_err(ureq::Error::from).and_then(|request| agent.run(request)),
    };
    read(sent.map_err(|error| of_client(host, error))?, url, request.limit)
}
