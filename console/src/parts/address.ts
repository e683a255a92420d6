import { useNavigate, useSearch } from "@tanstack/react-router";
import { first, type Search } from "../api/address";

/** What the address says beyond its path, and how to say something else. */
export function useAddress() {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    get: (name: string) => first(search[name]),
    change: (changed: Record<string, string | undefined>) =>
      void navigate({ to: ".", search: (before: Search) => ({ ...before, ...changed }), replace: true }),
  };
}
