import { useQuery } from "@tanstack/react-query";
import { send } from "../../api/client";
import { guardsRequest } from "../../api/guards";
import { proposalOf } from "../../api/proposals";
import { keyOf, readOnce } from "../../api/queries";
import type { Planned } from "../../api/request";
import { counted } from "../../words/counts";
import { isProduction } from "../EnvironmentName";
import { expectedImpact, type Live } from "./expected";
import classes from "./ExpectedImpact.module.css";
import { evaluationsInWords, impactInWords, notes } from "./impactWords";

const live: Live = async (project) =>
  (await readOnce(guardsRequest(project)))
    .filter(({ type }) => isProduction(type))
    .map(({ environment }) => environment);

const most = 5;

/**
 * Before calls are made that change production: for how many users flags would be on or off. It keeps nobody from making
 * them, and is absent where it cannot be told.
 */
export function ExpectedImpact({ requests }: { requests: readonly Planned[] }) {
  const asked = requests.filter((one) => proposalOf(one) !== undefined);
  const { data, isPending, isError } = useQuery({
    queryKey: ["expectedImpact", ...asked.map(keyOf)],
    queryFn: ({ signal }) =>
      // Nobody waits for it: it is no request that is slow.
      expectedImpact(asked, live, async (one) => (await send(one, signal, { inBackground: true })).data),
    enabled: asked.length > 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (asked.length === 0 || isError || data?.length === 0) return null;
  return (
    <section aria-label="Impact" aria-live="polite" className={classes.impact}>
      {isPending ? (
        <span className="muted late">Looking for who would notice …</span>
      ) : (
        <ul>
          {data.slice(0, most).map((impact) => (
            <li key={`${impact.environment} ${impact.feature}`} className="breaks">
              <strong>
                <bdi>{impact.feature}</bdi>
              </strong>{" "}
              in <bdi>{impact.environment}</bdi>: {impactInWords(impact)} {evaluationsInWords(impact.evaluationsPerDay)}
              {impact.reasons.map((reason) => (
                <div key={reason} className="muted">
                  {notes[reason] ?? reason}
                </div>
              ))}
            </li>
          ))}
          {data.length > most && <li className="muted">and {counted(data.length - most, "other flag")}</li>}
        </ul>
      )}
    </section>
  );
}
