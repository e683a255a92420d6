import { Group } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAddress } from "../../../parts/address";
import { Area } from "../../../parts/area/Area";
import classes from "../../../parts/area/Area.module.css";
import { Listing, type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { SearchField, holds } from "../../../parts/area/SearchField";
import { EditDrawer } from "../../../parts/forms/EditDrawer";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { useKeys } from "../../../parts/keys";
import { peopleTabs, standingOf, useRootRoles } from "../../../parts/people";
import { DirectorySection } from "../directory/DirectorySection";
import { ManagedBy } from "../directory/ManagedBy";
import { GroupFields, bodyOf, draftOf, noGroup } from "./GroupFields";

type Item = Schemas["Group"];

const create = (draft = noGroup) => request("post", "/api/admin/groups", { body: bodyOf(draft) });

/** People taken together, so that a role is given once. */
export function Groups() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/groups"));
  const roles = new Map(useRootRoles().map(({ id, name }) => [id, name]));
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New group", run: () => open("true") } });
  const groups = (read.data?.groups ?? []).filter(({ name, description, mappingsSSO }) =>
    holds(get("query"), name, description, ...mappingsSSO),
  );
  const show = ({ id }: Item) => change({ group: String(id) });
  const columns: Column<Item>[] = [
    {
      head: "Name",
      cell: (group) => <OpenRow name={group.name} note={group.description} onClick={() => show(group)} />,
    },
    { head: "Members", cell: ({ userCount }) => <span className="figures">{userCount}</span> },
    {
      head: "Projects",
      wide: true,
      cell: ({ projects }) => <bdi className="breaks">{projects.join(", ") || "–"}</bdi>,
    },
    { head: "Instance role", wide: true, cell: ({ rootRole }) => (rootRole ? (roles.get(rootRole) ?? "–") : "–") },
    {
      head: "Provider's groups",
      wide: true,
      cell: (group) => (
        <bdi className="breaks">
          {[standingOf(group), ...group.mappingsSSO].filter(Boolean).join(", ") || "by hand"}
        </bdi>
      ),
    },
  ];
  const id = Number(get("group"));

  return (
    <Area
      title="Groups"
      tabs={peopleTabs}
      fills
      action={
        <ActionButton request={create()} onClick={() => open("true")}>
          New group
        </ActionButton>
      }
    >
      <Group gap="sm" role="search" aria-label="Groups">
        <SearchField label="Name or provider's group" />
      </Group>
      <Listing
        label="Groups"
        read={read}
        items={groups}
        keyOf={({ id: of }) => String(of)}
        columns={columns}
        open={show}
        empty={
          get("query")
            ? "No group fits what is searched for."
            : "There is no group yet. A group holds a role in a project for all of its members."
        }
      />
      {get("new") !== undefined && (
        <NewDrawer
          title="New group"
          size="lg"
          initial={noGroup}
          plan={create}
          action={({ name }) => `Create ${name.trim() || "it"}`}
          done={({ name }) => `The group ${name.trim()} was created.`}
          objection={({ name }) => (name.trim() ? undefined : "A name is missing.")}
          onClose={() => open(undefined)}
        >
          {(draft, edit) => <GroupFields draft={draft} change={edit} />}
        </NewDrawer>
      )}
      {id > 0 && (
        <EditDrawer
          key={id}
          title="Group"
          size="lg"
          read={request("get", "/api/admin/groups/{groupId}", { params: { path: { groupId: id } } })}
          valuesOf={draftOf}
          plan={(draft) =>
            request("put", "/api/admin/groups/{groupId}", { params: { path: { groupId: id } }, body: bodyOf(draft) })
          }
          events={{ type: "IS:group-updated", query: `"id":${id},` }}
          done="The group is saved."
          objection={({ name }) => (name.trim() ? undefined : "A name is missing.")}
          onClose={() => change({ group: undefined })}
          below={(group) => (
            <>
              <DirectorySection
                what="group"
                name={group.name}
                managed={group}
                link={(directoryId) =>
                  request("post", "/api/admin/groups/{groupId}/scim-link", {
                    params: { path: { groupId: id }, query: { directoryId } },
                  })
                }
                unlink={request("delete", "/api/admin/groups/{groupId}/scim-link", {
                  params: { path: { groupId: id } },
                })}
              />
              <section className={classes.section} aria-label="Delete">
                <RemoveButton
                  what="group"
                  name={group.name}
                  request={request("delete", "/api/admin/groups/{groupId}", { params: { path: { groupId: id } } })}
                  seen={request("get", "/api/admin/groups/{groupId}", { params: { path: { groupId: id } } })}
                  consequence={<Consequence group={group} />}
                  onRemoved={() => change({ group: undefined })}
                />
              </section>
            </>
          )}
        >
          {(draft, edit, group) => (
            <>
              {group.scimId && (
                <ManagedBy managed={group}>While SCIM is on, its name and members are changed there.</ManagedBy>
              )}
              <GroupFields draft={draft} change={edit} />
            </>
          )}
        </EditDrawer>
      )}
    </Area>
  );
}

function Consequence({ group: { userCount, projects } }: { group: Item }) {
  return (
    <>
      Its {userCount} members lose the roles that they hold through it
      {projects.length > 0 && (
        <>
          , in {projects.length === 1 ? "the project" : "the projects"} <bdi>{projects.join(", ")}</bdi>
        </>
      )}
      .
    </>
  );
}
