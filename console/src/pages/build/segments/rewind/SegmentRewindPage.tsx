import { useParams } from "@tanstack/react-router";
import { useRead } from "../../../../api/queries";
import { onlyFor, type Schemas } from "../../../../api/request";
import { ActionButton } from "../../../../parts/ActionButton";
import type { Found } from "../../../../parts/rewind/eventsBack";
import { Log } from "../../../../parts/rewind/Log";
import { Moments } from "../../../../parts/rewind/Moments";
import { RewindArea } from "../../../../parts/rewind/RewindArea";
import { usePuttingBack } from "../../../../parts/rewind/usePuttingBack";
import { counted } from "../../../../words/counts";
import { Comparison } from "../../../feature/compare/Comparison";
import { differs } from "../../../feature/compare/comparison";
import { Uses } from "../../Uses";
import { featuresOf } from "../../uses";
import { planUpdate, segmentRequest, usesRequest, type Draft } from "../plans";
import { aspectsOf, birth, filtersOf, isAbout, states, wasOtherwise } from "./past";

/** A segment as it was after each of its events, what differs from now, and the way back to it. */
export default function SegmentRewindPage() {
  const { id = "" } = useParams({ strict: false });
  const read = useRead(segmentRequest(Number(id)));
  const { version } = read;
  return (
    <RewindArea name={read.data?.name ?? "a segment"} list="segments" read={read}>
      {(segment) => (
        <Log
          key={id}
          of={["segment", segment.id, version]}
          filters={filtersOf(segment)}
          birth={birth}
          isMeant={isAbout(segment.id)}
        >
          {(found) => <View key={version} segment={segment} version={version} found={found} />}
        </Log>
      )}
    </RewindArea>
  );
}

interface Shown {
  segment: Schemas["Segment"];
  version: string | undefined;
  found: Found;
}

/** Flags that are named before a change of their segment. */
const named = 10;

function View({ segment, version, found }: Shown) {
  const { putBack, busy } = usePuttingBack();
  const uses = useRead(usesRequest(segment.id));
  const flags = featuresOf(uses.data?.strategies ?? []);

  const restore = (now: Draft, then: Draft, when: string) =>
    putBack({
      title: `Put ${now.name} back`,
      action: "Put it back",
      danger: flags.length > 0,
      planned: [onlyFor(planUpdate(segment.id, then, now.project), version)],
      done: `${then.name} is as it was ${when}. The strategies that apply it follow at once.`,
      consequence: (
        <>
          The segment will be as it was {when}. Later changes of it are lost.{" "}
          {uses.isPending
            ? "Which flags use it is not known yet."
            : flags.length === 0
              ? "No flag that you may see uses it."
              : `${counted(flags.length, "flag")} ${flags.length === 1 ? "uses" : "use"} it, and ${flags.length === 1 ? "follows" : "follow"} at once:`}
          {flags.length > 0 && (
            <ul>
              {flags.slice(0, named).map(({ project, feature, environments }) => (
                <li key={`${project}/${feature}`}>
                  <bdi>{feature}</bdi> of <bdi>{project}</bdi>, in {environments.join(", ")}
                </li>
              ))}
              {flags.length > named && <li className="muted">and {counted(flags.length - named, "other flag")}</li>}
            </ul>
          )}
          <Comparison
            label="What changes of the segment"
            rows={aspectsOf(now, then).filter(differs)}
            heads={["Now", "Then"]}
          />
        </>
      ),
    });

  return (
    <>
      <Moments found={found} moments={states(segment, found.events)} birth={birth}>
        {({ now, then, when, heads }) => (
          <>
            <Comparison label="The segment, now and then" rows={aspectsOf(now, then)} heads={heads} />
            <div>
              <ActionButton
                request={planUpdate(segment.id, then, now.project)}
                place={{ project: then.project }}
                loading={busy}
                because={wasOtherwise(now, then) ? undefined : "It is so now."}
                onClick={() => void restore(now, then, when)}
              >
                Put this back …
              </ActionButton>
            </div>
          </>
        )}
      </Moments>
      <div className="card">
        <Uses read={usesRequest(segment.id)} />
      </div>
    </>
  );
}
