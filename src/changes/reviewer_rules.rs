//! Rules about who must approve change requests.

use std::collections::BTreeSet;

use flagstone_domain::{
    change_request::{
        reviewer_rules::{ReviewerRuleDocument, reviewers_configured},
        reviewers::{MOST_RULES, ReviewerRule},
    },
    ids::EnvironmentName,
    project::ProjectScope,
    version::Version,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    change_requests::reviewer_rules::{self, NewReviewerRule},
    db::Tx,
};

use crate::{Author, Begin, default_strategies::unused, if_match::IfMatch, projects::hold_in_use};

impl Author<'_> {
    /// Replaces the rules of a project in an environment. The same rules leave no event.
    pub async fn set_reviewer_rules(
        self,
        project: &ProjectScope,
        environment: EnvironmentName<'_>,
        if_match: &IfMatch,
        rules: Vec<ReviewerRuleDocument>,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let held = hold_in_use(tx, project.id()).await?;
        if held.environment(environment.as_str()).is_none() {
            return Err(unused(project.as_id(), environment));
        }
        let before = documents(&reviewer_rules::list(tx, project.as_id(), environment).await?);
        if_match.check(version(&before))?;
        let new = admit(tx, &rules).await?;
        let sorted = |rule: ReviewerRuleDocument, new: &NewReviewerRule| ReviewerRuleDocument {
            groups: new.groups.iter().copied().collect(),
            ..rule
        };
        let after: Vec<_> = rules.into_iter().zip(&new).map(|(rule, new)| sorted(rule, new)).collect();
        if before == after {
            return Ok(());
        }
        reviewer_rules::replace(tx, project.as_id(), environment, &new, transaction.now).await?;
        let event = reviewers_configured(project.as_id(), environment, &before, &after, &self.caller.actor());
        transaction.commit([event]).await
    }
}

/// Documents of stored rules.
pub fn documents(rules: &[ReviewerRule]) -> Vec<ReviewerRuleDocument> {
    rules.iter().map(ReviewerRuleDocument::new).collect()
}

/// Version of the rules of a project in an environment.
pub fn version(rules: &[ReviewerRuleDocument]) -> Version {
    Version::of(&rules)
}

async fn admit(tx: &Tx, rules: &[ReviewerRuleDocument]) -> Result<Vec<NewReviewerRule>, Error> {
    if rules.len() as u64 > MOST_RULES {
        return Err(Error::property("/body/rules", format_args!("must hold at most {MOST_RULES} rules")));
    }
    let mut known = BTreeSet::new();
    let mut admitted = Vec::with_capacity(rules.len());
    for (index, rule) in rules.iter().enumerate() {
        let at = |property: &str| format!("/body/rules/{index}/{property}");
        let scope = rule.scope().map_err(|(property, fault)| Error::property(at(property), fault))?;
        for group in &rule.groups {
            if !known.contains(group) && !store::groups::exists(tx, *group).await? {
                let fault = format!("names the group {group}, which does not exist");
                return Err(Error::property(at("groups"), fault));
            }
            known.insert(*group);
        }
        admitted.push(NewReviewerRule { scope, need: rule.need, groups: rule.groups.iter().copied().collect() });
    }
    Ok(admitted)
}
