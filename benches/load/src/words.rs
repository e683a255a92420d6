//! Made-up names and numbers, the same each time.

/// A number that looks like chance, from the place in a sequence.
pub(crate) fn scattered(place: u64) -> u64 {
    let mut mixed = place.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// One of several, chosen by the place in a sequence.
pub(crate) fn pick<T: Copy>(of: &[T], place: u64) -> T {
    let count = of.len() as u64;
    of[usize::try_from(scattered(place) % count).unwrap_or(0)]
}

const THINGS: &[&str] = &[
    "account", "banner", "basket", "carousel", "catalog", "checkout", "coupon", "delivery", "invoice", "login", "map",
    "menu", "order", "payment", "profile", "review", "search", "shelf", "stock", "wishlist",
];
const PARTS: &[&str] = &[
    "batcher", "button", "cache", "cursor", "drawer", "filter", "header", "index", "layout", "loader", "parser",
    "pipeline", "queue", "router", "scanner", "sorter", "store", "tracker", "uploader", "widget",
];
const PURPOSES: &[&str] =
    &["canary", "experiment", "fix", "killswitch", "migration", "preview", "probe", "redesign", "rollout", "trial"];
const SENTENCE: &[&str] = &[
    "for", "all", "shoppers", "who", "come", "back", "within", "a", "week", "after", "the", "launch", "when",
    "numbers", "stay", "steady", "in", "every", "region", "until", "somebody", "looks", "again",
];

/// The name of a flag.
pub(crate) fn flag(number: u64) -> String {
    let (thing, part, purpose) =
        (pick(THINGS, number * 7), pick(PARTS, number * 7 + 1), pick(PURPOSES, number * 7 + 2));
    format!("{thing}-{part}-{purpose}-{number:05}")
}

/// A description of a few words.
pub(crate) fn sentence(number: u64) -> String {
    let words: Vec<&str> = (0..6 + scattered(number) % 12).map(|word| pick(SENTENCE, number * 31 + word)).collect();
    words.join(" ")
}
