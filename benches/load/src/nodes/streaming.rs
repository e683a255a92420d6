//! Programs that listen, and how far all of those of a node have come.
//!
//! Each event of a stream has the id of the newest event of the log that it includes, so a stream has received a change
//! once it has received an id that is not smaller than that of the change's own event.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    io::{Error, ErrorKind},
    rc::Rc,
    time::{Duration, Instant},
};

use tokio::{net::TcpStream, sync::Semaphore, task::spawn_local};

use super::phase::{Failures, fail};
use crate::{
    server::Server,
    streams::{OPENING, open},
};

/// Bytes that are read at once, of whichever stream has some.
const BUFFER: usize = 1 << 18;
/// Bytes of a text that hold its name and its id.
const HEAD: usize = 64;
/// Time limit for all to receive the last change.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time from one look to the next, while others are waited for.
const LOOK: Duration = Duration::from_millis(20);

/// Streams of all nodes.
pub(super) struct Streams {
    nodes: Vec<Node>,
    opened: Cell<u32>,
    failures: RefCell<Failures>,
}

struct Node {
    port: u16,
    reach: RefCell<Reach>,
}

/// Progress of the streams of a node.
#[derive(Default)]
struct Reach {
    /// Number of the streams that have come to an id, by the id.
    at: BTreeMap<i64, u32>,
    first: Steps,
    last: Steps,
}

/// Ids that were reached, and when.
#[derive(Default)]
struct Steps(Vec<(i64, Instant)>);

impl Steps {
    fn rise(&mut self, id: i64, now: Instant) {
        if id > self.0.last().map_or(0, |(reached, _)| *reached) {
            self.0.push((id, now));
        }
    }

    fn when(&self, id: i64) -> Option<Instant> {
        let place = self.0.partition_point(|(reached, _)| *reached < id);
        self.0.get(place).map(|(_, when)| *when)
    }
}

impl Reach {
    fn arrive(&mut self, id: i64) {
        *self.at.entry(id).or_default() += 1;
    }

    fn leave(&mut self, id: i64) {
        if let Some(count) = self.at.get_mut(&id) {
            *count -= 1;
            if *count == 0 {
                self.at.remove(&id);
            }
        }
    }

    fn note(&mut self, now: Instant) {
        if let (Some((least, _)), Some((most, _))) = (self.at.first_key_value(), self.at.last_key_value()) {
            self.last.rise(*least, now);
            self.first.rise(*most, now);
        }
    }
}

impl Streams {
    /// None yet, to these nodes.
    pub(super) fn new(servers: &[Server]) -> Rc<Self> {
        let node = |server: &Server| Node { port: server.port(), reach: RefCell::default() };
        let nodes = servers.iter().map(node).collect();
        Rc::new(Self { nodes, opened: Cell::new(0), failures: RefCell::default() })
    }

