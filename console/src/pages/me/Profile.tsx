import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { root } from "../../api/client";
import { me, useMe, useRead } from "../../api/queries";
import { request } from "../../api/request";
import areaClasses from "../../parts/area/Area.module.css";
import { Moment } from "../../parts/Moment";
import { nameOf } from "../../parts/people";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { Unread } from "../../parts/Unread";
import { permissionName } from "../../words/permissions";
import { placesOf } from "./places";

/** Who one is here, and what one may do. */
export function Profile() {
  const own = useMe();
  const read = useRead(request("get", "/api/admin/user/profile"));
  const roles = useRead(request("get", "/api/admin/user/roles"));
  if (!read.data || !own) return <Unread read={read} />;
  const { user, permissions } = own;
  const { rootRole, projects } = read.data;
  const names = (roles.data?.roles ?? [rootRole]).map(({ name }) => name).join(", ");
  return (
    <>
      <section className={`card ${areaClasses.narrow}`} aria-label="Profile">
        <dl className={areaClasses.facts}>
          <Fact label="Name" value={<bdi>{nameOf(user)}</bdi>} />
          {user.username && <Fact label="User name" value={<bdi>{user.username}</bdi>} />}
          {user.email && <Fact label="Email" value={<bdi>{user.email}</bdi>} />}
          <Fact label="Role" value={`${names}. ${rootRole.description ?? ""}`} />
          <Fact label="Here since" value={<Moment at={user.createdAt} />} />
          <Fact
            label="Projects"
            value={projects.map((project, at) => (
              <span key={project}>
                {at > 0 && ", "}
                <Link to="/projects/$projectId/features" params={{ projectId: project }}>
                  <bdi>{project}</bdi>
                </Link>
              </span>
            ))}
          />
        </dl>
        <form method="post" action={`${root}/logout`}>
          <Group mt="md">
            <Button type="submit" variant="default">
              Sign out
            </Button>
          </Group>
        </form>
      </section>
      <section className={`card ${areaClasses.narrow}`} aria-label="What I may do">
        <h2>What I may do</h2>
        {permissions.length === 0 && <p>Look at everything that is not hidden, and change nothing.</p>}
        <dl className={areaClasses.facts}>
          {placesOf(permissions).map(({ place, allowed }) => (
            <Fact key={place} label={place} value={allowed.map(permissionName).join(", ")} />
          ))}
        </dl>
        <RequestPreview requests={[me]} />
      </section>
    </>
  );
}

function Fact({ label, value }: { label: string; value: React.ReactNode }) {
  return (
    <div className={areaClasses.pair}>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
