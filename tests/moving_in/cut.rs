//! A line that breaks after so many bytes.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    thread,
};

/// Leads to `target` from an address of its own. Each connection breaks once `most` bytes have come back on it.
pub fn line_to(target: &str, most: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let target = target.to_owned();
    thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let Ok(far) = TcpStream::connect(&target) else { continue };
            let (mut there, mut out) = (near.try_clone().expect("a socket"), far.try_clone().expect("a socket"));
            thread::spawn(move || std::io::copy(&mut there, &mut out));
            thread::spawn(move || pass(far, near, most));
        }
    });
    address
}

fn pass(mut from: TcpStream, mut to: TcpStream, most: usize) {
    let (mut passed, mut buffer) = (0, [0; 4096]);
    while passed < most {
        let count = match from.read(&mut buffer) {
            Ok(count) if count > 0 => count.min(most - passed),
            _ => break,
        };
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
        passed += count;
    }
    for socket in [from, to] {
        // It may be gone already.
        let _ = socket.shutdown(Shutdown::Both);
    }
}
