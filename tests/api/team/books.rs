//! The books: plain data, and the rules of the product told once more in the plainest way.

use std::collections::{BTreeMap, BTreeSet};

use super::act::Act;

pub const DAY_MS: i64 = 86_400_000;
/// Days that features of each type are meant to live.
const LIFETIMES: &[(&str, i64)] = &[("release", 40), ("experiment", 40), ("operational", 7)];
/// Whoever does what nobody asked for.
pub const SYSTEM: i64 = -1337;

#[derive(Debug, Default)]
pub struct Books {
    pub projects: BTreeMap<String, Project>,
    pub flags: BTreeMap<String, Flag>,
    /// Everything that happened, oldest first.
    pub log: Vec<Entry>,
    /// Tags that were ever made: type and value.
    pub tags: BTreeSet<(String, String)>,
}

#[derive(Debug, Default)]
pub struct Project {
    pub name: String,
    pub environments: Vec<String>,
    /// Since when each member is one.
    pub members: BTreeMap<i64, i64>,
}

#[derive(Debug, Clone)]
pub struct Flag {
    pub project: String,
    pub kind: String,
    pub description: Option<String>,
    pub stale: bool,
    /// Whether the log says that its time is over.
    pub marked: bool,
    pub created_at: i64,
    pub created_by: i64,
    pub archived_at: Option<i64>,
    pub tags: BTreeSet<(String, String)>,
    pub environments: BTreeMap<String, Place>,
    pub parents: BTreeSet<String>,
    /// Dependencies that it has again once it is revived.
    pub suspended: BTreeSet<String>,
    pub favorite_of: BTreeSet<i64>,
    /// When it was first on in production.
    pub produced_at: Option<i64>,
}

/// A flag in one environment.
#[derive(Debug, Clone, Default)]
pub struct Place {
    pub enabled: bool,
    pub strategies: Vec<Strategy>,
    pub variants: usize,
}

#[derive(Debug, Clone)]
pub struct Strategy {
    /// None for the one that the server adds by itself.
    pub id: Option<String>,
    pub disabled: bool,
    pub segment: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: String,
    pub project: Option<String>,
    pub feature: Option<String>,
    pub environment: Option<String>,
    pub by: i64,
    pub at: i64,
}

impl Flag {
    pub fn in_use(&self) -> bool {
        self.archived_at.is_none()
    }

    pub fn is_overdue(&self, now: i64) -> bool {
        let lifetime = LIFETIMES.iter().find(|(kind, _)| *kind == self.kind);
        !self.stale && lifetime.is_some_and(|(_, days)| self.created_at + days * DAY_MS <= now)
    }

    pub fn segments(&self) -> BTreeSet<&str> {
        let strategies = self.environments.values().flat_map(|place| &place.strategies);
        strategies.filter_map(|strategy| strategy.segment.as_deref()).collect()
    }
}

impl Place {
    fn has_enabled_strategy(&self) -> bool {
        self.strategies.iter().any(|strategy| !strategy.disabled)
    }
}

impl Books {
    pub fn strategies(&mut self, flag: &str, environment: &str) -> &mut Vec<Strategy> {
        &mut self.flags.get_mut(flag).expect("a flag").environments.get_mut(environment).expect("a place").strategies
    }

    pub fn children<'a>(&'a self, parent: &'a str) -> impl Iterator<Item = &'a String> {
        self.flags.iter().filter(|(_, flag)| flag.parents.contains(parent)).map(|(name, _)| name)
    }

    pub fn note(&mut self, kind: &str, project: Option<&str>, feature: Option<&str>, by: i64, at: i64) {
        self.log.push(Entry {
            kind: kind.to_owned(),
            project: project.map(str::to_owned),
            feature: feature.map(str::to_owned),
            environment: None,
            by,
            at,
        });
    }

    /// About a flag of its project, perhaps in one environment.
    pub fn note_flag(&mut self, kinds: &[&str], name: &str, environment: Option<&str>, by: i64, at: i64) {
        let project = self.flags[name].project.clone();
        for kind in kinds {
            self.note(kind, Some(&project), Some(name), by, at);
            self.log.last_mut().expect("just noted").environment = environment.map(str::to_owned);
        }
    }

    /// The job that looks for flags whose time is over.
    pub fn night(&mut self, at: i64) {
        let mut overdue: Vec<String> = Vec::new();
        for (name, flag) in &mut self.flags {
            let over = flag.in_use() && flag.is_overdue(at);
            if over && !flag.marked {
                overdue.push(name.clone());
            }
            flag.marked = over;
        }
        for name in overdue {
            self.note_flag(&["feature-potentially-stale-on"], &name, None, SYSTEM, at);
        }
    }

