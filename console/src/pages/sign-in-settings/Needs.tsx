import classes from "../../parts/area/Area.module.css";
import { CopyValue } from "../../parts/SecretOnce";

/** Addresses of this server that are written into the forms of a login provider. */
export function Needs({ needs }: { needs: readonly (readonly [label: string, value: string])[] }) {
  return (
    <dl className={classes.facts}>
      {needs.map(([label, value]) => (
        <div key={label} className={classes.pair}>
          <dt>{label}</dt>
          <dd>
            <span className="mono">{value}</span> <CopyValue value={value} what={label} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
