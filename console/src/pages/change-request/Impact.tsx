import { Table, Title } from "@mantine/core";
import { useExactRead } from "../../api/queries";
import { request as plan, type Schemas } from "../../api/request";
import { isOpen } from "../../parts/change-requests/requests";
import { Problem } from "../../parts/Problem";
import { Waiting } from "../../parts/Waiting";
import { counted, number } from "../../words/counts";
import classes from "./ChangeRequest.module.css";
import type { Shown } from "./shown";
import { evaluationsInWords, impactInWords, notes } from "../../parts/impact/impactWords";
import { conflictsOf } from "./offers";

const minute = 60_000;

/** Who would notice: for whom flags would be on or off that were not, before anybody approves. */
export function Impact({ request }: Pick<Shown, "request">) {
  const { project, id, state } = request;
  const isKnown = isOpen(state) && conflictsOf(request).length === 0;
  const read = useExactRead(
    plan("get", "/api/admin/projects/{projectId}/change-requests/{id}/impact", {
      params: { path: { projectId: project, id } },
    }),
    { enabled: isKnown, staleTime: minute },
  );
  if (!isKnown) return null;
  const impact = read.data;
  return (
    <section className="card" aria-label="Impact">
      <Title order={2}>Impact</Title>
      {read.error && !impact ? (
        <Problem error={read.error} again={() => void read.refetch()} />
      ) : !impact ? (
        <Waiting />
      ) : (
        <ul className={classes.list}>
          {impact.features.map((feature) => (
            <OnFeature key={`${feature.environment} ${feature.feature}`} impact={feature} />
          ))}
          {impact.features.length === 0 && <li>No flag gives anybody another answer.</li>}
          {impact.leftOut > 0 && <li className="muted">{counted(impact.leftOut, "other flag")} are not shown.</li>}
        </ul>
      )}
    </section>
  );
}

function OnFeature({ impact }: { impact: Schemas["FeatureImpact"] }) {
  const { feature, environment, evaluationsPerDay, reasons, dependents, byConstraintValue } = impact;
  return (
    <li className="breaks">
      <strong>
        <bdi>{feature}</bdi>
      </strong>{" "}
      in <bdi>{environment}</bdi>
      <div>{impactInWords(impact)}</div>
      <div>{evaluationsInWords(evaluationsPerDay)}</div>
      {reasons.map((reason) => (
        <div key={reason} className="muted">
          {notes[reason] ?? reason}
        </div>
      ))}
      {dependents.length > 0 && <div className="muted">Flags that depend on it: {dependents.join(", ")}.</div>}
      {evaluationsPerDay.applications.length > 0 && (
        <Figures
          summary="By application"
          heads={["Application", "Evaluations", "Would change"]}
          rows={evaluationsPerDay.applications.map(({ appName, yes, no, wouldChange }) => [
            appName,
            number(yes + no),
            number(wouldChange),
          ])}
        />
      )}
      {byConstraintValue.length > 0 && (
        <Figures
          summary="By value"
          heads={["Value", "Users", "Would change"]}
          rows={byConstraintValue.map(({ contextName, value, contexts, changed }) => [
            `${contextName} ${value === null ? "absent" : value}`,
            number(contexts),
            number(changed.count),
          ])}
        />
      )}
    </li>
  );
}

interface FiguresProps {
  summary: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
}

function Figures({ summary, heads, rows }: FiguresProps) {
  return (
    <details className="request">
      <summary>{summary}</summary>
      <div className="scrolls" tabIndex={0} role="region" aria-label={summary}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {heads.map((head) => (
                <Table.Th key={head}>{head}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(([name, ...figures], at) => (
              <Table.Tr key={at}>
                <Table.Td className="breaks">
                  <bdi>{name}</bdi>
                </Table.Td>
                {figures.map((figure, column) => (
                  <Table.Td key={column} className="figures">
                    {figure}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </details>
  );
}