    /// Whether the act succeeds; if so, the books have it.
    pub fn enter(&mut self, act: &Act, by: i64, at: i64) -> bool {
        match act {
            Act::Create { project, name, kind } => {
                if self.flags.contains_key(name) {
                    return false;
                }
                let places = self.projects[project].environments.iter();
                let flag = Flag {
                    project: project.clone(),
                    kind: (*kind).to_owned(),
                    description: None,
                    stale: false,
                    marked: false,
                    created_at: at,
                    created_by: by,
                    archived_at: None,
                    tags: BTreeSet::new(),
                    environments: places.map(|name| (name.clone(), Place::default())).collect(),
                    parents: BTreeSet::new(),
                    suspended: BTreeSet::new(),
                    favorite_of: BTreeSet::new(),
                    produced_at: None,
                };
                self.flags.insert(name.clone(), flag);
                self.note_flag(&["feature-created"], name, None, by, at);
                true
            }
            act => {
                let Some(name) = act.flag().filter(|name| self.flags.contains_key(*name)) else {
                    return false;
                };
                self.enter_change(act, name, by, at)
            }
        }
    }

    fn flag(&mut self, name: &str) -> &mut Flag {
        self.flags.get_mut(name).expect("known")
    }

    fn enter_change(&mut self, act: &Act, name: &str, by: i64, at: i64) -> bool {
        let in_use = self.flags[name].in_use();
        match act {
            Act::Create { .. } => unreachable!("makes a flag"),
            Act::Describe { text, .. } => {
                if self.flag(name).description.replace(text.clone()).as_ref() != Some(text) {
                    self.note_flag(&["feature-metadata-updated"], name, None, by, at);
                }
            }
            Act::Retype { kind, .. } => {
                if self.flags[name].kind != *kind {
                    (*kind).clone_into(&mut self.flag(name).kind);
                    self.note_flag(&["feature-metadata-updated"], name, None, by, at);
                }
            }
            Act::Stale { on, batch, .. } => self.enter_stale(name, *on, *batch, by, at),
            Act::Archive { .. } => {
                if self.children(name).next().is_some() {
                    return false;
                }
                if in_use {
                    let flag = self.flag(name);
                    flag.archived_at = Some(at);
                    flag.suspended = std::mem::take(&mut flag.parents);
                    flag.marked = false;
                    self.note_flag(&["feature-dependencies-removed", "feature-archived"], name, None, by, at);
                }
            }
            Act::Revive { .. } => {
                if !in_use {
                    return self.enter_revival(name, by, at);
                }
            }
            Act::Delete { .. } => {
                if !in_use {
                    self.note_flag(&["feature-deleted"], name, None, by, at);
                    self.flags.remove(name);
                }
            }
            Act::Favor { on, .. } => {
                let favorites = &mut self.flag(name).favorite_of;
                let changed = if *on { favorites.insert(by) } else { favorites.remove(&by) };
                if changed {
                    self.note(if *on { "feature-favorited" } else { "feature-unfavorited" }, None, Some(name), by, at);
                }
            }
            Act::Tag { value, .. } => {
                let tag = ("simple".to_owned(), value.clone());
                if self.tags.insert(tag.clone()) {
                    self.note("tag-created", None, None, by, at);
                }
                if self.flag(name).tags.insert(tag) {
                    self.note_flag(&["feature-tagged"], name, None, by, at);
                }
            }
            Act::Untag { value, .. } => {
                if self.flag(name).tags.remove(&("simple".to_owned(), value.clone())) {
                    self.note_flag(&["feature-untagged"], name, None, by, at);
                }
            }
            Act::Move { to, .. } if self.flags[name].project == *to => {}
            Act::Move { to, .. } => {
                let tied = !self.flags[name].parents.is_empty() || self.children(name).next().is_some();
                if tied || self.projects[to].environments != self.projects[&self.flags[name].project].environments {
                    return false;
                }
                if self.flags[name].project != *to {
                    self.flag(name).project.clone_from(to);
                    self.note_flag(&["feature-project-change"], name, None, by, at);
                }
            }
            act => return in_use && self.enter_configuration(act, name, by, at),
        }
        true
    }

