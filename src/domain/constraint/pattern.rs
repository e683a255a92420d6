//! Regular expressions that RE2, of which most SDKs have one, and the crate `regex`, which the engine has, read alike.

use regex::RegexBuilder;
use regex_syntax::ast::{
    self, Assertion, AssertionKind, Ast, ClassPerl, ClassSetBinaryOp, ClassSetItem, ClassUnicode, ClassUnicodeKind,
    Flag, Flags, FlagsItemKind, GroupKind, HexLiteralKind, LiteralKind, RepetitionKind, RepetitionRange, Visitor,
};

/// Bytes that a pattern may take when it is compiled: one for each feature that uses it, again with every change.
const MAX_PATTERN_BYTES: usize = 1 << 18;
/// Most repetitions that RE2 takes.
const MOST_REPETITIONS: u32 = 1000;

/// Scripts by the names that both know. General categories are known by one or two letters.
const SCRIPTS: [&str; 10] =
    ["Arabic", "Cyrillic", "Devanagari", "Greek", "Han", "Hangul", "Hebrew", "Hiragana", "Latin", "Thai"];

/// Whether both engines read the pattern, and read it alike where the text is ASCII.
///
/// A backslash at its end would take its meaning from what follows it in the engine's text of a rule.
pub fn is_portable(pattern: &str) -> bool {
    !pattern.ends_with('\\')
        && is_small(pattern)
        && ast::parse::Parser::new().parse(pattern).is_ok_and(|ast| ast::visit(&ast, Portable).is_ok())
}

/// Whether the engine can compile the pattern within its bound.
pub fn is_small(pattern: &str) -> bool {
    RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build().is_ok()
}

/// Visitor that fails at the first part which only one of the two knows, or which they read differently.
struct Portable;

impl Visitor for Portable {
    type Output = ();
    type Err = ();

    fn finish(self) -> Result<(), ()> {
        Ok(())
    }

    fn visit_pre(&mut self, part: &Ast) -> Result<(), ()> {
        let is_portable = match part {
            Ast::Flags(flags) => are_portable(&flags.flags),
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(flags) => are_portable(flags),
                GroupKind::CaptureIndex(_) => true,
                GroupKind::CaptureName { name, .. } => {
                    name.name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
                }
            },
            Ast::Literal(literal) => is_portable_literal(literal),
            Ast::Assertion(assertion) => is_portable_assertion(assertion),
            Ast::ClassUnicode(class) => is_portable_class(class),
            Ast::Repetition(repetition) => {
                !matches!(*repetition.ast, Ast::Repetition(_) | Ast::Flags(_) | Ast::Empty(_) | Ast::Assertion(_))
                    && match &repetition.op.kind {
                        RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => {
                            // `{,2}` is read as text by one of them, and as `{0,2}` by the other.
                            (*least > 0 || repetition.op.span.start.offset + 1 < repetition.op.span.end.offset)
                                && *most <= MOST_REPETITIONS
                        }
                        RepetitionKind::Range(RepetitionRange::Exactly(count) | RepetitionRange::AtLeast(count)) => {
                            *count <= MOST_REPETITIONS
                        }
                        _ => true,
                    }
            }
            _ => true,
        };
        if is_portable { Ok(()) } else { Err(()) }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), ()> {
        let is_portable = match item {
            ClassSetItem::Bracketed(_) => false,
            ClassSetItem::Literal(literal) => is_portable_literal(literal),
            ClassSetItem::Range(range) => is_portable_literal(&range.start) && is_portable_literal(&range.end),
            ClassSetItem::Unicode(class) => is_portable_class(class),
            ClassSetItem::Perl(ClassPerl { .. })
            | ClassSetItem::Ascii(_)
            | ClassSetItem::Empty(_)
            | ClassSetItem::Union(_) => true,
        };
        if is_portable { Ok(()) } else { Err(()) }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ClassSetBinaryOp) -> Result<(), ()> {
        Err(())
    }
}

fn are_portable(flags: &Flags) -> bool {
    flags.items.iter().all(|item| match item.kind {
        FlagsItemKind::Negation => true,
        FlagsItemKind::Flag(flag) => {
            matches!(flag, Flag::CaseInsensitive | Flag::MultiLine | Flag::DotMatchesNewLine | Flag::SwapGreed)
        }
    })
}

fn is_portable_literal(literal: &ast::Literal) -> bool {
    match &literal.kind {
        LiteralKind::Verbatim
        | LiteralKind::Meta
        | LiteralKind::Superfluous
        | LiteralKind::HexFixed(HexLiteralKind::X)
        | LiteralKind::HexBrace(HexLiteralKind::X) => true,
        LiteralKind::Special(kind) => *kind != ast::SpecialLiteralKind::Space,
        LiteralKind::Octal | LiteralKind::HexFixed(_) | LiteralKind::HexBrace(_) => false,
    }
}

const fn is_portable_assertion(assertion: &Assertion) -> bool {
    matches!(
        assertion.kind,
        AssertionKind::StartLine
            | AssertionKind::EndLine
            | AssertionKind::StartText
            | AssertionKind::EndText
            | AssertionKind::WordBoundary
            | AssertionKind::NotWordBoundary
    )
}

fn is_portable_class(class: &ClassUnicode) -> bool {
    match &class.kind {
        ClassUnicodeKind::OneLetter(_) => true,
        ClassUnicodeKind::Named(name) => {
            let is_category = name.len() <= 2 && name.starts_with(|sign: char| sign.is_ascii_uppercase());
            is_category || SCRIPTS.contains(&&**name)
        }
        ClassUnicodeKind::NamedValue { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_one_engine_knows_is_not_portable() {
        for portable in [
            "^[^@]+@example\\.com$",
            "a|b*?",
            "(?i)abc",
            "(?:x)(?P<name>y)(?<other>z)",
            r"\d+\.\w*\s?",
            r"\pL\p{Lu}\p{Greek}",
            "[[:alpha:]_-]",
            "[a-z0-9.]{2,5}",
            "x{3}",
            "x{0,2}",
            r"\bword\b",
            r"\A\x41\x{1F600}\z",
            "(?m)^a$(?-m)",
            "",
            "ünï",
            r#"""#,
        ] {
            assert!(is_portable(portable), "{portable}");
        }
        for other in [
            "(?=x)",
            r"(a)\1",
            "[",
            "x\\",
            "((a{50}){50}){50}",
            "[a&&b]",
            "[a--b]",
            "[a~~b]",
            "[[a]b]",
            "(?x) a",
            "(?u)a",
            "(?R)a",
            "x{,5}",
            r"\u0041",
            r"\U00000041",
            r"\b{start}x",
            r"\<x\>",
            r"\p{Alphabetic}",
            r"\p{sc=Greek}",
            "x**",
            "x{1001}",
            "^*",
        ] {
            assert!(!is_portable(other), "{other}");
        }
    }
}
