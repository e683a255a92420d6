import { redirect } from "@tanstack/react-router";

/** Leads on before anything is shown: the first of the pages below an address. */
export const leadingTo = (to: string) => () => {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- how the router is told to go elsewhere
  throw redirect({ to, replace: true });
};
