//! QR codes as pictures.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};

/// Modules of white around a code, as its standard asks for (ISO/IEC 18004).
const QUIET: usize = 4;

/// Returns a QR code as an SVG document without scripts, styles and links, black on white; `None` for a text that is
/// too long for one, which begins at about 2300 bytes.
pub fn svg(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let mut dark = String::new();
    for (place, line) in (0..code.size()).enumerate() {
        let modules: Vec<bool> = (0..code.size()).map(|column| code.get_module(column, line)).collect();
        let (mut x, y) = (QUIET, QUIET + place);
        for run in modules.chunk_by(|one, other| one == other) {
            let length = run.len();
            if run[0] {
                let _ = write!(dark, "M{x} {y}h{length}v1h-{length}z");
            }
            x += length;
        }
    }
    let size = usize::try_from(code.size()).ok()? + 2 * QUIET;
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
