//! Synchronisation of a user's groups with those that a login provider sends.

use std::collections::BTreeSet;

use crate::sign_in::ProviderKey;

/// Value of `source` of a membership that a login provider made.
pub const BY_PROVIDER: &str = "login-provider";

/// A group, as far as it concerns a user who signs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedGroup {
    /// Id of the group.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Names of the provider's groups that feed it.
    pub mappings: Vec<String>,
    /// Whether the person is in it.
    pub membership: Membership,
}

/// Whether a user is in a group, and by whom, as a login provider finds it whose groups are synchronised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// Not in it.
    None,
    /// Given by hand, or through a nested group: that stays.
    ByHand,
    /// Given by this login provider.
    ByProvider,
    /// Given by another login provider, which alone takes it.
    ByAnother,
    /// Given by a login provider that is not recorded, or of which the user has no identity any more.
    Unclaimed,
}

impl Membership {
    /// Membership that a login provider gave, as far as it is recorded which. `of_user` are the providers of the user's
    /// identities.
    pub fn given_by(giver: Option<&ProviderKey>, provider: &ProviderKey, of_user: &[ProviderKey]) -> Self {
        match giver {
            Some(giver) if giver == provider => Self::ByProvider,
            Some(giver) if of_user.contains(giver) => Self::ByAnother,
            Some(_) | None => Self::Unclaimed,
        }
    }
}

/// Changes of a user's groups.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sync {
    /// Ids of the groups to join, in order.
    pub joins: Vec<i64>,
    /// Ids of the groups to leave, in order.
    pub leaves: Vec<i64>,
    /// Ids of the groups whose memberships are those of the provider from now on, in order.
    pub claims: Vec<i64>,
    /// Names from the provider that no group is fed by, in their order.
    pub unmapped: Vec<String>,
}

/// Compares the names from the provider with the groups. Names are compared exactly. A membership that was given by
/// hand, or by another provider, is kept.
pub fn sync(told: &[String], groups: &[MappedGroup]) -> Sync {
    let names: BTreeSet<&str> = told.iter().map(String::as_str).collect();
    let mapped: BTreeSet<&str> = groups.iter().flat_map(|group| &group.mappings).map(String::as_str).collect();
    let ids = |wanted: &[Membership], is_fed: bool| {
        let fed = |group: &&MappedGroup| group.mappings.iter().any(|name| names.contains(name.as_str())) == is_fed;
        let meant = groups.iter().filter(|group| wanted.contains(&group.membership));
        let mut ids: Vec<i64> = meant.filter(fed).map(|group| group.id).collect();
        ids.sort_unstable();
        ids
    };
    Sync {
        joins: ids(&[Membership::None], true),
        leaves: ids(&[Membership::ByProvider, Membership::Unclaimed], false),
        claims: ids(&[Membership::Unclaimed], true),
        unmapped: told.iter().filter(|name| !mapped.contains(name.as_str())).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(id: i64, mappings: &[&str], membership: Membership) -> MappedGroup {
        let mappings = mappings.iter().map(|name| (*name).to_owned()).collect();
        MappedGroup { id, name: format!("group {id}"), mappings, membership }
    }

    #[test]
    fn only_what_sync_gave_is_taken_back() {
        let groups = [
            group(5, &["ops", "admins"], Membership::None),
            group(4, &["dev"], Membership::ByProvider),
            group(3, &["gone"], Membership::ByProvider),
            group(2, &["gone"], Membership::ByHand),
            group(1, &[], Membership::ByHand),
            group(6, &[], Membership::ByProvider),
            group(7, &["Dev"], Membership::None),
            group(8, &["dev"], Membership::ByHand),
            group(9, &["gone"], Membership::ByAnother),
            group(10, &["dev"], Membership::ByAnother),
            group(11, &["dev"], Membership::Unclaimed),
        ];
        for (told, joins, leaves, claims, unmapped) in [
            (&["dev", "admins"][..], &[5][..], &[3, 6][..], &[11][..], &[][..]),
            (&[], &[], &[3, 4, 6, 11], &[], &[]),
            (&["else", "gone", "ops"], &[5], &[4, 6, 11], &[], &["else"]),
        ] {
            let told: Vec<String> = told.iter().map(|name| (*name).to_owned()).collect();
            let changes = sync(&told, &groups);
            assert_eq!((&*changes.joins, &*changes.leaves, &*changes.claims), (joins, leaves, claims), "{told:?}");
            assert_eq!(changes.unmapped, unmapped);
        }
    }

    #[test]
    fn a_membership_is_of_its_giver_as_long_as_the_user_has_an_identity_there() {
        let staff = ProviderKey::parse("oidc:staff").expect("a key");
        let of_user = [ProviderKey::OIDC, staff.clone()];
        for (giver, provider, membership) in [
            (Some(&staff), &staff, Membership::ByProvider),
            (Some(&staff), &ProviderKey::OIDC, Membership::ByAnother),
            (Some(&ProviderKey::SAML), &staff, Membership::Unclaimed),
            (None, &staff, Membership::Unclaimed),
        ] {
            assert_eq!(Membership::given_by(giver, provider, &of_user), membership, "{giver:?} {provider}");
        }
    }
}
