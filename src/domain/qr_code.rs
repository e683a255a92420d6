//! QR codes as pictures.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};

/// Modules of white around a code, as its standard asks for (ISO/IEC 18004).
const QUIET: i32 = 4;

/// Returns a QR code as an SVG document without scripts, styles and links, black on white; `None` for a text that is too
/// long for one, which begins at about 2300 bytes.
pub fn svg(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let size = code.size() + 2 * QUIET;
    let mut dark = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let length = (x..code.size()).take_while(|x| code.get_module(*x, y)).count();
            if length > 0 {
                let _ = write!(dark, "M{} {}h{length}v1h-{length}z", x + QUIET, y + QUIET);
            }
            x += i32::try_from(length).unwrap_or(i32::MAX - 1 - x) + 1;
        }
    }
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{size}v{size}h-{size}z\"/><path fill=\"#000\" d=\"{dark}\"/></svg>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_corners_that_cameras_look_for() {
        let picture = svg("otpauth://totp/a").expect("a picture");
        assert!(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 33 33\""), "{picture}");
        // The finder patterns: a line of seven modules at the top of two corners and at the bottom of the third.
        for line in ["M4 4h7v1h-7z", "M22 4h7v1h-7z", "M4 28h7v1h-7z"] {
            assert!(picture.contains(line), "{line} in {picture}");
        }
        assert_eq!(svg(&"x".repeat(3000)), None);
    }
}
