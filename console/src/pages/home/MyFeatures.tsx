import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useEnvironments } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { idOf } from "../../parts/bulk/tasks";
import { EnvironmentName, environmentOption, isProduction } from "../../parts/EnvironmentName";
import { columnsOf, productionLast } from "../../parts/environments";
import { EnvironmentSwitch } from "../../parts/switches/EnvironmentSwitch";
import classes from "./Home.module.css";
import { number } from "../../words/counts";

type Flag = Schemas["PersonalDashboardFlag"];
type Found = Schemas["SearchFeature"];
const shown = 8;
const mostEnvironments = 3;

interface Props {
  flags: readonly Flag[];
  found: ReadonlyMap<string, Found>;
}

/** The features that one made or marked as a favourite, with their switches: a line each. */
export function MyFeatures({ flags, found }: Props) {
  const [all, setAll] = useState(false);
  const everywhere = useEnvironments();
  const environments = useMemo(() => {
    const names = new Set([...found.values()].flatMap((one) => one.environments.map(({ name }) => name)));
    return productionLast(
      columnsOf(
        everywhere.filter(({ name }) => names.has(name)),
        undefined,
        mostEnvironments,
      ),
    );
  }, [everywhere, found]);
  return (
    <section className="card" aria-label="My flags">
      <h2>My flags</h2>
      {flags.length === 0 ? (
        <p>
          You created none yet and have no favourites. <Link to="/features">All flags</Link> ·{" "}
          <Link to="/features" search={{ new: "true" }}>
            create one
          </Link>
        </p>
      ) : (
        <div className="scrolls" tabIndex={0} role="region" aria-label="Flags and switches">
          <table className={classes.flags}>
            <thead>
              <tr>
                <th>Name</th>
                {environments.map(({ name, type }) => (
                  <th key={name}>
                    <EnvironmentName name={name} type={type} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {flags.slice(0, all ? 100 : shown).map((flag) => (
                <Row key={idOf(flag)} flag={flag} found={found.get(idOf(flag))} environments={environments} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!all && flags.length > shown && (
        <Button variant="default" size="compact-sm" onClick={() => setAll(true)}>
          Show all {number(flags.length)}
        </Button>
      )}
    </section>
  );
}

interface RowProps {
  flag: Flag;
  found: Found | undefined;
  environments: readonly { name: string; type: string }[];
}

function Row({ flag: { name, project }, found, environments }: RowProps) {
  return (
    <tr>
      <td className={classes.flag} title={`${name} in ${project}`}>
        <Link to="/projects/$projectId/features/$featureName" params={{ projectId: project, featureName: name }}>
          <bdi>{name}</bdi>
        </Link>{" "}
        {found?.stale && <span className="chip warning">stale</span>}{" "}
        <span className="muted">
          <bdi>{project}</bdi>
        </span>
      </td>
      {environments.map((environment) => {
        const here = found?.environments.find((one) => one.name === environment.name);
        return (
          <td
            key={environment.name}
            data-label={environmentOption(environment).label}
            className={isProduction(environment.type) ? "production" : undefined}
          >
            {here && <EnvironmentSwitch projectId={project} featureName={name} environment={here} />}
          </td>
        );
      })}
    </tr>
  );
}
