/** The console's own page names the files that it is made of: those of another console have other names. */
const entryOf = (page: Document) => page.querySelector<HTMLScriptElement>("script[type=module]")?.getAttribute("src");

const running = entryOf(document);

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

/** Why a part of the console did not come: the server is away, has a newer console, or it is worth another try. */
export async function whyMissing(): Promise<"away" | "newer" | "again"> {
  try {
    const answer = await fetch(document.baseURI, { cache: "no-store" });
    if (!answer.ok) return "away";
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return entryOf(page) === running ? "again" : "newer";
  } catch {
    return "away";
  }
}
