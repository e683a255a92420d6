//! Rules by which callers are let in, told from what the specification says of the built-in roles.

/// Callers that an operation lets in.
#[derive(Debug, Clone, Copy)]
pub enum Access {
    /// Everybody, without credentials too.
    Open,
    /// Anybody with credentials for administration.
    Authenticated,
    /// Programs that ask for features, and admin tokens; people are not.
    Program,
    /// Browsers and apps, which hold frontend tokens.
    Browser,
    /// Applications of both kinds; administrators are not.
    Application,
    /// The directory of the company, which holds a token of its own.
    Directory,
    /// People: API tokens are nobody.
    Person,
    /// Whoever has made it, if that is a person.
    Author,
    /// People, as far as the state of a change request lets them.
    State,
    /// People who are signed in, with no token of any kind.
    SignedIn,
    /// Whoever has any one of these permissions in the whole instance.
    Instance(&'static [&'static str]),
    /// Whoever has this permission in any project at all.
    Somewhere(&'static str),
    /// Whoever has any one of these permissions in the project `shop`.
    Shop(&'static [&'static str]),
    /// Whoever has this permission both in the project `shop` and in the project `default`.
    BothProjects(&'static str),
    /// Whoever has this permission in the environment `development` of the project `shop`.
    Development(&'static str),
}

/// Administrators alone.
pub const ADMIN: Access = Access::Instance(&["ADMIN"]);

/// Somebody who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    Nobody,
    Directory,
    ClientToken,
    FrontendToken,
    Viewer,
    /// A viewer with a session; all other people come with a personal token.
    SignedIn,
    /// May work in the project `default`, not in `shop`.
    Editor,
    Member,
    Owner,
    /// Owns `default`, and nothing else.
    OwnerElsewhere,
    Administrator,
    AdminToken,
}

impl Asker {
    pub const ALL: [Self; 12] = [
        Self::Nobody,
        Self::Directory,
        Self::ClientToken,
        Self::FrontendToken,
        Self::Viewer,
        Self::SignedIn,
        Self::Editor,
        Self::Member,
        Self::Owner,
        Self::OwnerElsewhere,
        Self::Administrator,
        Self::AdminToken,
    ];
}

/// Permissions of an editor in the whole instance.
const EDITOR: &[&str] = &[
    "CREATE_ADDON",
    "UPDATE_ADDON",
    "DELETE_ADDON",
    "CREATE_CONTEXT_FIELD",
    "UPDATE_CONTEXT_FIELD",
    "DELETE_CONTEXT_FIELD",
    "CREATE_SEGMENT",
    "UPDATE_SEGMENT",
    "DELETE_SEGMENT",
    "CREATE_STRATEGY",
    "UPDATE_STRATEGY",
    "DELETE_STRATEGY",
    "CREATE_TAG_TYPE",
    "UPDATE_TAG_TYPE",
    "DELETE_TAG_TYPE",
    "UPDATE_APPLICATION",
    "CREATE_PROJECT",
    "READ_CLIENT_API_TOKEN",
    "READ_FRONTEND_API_TOKEN",
];

/// Permissions of members in their project.
const MEMBER: &[&str] = &[
    "CREATE_FEATURE",
    "UPDATE_FEATURE",
    "DELETE_FEATURE",
    "UPDATE_FEATURE_DEPENDENCY",
    "UPDATE_FEATURE_VARIANTS",
    "READ_PROJECT_API_TOKEN",
    "CREATE_PROJECT_API_TOKEN",
    "DELETE_PROJECT_API_TOKEN",
    "CREATE_FEATURE_STRATEGY",
    "UPDATE_FEATURE_STRATEGY",
    "DELETE_FEATURE_STRATEGY",
    "UPDATE_FEATURE_ENVIRONMENT",
    "UPDATE_FEATURE_ENVIRONMENT_VARIANTS",
];

/// Permissions that only owners have.
const OWNER: &[&str] = &["MOVE_FEATURE_TOGGLE", "UPDATE_PROJECT", "DELETE_PROJECT", "UPDATE_PROJECT_CONTEXT"];

impl Access {
    /// The status of a refusal, or `None` for whom the operation lets in.
    pub fn refusal(self, asker: Asker) -> Option<u16> {
        let allowed = match (self, asker) {
            (Self::Open, _) | (Self::Directory, Asker::Directory) => true,
            // Each knows the other's token as little as any other text.
            (Self::Directory, _) | (_, Asker::Directory) => return Some(401),
            // Those who sign in are people, not programs: there a cookie is nothing.
            (_, Asker::Nobody) | (Self::Program | Self::Browser | Self::Application, Asker::SignedIn) => {
                return Some(401);
            }
            (Self::Program, asker) => matches!(asker, Asker::ClientToken | Asker::AdminToken),
            (Self::Browser, asker) => asker == Asker::FrontendToken,
            (Self::Application, asker) => matches!(asker, Asker::ClientToken | Asker::FrontendToken),
            (_, Asker::ClientToken | Asker::FrontendToken) => false,
            (Self::Person | Self::Author | Self::State, asker) => asker != Asker::AdminToken,
            (Self::SignedIn, asker) => asker == Asker::SignedIn,
            (Self::Authenticated, _) | (_, Asker::Administrator | Asker::AdminToken) => true,
            (Self::Instance(needs), Asker::Editor) => needs.iter().any(|need| EDITOR.contains(need)),
            (Self::Somewhere(need), Asker::Editor | Asker::Member | Asker::Owner | Asker::OwnerElsewhere) => {
                MEMBER.contains(&need)
            }
            (Self::Shop(needs), Asker::Member) => needs.iter().any(|need| MEMBER.contains(need)),
            (Self::Shop(needs), Asker::Owner) => needs.iter().any(|need| MEMBER.contains(need) || OWNER.contains(need)),
            (Self::Development(need), Asker::Member | Asker::Owner) => MEMBER.contains(&need),
            _ => false,
        };
        (!allowed).then_some(403)
    }

    /// The permissions any one of which lets in.
    pub fn permissions(self) -> Vec<&'static str> {
        match self {
            Self::Open
            | Self::Authenticated
            | Self::Program
            | Self::Browser
            | Self::Application
            | Self::Directory
            | Self::Person
            | Self::Author
            | Self::State
            | Self::SignedIn => Vec::new(),
            Self::Instance(needs) | Self::Shop(needs) => needs.to_vec(),
            Self::Somewhere(need) | Self::BothProjects(need) | Self::Development(need) => vec![need],
        }
    }

    /// As the table of operations says it.
    pub fn words(self) -> String {
        let quoted = |needs: &[&str]| needs.iter().map(|need| format!("`{need}`")).collect::<Vec<_>>().join(" or ");
        match self {
            Self::Open => "everybody".to_owned(),
            Self::Authenticated => "any caller".to_owned(),
            Self::Program => "any client token or admin token".to_owned(),
            Self::Browser => "any frontend token".to_owned(),
            Self::Application => "any frontend token or client token".to_owned(),
            Self::Directory => "the token of SCIM".to_owned(),
            Self::Person => "any person".to_owned(),
            Self::Author => "its author".to_owned(),
            Self::State => "any person, as the state allows".to_owned(),
            Self::SignedIn => "any person, signed in".to_owned(),
            Self::Instance(needs) => quoted(needs),
            Self::Shop(needs) => format!("{} in the project", quoted(needs)),
            Self::Somewhere(need) => format!("`{need}` in some project"),
            Self::BothProjects(need) => format!("`{need}` in both projects"),
            Self::Development(need) => format!("`{need}` in the environment"),
        }
    }
}
