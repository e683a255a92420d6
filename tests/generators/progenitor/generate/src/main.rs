//! `generate DOCUMENT CLIENT` writes what progenitor makes of the document, with builders.

use std::{env, error::Error, fs};

use progenitor::{GenerationSettings, Generator, InterfaceStyle};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = env::args().skip(1);
    let (Some(document), Some(client)) = (paths.next(), paths.next()) else {
        return Err("usage: generate DOCUMENT CLIENT".into());
    };
    let document: openapiv3::OpenAPI = serde_json::from_str(&fs::read_to_string(document)?)?;
    let settings = GenerationSettings::default().with_interface(InterfaceStyle::Builder).clone();
    let tokens = Generator::new(&settings).generate_tokens(&document)?;
    fs::write(client, prettyplease::unparse(&syn::parse2(tokens)?))?;
    Ok(())
}
