//! Compresses the pages below `/docs` and the console, so that the binary holds them small and sends them as they are.
#![expect(clippy::disallowed_methods, reason = "Cargo tells in the environment where to write")]

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::Write as _,
    num::NonZeroU64,
    path::{Path, PathBuf},
};

use flate2::{Compression, GzBuilder};

/// The names of the pages and the folders that hold them. What has no ending that the server knows is not for readers.
const FOLDERS: [(&str, &str); 3] = [("redoc", "redoc"), ("swagger-ui", "swagger-ui"), (CONSOLE, "console/dist")];
/// The page that people load all day: each of its files is compressed as far as gzip goes, which takes seconds.
const CONSOLE: &str = "console";
/// How often the compression is refined: more takes longer, and gains less than a thousandth.
const ITERATIONS: NonZeroU64 = NonZeroU64::new(3).unwrap();
const ENDINGS: [&str; 5] = ["css", "html", "js", "png", "svg"];
/// Besides, what ships owes to those who made it.
const LICENCES: &str = "licences.md";

fn main() -> Result<(), Box<dyn Error>> {
    let target = env::var("OUT_DIR")?;
    let mut list = String::from("&[\n");
    for (page, folder) in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        for file in files(Path::new(folder))? {
            let name = format!("{page}/{}", file.strip_prefix(folder)?.to_string_lossy());
            let place = Path::new(&target).join(&name);
            fs::create_dir_all(place.parent().unwrap_or(&place))?;
            fs::write(&place, compressed(page, &fs::read(&file)?)?)?;
            writeln!(list, "    ({name:?}, include_bytes!({:?})),", place.to_string_lossy())?;
        }
    }
    list.push(']');
    fs::write(Path::new(&target).join("pages.rs"), list)?;
    Ok(())
}

/// The files for readers in a folder and the folders in it, in an order that is always the same.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
            || path.ends_with(LICENCES)
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The same bytes on every machine.
fn compressed(page: &str, plain: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    if page == CONSOLE {
        let options = zopfli::Options { iteration_count: ITERATIONS, ..Default::default() };
        let mut compressed = Vec::new();
        zopfli::compress(options, zopfli::Format::Gzip, plain, &mut compressed)?;
        return Ok(compressed);
    }
    let mut encoder = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    Ok(encoder.finish()?)
}
