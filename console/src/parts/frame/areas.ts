import { IconFlag, IconFolders, IconHistory } from "@tabler/icons-react";

/** What the left side leads to. */
export const areas = [
  { name: "Features", to: "/features", key: "g f", icon: IconFlag },
  { name: "Projects", to: "/projects", key: "g p", icon: IconFolders },
  { name: "History", to: "/history", key: "g h", icon: IconHistory },
] as const;
