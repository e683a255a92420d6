//! Whoever takes everything that integrations are told, at two addresses, and what must hold of what arrived.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// Time in which nothing more may arrive: longer than deliveries of a dead node wait for another one.
const PATIENCE: Duration = Duration::from_mins(4);
/// Path to which everything goes as soon as it can, and path to which everything goes in order.
const PATHS: [&str; 2] = ["any", "ordered"];

/// Arrivals at an address: id of the event and of the message, in the order of arrival.
type Arrived = Mutex<Vec<(i64, String)>>;

pub struct Receiver {
    port: u16,
    arrived: Arc<[Arrived; 2]>,
}

/// Numbers of all arrivals.
#[derive(Debug, Default)]
pub struct Figures {
    events: usize,
    deliveries: usize,
    doubles: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { events, deliveries, doubles } = self;
        write!(f, "{events} events, {deliveries} deliveries that arrived, {doubles} of them again")
    }
}

impl Receiver {
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let arrived: Arc<[Arrived; 2]> = Arc::default();
        let all = Arc::clone(&arrived);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let all = Arc::clone(&all);
                thread::spawn(move || take(stream, &all));
            }
        });
        Self { port, arrived }
    }

    /// The integrations that are to be told of these events: one as it comes, and one in order.
    pub fn integrations(&self, events: &[&str]) -> [Value; 2] {
        PATHS.map(|path| {
            let url = format!("http://127.0.0.1:{}/{path}", self.port);
            let parameters = json!({ "url": url, "ordered": path == "ordered" });
            json!({ "provider": "webhook", "enabled": true, "events": events, "parameters": parameters })
        })
    }

    /// Waits until all of these events, and nothing else, have arrived at both addresses: again under the same id
    /// alone, each id being that of one event and one integration; and for the first time in order, where that is
    /// promised.
    pub fn judge(&self, logged: &[i64]) -> Figures {
        let all: BTreeSet<i64> = logged.iter().copied().collect();
        let mut figures = Figures { events: all.len(), ..Figures::default() };
        let mut ids = BTreeMap::new();
        for (place, path) in PATHS.into_iter().enumerate() {
            let (mut seen, mut since) = (0, Instant::now());
            while self.told(place) != all {
                let now = self.told(place).len();
                if now > seen {
                    (seen, since) = (now, Instant::now());
                }
                assert!(since.elapsed() < PATIENCE, "{path}: {now} of {} events arrived", all.len());
                thread::sleep(Duration::from_millis(100));
            }
            let arrived = self.arrived[place].lock().expect("a lock");
            let mut first: BTreeMap<i64, &str> = BTreeMap::new();
            let mut order = Vec::new();
            for (event, id) in arrived.iter() {
                let known = *first.entry(*event).or_insert_with(|| {
                    order.push(*event);
                    id
                });
                assert_eq!(known, id, "{path}: event {event} came under two ids");
                let owner = *ids.entry(id.clone()).or_insert((place, *event));
                assert_eq!(owner, (place, *event), "the id {id} is that of two deliveries");
            }
            if path == "ordered" {
                assert_eq!(order, all.iter().copied().collect::<Vec<_>>(), "in order");
            }
            figures.deliveries += arrived.len();
            figures.doubles += arrived.len() - all.len();
        }
        figures
    }

    fn told(&self, place: usize) -> BTreeSet<i64> {
        self.arrived[place].lock().expect("a lock").iter().map(|(event, _)| *event).collect()
    }
}

/// Takes a request, if it comes as a whole.
fn take(stream: TcpStream, all: &[Arrived; 2]) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let (mut line, mut length, mut id) = (String::new(), 0, String::new());
    stream.read_line(&mut line).ok()?;
    let place = PATHS.iter().position(|path| line.contains(&format!("/{path} ")))?;
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "webhook-id" => value.clone_into(&mut id),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let event: Value = serde_json::from_slice(&body).ok()?;
    all[place].lock().expect("a lock").push((event["id"].as_i64()?, id));
    stream.get_mut().write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").ok()
}
