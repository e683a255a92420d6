const numbers = new Intl.NumberFormat("en");
const plurals = new Intl.PluralRules("en");

/** "10,356": as it is written in the language of the console. */
export const number = (value: number): string => numbers.format(value);

/** "1 flag", "10,356 flags" */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${plurals.select(value) === "one" ? one : many}`;
