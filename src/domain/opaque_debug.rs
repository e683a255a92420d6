//! `Debug` of types that hold secrets, or what cannot be shown.

/// Implements `Debug` for a type: it shows the name, and of the fields those that are listed before `..`, so that one
/// that is added shows nothing either. A type without `..` shows the name alone.
#[macro_export]
macro_rules! opaque_debug {
    ($type:ident $(<$lifetime:lifetime>)?) => {
        impl std::fmt::Debug for $type $(<$lifetime>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($type))
            }
        }
    };
    ($type:ident $(<$lifetime:lifetime>)? { $($field:ident,)* .. }) => {
        impl std::fmt::Debug for $type $(<$lifetime>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type))$(.field(stringify!($field), &self.$field))*.finish_non_exhaustive()
            }
        }
    };
}
