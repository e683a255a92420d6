import { Link } from "@tanstack/react-router";
import { useEnvironments } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { EnvironmentName } from "../EnvironmentName";
import { actorOf } from "./actor";
import { sentence, type Piece } from "./sentence";
import { WithMoments } from "../Moment";

/** An event as a sentence, whose names are links. */
export function Sentence({ event, isOfOneFlag }: { event: Schemas["Event"]; isOfOneFlag?: boolean }) {
  const environments = useEnvironments();
  const shown = ({ text, kind }: Piece) => {
    if (kind === "environment")
      return <EnvironmentName name={text} type={environments.find(({ name }) => name === text)?.type} />;
    if (kind === "feature" && event.project && event.featureName) {
      return (
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: event.project, featureName: event.featureName }}
        >
          <bdi>{text}</bdi>
        </Link>
      );
    }
    return kind ? <bdi>{text}</bdi> : <WithMoments text={text} />;
  };
  return (
    <span className="breaks">
      <strong>
        <bdi>{actorOf(event)}</bdi>
      </strong>{" "}
      {sentence(event, { isOfOneFlag }).map((piece, at) => (
        <span key={at}>{shown(piece)}</span>
      ))}
    </span>
  );
}
