//! `generate DOCUMENT CLIENT` writes what progenitor makes of the document, with builders.

use std::{env, error::Error, fs};

use progenitor::{GenerationSettings, Generator, InterfaceStyle};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = env::args().skip(1);
    let (Some(document), Some(client)) = (paths.next(), paths.next()) else {
        return Err("usage: generate DOCUMENT CLIENT".into());
    };
    let mut document: openapiv3::OpenAPI = serde_json::from_str(&fs::read_to_string(document)?)?;
    // It has one type for the refusals of an operation; OpenFeature's protocol wants another one than ours for some.
    document.paths.paths.retain(|path, _| !path.starts_with("/ofrep/"));
    let settings = GenerationSettings::default().with_interface(InterfaceStyle::Builder).clone();
    let tokens = Generator::new(&settings).generate_tokens(&document)?;
    fs::write(client, prettyplease::unparse(&syn::parse2(tokens)?))?;
    Ok(())
}
