//! Products whose files can be read: their names, what their files are recognised by, and their readers, in one table.

use serde_json::Value;

use super::{
    FileError, Options, SourceFile,
    assemble::{Found, assemble},
    document::{self, Document},
    flagd, flagsmith, flipt, go_feature_flag, growthbook, launchdarkly, others, unleash,
};
use crate::{Finding, Set};

/// Products whose files can be read, in the order in which they are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Unleash's exports of features and of its state, and its list of segments.
    Unleash,
    /// Answers of LaunchDarkly's API, version 2.
    LaunchDarkly,
    /// Answers of GrowthBook's API, and what its SDKs get.
    GrowthBook,
    /// Flagsmith's environment documents and bulk exports.
    Flagsmith,
    /// flagd's flag files.
    Flagd,
    /// Flipt's exports and trees.
    Flipt,
    /// GO Feature Flag's flag files.
    GoFeatureFlag,
}

/// Row of the table.
struct Vendor {
    format: Format,
    /// Name on the command line.
    name: &'static str,
    /// Name of the product.
    product: &'static str,
    is: fn(&Value) -> bool,
    read: Reader,
}

/// Function from the documents of a product.
type Read<T> = fn(&[Document<'_>], &Options) -> T;

/// Reader of a product.
enum Reader {
    /// Reader of flags.
    Flags(Read<Found>),
    /// Reader of flags that refuses some documents.
    Refusing(Read<Result<Found, FileError>>),
    /// Reader of the whole set.
    Whole(Read<Result<(Set, Vec<Finding>), FileError>>),
}

/// The products, each in the place of its format.
static VENDORS: [Vendor; 7] = [
    Vendor {
        format: Format::Unleash,
        name: "unleash",
        product: "Unleash",
        is: unleash::is,
        read: Reader::Whole(unleash::read),
    },
    Vendor {
        format: Format::LaunchDarkly,
        name: "launchdarkly",
        product: "LaunchDarkly",
        is: launchdarkly::is,
        read: Reader::Flags(launchdarkly::read),
    },
    Vendor {
        format: Format::GrowthBook,
        name: "growthbook",
        product: "GrowthBook",
        is: growthbook::is,
        read: Reader::Refusing(growthbook::read),
    },
    Vendor {
        format: Format::Flagsmith,
        name: "flagsmith",
        product: "Flagsmith",
        is: flagsmith::is,
        read: Reader::Flags(flagsmith::read),
    },
    Vendor { format: Format::Flagd, name: "flagd", product: "flagd", is: flagd::is, read: Reader::Flags(flagd::read) },
    Vendor { format: Format::Flipt, name: "flipt", product: "Flipt", is: flipt::is, read: Reader::Flags(flipt::read) },
    Vendor {
        format: Format::GoFeatureFlag,
        name: "go-feature-flag",
        product: "GO Feature Flag",
        is: go_feature_flag::is,
        read: Reader::Flags(go_feature_flag::read),
    },
];

impl Format {
    /// Returns all of them, in the order in which they are recognised.
    pub fn all() -> impl Iterator<Item = Self> {
        VENDORS.iter().map(|vendor| vendor.format)
    }

    fn vendor(self) -> &'static Vendor {
        &VENDORS[self as usize]
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        self.vendor().name
    }

    /// Returns the name of the product.
    pub fn product(self) -> &'static str {
        self.vendor().product
    }

    /// Returns the format of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|format| format.name() == name)
    }

    /// Recognises the format of a file by what it holds. `None` is a file of no product that is known; one of a product
    /// whose files are not read is refused by its name.
    pub fn detect(file: &SourceFile<'_>) -> Result<Option<Self>, FileError> {
        let documents = document::read(file)?;
        let format = documents.first().and_then(|first| Self::all().find(|format| format.is(&first.value)));
        if format.is_none() {
            documents.iter().try_for_each(others::refuse)?;
        }
        Ok(format)
    }

    pub(super) fn is(self, document: &Value) -> bool {
        (self.vendor().is)(document)
    }

    /// Reads documents of the product into a set, with findings of what is not the same.
    pub(super) fn read(self, documents: &[Document<'_>], options: &Options) -> Result<(Set, Vec<Finding>), FileError> {
        let found = match self.vendor().read {
            Reader::Flags(read) => read(documents, options),
            Reader::Refusing(read) => read(documents, options)?,
            Reader::Whole(read) => return read(documents, options),
        };
        Ok(assemble(self.product(), "", found, options.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_product_stands_in_the_place_of_its_format() {
        for (place, vendor) in VENDORS.iter().enumerate() {
            assert_eq!(vendor.format as usize, place, "{}", vendor.name);
            assert_eq!(Format::parse(vendor.name), Some(vendor.format));
        }
    }
}
