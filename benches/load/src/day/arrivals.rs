//! Requests as they arrive, each on its own.

use std::{rc::Rc, time::Duration};

use tokio::time::timeout;

use super::{
    Day,
    plan::{Kind, Pace, What},
    prepare_import,
    record::Happening,
    until,
};
use crate::{
    http::{Answer, Connection},
    words::scattered,
};

/// Longest time that a caller waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest step from one arrival to the next: the rate is another one then.
const STEP: f64 = 1.0;

/// Sends what arrives of a kind.
pub(crate) async fn come(day: Rc<Day>, kind: &'static Kind) {
    match kind.pace {
        Pace::Streams => {}
        Pace::Times(times) => {
            for turn in 0..times {
                let at = day.plan.time * (2 * turn + 1) / (2 * times);
                until(&day, at).await;
                if kind.what == What::Import
                    && let Err(reason) = prepare_import(&day).await
                {
                    day.record.borrow_mut().note(kind.what, at, Err(format!("its project: {reason}")));
                    continue;
                }
                tokio::task::spawn_local(one(Rc::clone(&day), kind, u64::from(turn), at));
            }
        }
        Pace::People(_) | Pace::Programs(_) => {
            let (mut at, mut number) = (Duration::ZERO, 0);
            let mut owed = gap(kind.what, number);
            while at < day.plan.time {
                let rate = day.plan.rate(kind.pace, at);
                if owed > rate * STEP {
                    owed -= rate * STEP;
                    at += Duration::from_secs_f64(STEP);
                    continue;
                }
                at += Duration::from_secs_f64(owed / rate);
                if at >= day.plan.time {
                    return;
                }
                until(&day, at).await;
                tokio::task::spawn_local(one(Rc::clone(&day), kind, number, at));
                number += 1;
                owed = gap(kind.what, number);
            }
        }
    }
}

/// Time until the next arrival, at one a second: as by chance, and the same each time.
fn gap(what: What, number: u64) -> f64 {
    let chance = scattered(number * 64 + what as u64) >> 32;
    let share = f64::from(u32::try_from(chance).unwrap_or(0)) / f64::from(u32::MAX);
    -(1.0 - share).max(1e-9).ln()
}

/// One request, from its moment to its answer.
async fn one(day: Rc<Day>, kind: &'static Kind, number: u64, at: Duration) {
    let Some(asked) = day.world.ask(kind.what, number, at) else { return };
    day.record.borrow_mut().begins(kind.group);
    let answered = timeout(PATIENCE, exchange(&day, &asked.bytes)).await;
    let outcome = match answered {
        Err(_) => Err(format!("no answer in {} s", PATIENCE.as_secs())),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok((answer, _))) if answer.status < 400 => {
            day.world.answered(asked, answer);
            Ok(())
        }
        Ok(Ok((answer, body))) => Err(format!("{} {body}", answer.status)),
    };
    let mut record = day.record.borrow_mut();
    record.ends(kind.group);
    let is_bulk = matches!(kind.pace, Pace::Times(_));
    if is_bulk && outcome.is_ok() {
        let until = record.began.elapsed();
        let name = if kind.what == What::Import { "import" } else { "export" };
        record.happenings.push(Happening { name, from: at, until, outcome: String::new() });
    }
    record.note(kind.what, at, outcome);
}

/// Asks over a connection that rests, or a new one. One that the server closed meanwhile is replaced, as clients do.
async fn exchange(day: &Day, bytes: &[u8]) -> crate::Outcome<(Answer, String)> {
    let _place = day.room.acquire().await?;
    let resting = day.kept.borrow_mut().pop();
    if let Some(mut connection) = resting
        && let Ok(answer) = connection.send(bytes).await
    {
        return Ok(keep(day, connection, answer));
    }
    let mut connection = Connection::open(day.port).await?;
    let answer = connection.send(bytes).await?;
    Ok(keep(day, connection, answer))
}

fn keep(day: &Day, connection: Connection, answer: Answer) -> (Answer, String) {
    let is_told = answer.status >= 400;
    let body = if is_told { format!("{:.200}", String::from_utf8_lossy(connection.body())) } else { String::new() };
    day.kept.borrow_mut().push(connection);
    (answer, body)
}
