//! Change requests: what cannot be held here is reported by the id of the change request, and where a part is lost that
//! was approved, so are the approvals.

mod changes;
mod payload;

use std::collections::{BTreeMap, HashSet};

use flagstone_domain::change_request::{
    GREATEST_ID, MAX_COMMENT_LENGTH, MAX_TITLE_LENGTH, MOST_COMMENTS, MOST_REVIEWERS,
    configuration::MOST_APPROVALS,
    read_comment, read_title,
    schedule::{Status, Trigger},
    state::State,
};

use self::changes::Changes;
use crate::{
    Finding,
    neutral::{ChangeRequest, Review, Set},
};

/// Kind of the findings.
const KIND: &str = "change request";

/// Judges change requests, after everything that they name.
pub(super) fn judge(set: &mut Set, findings: &mut Vec<Finding>) {
    let mut requests = std::mem::take(&mut set.change_requests);
    number(&mut requests, findings);
    let named = Named::of(set);
    requests.retain_mut(|request| Judging { named: &named, findings }.keeps(request));
    keep_one_pending(&mut requests, findings);
    set.change_requests = requests;
}

/// Gives a number to change requests whose own cannot be asked for.
fn number(requests: &mut [ChangeRequest], findings: &mut Vec<Finding>) {
    let used: HashSet<i64> = requests.iter().map(|request| request.id).filter(|id| is_id(*id)).collect();
    let last = used.iter().copied().max().unwrap_or_default();
    // Behind the others, or where there is room between them.
    let mut free = (last + 1..=GREATEST_ID).chain(1..=last).filter(|id| !used.contains(id));
    for request in requests.iter_mut().filter(|request| !is_id(request.id)) {
        let Some(id) = free.next() else { break };
        let bound = if request.id < 1 { "begin at 1".to_owned() } else { format!("end at {GREATEST_ID}") };
        findings.push(Finding::changed(KIND, request.id.to_string(), format!("has the id {id} here: ids {bound}")));
        request.id = id;
    }
}

fn is_id(id: i64) -> bool {
    (1..=GREATEST_ID).contains(&id)
}

/// Names that change requests use.
struct Named<'a> {
    projects: HashSet<&'a str>,
    environments: HashSet<&'a str>,
    /// Users, also those whose accounts were deleted.
    users: HashSet<i64>,
    /// Users with accounts.
    accounts: HashSet<i64>,
    changes: Changes<'a>,
}

impl<'a> Named<'a> {
    fn of(set: &'a Set) -> Self {
        let accounts = set.users.iter().filter(|user| user.deleted_at.is_none());
        Self {
            projects: set.projects.iter().map(|project| &*project.id).collect(),
            environments: set.environments.iter().map(|environment| &*environment.name).collect(),
            users: set.users.iter().map(|user| user.id).collect(),
            accounts: accounts.map(|user| user.id).collect(),
            changes: Changes::of(set),
        }
    }
}

/// Judgement of one change request.
struct Judging<'a, 's> {
    named: &'a Named<'s>,
    findings: &'a mut Vec<Finding>,
}

impl Judging<'_, '_> {
    fn changed(&mut self, request: &ChangeRequest, reason: impl Into<String>) {
        self.findings.push(Finding::changed(KIND, request.id.to_string(), reason));
    }

    fn left_out(&mut self, request: &ChangeRequest, reason: impl Into<String>) {
        self.findings.push(Finding::left_out(KIND, request.id.to_string(), reason));
    }

    /// Makes a change request fit. Returns whether it can come over.
    fn keeps(&mut self, request: &mut ChangeRequest) -> bool {
        let reason = if !self.named.projects.contains(&*request.project) {
            format!("its project \"{}\" does not exist", request.project)
        } else if !self.named.environments.contains(&*request.environment) {
            format!("its environment \"{}\" does not exist", request.environment)
        } else if !self.named.users.contains(&request.created_by) {
            format!("its author, the user {}, does not exist", request.created_by)
        } else {
            let Some(state) = State::parse(&request.state) else {
                self.left_out(request, format!("there is no state \"{}\" here", request.state));
                return false;
            };
            return self.keeps_in(request, state);
        };
        self.left_out(request, reason);
        false
    }

    fn keeps_in(&mut self, request: &mut ChangeRequest, state: State) -> bool {
        request.min_approvals = request.min_approvals.clamp(0, MOST_APPROVALS);
        self.title(request);
        let is_whole = self.named.changes.judge(request, state, self.findings, &self.named.users);
        self.reviews(request);
        self.comments(request);
        let Some(state) = self.state(request, state, is_whole) else { return false };
        state.as_str().clone_into(&mut request.state);
        self.schedule(request, state);
        true
    }

    fn title(&mut self, request: &mut ChangeRequest) {
        let Some(given) = request.title.take() else { return };
        request.title = read_title(&given).unwrap_or_else(|_| {
            self.changed(request, format!("has a title of {MAX_TITLE_LENGTH} characters: it was longer"));
            Some(cut(&given, MAX_TITLE_LENGTH)).filter(|title| !title.is_empty())
        });
    }

    /// Keeps the approvals, rejections and requests for approval of users that exist, one of each.
    fn reviews(&mut self, request: &mut ChangeRequest) {
        let users = &self.named.users;
        let keep = |reviews: &mut Vec<Review>| {
            let (held, mut seen) = (reviews.len(), HashSet::new());
            reviews.retain(|review| users.contains(&review.user) && seen.insert(review.user));
            held - reviews.len()
        };
        let lost = [("approvals", keep(&mut request.approvals)), ("rejections", keep(&mut request.rejections))];
        for (what, lost) in lost.into_iter().filter(|(_, lost)| *lost > 0) {
            self.changed(request, format!("{lost} of its {what} are left out: nobody gave them, or twice"));
        }
        let (held, mut seen) = (request.reviewers.len(), HashSet::new());
        request.reviewers.retain(|asked| self.named.accounts.contains(&asked.user) && seen.insert(asked.user));
        request.reviewers.truncate(MOST_REVIEWERS);
        let lost = held - request.reviewers.len();
        if lost > 0 {
            let reason = format!("{lost} users are not asked for approval here: they do not exist, or are too many");
            self.changed(request, reason);
        }
    }

