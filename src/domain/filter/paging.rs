use super::Refusal;

/// Page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Entries to skip.
    pub offset: u64,
    /// Most entries to return, at least one.
    pub limit: u64,
}

impl Page {
    /// Entries of a page by default.
    pub const DEFAULT_LIMIT: u64 = 50;
    /// Most entries of a page.
    pub const MAX_LIMIT: u64 = 1000;

    /// The page that two parameters ask for. What makes no sense means the default, too much means the most.
    pub fn new(offset: Option<u64>, limit: Option<u64>) -> Self {
        let limit = limit.filter(|limit| *limit > 0).unwrap_or(Self::DEFAULT_LIMIT);
        Self { offset: offset.unwrap_or(0), limit: limit.min(Self::MAX_LIMIT) }
    }

    /// Returns the entries of the page from the whole list.
    pub fn of<T>(self, all: Vec<T>) -> Vec<T> {
        let [offset, limit] = [self.offset, self.limit].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        all.into_iter().skip(offset).take(limit).collect()
    }
}

/// A whole number in decimal digits, or `None` for any other text. One too large for the databases is their largest.
pub fn whole_number(text: &str) -> Option<u64> {
    const MAX: u64 = i64::MAX.unsigned_abs();
    let digits = text.trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(MAX).min(MAX))
}

/// Direction of a list's main key. Ties are always ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortOrder {
    /// Smallest first.
    #[default]
    Ascending,
    /// Largest first.
    Descending,
}

impl SortOrder {
    /// The words on the wire.
    pub const WORDS: [&'static str; 2] = ["asc", "desc"];

    /// Reads `asc` or `desc`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        match text {
            "asc" => Ok(Self::Ascending),
            "desc" => Ok(Self::Descending),
            _ => Err(Refusal::Choice("asc or desc")),
        }
    }
}

/// Key by which a list of features is sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SortKey {
    /// Time of creation.
    #[default]
    CreatedAt,
    /// Name; upper and lower case count as equal.
    Name,
    /// Feature type.
    Type,
    /// Project id.
    Project,
    /// Whether the feature is stale, those that are not first.
    Stale,
    /// When usage was last reported; never comes last in both directions.
    LastSeenAt,
    /// The switch in the environment of this name, off first; features without the environment come last in both
    /// directions.
    Environment(String),
}

impl SortKey {
    /// The word for the default.
    pub const DEFAULT: &'static str = "createdAt";

    /// Reads a key; an unknown one is the default.
    pub fn parse(text: &str) -> Self {
        match text {
            "name" => Self::Name,
            "type" => Self::Type,
            "project" => Self::Project,
            "stale" => Self::Stale,
            "lastSeenAt" => Self::LastSeenAt,
            _ => match text.strip_prefix("environment:") {
                Some(name) => Self::Environment(name.to_owned()),
                None => Self::CreatedAt,
            },
        }
    }
}
