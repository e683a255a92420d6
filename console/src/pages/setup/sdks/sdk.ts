/** What an application needs to ask for a flag, with one SDK. */
export interface Sdk {
  label: string;
  /** The kind of token that is safe where the application runs. */
  token: "client" | "frontend";
  /** A command, or the lines that belong into a file. */
  install: string;
  /** The file that those lines belong into. */
  into?: string;
  file: string;
  /** Nothing where the token stands in the code, and something else runs it. */
  run: string;
  code: (asked: Asked) => string;
}

export interface Asked {
  /** Of the server. */
  url: string;
  feature: string;
  /** Name of the application, as it calls itself. */
  appName: string;
  token: string;
}

/** The name of the variable that the token is in. */
export const variable = "FLAGSTONE_TOKEN";

/** One word for a POSIX shell. */
export const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** A text of JavaScript, Python, Java, Go, C#, Rust and Swift, which all read JSON's. */
export const text = (value: string) => JSON.stringify(value);

/** A text of JavaScript that does not end the element of HTML it is in. */
export const script = (value: string) => text(value).replaceAll("</", "<\\/");

/** A text of Kotlin and Dart, where `$` names a variable. */
export const withoutVariables = (value: string) => JSON.stringify(value).replaceAll("$", "\\$");

/** A text of Ruby and PHP, in which nothing is evaluated. */
export const literal = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** A text of Elixir. */
export const elixir = (value: string) => JSON.stringify(value).replaceAll("#{", "\\#{");
