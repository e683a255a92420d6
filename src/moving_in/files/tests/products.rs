//! What each product says in its own way.

use super::*;
