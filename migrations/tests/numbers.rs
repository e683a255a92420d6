//! Numbers of the migrations, which follow each other. Databases record migrations by name, so that names are final.

use std::{fs, path::Path};

use flagstone_migrations::Migrator;
use sea_orm_migration::MigratorTrait;

/// Numbers that no migration ever had.
const UNUSED: [u32; 2] = [14, 20];

/// Returns the names of all migrations in the order in which they are applied.
fn names() -> Vec<String> {
    Migrator::migrations().iter().map(|migration| migration.name().to_owned()).collect()
}

/// Returns the number in a name such as `m0001_projects`.
fn number(name: &str) -> Option<u32> {
    let (digits, _) = name.strip_prefix('m')?.split_once('_')?;
    if digits.len() == 4 { digits.parse().ok() } else { None }
}

#[test]
fn numbers_rise_by_one_except_for_those_that_were_never_used() {
    let mut numbers = Vec::new();
    for name in names() {
        let number = number(&name);
        assert!(number.is_some(), "{name} has no number of four digits");
        numbers.extend(number);
    }
    let last = numbers.iter().max().copied().unwrap_or_default();
    let expected: Vec<u32> = (1..=last).filter(|number| !UNUSED.contains(number)).collect();
    assert_eq!(numbers, expected, "a new migration comes last and has the next number");
}

#[test]
fn every_file_of_a_migration_is_in_the_list() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for entry in fs::read_dir(sources).expect("the migrations") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        if number(&name).is_some() {
            files.push(name);
        }
    }
    files.sort();
    assert_eq!(files, names());
}
