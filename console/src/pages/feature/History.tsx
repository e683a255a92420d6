import { Events } from "../../parts/events/Events";
import type { Shown } from "./FeaturePage";

/** What happened to this feature. */
export const History = ({ feature }: Shown) => <Events filter={{ feature: `IS:${feature.name}` }} />;
