use super::*;

/// The table, a letter for each power in its order: `y` yes, `-` no power, `k` not while a directory manages the
/// account, `d` and `e` what a directory may, `p` what the one who ended the account may take back.
const TABLE: [(Way, &str); 10] = [
    //               create link rename readdress role group deactivate revive delete password token second factor
    (Way::Scim, "y d e d - y e r e - - -"),
    (Way::Oidc, "y y k - - y - - - - - -"),
    (Way::Saml, "y y k - - y - - - - - -"),
    (Way::Invitation, "y - - - - - - - - y - -"),
    (Way::Administrator, "y y k k y y k p k y y y"),
    (Way::GroupAdministrator, "- - - - - y - - - - - -"),
    (Way::ServiceAccount, "y y k k y y k p k y y y"),
    (Way::CommandLine, "y - - - - - k - - y - y"),
    (Way::InactivityPolicy, "- - - - - - k - - - - -"),
    (Way::Themself, "- y - - - - - - - y y y"),
];

fn standings() -> Vec<Standing> {
    let mut all = Vec::new();
    for origin in [None, Some(Origin::Made), Some(Origin::Found), Some(Origin::Linked)] {
        for has_given_role in [false, true] {
            for is_kept in [false, true] {
                for ended_by_directory in [false, true] {
                    all.push(Standing { origin, has_given_role, is_kept, ended_by_directory });
                }
            }
        }
    }
    all
}

/// Returns the outcome that a letter of the table means, written down a second time.
fn expected(letter: &str, standing: Standing) -> Result<(), Denial> {
    let Standing { origin, has_given_role, is_kept, ended_by_directory } = standing;
    let linked = origin == Some(Origin::Linked);
    let made = origin == Some(Origin::Made);
    match letter {
        "k" if is_kept => Err(Denial::Kept),
        "p" if is_kept && ended_by_directory => Err(Denial::Kept),
        "d" if has_given_role && !linked => Err(Denial::GivenRole),
        "r" if !ended_by_directory => Err(Denial::EndedByPerson),
        "e" | "r" if has_given_role && !linked && !made => Err(Denial::GivenRole),
        "y" | "k" | "p" | "d" | "e" | "r" => Ok(()),
        _ => Err(Denial::NoPower),
    }
}

#[test]
fn each_way_has_the_powers_of_the_table_over_every_account_and_no_other() {
    assert_eq!(TABLE.map(|(way, _)| way), Way::ALL);
    for (way, letters) in TABLE {
        let letters: Vec<&str> = letters.split(' ').collect();
        assert_eq!(letters.len(), Power::ALL.len(), "{way:?}");
        for (power, letter) in Power::ALL.into_iter().zip(letters) {
            for standing in standings() {
                assert_eq!(
                    judge(way, power, standing),
                    expected(letter, standing),
                    "{power:?} by {way:?} of {standing:?}"
                );
            }
        }
    }
}

const fn title(way: Way) -> &'static str {
    match way {
        Way::Scim => "SCIM",
        Way::Oidc | Way::Saml => "OpenID Connect, SAML",
        Way::Invitation => "invitation: a link to sign up or to set a password",
        Way::Administrator => "administrator, also by an admin token",
        Way::GroupAdministrator => "administrator of groups",
        Way::ServiceAccount => "service account with `ADMIN`",
        Way::CommandLine => "command line",
        Way::InactivityPolicy => "policy on inactive users",
        Way::Themself => "the person",
    }
}

/// A cell of the document's table. Members of a group are a matter of the group, which is judged by itself.
fn cell(way: Way, power: Power, letter: &str) -> &'static str {
    match (way, power, letter) {
        (_, _, "-") => "",
        (Way::Scim, Power::Group, _) => "its groups",
        (Way::Oidc | Way::Saml, Power::Group, _) => "mapped, not K",
        (Way::Oidc | Way::Saml, Power::Link, _) => "by email",
        (_, Power::Group, _) | (_, _, "k") => "not K",
        (_, _, "y") => "yes",
        (_, _, "d") => "D",
        (_, _, "e") => "E",
        (_, _, "p") => "not K, or their own",
        (_, _, "r") => "E, if it deactivated",
        _ => panic!("{letter} means nothing"),
    }
}

#[test]
fn the_document_has_the_table() {
    let document = include_str!("../../../docs/security/account-powers.md");
    let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    let mut expected: Vec<String> = Vec::new();
    for (way, letters) in TABLE {
        let mut row = format!("| {} |", title(way));
        for (power, letter) in Power::ALL.into_iter().zip(letters.split(' ')) {
            let cell = cell(way, power, letter);
            row.push_str(if cell.is_empty() { "" } else { " " });
            row.push_str(cell);
            row.push_str(" |");
        }
        expected.push(row);
    }
    // Both protocols share a row.
    expected.dedup();
    assert_eq!(rows, expected);
}

#[test]
fn no_way_but_an_administrator_s_reaches_further_because_an_account_holds_more() {
    for way in Way::ALL {
        for power in Power::ALL {
            for standing in standings().into_iter().filter(|standing| !standing.has_given_role) {
                let more = Standing { has_given_role: true, ..standing };
                let (less, more) = (judge(way, power, standing), judge(way, power, more));
                assert!(more.is_err() || less.is_ok(), "{power:?} by {way:?} of {standing:?}");
            }
        }
    }
}

#[test]
fn a_group_that_gives_a_role_is_a_directory_s_only_if_made_or_linked() {
    for origin in [None, Some(Origin::Made), Some(Origin::Found), Some(Origin::Linked)] {
        for holds_role in [false, true] {
            for is_kept in [false, true] {
                let standing = GroupStanding { origin, holds_role, is_kept };
                let theirs = matches!(origin, Some(Origin::Made | Origin::Linked)) || !holds_role;
                assert_eq!(judge_group(Way::Scim, standing).is_ok(), theirs, "{standing:?}");
                for way in [Way::Administrator, Way::GroupAdministrator, Way::ServiceAccount, Way::Oidc, Way::Saml] {
                    assert_eq!(judge_group(way, standing).is_ok(), !is_kept, "{way:?} {standing:?}");
                }
                for way in [Way::Invitation, Way::CommandLine, Way::InactivityPolicy, Way::Themself] {
                    assert_eq!(judge_group(way, standing), Err(Denial::NoPower), "{way:?}");
                }
            }
        }
    }
}

#[test]
fn origins_are_read_as_they_are_written_and_strangers_count_least() {
    for origin in [Origin::Made, Origin::Found, Origin::Linked] {
        assert_eq!(Origin::parse(origin.as_str()), origin);
    }
    assert_eq!(Origin::parse("else"), Origin::Found);
}
