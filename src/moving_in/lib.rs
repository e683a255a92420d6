//! Moving in: the content of another server, in a neutral form, judged before it is written.
//!
//! Every way in is a reader that gives a [`Set`]; the rest is the same for all: [`judge`] makes it fit and reports the
//! changes, the store writes it in one transaction, and a [`Report`] has the outcome.

mod answers;
pub mod files;
mod finding;
pub mod frontends;
mod integration;
mod judge;
mod login;
mod names;
mod neutral;
mod report;
mod rows;
pub mod served;
mod sizes;

pub use self::{
    answers::{Answers, EventsPage, UsageOfFeature},
    finding::{Cell, Finding, Outcome},
    judge::{Judged, judge, reader_id},
    neutral::{
        ApiToken, Application, AskedReviewer, Banner, ChangeRequest, Comment, ContextField, Dependency, Environment,
        Event, Favorite, Feature, FeatureEnvironment, FeatureType, Feedback, Group, Holder, Instance, Integration,
        Link, LinkTemplate, Member, Origin, PersonalToken, Project, ProjectEnvironment, ProjectRole, RequestedChange,
        Review, Role, RoleGrant, RoleKind, Schedule, Segment, Set, Settings, SignIn, SignupLink, Stage, Strategy,
        StrategyType, Tag, TagType, Usage, User,
    },
    report::{Counted, Report},
    rows::{TABLES, Tables, read_event, read_usage},
    sizes::{KINDS, sizes},
};