    /// Opens so many, to each node in turn, which stay open. Those that cannot be opened are failures.
    pub(super) async fn open(self: &Rc<Self>, count: u32) {
        let room = Rc::new(Semaphore::new(OPENING));
        let buffer = Rc::new(RefCell::new(vec![0_u8; BUFFER]));
        for place in 0..count {
            let (streams, room, buffer) = (Rc::clone(self), Rc::clone(&room), Rc::clone(&buffer));
            spawn_local(async move { streams.listen(place, &room, &buffer).await });
        }
        while self.opened.get() < count {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Failures since this was asked last.
    pub(super) fn failures(&self) -> Failures {
        self.failures.take()
    }

    /// Waits until all have received the event with this id, or for as long as that may take.
    pub(super) async fn settle(&self, id: i64) {
        let began = Instant::now();
        while self.received(id).is_none() && began.elapsed() < PATIENCE {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// When each node had sent the event with this id to its first stream.
    pub(super) fn known(&self, id: i64) -> Option<Instant> {
        self.latest(|reach| reach.first.when(id))
    }

    /// When the last stream of each node had received the event with this id.
    pub(super) fn received(&self, id: i64) -> Option<Instant> {
        self.latest(|reach| reach.last.when(id))
    }

    /// The latest of all nodes with streams, where all have come so far.
    fn latest(&self, when: impl Fn(&Reach) -> Option<Instant>) -> Option<Instant> {
        let mut latest: Option<Instant> = None;
        for node in &self.nodes {
            let reach = node.reach.borrow();
            if !reach.at.is_empty() {
                latest = latest.max(Some(when(&reach)?));
            }
        }
        latest
    }

    /// Opens a stream and reads it until it ends.
    async fn listen(&self, place: u32, room: &Semaphore, buffer: &RefCell<Vec<u8>>) {
        let node = &self.nodes[place as usize % self.nodes.len()];
        let opening = async {
            let _place = room.acquire().await?;
            open(node.port).await
        };
        let opened = opening.await;
        self.opened.set(self.opened.get() + 1);
        let error = match opened {
            Ok(stream) => follow(node, &stream, buffer).await.to_string(),
            Err(error) => error.to_string(),
        };
        fail(&mut self.failures.borrow_mut(), "stream", &error);
    }
}

/// Follows a stream until it ends; returns the reason.
async fn follow(node: &Node, stream: &TcpStream, buffer: &RefCell<Vec<u8>>) -> Error {
    let (mut events, mut at) = (Events::default(), 0);
    node.reach.borrow_mut().arrive(at);
    let reason = loop {
        if let Err(error) = stream.readable().await {
            break error;
        }
        match read(stream, &mut buffer.borrow_mut(), &mut events) {
            Ok(Some(id)) => {
                let mut reach = node.reach.borrow_mut();
                reach.leave(at);
                reach.arrive(id);
                reach.note(Instant::now());
                at = id;
            }
            Ok(None) => {}
            Err(error) => break error,
        }
    };
    node.reach.borrow_mut().leave(at);
    reason
}

/// Reads what there is; returns the id of the last event that is complete by now.
fn read(stream: &TcpStream, buffer: &mut [u8], events: &mut Events) -> Result<Option<i64>, Error> {
    match stream.try_read(buffer) {
        Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
        Ok(length) => Ok(events.read(&buffer[..length])),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reader of a stream that looks at the beginning and the end of each chunk alone: looking through all of it would take
/// more time than the nodes do.
#[derive(Default)]
struct Events {
    /// The line with the length of a chunk, as far as it has come.
    line: Vec<u8>,
    /// Bytes of the chunk that have not come yet.
    left: usize,
    /// Beginning of the chunk.
    head: Vec<u8>,
    /// Id of an event whose end has not come yet.
    begun: Option<i64>,
    /// Id of the last event that has come as a whole.
    complete: Option<i64>,
}

impl Events {
    /// Reads more of the stream; returns the id of the last event that it completes.
    fn read(&mut self, mut bytes: &[u8]) -> Option<i64> {
        while !bytes.is_empty() {
            bytes = if self.left == 0 { self.read_length(bytes) } else { self.read_data(bytes) };
        }
        self.complete.take()
    }

    /// Reads a line between chunks; returns the bytes behind it.
    fn read_length<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (line, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
        self.line.extend_from_slice(line);
        if end.is_some() {
            let text = std::str::from_utf8(&self.line).unwrap_or_default().trim();
            // The empty line behind a chunk is no length.
            self.left = usize::from_str_radix(text, 16).unwrap_or(0);
            self.line.clear();
            self.head.clear();
        }
        rest
    }

    /// Reads bytes of a chunk; returns those behind it.
    fn read_data<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (data, rest) = bytes.split_at(self.left.min(bytes.len()));
        let missing = HEAD.saturating_sub(self.head.len()).min(data.len());
        self.head.extend_from_slice(&data[..missing]);
        self.left -= data.len();
        if self.left == 0 {
            self.begun = id_in(&self.head).or(self.begun);
            // A text may be cut into several chunks, and has no line break behind its head but at its end.
            if data.ends_with(b"\n") {
                self.complete = self.begun.take().or(self.complete);
            }
        }
        rest
    }
}

/// The id of the event that begins here.
fn id_in(head: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(head).ok()?;
    let (_, rest) = text.strip_prefix("event: ")?.split_once("\nid: ")?;
    rest.split_once('\n')?.0.parse().ok()
}
