//! Names that stand in addresses here: what cannot be asked for at all is left out, and what has an unusual address keeps
//! its name, since programs ask for it by that.

use flagstone_domain::{
    address::{self, Named},
    text::is_name,
};

use crate::{Finding, neutral::Set};

/// Most characters of a name in an address.
const LONGEST: usize = 255;
/// Number of characters of a name that is too long that are shown.
const SHOWN: usize = 60;

pub(super) fn judge(set: &mut Set, findings: &mut Vec<Finding>) {
    let mut names = Names { findings };
    set.projects.retain(|project| names.admits(Named::Project, &project.id));
    set.environments.retain(|environment| names.admits(Named::Environment, &environment.name));
    set.features.retain(|feature| names.admits(Named::Feature, &feature.name));
    set.feature_types.retain(|kind| names.admits(Named::FeatureType, &kind.id));
    set.strategy_types.retain(|kind| names.admits(Named::StrategyType, &kind.name));
    set.tag_types.retain(|kind| names.admits(Named::TagType, &kind.name));
    set.tags.retain(|tag| names.admits(Named::Tag, &tag.value));
    for feature in &mut set.features {
        feature.tags.retain(|tag| is_name(&tag.value, LONGEST) && is_name(&tag.kind, LONGEST));
    }
    set.context_fields.retain(|field| names.admits(Named::ContextField, &field.name));
    for field in &set.context_fields {
        let values = field.legal_values.iter().filter_map(|legal| legal["value"].as_str());
        for value in values {
            names.tell(Named::LegalValue, value, &format!("{} of {}", value, field.name));
        }
    }
}

struct Names<'a> {
    findings: &'a mut Vec<Finding>,
}

impl Names<'_> {
    /// Whether a thing can be named so here, with a finding where it cannot or has an unusual address.
    fn admits(&mut self, kind: Named, name: &str) -> bool {
        if is_name(name, LONGEST) {
            self.tell(kind, name, name);
            return true;
        }
        let shown: String = name.chars().take(SHOWN).collect();
        let reason = format!("its name has to have 1 to {LONGEST} characters, none of them NUL: rename it where it is");
        self.findings.push(Finding::left_out(kind.words(), shown, reason));
        false
    }

    /// Reports an unusual address; `called` is the name in the finding.
    fn tell(&mut self, kind: Named, name: &str, called: &str) {
        if let Err(fault) = address::judge(kind, name) {
            let reason = format!(
                "keeps its name, which nothing new could have here: addresses spell it {}, and \"{}\" would be a better one",
                address::segment(kind, name),
                fault.proposal
            );
            self.findings.push(Finding::changed(kind.words(), called, reason));
        }
    }
}
