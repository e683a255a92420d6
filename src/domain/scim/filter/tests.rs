use super::*;

fn user(filter: &str) -> Option<Filter> {
    Filter::parse(Kind::User, filter).ok()
}

fn equals(attribute: Attribute, text: &str) -> Filter {
    Filter::Is(attribute, Test::Equals(text.to_owned()))
}

#[test]
fn lookups_of_directories_are_understood() {
    for (filter, attribute) in [
        (r#"userName eq "Ada@x""#, Attribute::UserName),
        (r#"  USERNAME  Eq  "Ada@x"  "#, Attribute::UserName),
        (r#"urn:ietf:params:scim:schemas:core:2.0:User:userName eq "Ada@x""#, Attribute::UserName),
        (r#"externalId eq "Ada@x""#, Attribute::ExternalId),
        (r#"displayName eq "Ada@x""#, Attribute::DisplayName),
        (r#"name.familyName eq "Ada@x""#, Attribute::FamilyName),
        (r#"id eq "Ada@x""#, Attribute::Id),
        (r#"emails.value eq "Ada@x""#, Attribute::Email),
        (r#"emails eq "Ada@x""#, Attribute::Email),
        (r#"groups.value eq "Ada@x""#, Attribute::Groups),
        (r#"(((userName eq "Ada@x")))"#, Attribute::UserName),
    ] {
        assert_eq!(user(filter), Some(equals(attribute, "Ada@x")), "{filter}");
    }
    let group = |filter| Filter::parse(Kind::Group, filter).ok();
    assert_eq!(group(r#"displayName eq "a \"b\"""#), Some(equals(Attribute::DisplayName, "a \"b\"")));
    assert_eq!(group(r#"members[value eq "7"]"#), group(r#"members.value eq "7" and members pr"#));
    assert_eq!(group(r#"members[value eq "7" and value eq "8"]"#), None);
}

#[test]
fn the_examples_of_the_rfc_are_understood_as_far_as_their_attributes_are_kept() {
    // RFC 7644, section 3.4.2.2, figure 2.
    for filter in [
        r#"userName eq "bjensen""#,
        r#"name.familyName co "O'Malley""#,
        r#"userName sw "J""#,
        r#"urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J""#,
        r#"meta.lastModified gt "2011-05-13T04:42:34Z""#,
        r#"meta.lastModified ge "2011-05-13T04:42:34Z""#,
        r#"meta.lastModified lt "2011-05-13T04:42:34Z""#,
        r#"meta.lastModified le "2011-05-13T04:42:34Z""#,
    ] {
        assert!(user(filter).is_some(), "{filter}");
    }
    // With `active` in the place of `userType`, which is not kept.
    for (filter, parts) in [
        (r#"active eq true and (emails co "example.com" or emails.value co "example.org")"#, 2),
        (r#"active ne true and not (emails co "example.com" or emails.value co "example.org")"#, 2),
        (r#"active eq true and (emails.type eq "work")"#, 2),
        (r#"active eq true and emails[type eq "work" and value co "@example.com"]"#, 2),
    ] {
        let Some(Filter::All(all)) = user(filter) else { panic!("{filter}") };
        assert_eq!(all.len(), parts, "{filter}");
    }
    for (filter, at) in [
        ("title pr", 1),
        (r#"title pr and userType eq "Employee""#, 1),
        (r#"active eq true and userType ne "Employee""#, 20),
        (r#"emails[type eq "work"] or ims[type eq "xmpp" and value co "@foo.com"]"#, 27),
    ] {
        let told = Filter::parse(Kind::User, filter).expect_err("not kept").message;
        assert!(told.contains(&format!("at character {at}, before")), "{filter}: {told}");
    }
}

#[test]
fn and_binds_before_or_and_not_before_both() {
    let [a, b, c] = ["a", "b", "c"].map(|name| equals(Attribute::Id, name));
    for (filter, expected) in [
        (
            r#"id eq "a" or id eq "b" and id eq "c""#,
            Filter::Any(vec![a.clone(), Filter::All(vec![b.clone(), c.clone()])]),
        ),
        (
            r#"(id eq "a" OR id eq "b") AND id eq "c""#,
            Filter::All(vec![Filter::Any(vec![a.clone(), b.clone()]), c.clone()]),
        ),
        (r#"not (id eq "a") and id ne "b""#, Filter::All(vec![a.not(), b.not()])),
    ] {
        assert_eq!(user(filter), Some(expected), "{filter}");
    }
}

#[test]
fn null_is_the_same_as_no_value() {
    let present = Filter::Is(Attribute::ExternalId, Test::Present);
    assert_eq!(user("externalId ne null"), Some(present.clone()));
    assert_eq!(user("externalId eq NULL"), Some(present.not()));
    assert_eq!(user("externalId gt null"), None);
}

#[test]
fn brackets_choose_values() {
    let is_work = equals(Attribute::EmailType, "work");
    let present = Filter::Is(Attribute::Email, Test::Present);
    assert_eq!(user(r#"emails[type eq "work"]"#), Some(Filter::All(vec![is_work.clone(), present])));
    let chosen = Filter::All(vec![is_work, equals(Attribute::Email, "ada@x")]);
    assert_eq!(user(r#"emails[type eq "work"].value eq "ada@x""#), Some(chosen));
}

#[test]
fn every_other_filter_is_refused_at_its_place() {
    let long = format!("userName eq \"{}\"", "x".repeat(2000));
    let deep = format!("{}id pr{}", "(".repeat(11), ")".repeat(11));
    let deeper = "(".repeat(1000);
    let many = vec!["id pr"; 51].join(" or ");
    for (filter, told) in [
        ("", "at character 1, at its end: an attribute comes here"),
        ("userName", "at character 9, at its end: the operator here is one of `eq`, `ne`, `co`"),
        ("userName eq", "at character 12, at its end: a text in quotes"),
        ("userName eq x", "at character 13, before \"x\": a text in quotes"),
        ("userName eq 'x'", "at character 13"),
        ("userName eq 7", "at character 13"),
        ("userName eq true", "at character 13, before \"true\": the value here is a text in quotes"),
        (r#"userName is "x""#, "at character 10, before \"is \\\"x\\\"\": the operator here"),
        (
            r#"active gt "x""#,
            "at character 8, before \"gt \\\"x\\\"\": the operator here is one of `eq`, `ne` and `pr`",
        ),
        (r#"id co "x""#, "at character 4"),
        (r#"title eq "x""#, "at character 1, before \"title eq"),
        (r#"active eq "true""#, "at character 11, before \"\\\"true\\\"\": the value here is `true` or `false`"),
        (r#"meta.created gt "yesterday""#, "at character 17"),
        (r#"meta.created co "2026""#, "at character 14"),
        (r#"members.value eq "7""#, "at character 1"),
        (r#"not id eq "x""#, "at character 5, before \"id eq \\\"x\\\"\": `(` comes here"),
        (r#"id eq "x" and"#, "at character 14, at its end"),
        (r#"and id eq "x""#, "at character 1"),
        (r#"(id eq "x""#, "at character 11, at its end: `)` comes here"),
        (r#"id eq "x")"#, "at character 10, before \")\": `and`, `or` or the end comes here"),
        (r#"id eq "x" id eq "y""#, "at character 11"),
        (r#"emails[type eq "work"].display eq "x""#, "at character 24"),
        (r#"emails[id eq "7"]"#, "at character 8"),
        ("emails[]", "at character 8"),
        ("name[formatted pr]", "at character 1"),
        (r#"userName eq "x\u0000""#, "at character 13"),
        ("userName eq \"x", "at character 13"),
        ("displayName eq \"ä\" und", "at character 20, before \"und\""),
        ("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department pr", "at character 1"),
        (&long, "as a whole: it has at most 1000 characters"),
        (&deep, "at character 11, before \"(id pr)))))))))))\": it has at most 10 levels"),
        (&deeper, "it has at most 10 levels"),
        (&many, "it has at most 50 comparisons"),
    ] {
        let fault = Filter::parse(Kind::User, filter).expect_err(filter);
        assert_eq!(fault.kind, FaultKind::Filter, "{filter}");
        assert!(fault.message.contains(told), "{filter}: {fault}");
    }
    assert!(Filter::parse(Kind::Group, r#"userName eq "x""#).is_err());
}
