import { sentence } from "../../words/errors";
import { Refusal } from "../../api/refusal";

/** What a refusal says about single properties, by their names. */
export function complaints(error: unknown): Record<string, string> {
  if (!(error instanceof Refusal)) return {};
  const about = error.body.details ?? [];
  return Object.fromEntries(
    about.flatMap(({ path, message }) => {
      const name = path?.split("/").pop();
      return name ? [[name, sentence(message)]] : [];
    }),
  );
}
