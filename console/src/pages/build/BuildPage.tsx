import { useParams } from "@tanstack/react-router";
import { NotFound } from "../not-found/NotFound";
import { ContextFields } from "./context/ContextFields";
import { Environments } from "./environments/Environments";
import { Segments } from "./segments/Segments";
import { StrategyTypes } from "./strategies/StrategyTypes";
import { Tags } from "./tags/Tags";
import { FeatureTypes } from "./types/FeatureTypes";

const pages = {
  segments: Segments,
  context: ContextFields,
  tags: Tags,
  types: FeatureTypes,
  strategies: StrategyTypes,
  environments: Environments,
};

/** What features are built of. */
export default function BuildPage() {
  const { tab = "segments" } = useParams({ strict: false });
  if (!Object.hasOwn(pages, tab)) return <NotFound />;
  const Page = pages[tab as keyof typeof pages];
  return <Page key={tab} />;
}
