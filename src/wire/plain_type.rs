//! Common parts of all types that are their own raw value.

/// Makes a type part of the document: `plain_type!(Type, "name", schema)` with its schema where it is used, or
/// `plain_type!(Type, component "Name", schema)` with one under that name, to which all uses refer; `with Inner` before
/// the schema when that refers to the component of another type.
#[macro_export]
macro_rules! plain_type {
    ($type:ident, component $name:expr, with $inner:ty, $schema:expr) => {
        $crate::plain_type!(@ $type, $name, poem_openapi::registry::MetaSchemaRef::Reference($name.to_owned()),
            fn register(registry: &mut poem_openapi::registry::Registry) {
                <$inner as poem_openapi::types::Type>::register(registry);
                registry.create_schema::<Self, _>($name.to_owned(), |_| $schema);
            }
        );
    };
    ($type:ident, component $name:expr, $schema:expr) => {
        $crate::plain_type!(@ $type, $name, poem_openapi::registry::MetaSchemaRef::Reference($name.to_owned()),
            fn register(registry: &mut poem_openapi::registry::Registry) {
                registry.create_schema::<Self, _>($name.to_owned(), |_| $schema);
            }
        );
    };
    (@ $type:ident, $name:expr, $reference:expr, $($register:item)?) => {
        impl poem_openapi::types::Type for $type {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn schema_ref() -> poem_openapi::registry::MetaSchemaRef {
                $reference
            }

            $($register)?

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(std::iter::once(self))
            }
        }
    };
    ($type:ident, $name:expr, $schema:expr) => {
        $crate::plain_type!(@ $type, $name,
            poem_openapi::registry::MetaSchemaRef::Inline(Box::new($schema)),);
    };
}
