import { Link } from "@tanstack/react-router";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { useAddress } from "../../../parts/address";
import areaClasses from "../../../parts/area/Area.module.css";
import { type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { EditDrawer } from "../../../parts/forms/EditDrawer";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { constraintSentence } from "../../../parts/strategies/audience";
import { constraintObjections } from "../../../parts/strategies/values";
import { BuildList } from "../BuildList";
import { Uses } from "../Uses";
import { usedIn } from "../uses";
import {
  draftOf,
  noSegment,
  permitted,
  planNew,
  planRemoval,
  planUpdate,
  segmentRequest,
  type Draft,
  usesRequest,
} from "./plans";
import { SegmentFields } from "./SegmentFields";
import { WithMoments } from "../../../parts/Moment";

type Segment = Schemas["Segment"];

const lacking = ({ name, constraints }: Draft, stored?: Draft) =>
  name.trim() ? constraintObjections(constraints, stored?.constraints)[0] : "A name is missing.";

/** Conditions under a name, which many strategies share. */
export function Segments() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/segments"));
  const segments = read.data?.segments ?? [];
  const close = () => change({ new: undefined, open: undefined });
  const columns: Column<Segment>[] = [
    {
      head: "Name",
      cell: ({ id, name, description }) => (
        <OpenRow name={name} note={description} onClick={() => change({ open: String(id) })} />
      ),
    },
    {
      head: "Constraints",
      wide: true,
      cell: ({ constraints }) => (
        <div className={`breaks ${areaClasses.room}`} dir="auto">
          {constraints.length === 0 ? (
            "everybody"
          ) : constraints.length > 2 ? (
            `${constraints.length} constraints`
          ) : (
            <WithMoments text={constraints.map(constraintSentence).join(" and ")} />
          )}
        </div>
      ),
    },
    { head: "For", wide: true, cell: ({ project }) => <bdi>{project ?? "all projects"}</bdi> },
    { head: "Used by", cell: ({ usedInFeatures, usedInProjects }) => usedIn(usedInFeatures, usedInProjects) },
  ];
  const id = Number(get("open"));
  const listed = segments.find((segment) => segment.id === id);

  return (
    <BuildList
      title="Segments"
      one="segment"
      read={read}
      items={segments}
      keyOf={(segment) => String(segment.id)}
      texts={({ name, description, project }) => [name, description, project]}
      columns={columns}
      create={permitted("CREATE", planNew({ ...noSegment, name: "…" }), "")}
      empty="There is no segment yet. A segment holds constraints that many strategies share, such as “staff”."
    >
      {get("new") !== undefined && (
        <NewDrawer
          title="New segment"
          size="lg"
          initial={noSegment}
          plan={(draft) => permitted("CREATE", planNew(draft), draft.project)}
          place={({ project }) => ({ project })}
          action={({ name }) => `Create ${name.trim() || "it"}`}
          done={({ name }) => `The segment ${name.trim()} was created.`}
          objection={(draft) => lacking(draft)}
          onClose={close}
        >
          {(draft, edit) => <SegmentFields draft={draft} change={edit} />}
        </NewDrawer>
      )}
      {id > 0 && (
        <EditDrawer
          key={id}
          title="Segment"
          size="lg"
          read={segmentRequest(id)}
          valuesOf={draftOf}
          plan={(draft) => planUpdate(id, draft, listed ? (listed.project ?? "") : draft.project)}
          place={({ project }) => ({ project })}
          events={{ type: "IS:segment-updated", query: listed?.name ?? "" }}
          done="The segment is saved. The strategies that apply it follow at once."
          objection={lacking}
          onClose={close}
          below={(segment) => (
            <>
              <Uses read={usesRequest(id)} />
              <section className={areaClasses.section} aria-label="Rewind">
                <Link to="/build/segments/$id/rewind" params={{ id: String(id) }}>
                  Rewind: what it was at another time
                </Link>
              </section>
              <section className={areaClasses.section} aria-label="Delete">
                <RemoveButton
                  what="segment"
                  name={segment.name}
                  request={permitted("DELETE", planRemoval(id), segment.project ?? "")}
                  seen={segmentRequest(id)}
                  place={{ project: segment.project ?? undefined }}
                  because={
                    listed?.usedInFeatures
                      ? `It is used by ${usedIn(listed.usedInFeatures, listed.usedInProjects)}, named above: take it off their strategies first.`
                      : undefined
                  }
                  consequence="No strategy that you may see applies it."
                  onRemoved={close}
                />
              </section>
            </>
          )}
        >
          {(draft, edit) => <SegmentFields draft={draft} change={edit} />}
        </EditDrawer>
      )}
    </BuildList>
  );
}
