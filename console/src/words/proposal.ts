const longest = 100;

/** A name that may be part of an address, near the text that was typed; none where nothing of it would be left. */
export function proposal(typed: string): string | undefined {
  const near = typed
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_.~-]+/g, "-")
    .slice(0, longest)
    .replace(/^-+|-+$/g, "");
  return near === "" || near === typed || /^\.{1,2}$/.test(near) ? undefined : near;
}

/** The name that the API itself proposes instead of a refused one. */
export const proposedBy = (message: string): string | undefined => /; "([^"]+)" would do\.?$/.exec(message)?.[1];
