//! Values that are not printed.

use std::{convert::Infallible, str::FromStr};

use flagstone_domain::opaque_debug;

/// A text from the operator that is not printed.
#[derive(Clone)]
pub struct Hidden(pub String);

impl FromStr for Hidden {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

opaque_debug!(Hidden);
