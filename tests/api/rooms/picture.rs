//! The picture of the rooms in `docs/architecture.md`, held against the tables in `CONTRIBUTING.md`.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{Graph, circle, document, house};

/// Boxes and arrows of a flowchart.
#[derive(Debug, Default)]
struct Picture {
    /// Each room with its box; a room in two boxes stands here twice.
    rooms: Vec<(String, String)>,
    /// Names of the boxes.
    boxes: BTreeSet<String>,
    /// Each box, and those to which an arrow leads from it.
    arrows: Graph,
}

impl Picture {
    fn of_the_house() -> Self {
        Self::in_document(&document("docs/architecture.md"))
    }

    /// Reads the first flowchart of a document.
    fn in_document(text: &str) -> Self {
        let (_, chart) = text.split_once("```mermaid\nflowchart TB\n").expect("a flowchart");
        let (chart, _) = chart.split_once("```").expect("its end");
        let drawn = Regex::new(r#"^(\w+)\["<b>[^<>]+</b><br/>(.+)"\]$"#).expect("a pattern");
        let arrow = Regex::new(r"^(\w+) --> (\w+)$").expect("a pattern");
        let mut picture = Self::default();
        for line in chart.lines().map(str::trim) {
            if let Some(found) = drawn.captures(line) {
                let rooms = found[2].replace("<br/>", " ");
                picture.rooms.extend(rooms.split(',').map(|room| (room.trim().to_owned(), found[1].to_owned())));
                assert!(picture.boxes.insert(found[1].to_owned()), "two boxes have one name: {line}");
            } else if let Some(found) = arrow.captures(line) {
                let others = picture.arrows.entry(found[1].to_owned()).or_default();
                assert!(others.insert(found[2].to_owned()), "an arrow is there twice: {line}");
            } else {
                panic!("neither a box nor an arrow: {line}");
            }
        }
        picture
    }

    /// Boxes that arrows lead to from a box, directly or through other boxes.
    fn below(&self, from: &str) -> BTreeSet<String> {
        let (mut found, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(one) = next.pop() {
            for other in self.arrows.get(&one).into_iter().flatten() {
                if found.insert(other.clone()) {
                    next.push(other.clone());
                }
            }
        }
        found
    }

    /// Uses between rooms of different boxes along which no arrows lead.
    fn hidden_uses(&self, house: &Graph) -> Vec<String> {
        let boxes: BTreeMap<&str, &str> = self.rooms.iter().map(|(room, of)| (room.as_str(), of.as_str())).collect();
        let mut hidden = Vec::new();
        for (room, others) in house {
            let Some(from) = boxes.get(room.as_str()) else { continue };
            let below = self.below(from);
            for other in others {
                // Crates stand in no box.
                let Some(to) = boxes.get(other.as_str()) else { continue };
                if from != to && !below.contains(*to) {
                    hidden.push(format!("{room} uses {other}"));
                }
            }
        }
        hidden
    }

    /// Arrows that no use needs: without them, the others lead along every use.
    fn idle_arrows(&self, house: &Graph) -> Vec<String> {
        let mut idle = Vec::new();
        for (from, to) in self.arrows.iter().flat_map(|(from, others)| others.iter().map(move |to| (from, to))) {
            let mut arrows = self.arrows.clone();
            arrows.entry(from.clone()).or_default().remove(to);
            let without = Self { rooms: self.rooms.clone(), boxes: self.boxes.clone(), arrows };
            if without.hidden_uses(house).is_empty() {
                idle.push(format!("{from} --> {to}"));
            }
        }
        idle
    }
}

#[test]
fn every_room_stands_in_one_box() {
    let mut drawn: Vec<String> = Picture::of_the_house().rooms.into_iter().map(|(room, _)| room).collect();
    drawn.sort();
    assert_eq!(drawn, house().into_keys().collect::<Vec<_>>());
}

#[test]
fn every_use_goes_along_the_arrows() {
    assert_eq!(Picture::of_the_house().hidden_uses(&house()), Vec::<String>::new());
}

#[test]
fn every_arrow_is_needed() {
    assert_eq!(Picture::of_the_house().idle_arrows(&house()), Vec::<String>::new());
}

#[test]
fn arrows_lead_from_box_to_box_and_never_in_a_circle() {
    let picture = Picture::of_the_house();
    let ends = picture.arrows.iter().flat_map(|(from, others)| others.iter().chain([from]));
    let nowhere: Vec<&String> = ends.filter(|end| !picture.boxes.contains(*end)).collect();
    assert!(nowhere.is_empty(), "no box of these names: {nowhere:?}");
    assert_eq!(circle(&picture.arrows), None);
}

#[test]
fn a_use_against_the_arrows_and_an_arrow_without_a_use_are_found() {
    let text = "# Rooms\n\n```mermaid\nflowchart TB\n    top[\"<b>above</b><br/>api, <br/>cli\"]\n    \
                middle[\"<b>between</b><br/>state\"]\n    low[\"<b>below</b><br/>store\"]\n    top --> middle\n    \
                middle --> low\n    top --> low\n```\n";
    let picture = Picture::in_document(text);
    let rooms = [("api", "top"), ("cli", "top"), ("state", "middle"), ("store", "low")];
    assert_eq!(picture.rooms, rooms.map(|(room, of)| (room.to_owned(), of.to_owned())));
    let uses =
        |room: &str, others: &[&str]| (room.to_owned(), others.iter().map(|other| (*other).to_owned()).collect());
    let house = Graph::from([uses("api", &["state", "poem"]), uses("cli", &["api"]), uses("state", &["store"])]);
    assert_eq!(picture.hidden_uses(&house), Vec::<String>::new());
    assert_eq!(picture.idle_arrows(&house), ["top --> low"]);
    let house = Graph::from([uses("api", &["store"]), uses("store", &["state"])]);
    assert_eq!(picture.hidden_uses(&house), ["store uses state"]);
}
