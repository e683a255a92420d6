import { UnstyledButton } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";
import { request } from "../api/request";
import { useAct } from "./act";
import classes from "./Favourite.module.css";

interface Props {
  feature: { project: string; name: string; favorite?: boolean };
}

/** The star of a flag: favourites stand first in lists, and on Home. */
export function Favourite({ feature: { project, name, favorite } }: Props) {
  const { act, busy } = useAct();
  const path = { projectId: project, featureName: name };
  const to = "/api/admin/projects/{projectId}/features/{featureName}/favorites";
  const change = () =>
    act({
      request: favorite ? request("delete", to, { params: { path } }) : request("post", to, { params: { path } }),
    });
  const Icon = favorite ? IconStarFilled : IconStar;
  return (
    <UnstyledButton
      className={classes.star}
      aria-pressed={favorite ?? false}
      aria-label={`Favourite: ${name}`}
      aria-disabled={busy || undefined}
      onClick={() => {
        if (!busy) void change();
      }}
    >
      <Icon size={16} aria-hidden />
    </UnstyledButton>
  );
}
