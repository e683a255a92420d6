import { useInstance } from "../../api/queries";
import classes from "./MaintenanceBand.module.css";

/** Says on every page why changes are refused. */
export function MaintenanceBand() {
  if (!useInstance()?.maintenanceMode) return null;
  return (
    <div role="status" className={classes.band}>
      Under maintenance: nobody can change anything until an administrator ends it.
    </div>
  );
}
