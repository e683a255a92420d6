/** The scripts that the console's own page names: of those of another console at least one has another name. */
const scriptsOf = (page: Document) =>
  [...page.querySelectorAll("script[type=module]")].map((script) => script.getAttribute("src")).join(" ");

const running = scriptsOf(document);

/** Asks again for styles that did not come: a part that needs them is not asked for twice by itself. */
export async function styles(): Promise<void> {
  const failed = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].filter(({ sheet }) => !sheet);
  await Promise.all(
    failed.map((link) => {
      const again = link.cloneNode() as HTMLLinkElement;
      return new Promise((resolve, reject) => {
        again.onload = resolve;
        again.onerror = () => reject(new Error(`${link.href} did not come`));
        link.replaceWith(again);
      });
    }),
  );
}

/** Why a part did not come: the server is away, has a newer console, or it is worth another try. */
export type Trouble = "away" | "newer" | "again";

/** Finds out why a part of the console did not come. */
export async function whyMissing(): Promise<Trouble> {
  try {
    const answer = await fetch(document.baseURI, { cache: "no-store" });
    if (!answer.ok) return "away";
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return scriptsOf(page) === running ? "again" : "newer";
  } catch {
    return "away";
  }
}