    fn enter_revival(&mut self, name: &str, by: i64, at: i64) -> bool {
        let project = self.flags[name].project.clone();
        let parents: Vec<String> = self.flags[name].suspended.iter().cloned().collect();
        let of_project = |parent: &String| self.flags.get(parent).filter(|above| above.project == project);
        if parents.iter().filter_map(of_project).any(|above| !above.in_use()) {
            return false;
        }
        let (resumed, lost): (Vec<_>, Vec<_>) =
            parents.into_iter().partition(|parent| of_project(parent).is_some_and(|above| above.parents.is_empty()));
        let flag = self.flag(name);
        flag.archived_at = None;
        flag.suspended.clear();
        flag.environments.values_mut().for_each(|place| place.enabled = false);
        self.note_flag(&["feature-revived"], name, None, by, at);
        for parent in resumed {
            self.flag(name).parents.insert(parent);
            self.note_flag(&["feature-dependency-added"], name, None, by, at);
        }
        for _ in lost {
            self.note_flag(&["feature-dependency-removed"], name, None, by, at);
        }
        true
    }

    /// Enters acts that are possible on flags in use alone.
    fn enter_configuration(&mut self, act: &Act, name: &str, by: i64, at: i64) -> bool {
        match act {
            Act::Switch { environment, on, .. } => self.enter_switch(name, environment, *on, by, at),
            Act::AddStrategy { environment, disabled, segment, .. } => {
                let strategy = Strategy { id: None, disabled: *disabled, segment: segment.clone() };
                self.strategies(name, environment).push(strategy);
                self.note_flag(&["feature-strategy-add"], name, Some(environment), by, at);
            }
            Act::RemoveStrategy { environment, nth, .. } => {
                let place = self.flag(name).environments.get_mut(environment).expect("a place");
                if place.strategies.get(*nth).is_none_or(|strategy| strategy.id.is_none()) {
                    return false;
                }
                place.strategies.remove(*nth);
                let goes_off = place.enabled && !place.has_enabled_strategy();
                if goes_off {
                    place.enabled = false;
                    self.note_flag(&["feature-environment-disabled"], name, Some(environment), by, at);
                }
                self.note_flag(&["feature-strategy-remove"], name, Some(environment), by, at);
            }
            Act::Variants { environment, count, .. } => {
                let place = self.flag(name).environments.get_mut(environment).expect("a place");
                if std::mem::replace(&mut place.variants, *count) != *count {
                    self.note_flag(&["feature-environment-variants-updated"], name, Some(environment), by, at);
                }
            }
            Act::Depend { parent, .. } => return self.enter_dependency(name, parent, by, at),
            Act::Undepend { parent, .. } => {
                if self.flag(name).parents.remove(parent) {
                    self.note_flag(&["feature-dependency-removed"], name, None, by, at);
                }
            }
            _ => unreachable!("entered as a change of the flag itself"),
        }
        true
    }

    fn enter_stale(&mut self, name: &str, on: bool, batch: bool, by: i64, at: i64) {
        let flag = self.flag(name);
        if flag.stale == on {
            return;
        }
        flag.stale = on;
        if on {
            flag.marked = false;
        }
        if !batch {
            self.note_flag(&["feature-metadata-updated"], name, None, by, at);
        }
        self.note_flag(&[if on { "feature-stale-on" } else { "feature-stale-off" }], name, None, by, at);
    }

    fn enter_switch(&mut self, name: &str, environment: &str, on: bool, by: i64, at: i64) {
        let place = self.flag(name).environments.get_mut(environment).expect("a place");
        if place.enabled == on {
            return;
        }
        place.enabled = on;
        let alone = on && !place.has_enabled_strategy();
        if alone {
            place.strategies.push(Strategy { id: None, disabled: false, segment: None });
            self.note_flag(&["feature-strategy-add"], name, Some(environment), by, at);
        }
        let kind = if on { "feature-environment-enabled" } else { "feature-environment-disabled" };
        self.note_flag(&[kind], name, Some(environment), by, at);
        if on && environment == "production" {
            self.flag(name).produced_at.get_or_insert(at);
        }
    }

    fn enter_dependency(&mut self, child: &str, parent: &str, by: i64, at: i64) -> bool {
        let Some(above) = self.flags.get(parent).filter(|above| above.in_use()) else { return false };
        let same_project = above.project == self.flags[child].project;
        if child == parent || !above.parents.is_empty() || self.children(child).next().is_some() || !same_project {
            return false;
        }
        if self.flag(child).parents.insert(parent.to_owned()) {
            self.note_flag(&["feature-dependency-added"], child, None, by, at);
        }
        true
    }
}
