import { IconFlag, IconFolders, IconHistory } from "@tabler/icons-react";
import {
  IconChartLine,
  IconFileExport,
  IconFileImport,
  IconFlask,
  IconGitPullRequest,
  IconHome,
  IconMap,
  IconPlug,
} from "@tabler/icons-react";

/** What the left side leads to. */
export const areas = [
  { name: "Home", to: "/", key: "g o", icon: IconHome },
  { name: "Feature flags", to: "/features", key: "g f", icon: IconFlag },
  { name: "Projects", to: "/projects", key: "g p", icon: IconFolders },
  { name: "Change requests", to: "/change-requests", key: "g r", icon: IconGitPullRequest },
  { name: "Event log", to: "/history", key: "g h", icon: IconHistory },
  { name: "Insights", to: "/insights", key: "g i", icon: IconChartLine },
  { name: "Playground", to: "/playground", key: "g y", icon: IconFlask },
  { name: "Connect", to: "/setup", key: "g c", icon: IconPlug },
] as const;

/** Pages that are found by name, and by links where they are of use. */
export const byName = [
  { name: "Import flags", to: "/import", icon: IconFileImport },
  { name: "Export flags", to: "/export", icon: IconFileExport },
  { name: "First steps", to: "/welcome", icon: IconMap },
] as const;
