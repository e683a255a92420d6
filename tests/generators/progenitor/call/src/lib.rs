//! The generated client as it is.

include!(env!("FLAGSTONE_CLIENT"));
