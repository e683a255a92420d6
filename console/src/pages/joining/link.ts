import { useEffect, useRef } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";

/** Puts the cursor where the form begins, once it is there. */
export function useFirstField() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}

/** Goes to sign in. The link leaves the address, the way back and the memory. */
export function useLeave() {
  const navigate = useNavigate();
  const client = useQueryClient();
  return async (after: "password" | "joined") => {
    await navigate({ to: "/sign-in", search: { after }, replace: true });
    for (const validated of ["validateToken", "validatePublicSignupToken"])
      client.removeQueries({ queryKey: [validated] });
  };
}
