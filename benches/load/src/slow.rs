//! Ten thousand callers that never finish what they say, from many addresses of this machine, and what ordinary requests
//! notice of them. The server may open 4,096 files.

use std::{
    cell::{Cell, RefCell},
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    rc::Rc,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    task::LocalSet,
    time::timeout,
};

use crate::{
    Outcome,
    http::{Connection, request},
    measure::quantile,
    server::Server,
};

/// Files that the server may open.
pub(crate) const FILES: u32 = 4096;
/// Ordinary requests in a second: half of them on connections of their own, half on those that stay open.
const RATE: u32 = 50;
/// Longest time that an ordinary caller waits for an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time for which a slow caller stays away once it was turned away.
const AWAY: Duration = Duration::from_secs(10);
/// Time that a slow caller waits from one letter to the next.
const LETTER: Duration = Duration::from_secs(1);
/// Addresses that slow callers have.
const ADDRESSES: u8 = 40;
/// Beginnings that slow callers send.
const WORDS: [&[u8]; 5] = [
    b"",
    b"GET /api/admin/pro",
    b"GET /api/admin/projects HTTP/1.1\r\nHost: x\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /api/admin/projects HTTP/1.1\r\nX-Letters: ",
];

/// Runs it: first without slow callers, then with them.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn slow(server: &Server, callers: usize, time: Duration) -> Outcome {
    let quiet = ordinary(server, time / 4).await?;
    println!("without slow callers: {quiet}");
    let (cpu, began, came) = (server.cpu(), Instant::now(), Rc::new(Cell::new(0_u64)));
    server.forget_peak();
    let tasks = LocalSet::new();
    for caller in 0..callers {
        let (port, came) = (server.port(), Rc::clone(&came));
        tasks.spawn_local(async move {
            while began.elapsed() < time {
                if let Ok(stream) = come(caller, port).await {
                    came.set(came.get() + 1);
                    // Turned away or cut off, it comes again.
                    drop(timeout(time.saturating_sub(began.elapsed()), dawdle(caller, stream)).await);
                }
                tokio::time::sleep(AWAY.min(time.saturating_sub(began.elapsed()))).await;
            }
        });
    }
    let besieged = tasks.run_until(ordinary(server, time)).await?;
    let spent = (server.cpu().server_ms - cpu.server_ms) / began.elapsed().as_secs_f64();
    println!("with {callers} slow callers: {besieged}");
    println!(
        "{} slow connections; {spent:.0} ms of processor time a second; at most {:.0} MiB",
        came.get(),
        server.memory().peak
    );
    tasks.await;
    Ok(())
}

async fn come(caller: usize, port: u16) -> std::io::Result<TcpStream> {
    let own = Ipv4Addr::new(127, 0, 1, u8::try_from(caller % usize::from(ADDRESSES)).unwrap_or(0) + 1);
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddrV4::new(own, 0).into())?;
    timeout(PATIENCE, socket.connect(SocketAddr::from(([127, 0, 0, 1], port)))).await?
}

/// Says half of what it should, and the rest never or letter by letter. Ends when the server has enough of it.
async fn dawdle(caller: usize, mut stream: TcpStream) -> std::io::Result<()> {
    let kind = caller % WORDS.len();
    stream.write_all(WORDS[kind]).await?;
    let mut heard = [0; 256];
    loop {
        match timeout(LETTER, stream.read(&mut heard)).await {
            Ok(Ok(0)) => return Ok(()),
            Ok(outcome) => drop(outcome?),
            Err(_) if kind == WORDS.len() - 1 => stream.write_all(b"x").await?,
            Err(_) => {}
        }
    }
}

/// Times and failures of ordinary requests.
#[derive(Default)]
struct Fared {
    times: Vec<f64>,
    failures: usize,
}

impl std::fmt::Display for Fared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = |share| quantile(&self.times, share);
        let most = self.times.last().copied().unwrap_or_default();
        write!(
            f,
            "{} answers, {} failures, p50 {:.1} ms, p99 {:.1} ms, at most {most:.1} ms",
            self.times.len(),
            self.failures,
            at(50),
            at(99)
        )
    }
}

/// Asks at an even pace, whether or not earlier answers have come.
async fn ordinary(server: &Server, time: Duration) -> Outcome<Fared> {
    let (began, port) = (Instant::now(), server.port());
    let fared = Rc::new(RefCell::new(Fared::default()));
    let kept = Rc::new(RefCell::new(Vec::new()));
    let tasks = LocalSet::new();
    let asking = async {
        for turn in 0_u32.. {
            let due = Duration::from_secs(1) * turn / RATE;
            if due >= time {
                return;
            }
            tokio::time::sleep(due.saturating_sub(began.elapsed())).await;
            let (fared, kept) = (Rc::clone(&fared), Rc::clone(&kept));
            tokio::task::spawn_local(async move {
                let stays = turn.is_multiple_of(2);
                let connection = if stays { kept.borrow_mut().pop() } else { None };
                let sent = Instant::now();
                match timeout(PATIENCE, ask(port, connection)).await {
                    Ok(Ok(connection)) => {
                        fared.borrow_mut().times.push(sent.elapsed().as_secs_f64() * 1000.0);
                        if stays {
                            kept.borrow_mut().push(connection);
                        }
                    }
                    _ => fared.borrow_mut().failures += 1,
                }
            });
        }
    };
    tasks.run_until(asking).await;
    tasks.await;
    let mut fared = fared.take();
    fared.times.sort_by(f64::total_cmp);
    Ok(fared)
}

/// Asks once, and gives the connection back. One that was kept may have been closed meanwhile: then another one is opened,
/// as every client does.
async fn ask(port: u16, kept: Option<Connection>) -> Outcome<Connection> {
    let asked = request("GET", "/api/admin/projects", &Server::admin(), None);
    if let Some(mut connection) = kept
        && connection.json(&asked).await.is_ok()
    {
        return Ok(connection);
    }
    let mut connection = Connection::open(port).await?;
    connection.json(&asked).await?;
    Ok(connection)
}
