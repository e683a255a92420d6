import { useLocation } from "@tanstack/react-router";
import { useExactRead } from "../../api/queries";
import { request } from "../../api/request";
import { inZone } from "../zone";
import { projectOf } from "../project/offered";
import classes from "./FreezeBand.module.css";

const minute = 60_000;

/** When the environments of a project must stay as they are. */
const freezesRequest = (projectId: string) =>
  request("get", "/api/admin/projects/{projectId}/freeze", { params: { path: { projectId } } });

/** The freezes of a project that are in force, by environment. */
export function useFreezes(project: string | undefined) {
  const read = useExactRead(freezesRequest(project ?? ""), {
    enabled: project !== undefined,
    staleTime: minute,
    refetchInterval: minute,
  });
  const environments = read.data?.environments ?? [];
  return environments.flatMap(({ environment, freeze }) => (freeze?.active ? [{ environment, ...freeze }] : []));
}

/** On the pages of a project: which environments are frozen, until when, and why. */
export function FreezeBand() {
  const { pathname } = useLocation();
  return useFreezes(projectOf(pathname)).map(({ environment, until, zone, reason, exempt }) => (
    <div key={environment} role="status" className={`breaks ${classes.band}`}>
      <bdi>{environment}</bdi> is frozen
      {until ? ` until ${inZone(new Date(until), zone).slice(0, 16)} (${zone})` : ""}: <bdi>{reason}</bdi>. Flags can be
      switched off{exempt ? ", and your role is exempt from it" : ""}.
    </div>
  ));
}
