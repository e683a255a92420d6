//! Banners: messages above every page of a console.

use flagstone_wire::Nullable;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use crate::{actor::Actor, event::NewEvent, event_kind::EventKind, text::is_longer, time::Timestamp};

/// Most banners of an instance: every page shows them.
pub const MOST: u64 = 100;
/// Value of a link that opens the dialog of the banner.
const DIALOG: &str = "dialog";
/// Schemes of links.
const SCHEMES: [&str; 3] = ["https", "http", "mailto"];
const MOST_TEXT: usize = 10_000;
const MOST_LINK: usize = 2000;
const MOST_NAME: usize = 255;

/// Severity of a banner, which consoles show as a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Enum, Serialize, Deserialize)]
#[oai(rename = "BannerVariant", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Something to know.
    #[default]
    Info,
    /// Something to look out for.
    Warning,
    /// Something is broken.
    Error,
    /// Something is well again.
    Success,
}

impl Variant {
    /// The name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Success => "success",
        }
    }

    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Info, Self::Warning, Self::Error, Self::Success].into_iter().find(|variant| variant.as_str() == text)
    }
}

/// Settings of a banner. Each property has its default when it is absent or `null`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Object)]
#[oai(rename = "CreateBanner", rename_all = "camelCase")]
pub struct Wanted {
    /// Text, in Markdown: 1 to 10,000 characters, not only blanks.
    #[oai(validator(min_length = 1, max_length = 10_000, pattern = r"\S"))]
    pub message: String,
    /// Whether it is enabled. Absent means true.
    pub enabled: Option<bool>,
    /// Severity. Absent means `info`.
    pub variant: Option<Variant>,
    /// Whether it stays visible while scrolling. Absent means false.
    pub sticky: Option<bool>,
    /// Name of a Material symbol, or `none` for none; at most 255 characters. Absent: the one of the variant.
    #[oai(validator(max_length = 255))]
    pub icon: Option<Nullable<String>>,
    /// Target of its link: a URL that begins with `https:`, `http:` or `mailto:`, one relative to the console, or the
    /// word `dialog`, which opens the dialog; at most 2000 characters. Absent: no link.
    #[oai(validator(max_length = 2000))]
    pub link: Option<Nullable<String>>,
    /// Text of its link; at most 255 characters. Absent: `More info`.
    #[oai(validator(max_length = 255))]
    pub link_text: Option<Nullable<String>>,
    /// Title of its dialog; at most 255 characters. Absent: the text of the link.
    #[oai(validator(max_length = 255))]
    pub dialog_title: Option<Nullable<String>>,
    /// Text of its dialog, in Markdown; at most 10,000 characters.
    #[oai(validator(max_length = 10_000))]
    pub dialog: Option<Nullable<String>>,
}

/// Properties of a banner without its id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Content {
    /// Message of the banner.
    pub message: String,
    /// Whether it is shown.
    pub enabled: bool,
    /// Urgency.
    pub variant: Variant,
    /// Whether it stays in sight.
    pub sticky: bool,
    /// Name of a symbol.
    pub icon: Option<String>,
    /// Address of its link.
    pub link: Option<String>,
    /// Text of its link.
    pub link_text: Option<String>,
    /// Title of its dialog.
    pub dialog_title: Option<String>,
    /// Text of its dialog.
    pub dialog: Option<String>,
}

/// A property of a banner that cannot be what it is, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The property.
    pub property: &'static str,
    /// The rule that it breaks, as the end of a sentence about it.
    pub rule: String,
}

