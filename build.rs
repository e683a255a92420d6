//! Compresses the pages below `/docs`, so that the binary holds them small and sends them as they are.
#![expect(clippy::disallowed_methods, reason = "Cargo tells in the environment where to write")]

use std::{env, error::Error, fmt::Write as _, fs, io::Write as _, path::Path};

use flate2::{Compression, GzBuilder};

/// The folders that hold a page each. What has no ending that the server knows is not for readers.
const FOLDERS: [&str; 2] = ["redoc", "swagger-ui"];
const ENDINGS: [&str; 4] = ["css", "html", "js", "png"];

fn main() -> Result<(), Box<dyn Error>> {
    let target = env::var("OUT_DIR")?;
    let mut list = String::from("&[\n");
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        fs::create_dir_all(Path::new(&target).join(folder))?;
        let mut files =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        files.retain(|file| file.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)));
        files.sort();
        for file in files {
            let name = format!("{folder}/{}", file.file_name().unwrap_or_default().to_string_lossy());
            let place = Path::new(&target).join(&name);
            fs::write(&place, compressed(&fs::read(&file)?)?)?;
            writeln!(list, "    ({name:?}, include_bytes!({:?})),", place.to_string_lossy())?;
        }
    }
    list.push(']');
    fs::write(Path::new(&target).join("pages.rs"), list)?;
    Ok(())
}

/// The same bytes on every machine.
fn compressed(plain: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut encoder = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    Ok(encoder.finish()?)
}
