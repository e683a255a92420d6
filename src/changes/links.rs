//! Changes of the links of a feature.

use flagstone_domain::feature_link::{FeatureLink, LinkChange, MOST_LINKS};
use flagstone_error::Error;
use flagstone_store::features::links;

use crate::{
    Applied,
    feature::{FeatureChange, LockedFeature},
    guard::Reach,
};

/// Adds a link.
#[derive(Debug)]
pub struct AddLink(pub FeatureLink);

impl FeatureChange for AddLink {
    type Outcome = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Nothing
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let mut kept = links::find(&feature.transaction.tx, feature.held.id).await?;
        if kept.len() >= MOST_LINKS {
            let message = format!("The feature \"{}\" has {MOST_LINKS} links, which is the most.", feature.name());
            return Err(Error::forbidden(message));
        }
        let event = LinkChange::Added(&self.0).tell(feature.event(LinkChange::KIND));
        kept.push(self.0);
        links::save(&feature.transaction.tx, feature.held.id, &kept).await?;
        Ok(Applied::with((), vec![event]))
    }
}

/// Updates the link with the same id.
#[derive(Debug)]
pub struct UpdateLink(pub FeatureLink);

impl FeatureChange for UpdateLink {
    type Outcome = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Nothing
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let after = self.0;
        let mut kept = links::find(&feature.transaction.tx, feature.held.id).await?;
        let at = position(&kept, &after.id)?;
        let before = std::mem::replace(&mut kept[at], after.clone());
        if before == after {
            return Ok(Applied::nothing(()));
        }
        let event = LinkChange::Updated(&before, &after).tell(feature.event(LinkChange::KIND));
        links::save(&feature.transaction.tx, feature.held.id, &kept).await?;
        Ok(Applied::with((), vec![event]))
    }
}

/// Deletes the link with an id.
#[derive(Debug)]
pub struct DeleteLink<'a>(pub &'a str);

impl FeatureChange for DeleteLink<'_> {
    type Outcome = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Nothing
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<()>, Error> {
        let mut kept = links::find(&feature.transaction.tx, feature.held.id).await?;
        let link = kept.remove(position(&kept, self.0)?);
        let event = LinkChange::Removed(&link).tell(feature.event(LinkChange::KIND));
        links::save(&feature.transaction.tx, feature.held.id, &kept).await?;
        Ok(Applied::with((), vec![event]))
    }
}

fn position(links: &[FeatureLink], id: &str) -> Result<usize, Error> {
    links.iter().position(|link| link.id == id).ok_or_else(|| Error::no_id("link", id))
}
