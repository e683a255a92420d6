/** The rules that the server holds passwords to, in the order in which people meet them. */
export const rules: readonly { says: string; isMet: (password: string) => boolean }[] = [
  { says: "at least 10 characters", isMet: (password) => [...password].length >= 10 },
  { says: "a lower-case letter", isMet: (password) => /\p{Lowercase}/u.test(password) },
  { says: "an upper-case letter", isMet: (password) => /\p{Uppercase}/u.test(password) },
  { says: "a digit", isMet: (password) => /\p{Number}/u.test(password) },
  { says: "another character", isMet: (password) => /[^\p{Alphabetic}\p{Number}]/u.test(password) },
];

export const meetsRules = (password: string) => rules.every(({ isMet }) => isMet(password));
