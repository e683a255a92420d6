import { useParams } from "@tanstack/react-router";
import { NotFound } from "../not-found/NotFound";
import { Groups } from "./groups/Groups";
import { Inactive } from "./inactive/Inactive";
import { Invites } from "./invites/Invites";
import { ServiceAccounts } from "./programs/ServiceAccounts";
import { AccessRequests } from "./requests/AccessRequests";
import { Roles } from "./roles/Roles";
import { ActiveSessions } from "./sessions/ActiveSessions";
import { Users } from "./users/Users";

const pages = {
  users: Users,
  groups: Groups,
  roles: Roles,
  invites: Invites,
  "access-requests": AccessRequests,
  sessions: ActiveSessions,
  inactive: Inactive,
  programs: ServiceAccounts,
};

/** Who may come in, and what they may do. */
export default function PeoplePage() {
  const { tab = "users" } = useParams({ strict: false });
  if (!Object.hasOwn(pages, tab)) return <NotFound />;
  const Page = pages[tab as keyof typeof pages];
  return <Page key={tab} />;
}
