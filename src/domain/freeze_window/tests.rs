use std::slice;

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("an instant")
}

fn window(environment: Option<&str>, when: When, exempt: &[i64]) -> FreezeWindow {
    FreezeWindow {
        environment: environment.map(str::to_owned),
        when,
        reason: "Holidays".to_owned(),
        exempt_roles: exempt.iter().copied().collect(),
    }
}

fn once(from: &str, to: &str) -> When {
    When::Once { from: at(from), to: at(to), zone: Tz::Europe__Berlin }
}

fn weekly(days: &[Day], from: u16, to: u16) -> When {
    When::Weekly { days: days.iter().copied().collect(), from, to, zone: Tz::Europe__Berlin }
}

fn until(windows: &[FreezeWindow], environment: &str, roles: &[i64], now: &str) -> Option<String> {
    let roles = roles.iter().copied().collect();
    let frozen = frozen(windows, environment, &roles, Act::Write, at(now))?;
    Some(frozen.until.map_or_else(|| "for ever".to_owned(), |until| until.to_string()))
}

#[test]
fn a_freeze_counts_in_its_environment_and_time_and_not_for_the_exempt() {
    let holidays = once("2026-12-24T00:00:00Z", "2026-12-27T00:00:00Z");
    let windows = [window(Some("production"), holidays, &[4])];
    let end = Some("2026-12-27T00:00:00.000Z".to_owned());
    for (environment, roles, now, expected) in [
        ("production", &[][..], "2026-12-24T00:00:00Z", &end),
        ("production", &[3, 5], "2026-12-26T23:59:59.999Z", &end),
        ("production", &[], "2026-12-27T00:00:00Z", &None),
        ("production", &[], "2026-12-23T23:59:59.999Z", &None),
        ("development", &[], "2026-12-25T00:00:00Z", &None),
        ("production", &[3, 4], "2026-12-25T00:00:00Z", &None),
    ] {
        assert_eq!(until(&windows, environment, roles, now), *expected, "{environment} {roles:?} {now}");
    }
    let everywhere = [FreezeWindow { environment: None, ..windows[0].clone() }];
    assert_eq!(until(&everywhere, "development", &[], "2026-12-25T00:00:00Z"), end);
}

#[test]
fn switching_off_and_safeguards_are_never_frozen() {
    let windows = [window(None, once("2026-12-24T00:00:00Z", "2026-12-27T00:00:00Z"), &[])];
    let is_frozen = |act| frozen(&windows, "dev", &BTreeSet::new(), act, at("2026-12-25T00:00:00Z")).is_some();
    assert_eq!([Act::Write, Act::SwitchOff, Act::Safeguard].map(is_frozen), [true, false, false]);
}

#[test]
fn windows_in_a_row_end_with_the_last_of_them() {
    let weekend = window(None, weekly(&[Day::Saturday, Day::Sunday], 0, DAY_MINUTES), &[]);
    // Midnight in Berlin is at 23:00 in winter.
    let monday = Some("2026-11-29T23:00:00.000Z".to_owned());
    for now in ["2026-11-27T23:00:00Z", "2026-11-28T12:00:00Z", "2026-11-29T22:59:59Z"] {
        assert_eq!(until(slice::from_ref(&weekend), "dev", &[], now), monday, "{now}");
    }
    assert_eq!(until(slice::from_ref(&weekend), "dev", &[], "2026-11-27T22:59:59Z"), None);
    let more = window(None, once("2026-11-29T20:00:00Z", "2026-12-01T00:00:00Z"), &[]);
    let both = [weekend, more];
    assert_eq!(until(&both, "dev", &[], "2026-11-28T12:00:00Z").as_deref(), Some("2026-12-01T00:00:00.000Z"));
    let always = window(None, weekly(&Day::ALL, 0, DAY_MINUTES), &[]);
    assert_eq!(until(&[always], "dev", &[], "2026-11-28T12:00:00Z").as_deref(), Some("for ever"));
}

#[test]
fn a_freeze_is_told_with_its_reason_and_its_end_in_its_zone() {
    let told = |windows: &[FreezeWindow], now| {
        let nobody = BTreeSet::new();
        frozen(windows, "dev", &nobody, Act::Write, at(now)).map(|frozen| frozen.of("dev").to_string())
    };
    let holidays = |to| [window(None, once("2026-12-24T00:00:00Z", to), &[])];
    for (to, expected) in [
        (
            "2026-12-27T00:00:00Z",
            "The \"dev\" environment is frozen until 2026-12-27 01:00 (Europe/Berlin): \"Holidays\"",
        ),
        (
            "2026-12-27T00:00:01Z",
            "The \"dev\" environment is frozen until 2026-12-27 01:00:01 (Europe/Berlin): \"Holidays\"",
        ),
    ] {
        assert_eq!(told(&holidays(to), "2026-12-25T00:00:00Z").as_deref(), Some(expected));
    }
    let always = [window(None, weekly(&Day::ALL, 0, DAY_MINUTES), &[])];
    let expected = "The \"dev\" environment is frozen without an end: \"Holidays\"";
    assert_eq!(told(&always, "2026-12-25T00:00:00Z").as_deref(), Some(expected));
}

