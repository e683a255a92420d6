/** The pages of the settings. */
export const settingsTabs = [
  { label: "Instance", to: "/settings/instance" },
  { label: "Banners", to: "/settings/banners" },
  { label: "Freezes", to: "/settings/freezes" },
  { label: "OpenID Connect", to: "/settings/sign-in/oidc" },
  { label: "SAML", to: "/settings/sign-in/saml" },
  { label: "Login providers", to: "/settings/sign-in/providers" },
  { label: "Password", to: "/settings/sign-in/password" },
  { label: "Accounts", to: "/settings/sign-in/accounts" },
  { label: "SCIM", to: "/settings/sign-in/scim" },
  { label: "Policy", to: "/settings/sign-in/policy" },
  { label: "Sign-in log", to: "/settings/sign-in/log" },
];
