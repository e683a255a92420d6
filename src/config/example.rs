//! A file of settings with everything in it, commented out: made from the options, so that it is never behind.

use std::fmt::Write as _;

use clap::Command;

use super::{
    report::in_toml,
    setting::{self, Kind, Setting},
    variables,
};

/// Columns of a comment.
const WIDTH: usize = 100;

/// Examples of values for settings without a default.
const SAMPLES: [(&str, &str); 80] = [
    ("backup-directory", "/var/backups/flagstone"),
    ("backup-keep-days", "30"),
    ("otel-exporter-otlp-endpoint", "http://collector.internal:4318"),
    ("otel-exporter-otlp-traces-endpoint", "http://collector.internal:4318/v1/traces"),
    ("otel-exporter-otlp-headers", "api-key=secret"),
    ("otel-exporter-otlp-traces-headers", "api-key=secret"),
    ("otel-exporter-otlp-protocol", "http/protobuf"),
    ("otel-service-name", "flagstone"),
    ("otel-resource-attributes", "deployment.environment.name=production"),
    ("otel-traces-sampler", "parentbased_traceidratio"),
    ("otel-traces-sampler-arg", "0.01"),
    ("trace-trusted-callers", "10.0.0.0/8"),
    ("base-url", "https://flags.example.com"),
    ("tls-certificate", "/etc/flagstone/tls/certificate.pem"),
    ("tls-key", "/etc/flagstone/tls/key.pem"),
    ("redirect-listen", "0.0.0.0:80"),
    ("database-read-url", "postgres://flagstone@replica.internal/flagstone"),
    ("key-file", "/var/lib/flagstone/flagstone.key"),
    ("secret-key", "32 bytes in base64"),
    ("previous-key-file", "/var/lib/flagstone/previous.key"),
    ("previous-secret-key", "32 bytes in base64"),
    ("trusted-proxies", "10.0.0.0/8,::1"),
    ("event-retention-days", "730"),
    ("cors-origins", "https://shop.example.com"),
    ("metrics-token", "at least 16 characters"),
    ("outgoing-addresses", "public,private"),
    ("ca-file", "/etc/ssl/certs/internal.pem"),
    ("https-proxy", "http://proxy.internal:3128"),
    ("no-proxy", "localhost,.internal"),
    ("connections-limit", "10000"),
    ("connections-per-address-limit", "5000"),
    ("INIT_ADMIN_API_TOKENS", "*:*.at-least-16-characters"),
    ("INIT_BACKEND_API_TOKENS", "*:production.at-least-16-characters"),
    ("INIT_CLIENT_API_TOKENS", "*:production.at-least-16-characters"),
    ("INIT_FRONTEND_API_TOKENS", "*:production.at-least-16-characters-more"),
    ("UNLEASH_DEFAULT_ADMIN_USERNAME", "admin"),
    ("UNLEASH_DEFAULT_ADMIN_PASSWORD", "a password of your own"),
    ("OIDC_DISCOVER_URL", "https://id.example.com"),
    ("SAML_SIGNON_URL", "https://id.example.com/saml"),
    ("SAML_SIGNOUT_URL", "https://id.example.com/logout"),
    ("SAML_CERTIFICATE_FILE", "/etc/flagstone/provider.pem"),
    ("SAML_SIGNOUT_CERTIFICATE_PATH", "/etc/flagstone/own.pem"),
    ("upstream", "https://flags.example.com"),
    ("tokens", "*:production.secret"),
    ("pretrusted-tokens", "*:production.secret"),
    ("offline", "/var/lib/flagstone/features.json"),
    ("client-tokens", "*:production.secret"),
    ("frontend-tokens", "*:production.secret"),
    ("backup-folder", "/var/lib/flagstone-edge"),
    ("oldest-seconds", "300"),
    ("listen", "0.0.0.0:3063"),
    ("proxy-trusted-servers", "10.0.0.0/8"),
    ("allow-list", "10.0.0.0/8"),
    ("deny-list", "10.1.0.0/16"),
    ("token-header", "X-Token"),
    ("edge-auth-header", "X-Token"),
    ("upstream-auth-header", "X-Token"),
    ("custom-client-headers", "X-Key: secret"),
    ("upstream-certificate-file", "/etc/ssl/certs/internal.pem"),
    ("pkcs8-client-certificate-file", "/etc/flagstone/edge.pem"),
    ("pkcs8-client-key-file", "/etc/flagstone/edge.key"),
    ("pem-cert-file", "/etc/flagstone/edge-with-key.pem"),
    ("tls-server-cert", "/etc/flagstone/tls/certificate.pem"),
    ("tls-server-key", "/etc/flagstone/tls/key.pem"),
    ("base-path", "/flags"),
    ("instance-id", "edge-1"),
    ("region", "eu-central-1"),
    ("OIDC_CLIENT_ID", "flagstone"),
    ("OIDC_CLIENT_SECRET", "what the provider gave"),
    ("OIDC_AUTO_CREATE_EMAIL_DOMAINS", "example.com"),
    ("OIDC_GROUP_JSON_PATH", "groups"),
    ("OIDC_DEFAULT_ROOT_ROLE", "Viewer"),
    ("OIDC_ACR_VALUES", "urn:example:mfa"),
    ("OIDC_ID_TOKEN_SIGNING_ALGORITHM", "RS256"),
    ("SAML_ENTITY_ID", "https://id.example.com/metadata"),
    ("SAML_CERTIFICATE", "-----BEGIN CERTIFICATE-----…"),
    ("SAML_EMAIL_DOMAINS", "example.com"),
    ("SAML_DEFAULT_ROOT_ROLE", "Viewer"),
    ("SAML_SIGNOUT_CERTIFICATE", "-----BEGIN CERTIFICATE-----…"),
    ("SAML_GROUP_JSON_PATH", "groups"),
];