#[test]
fn the_outlook_is_the_present_freeze_or_the_next() {
    let windows = [
        window(Some("prod"), once("2026-12-24T00:00:00Z", "2026-12-27T00:00:00Z"), &[4]),
        window(None, weekly(&[Day::Friday], 18 * 60, 6 * 60), &[]),
    ];
    let seen = |environment: &str, roles: &[i64], now: &str| {
        let roles = roles.iter().copied().collect();
        let outlook = outlook(&windows, environment, &roles, at(now))?;
        let shown = |instant: Option<Timestamp>| instant.map(|instant| instant.to_string()[..16].to_owned());
        Some((shown(outlook.from), shown(outlook.frozen.until), outlook.is_exempt))
    };
    let some = |text: &str| Some(text.to_owned());
    // 2026-12-25 is a Friday, and its evening in Berlin begins at 17:00.
    for (environment, roles, now, expected) in [
        ("prod", &[][..], "2026-12-20T00:00:00Z", (some("2026-12-24T00:00"), some("2026-12-27T00:00"), false)),
        ("prod", &[4], "2026-12-20T00:00:00Z", (some("2026-12-24T00:00"), some("2026-12-27T00:00"), true)),
        ("prod", &[4], "2026-12-24T12:00:00Z", (None, some("2026-12-27T00:00"), true)),
        ("prod", &[4], "2026-12-25T18:00:00Z", (None, some("2026-12-27T00:00"), false)),
        ("dev", &[4], "2026-12-24T12:00:00Z", (some("2026-12-25T17:00"), some("2026-12-26T05:00"), false)),
        ("dev", &[], "2026-12-26T05:00:00Z", (some("2027-01-01T17:00"), some("2027-01-02T05:00"), false)),
    ] {
        assert_eq!(seen(environment, roles, now), Some(expected), "{environment} {roles:?} {now}");
    }
    assert_eq!(outlook(&windows[..1], "prod", &BTreeSet::new(), at("2026-12-27T00:00:00Z")), None);
}

#[test]
fn only_what_has_an_end_and_a_reason_can_be_set() {
    let judged = |when: When| window(None, when, &[]).judge().map_err(|(property, _)| property);
    assert_eq!(judged(once("2026-12-24T00:00:00Z", "2026-12-24T00:00:01Z")), Ok(()));
    assert_eq!(judged(weekly(&[Day::Friday], 18 * 60, 6 * 60)), Ok(()));
    assert_eq!(judged(weekly(&[Day::Friday], 0, DAY_MINUTES)), Ok(()));
    for when in [
        once("2026-12-24T00:00:00Z", "2026-12-24T00:00:00Z"),
        weekly(&[], 0, 60),
        weekly(&[Day::Friday], 60, 60),
        weekly(&[Day::Friday], DAY_MINUTES, 60),
        weekly(&[Day::Friday], 0, DAY_MINUTES + 1),
    ] {
        assert_eq!(judged(when.clone()), Err("when"), "{when:?}");
    }
    let good = window(None, weekly(&[Day::Friday], 0, 60), &[]);
    for reason in ["", " ", &"ä".repeat(MAX_REASON_LENGTH + 1)] {
        let judged = FreezeWindow { reason: reason.to_owned(), ..good.clone() }.judge();
        assert_eq!(judged.map_err(|(property, _)| property), Err("reason"), "{reason:?}");
    }
    let many: BTreeSet<i64> = (0..=MOST_EXEMPT).filter_map(|id| i64::try_from(id).ok()).collect();
    let judged = FreezeWindow { exempt_roles: many, ..good }.judge();
    assert_eq!(judged.map_err(|(property, _)| property), Err("exemptRoles"));
    assert_eq!(read_zone("Europe/Berlin"), Some(Tz::Europe__Berlin));
    assert_eq!(read_zone("Mars/Olympus"), None);
}

#[test]
fn days_are_read_by_their_names() {
    for (place, day) in Day::ALL.into_iter().enumerate() {
        assert_eq!(Day::parse(day.as_str()), Some(day));
        assert_eq!(serde_json::to_value(day).expect("a text"), day.as_str());
        let weekday = Weekday::try_from(u8::try_from(place).expect("few")).expect("a weekday");
        assert_eq!(Day::of(weekday), day);
    }
    assert_eq!(Day::parse("Monday"), None);
}
