//! Programs that listen: how soon each hears of a switch, and how they come back when the server was replaced.

use std::{rc::Rc, time::Duration};

use tokio::{net::TcpStream, time::timeout};

use super::{
    Day,
    plan::{Group, What},
    until,
};
use crate::{
    Outcome,
    streams::{holds, open, read},
    words::scattered,
};

/// Milliseconds over which streams are opened at first, and opened again after they ended.
const SPREAD: u64 = 4000;
/// Time limit for everything at the beginning of a stream.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest time that a switch may be on its way.
const STALE: Duration = Duration::from_mins(1);

/// Listens all day.
pub(crate) async fn listen(day: Rc<Day>, place: usize) {
    let mut turn = 0;
    let mut at = Duration::ZERO;
    while at < day.plan.time {
        // They do not all come at once.
        at += Duration::from_millis(scattered(place as u64 * 1000 + turn) % SPREAD);
        until(&day, at).await;
        turn += 1;
        day.record.borrow_mut().begins(Group::Streams);
        let opened = timeout(PATIENCE, open(day.port)).await;
        let opened = opened.map_err(|_| format!("not all came in {} s", PATIENCE.as_secs()));
        let opened = opened.and_then(|opened| opened.map_err(|error| error.to_string()));
        let (stream, outcome) = match opened {
            Ok(stream) => (Some(stream), Ok(())),
            Err(reason) => (None, Err(reason)),
        };
        note(&day, at, outcome);
        if let Some(stream) = stream {
            // Ends with the stream.
            let _ended = follow(&day, stream).await;
            day.reconnected.set(day.reconnected.get() + 1);
        }
        at = at.max(day.record.borrow().began.elapsed());
    }
}

fn note(day: &Day, at: Duration, outcome: Result<(), String>) {
    let mut record = day.record.borrow_mut();
    record.ends(Group::Streams);
    record.note(What::StreamOpened, at, outcome);
}

/// Notes when switches are told.
async fn follow(day: &Day, mut stream: TcpStream) -> Outcome {
    let (mut buffer, mut piece) = (vec![0; 1 << 14], Vec::new());
    let mut next = day.world.switched.borrow().len();
    let mut waiting: Vec<usize> = Vec::new();
    loop {
        read(&mut stream, &mut buffer, &mut piece).await?;
        let switched = day.world.switched.borrow();
        waiting.extend(next..switched.len());
        next = switched.len();
        let now = day.record.borrow().began.elapsed();
        waiting.retain(|place| {
            let switch = &switched[*place];
            let is_told = holds(&piece, &switch.marker);
            if is_told {
                day.record.borrow_mut().note(What::StreamTold, switch.at, Ok(()));
            }
            !is_told && now < switch.at + STALE
        });
    }
}
