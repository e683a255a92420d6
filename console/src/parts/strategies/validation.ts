import { useDebouncedValue } from "@mantine/hooks";
import { send } from "../../api/client";
import { useRead } from "../../api/queries";
import { Refusal } from "../../api/refusal";
import { request, type Schemas } from "../../api/request";
import { valueObjection } from "./values";

type Constraint = Schemas["Constraint"];

const validating = (body: Constraint) => request("post", "/api/admin/constraints/validate", { body });

/** Why the server would refuse a constraint, asked once its typing pauses. */
export function useConstraintObjection(constraint: Constraint, legal: readonly string[]): string | undefined {
  const [tried] = useDebouncedValue(constraint, 300);
  const ownObjection = valueObjection(constraint, legal);
  const trial = useRead(validating(tried), { enabled: !valueObjection(tried, legal), staleTime: 60_000 });
  if (ownObjection) return ownObjection;
  return tried === constraint && trial.error instanceof Refusal ? trial.error.lines.join(" ") : undefined;
}

/** Throws the refusal of the first constraint that the server would not take. */
export async function assertTaken(constraints: readonly Constraint[]): Promise<void> {
  for (const constraint of constraints) await send(validating(constraint));
}
