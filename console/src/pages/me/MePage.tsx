import { useParams } from "@tanstack/react-router";
import { Area } from "../../parts/area/Area";
import { NotFound } from "../not-found/NotFound";
import { Look } from "./Look";
import { MyPassword } from "./MyPassword";
import { MySessions } from "./MySessions";
import { MyTokens } from "./MyTokens";
import { Profile } from "./Profile";
import { Security } from "./Security";

const pages = {
  profile: { label: "Profile", Page: Profile },
  tokens: { label: "API tokens", Page: MyTokens },
  sessions: { label: "Sessions", Page: MySessions },
  password: { label: "Password", Page: MyPassword },
  security: { label: "Security", Page: Security },
  look: { label: "Look and keys", Page: Look },
};

const tabs = Object.entries(pages).map(([tab, { label }]) => ({ label, to: `/me/${tab}` }));

/** The person who is signed in. */
export default function MePage() {
  const { tab = "profile" } = useParams({ strict: false });
  if (!Object.hasOwn(pages, tab)) return <NotFound />;
  const { Page } = pages[tab as keyof typeof pages];
  return (
    <Area key={tab} title="Me" tabs={tabs} fills={tab === "tokens" || tab === "sessions"}>
      <Page />
    </Area>
  );
}
