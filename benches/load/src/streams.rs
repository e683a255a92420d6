//! Many programs that listen to an edge while features change at the server: how soon they hear of it, in which order,
//! and what they cost the edge.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    sync::Semaphore,
    task::LocalSet,
};

use crate::{
    Outcome,
    data::{Size, is_archived, project},
    http::request,
    measure,
    server::Server,
    switches,
    words::flag,
};

/// The project whose features change.
const PROJECT: u64 = 1;
/// Streams that are opened side by side: each begins with everything.
pub(crate) const OPENING: usize = 16;
/// Time limit for all to hear of the last change.
const PATIENCE: Duration = Duration::from_secs(30);
/// For so many listeners there is one more that reads nothing.
const LISTENERS_FOR_A_SLEEPER: usize = 100;
/// Bytes of a piece that the next one is read with: a name may stand on both sides.
const OVERLAP: usize = 64;

/// A change that was made.
struct Change {
    /// Text that an event about it holds.
    marker: Vec<u8>,
    sent: Instant,
}

/// Record of what the listeners have heard.
#[derive(Default)]
struct Heard {
    changes: RefCell<Vec<Change>>,
    /// Milliseconds from the request upstream to the event, of each change and listener.
    times: RefCell<Vec<f64>>,
    open: Cell<usize>,
    lost: Cell<usize>,
}

/// Plan of the listening: the data, the streams, the changes and the time.
pub(crate) struct Plan {
    /// The data that the server holds.
    pub(crate) size: Size,
    /// Streams.
    pub(crate) count: usize,
    /// Time in which features change.
    pub(crate) time: Duration,
    /// Changes in a minute.
    pub(crate) changes: u32,
}

/// Runs it, and prints what was heard.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn listen(server: &Server, edge: &Server, plan: Plan) -> Outcome {
    let Plan { size, count, time, changes } = plan;
    let (before, heard, room) = (edge.memory().now, Rc::new(Heard::default()), Rc::new(Semaphore::new(OPENING)));
    let listeners = LocalSet::new();
    for _ in 0..count {
        let (heard, room, port) = (Rc::clone(&heard), Rc::clone(&room), edge.port());
        listeners.spawn_local(async move {
            if follow(port, &heard, &room).await.is_err() {
                heard.lost.set(heard.lost.get() + 1);
            }
        });
    }
    let (opening, told) = (Instant::now(), Rc::clone(&heard));
    let all = async move {
        while told.open.get() + told.lost.get() < count {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    listeners.run_until(all).await;
    println!("\n{} streams open after {:.1} s", heard.open.get(), opening.elapsed().as_secs_f64());
    let mut sleepers = Vec::new();
    for _ in 0..count.div_ceil(LISTENERS_FOR_A_SLEEPER) {
        sleepers.push(sleep(edge.port()).await?);
    }
    let (cpu, began) = (edge.cpu().server_ms, Instant::now());
    let changing = async {
        let mut number = 0;
        let mut features = size.flags_of(PROJECT).filter(|feature| !is_archived(*feature)).cycle();
        while began.elapsed() < time {
            let Some(feature) = features.next() else { break };
            change(server, &heard, feature).await?;
            number += 1;
            tokio::time::sleep_until((began + Duration::from_mins(1) / changes * number).into()).await;
        }
        let (last, due) = (Instant::now(), heard.open.get() * number as usize);
        while heard.times.borrow().len() < due && last.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Outcome::Ok((number, due))
    };
    let (made, due) = listeners.run_until(changing).await?;
    let spent = (edge.cpu().server_ms - cpu) / began.elapsed().as_secs_f64();
    let memory = edge.memory();
    let mut times = heard.times.borrow().clone();
    times.sort_by(f64::total_cmp);
    let at = |share| measure::quantile(&times, share);
    let kib = (memory.now - before) * 1024.0 / f64::from(u32::try_from(count)?);
    println!(
        "{made} changes in {:.0} s: {} of {due} events arrived in order, {} streams ended; p50 {:.0} ms, p99 {:.0} ms, at \
         most {:.0} ms",
        time.as_secs_f64(),
        times.len(),
        heard.lost.get(),
        at(50),
        at(99),
        times.last().copied().unwrap_or_default(),
    );
    println!(
        "edge: {spent:.1} ms of processor time a second; {before:.0} MiB before, {:.0} MiB with them, at most {:.0} MiB; \
         {kib:.1} KiB a stream",
        memory.now, memory.peak
    );
    let asleep = sleepers.len();
    let mut cut = 0;
    for mut sleeper in sleepers {
        cut += usize::from(was_cut(&mut sleeper).await);
    }
    println!("{cut} of {asleep} besides, which read nothing, were cut");
    Ok(())
}

/// One that asks, and reads nothing of the answer.
async fn sleep(port: u16) -> Outcome<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    // Else the kernel takes it all in.
    socket.set_recv_buffer_size(4096)?;
    let mut stream = socket.connect((std::net::Ipv4Addr::LOCALHOST, port).into()).await?;
    stream.write_all(&request("GET", "/api/client/streaming", &Server::client(), None)).await?;
    Ok(stream)
}

