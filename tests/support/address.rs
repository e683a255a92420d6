//! Addresses of this machine for programs that tests start.

use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// A socket that nobody listens on. As long as it lives Linux gives its port to nobody who asks for any, neither to
/// listen nor to connect from; a program that asks for this very port gets it, again and again.
pub struct ReservedAddress {
    address: SocketAddr,
    _socket: Socket,
}

impl ReservedAddress {
    pub fn new() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        // Both sockets must allow it for the program to get the port.
        socket.set_reuse_address(true).expect("allows others");
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a free port");
        let address = socket.local_addr().ok().and_then(|address| address.as_socket()).expect("an address");
        Self { address, _socket: socket }
    }

    pub const fn get(&self) -> SocketAddr {
        self.address
    }
}
