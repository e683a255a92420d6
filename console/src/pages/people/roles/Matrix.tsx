import { Checkbox } from "@mantine/core";
import { Fragment } from "react";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { Unread } from "../../../parts/Unread";
import { permissionName } from "../../../words/permissions";
import { byArea, grant, grantable, offered, toggled } from "./matrix";
import classes from "./Matrix.module.css";

/** As many as fill a drawer, so that what comes below is never seen to move. */
const rows = 40;

interface Props {
  /** What the role allows: permissions, some of them in one environment only. */
  grants: readonly string[];
  inProjects: boolean;
  /** Absent where it can only be looked at. */
  onChange?: (grants: string[]) => void;
}

/** What a role allows, by area: in roles of projects also for single environments. */
export function Matrix({ grants, inProjects, onChange }: Props) {
  const known = useRead(request("get", "/api/admin/permissions"), { staleTime: 60_000 });
  const environments = useRead(request("get", "/api/admin/environments"), { staleTime: 60_000 });
  if (!known.data || environments.isPending) return <Unread read={known} rows={rows} />;
  const columns = (inProjects && environments.data?.environments) || [];
  const held = new Set(grants);
  const box = (name: string, label: string, environment?: string) => {
    const isEverywhere = environment !== undefined && held.has(name);
    const on = isEverywhere || held.has(grant(name, environment));
    if (!onChange) {
      return (
        <span className={on ? "good" : "muted"}>
          <span aria-hidden>{on ? "✓" : "–"}</span>
          <span className="visually-hidden">{on ? "allowed" : "not allowed"}</span>
        </span>
      );
    }
    return (
      <Checkbox
        size="xs"
        aria-label={`${label} ${environment ? `in ${environment}` : "everywhere"}`}
        checked={on}
        disabled={isEverywhere}
        onChange={(event) => onChange(toggled(grants, name, environment, event.currentTarget.checked))}
      />
    );
  };
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="What the role allows">
      <table className={classes.matrix}>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            <th scope="col">Everywhere</th>
            {columns.map(({ name, type }) => (
              <th key={name} scope="col" className={isProduction(type) ? "production" : undefined}>
                <EnvironmentName name={name} type={type} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {byArea(offered(grantable(known.data.permissions, inProjects), grants)).map(({ label, permissions }) => (
            <Fragment key={label}>
              <tr>
                <th scope="rowgroup" colSpan={2 + columns.length} className={classes.area}>
                  {label}
                </th>
              </tr>
              {permissions.map(({ name, type }) => (
                <tr key={name}>
                  <th scope="row">{permissionName(name)}</th>
                  <td>{box(name, permissionName(name))}</td>
                  {columns.map((environment) => (
                    <td key={environment.name} className={isProduction(environment.type) ? "production" : undefined}>
                      {type === "environment" && box(name, permissionName(name), environment.name)}
                    </td>
                  ))}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