/// Whether the other side has ended it, behind what it had sent before.
async fn was_cut(stream: &mut TcpStream) -> bool {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match tokio::time::timeout(Duration::from_secs(1), stream.read(&mut buffer)).await {
            Ok(Ok(0) | Err(_)) => return true,
            Ok(Ok(_)) => {}
            Err(_) => return false,
        }
    }
}

/// Switches a feature the other way.
async fn change(server: &Server, heard: &Heard, feature: u64) -> Outcome {
    let (name, admin) = (flag(feature), Server::admin());
    let path = format!("/api/admin/projects/{}/features/{name}", project(PROJECT));
    let mut connection = server.connect().await?;
    let is_on = switches::is_on(&connection.json(&request("GET", &path, &admin, None)).await?);
    let sent = Instant::now();
    heard.changes.borrow_mut().push(Change { marker: format!("\"{name}\"").into_bytes(), sent });
    connection.json(&switches::switch(PROJECT, &name, !is_on, &admin)).await?;
    Ok(())
}

/// Opens a stream and reads it until it ends.
async fn follow(port: u16, heard: &Heard, room: &Semaphore) -> Outcome {
    let permit = room.acquire().await?;
    let mut stream = open(port).await?;
    drop(permit);
    let (mut buffer, mut piece) = (vec![0; 4096], Vec::with_capacity(2 * OVERLAP));
    heard.open.set(heard.open.get() + 1);
    let mut next = heard.changes.borrow().len();
    loop {
        read(&mut stream, &mut buffer, &mut piece).await?;
        let changes = heard.changes.borrow();
        while let Some(change) = changes.get(next)
            && holds(&piece, &change.marker)
        {
            heard.times.borrow_mut().push(change.sent.elapsed().as_secs_f64() * 1000.0);
            next += 1;
        }
    }
}

/// Opens a stream and reads what it begins with, which is everything.
pub(crate) async fn open(port: u16) -> Outcome<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(&request("GET", "/api/client/streaming", &Server::client(), None)).await?;
    let (mut buffer, mut piece) = (vec![0; 1 << 16], Vec::new());
    read(&mut stream, &mut buffer, &mut piece).await?;
    if !piece.starts_with(b"HTTP/1.1 200") {
        return Err(format!("{:.40}", String::from_utf8_lossy(&piece)).into());
    }
    while holds(&piece, b"HTTP/1.1") || !holds(&piece[piece.len().saturating_sub(8)..], b"\n\n") {
        read(&mut stream, &mut buffer, &mut piece).await?;
    }
    Ok(stream)
}

/// Reads some more behind the end of what was read before.
pub(crate) async fn read(stream: &mut TcpStream, buffer: &mut [u8], piece: &mut Vec<u8>) -> Outcome {
    let length = stream.read(buffer).await?;
    if length == 0 {
        return Err("the stream ended".into());
    }
    piece.drain(..piece.len().saturating_sub(OVERLAP));
    piece.extend_from_slice(&buffer[..length]);
    Ok(())
}

/// Whether a text holds a part.
pub(crate) fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
