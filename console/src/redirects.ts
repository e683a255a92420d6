import { redirect } from "@tanstack/react-router";
import { isNobody } from "./api/session";

/** Leads on before anything is shown: the first of the pages below an address. */
export const leadingTo = (to: string) => () => {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- how the router is told to go elsewhere
  throw redirect({ to, replace: true });
};

/** Leads those to signing in of whom the page says that they are nobody, and back afterwards. */
export function onlySignedIn({ location }: { location: { href: string } }) {
  if (!isNobody()) return;
  const { pathname, search } = new URL(`.${location.href}`, document.baseURI);
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- how the router is told to go elsewhere
  throw redirect({ to: "/sign-in", search: { to: pathname + search } as never, replace: true });
}