/// The example for the server or for an edge, whose command this is.
pub fn example(command: &Command) -> String {
    let of_server = command.get_name() == "serve";
    let whose = if of_server { "the server and of its commands" } else { "an edge" };
    let mut text = String::new();
    comment(
        &mut text,
        &format!(
            "Settings of {whose}. Every line that begins with # without a space is a setting with its default, or with \
             an example if it has none: remove the # to set it. A flag takes precedence over its variable, and the \
             variable over this file. Pass the file with --config or FLAGSTONE_CONFIG; `flagstone config check` \
             checks it, and `flagstone config show` prints the settings in force."
        ),
    );
    let variables = if of_server { variables::all() } else { Vec::new() };
    for setting in setting::of(command, &variables).iter().filter(|setting| !setting.is_hidden) {
        let Some(option) = &setting.option else { continue };
        text.push('\n');
        let help = option.get_long_help().or(option.get_help()).map(ToString::to_string).unwrap_or_default();
        comment(&mut text, &format!("{}.", help.trim_end_matches('.')));
        line(&mut text, setting);
    }
    if of_server {
        text.push('\n');
        comment(
            &mut text,
            "Initial users and tokens of a new instance, and settings of login providers. They have no flags; their keys \
             are the names of the variables: see docs/operations.md and docs/sign-in.md.",
        );
        for setting in setting::of(&Command::new("variables"), &variables) {
            line(&mut text, &setting);
        }
    }
    text
}

fn line(text: &mut String, setting: &Setting) {
    let defaults = setting.option.iter().flat_map(clap::Arg::get_default_values);
    let default = defaults.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(",");
    let sample = SAMPLES.iter().find(|(key, _)| *key == setting.key).map(|(_, sample)| *sample);
    let value = match setting.kind {
        Kind::Truth => "false",
        _ if !default.is_empty() => &default,
        _ => sample.unwrap_or_default(),
    };
    let _infallible = writeln!(text, "#{} = {}", setting.key, in_toml(setting, value));
}

/// A text in lines that begin with `# `.
fn comment(text: &mut String, words: &str) {
    let mut width = 0;
    for word in words.split_whitespace() {
        let length = word.chars().count() + 1;
        if width == 0 || width + length > WIDTH {
            text.push_str(if width == 0 { "#" } else { "\n#" });
            width = 1;
        }
        text.push(' ');
        text.push_str(word);
        width += length;
    }
    text.push('\n');
}