    fn comments(&mut self, request: &mut ChangeRequest) {
        let users = &self.named.users;
        let (held, mut shortened) = (request.comments.len(), 0);
        request.comments.retain_mut(|comment| {
            let text = read_comment(&comment.text).unwrap_or_else(|_| {
                let text = cut(&comment.text, MAX_COMMENT_LENGTH);
                shortened += usize::from(!text.is_empty());
                text
            });
            comment.text = text;
            !comment.text.is_empty() && users.contains(&comment.created_by)
        });
        let lost = held - request.comments.len();
        if lost > 0 {
            self.changed(request, format!("{lost} of its comments are left out: they are empty, or nobody's"));
        }
        if shortened > 0 {
            let reason =
                format!("{shortened} of its comments end after {MAX_COMMENT_LENGTH} characters: more are none");
            self.changed(request, reason);
        }
        let most = usize::try_from(MOST_COMMENTS).unwrap_or(usize::MAX);
        let surplus = request.comments.len().saturating_sub(most);
        if surplus > 0 {
            request.comments.drain(..surplus);
            let reason =
                format!("{surplus} of its comments are left out, the oldest: a change request has {most} at most");
            self.changed(request, reason);
        }
    }

    /// Returns the state that a change request comes over in, or `None` if it does not.
    fn state(&mut self, request: &mut ChangeRequest, state: State, is_whole: bool) -> Option<State> {
        if !state.is_open() {
            return Some(state);
        }
        if request.changes.is_empty() {
            if state == State::Draft {
                self.left_out(request, "is a draft without changes");
                return None;
            }
            self.changed(request, format!("is Cancelled here instead of {}: it has no changes", state.as_str()));
            return Some(State::Cancelled);
        }
        if state == State::Draft {
            request.approvals.clear();
            request.rejections.clear();
            return Some(state);
        }
        if !is_whole && !request.approvals.is_empty() {
            request.approvals.clear();
            self.changed(request, "lost its approvals: they were given to changes of which not all come over");
        }
        let (given, needed) = (request.approvals.len(), request.min_approvals);
        let is_approved = is_whole && i64::try_from(given).unwrap_or(i64::MAX) >= needed;
        if state != State::InReview && !is_approved {
            let reason = format!(
                "is In review here instead of {}: it needs {needed} approvals of its changes, and has {given}",
                state.as_str()
            );
            self.changed(request, reason);
            return Some(State::InReview);
        }
        if state == State::Scheduled && request.schedule.as_ref().and_then(|schedule| schedule.at).is_none() {
            self.changed(request, "is Approved here instead of Scheduled: no time is known");
            return Some(State::Approved);
        }
        Some(state)
    }

    /// Suspends what was scheduled there: whether it was applied by the other server after all, nobody knows here.
    fn schedule(&mut self, request: &mut ChangeRequest, state: State) {
        let Some(mut schedule) = request.schedule.take().filter(|_| state == State::Scheduled) else { return };
        if schedule.scheduled_by.is_none_or(|user| !self.named.users.contains(&user)) {
            schedule.scheduled_by = Some(request.created_by);
            self.changed(request, "counts as scheduled by its author: the user who did it does not exist");
        }
        if schedule.status != Status::FAILED && schedule.status != Status::SUSPENDED {
            Status::SUSPENDED.clone_into(&mut schedule.status);
            schedule.reason = None;
            let reason = "its schedule is suspended: schedule it again, apply it or reject it";
            self.changed(request, reason);
        }
        schedule.reason.get_or_insert_with(|| Trigger::MovedIn.to_string());
        request.schedule = Some(schedule);
    }
}

/// Keeps one pending change request of an author in an environment of a project: the one that has come furthest. Further
/// drafts, which others must not see, are left out.
fn keep_one_pending(requests: &mut Vec<ChangeRequest>, findings: &mut Vec<Finding>) {
    let mut furthest: BTreeMap<(String, String, i64), (State, i64)> = BTreeMap::new();
    let pending = |request: &ChangeRequest| State::parse(&request.state).filter(|state| state.is_pending());
    let key = |request: &ChangeRequest| (request.project.clone(), request.environment.clone(), request.created_by);
    for request in requests.iter() {
        let Some(state) = pending(request) else { continue };
        let known = furthest.entry(key(request)).or_insert((state, request.id));
        if state > known.0 {
            *known = (state, request.id);
        }
    }
    requests.retain_mut(|request| {
        let (Some(state), Some((_, kept))) = (pending(request), furthest.get(&key(request))) else { return true };
        if *kept == request.id {
            return true;
        }
        let reason = format!("its author has another one there, {kept}, and here there is one at most");
        let name = request.id.to_string();
        if state == State::Draft {
            findings.push(Finding::left_out(KIND, name, reason));
            return false;
        }
        findings.push(Finding::changed(
            KIND,
            name,
            format!("is Cancelled here instead of {}: {reason}", state.as_str()),
        ));
        State::Cancelled.as_str().clone_into(&mut request.state);
        true
    });
}

/// The beginning of a text without blanks around it and without what no database holds.
fn cut(text: &str, most: usize) -> String {
    let text: String = text.trim().chars().filter(|sign| *sign != '\0').take(most).collect();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests;
