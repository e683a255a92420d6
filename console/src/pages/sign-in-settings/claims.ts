const nobodysOwn = "Choose none that people can change themselves: they come in as whoever has that email.";

/** What to know of the place that email and name have in what a provider sends. */
export const aboutClaims = {
  email: `Name of the property, or a path such as profile.mail. Empty: email. Another one counts as verified only where the verified email is the same address. ${nobodysOwn}`,
  name: "Name of the property, or a path such as profile.name. Empty: name, or else given_name and family_name.",
  samlEmail: `Exactly as assertions call it, which have one value there. Empty: the NameID, or else email, mail and the like. ${nobodysOwn}`,
  samlName: "Exactly as assertions call it. Empty: firstName, lastName and the like.",
};

/** These places of the providers of the two settings, which are in the policy. */
export const policyClaims = [
  { name: "oidcEmailClaim", label: "OpenID Connect claim with the email", about: aboutClaims.email },
  { name: "oidcNameClaim", label: "OpenID Connect claim with the display name", about: aboutClaims.name },
  { name: "samlEmailAttribute", label: "Name of the email in SAML assertions", about: aboutClaims.samlEmail },
  { name: "samlNameAttribute", label: "Name of the display name in SAML assertions", about: aboutClaims.samlName },
] as const;

export const longestClaim = 1000;