impl Content {
    /// Returns the content that is asked for, or the first fault. Whichever way a banner comes in, it passes here.
    pub fn admit(wanted: Wanted) -> Result<Self, Fault> {
        let text = |text: Option<Nullable<String>>| text.and_then(Nullable::into_inner).filter(|text| !text.is_empty());
        let content = Self {
            message: wanted.message,
            enabled: wanted.enabled.unwrap_or(true),
            variant: wanted.variant.unwrap_or_default(),
            sticky: wanted.sticky.unwrap_or_default(),
            icon: text(wanted.icon),
            link: text(wanted.link),
            link_text: text(wanted.link_text),
            dialog_title: text(wanted.dialog_title),
            dialog: text(wanted.dialog),
        };
        let refuse = |property, rule: &str| Err(Fault { property, rule: rule.to_owned() });
        for (property, text, most) in [
            ("message", Some(&content.message), MOST_TEXT),
            ("icon", content.icon.as_ref(), MOST_NAME),
            ("link", content.link.as_ref(), MOST_LINK),
            ("linkText", content.link_text.as_ref(), MOST_NAME),
            ("dialogTitle", content.dialog_title.as_ref(), MOST_NAME),
            ("dialog", content.dialog.as_ref(), MOST_TEXT),
        ] {
            let Some(text) = text else { continue };
            if is_longer(text, most) {
                return refuse(property, &format!("must have at most {most} characters"));
            }
            if text.contains(|sign: char| sign.is_control() && !matches!(sign, '\n' | '\r' | '\t')) {
                return refuse(property, "must hold no control characters but line breaks and tabs");
            }
        }
        if content.message.trim().is_empty() {
            return refuse("message", "must say something");
        }
        match content.link.as_deref() {
            Some(DIALOG) if content.dialog.is_none() => refuse("dialog", "must be there for a link that opens it"),
            Some(link) if link != DIALOG && !is_harmless(link) => {
                refuse("link", "must be `dialog`, a relative address, or begin with https:, http: or mailto:")
            }
            _ => Ok(content),
        }
    }
}

/// Whether a link leads to a page and runs nothing, as browsers read it: they skip blanks and line breaks in it.
fn is_harmless(link: &str) -> bool {
    match url::Url::parse(link) {
        Ok(url) => SCHEMES.contains(&url.scheme()),
        Err(error) => error == url::ParseError::RelativeUrlWithoutBase,
    }
}

/// A banner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Banner {
    /// Its number.
    pub id: i64,
    /// Its content.
    #[serde(flatten)]
    pub content: Content,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Banner {
    /// Returns the event that the banner was created.
    pub fn created(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::BannerCreated, actor).with_data(self)
    }

    /// Returns the event that the banner was updated.
    pub fn updated(&self, before: &Self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::BannerUpdated, actor).with_data(self).with_pre_data(before)
    }

    /// Returns the event that the banner was deleted.
    pub fn deleted(&self, actor: &Actor) -> NewEvent {
        NewEvent::new(EventKind::BannerDeleted, actor).with_pre_data(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(link: &str) -> Wanted {
        Wanted { message: "m".to_owned(), link: Some(Nullable(Some(link.to_owned()))), ..Wanted::default() }
    }

    #[test]
    fn links_lead_somewhere_and_run_nothing() {
        for link in
            ["https://a.example", "http://a", "mailto:a@example.com", "/projects/shop", "projects", "?a=b", "#a"]
        {
            assert!(Content::admit(wanted(link)).is_ok(), "{link}");
        }
        for link in [
            "javascript:alert(1)",
            "JAVASCRIPT:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "java\tscript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "https://[",
        ] {
            assert_eq!(Content::admit(wanted(link)).map_err(|fault| fault.property), Err("link"), "{link:?}");
        }
    }

    #[test]
    fn a_link_to_the_dialog_needs_one() {
        assert_eq!(Content::admit(wanted("dialog")).map_err(|fault| fault.property), Err("dialog"));
        let with = Wanted { dialog: Some(Nullable(Some("d".to_owned()))), ..wanted("dialog") };
        assert!(Content::admit(with).is_ok());
    }

    #[test]
    fn what_is_absent_null_or_empty_is_as_documented() {
        let bare = Wanted { icon: Some(Nullable(None)), ..wanted("") };
        let content = Content::admit(bare).expect("fits");
        let expected = Content { message: "m".to_owned(), enabled: true, ..Content::default() };
        assert_eq!(content, expected);
        assert_eq!(content.variant, Variant::Info);
    }

    #[test]
    fn texts_are_bounded_and_hold_nothing_odd() {
        let says = |message: &str| Content::admit(Wanted { message: message.to_owned(), ..Wanted::default() });
        for message in ["", " \n", "a\u{7}b", "a\0", &"x".repeat(10_001)] {
            assert_eq!(says(message).map_err(|fault| fault.property), Err("message"));
        }
        assert!(says("# Title\r\n\n\t- one").is_ok());
    }
}
