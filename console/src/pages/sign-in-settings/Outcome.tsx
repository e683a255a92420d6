import { Alert, Code, Text } from "@mantine/core";
import type { Schemas } from "../../api/request";
import areaClasses from "../../parts/area/Area.module.css";
import { useRootRoles } from "../../parts/people";
import { WithMoments } from "../../parts/Moment";

/** Who somebody would be here by the settings that were tried, or why they would stay out. */
export function Outcome({ outcome }: { outcome: Schemas["SignInTrialOutcome"] }) {
  const roles = useRootRoles();
  const { state, explanation, reason, expected, found, claims, email, name, userId, rootRoleId, groups } = outcome;
  const isIn = state === "admitted";
  const facts = [
    ["Name", name],
    ["Email", email],
    ["Here", isIn ? (userId === null ? "would become a user" : `is user ${userId}`) : null],
    ["Role", roles.find(({ id }) => id === rootRoleId)?.name ?? null],
    ["Expected", expected],
    ["Found", found],
    ["Groups told", groups?.received.join(", ") ?? null],
    ["Would join", groups?.joined.join(", ") ?? null],
    ["Would leave", groups?.left.join(", ") ?? null],
    ["Feed no group", groups?.unmapped.join(", ") ?? null],
    ["About groups", groups?.problem ?? null],
  ].filter((fact): fact is [string, string] => Boolean(fact[1]));
  return (
    <Alert
      role="status"
      color={isIn ? "stone" : "red"}
      variant="outline"
      className="problem"
      title={isIn ? "They would come in" : "They would stay out"}
    >
      {explanation && (
        <Text size="sm">
          <WithMoments text={explanation} />
        </Text>
      )}
      {reason && (
        <Text size="sm" className="muted mono">
          {reason}
        </Text>
      )}
      <dl className={areaClasses.facts}>
        {facts.map(([label, value]) => (
          <div key={label} className={areaClasses.pair}>
            <dt>{label}</dt>
            <dd>
              <bdi>
                <WithMoments text={value} />
              </bdi>
            </dd>
          </div>
        ))}
      </dl>
      {claims && (
        <details>
          <summary>All that the provider said</summary>
          <Code block tabIndex={0} role="region" aria-label="Claims">
            {claims}
          </Code>
        </details>
      )}
    </Alert>
  );
}
