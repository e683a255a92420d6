//! Names that are unique here but need not be on other servers.

use std::collections::HashSet;

use super::Finding;

/// The names that are given.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Takes a name; where it is taken, one with a number behind it, with a finding.
    pub(super) fn take(&mut self, kind: &'static str, name: &mut String, findings: &mut Vec<Finding>) {
        if self.0.insert(name.clone()) {
            return;
        }
        let numbered = (2_usize..).map(|number| format!("{name} ({number})"));
        let free = numbered.into_iter().find(|name| !self.0.contains(name)).expect("numbers do not end");
        findings.push(Finding::changed(kind, &**name, format!("is called \"{free}\" here: the name is taken")));
        self.0.insert(free.clone());
        *name = free;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_comes_later_gets_a_number_that_is_free() {
        let (mut names, mut findings) = (Names::default(), Vec::new());
        let mut given: Vec<String> = ["a", "a (2)", "a", "b", "a"].map(str::to_owned).into();
        for name in &mut given {
            names.take("group", name, &mut findings);
        }
        assert_eq!(given, ["a", "a (2)", "a (3)", "b", "a (4)"]);
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[0].reason, "is called \"a (3)\" here: the name is taken");
    }
}
