import { useParams } from "@tanstack/react-router";
import { Area } from "../../parts/area/Area";
import { NotFound } from "../not-found/NotFound";
import { settingsTabs } from "../../parts/settings";
import { Log } from "./Log";
import { Passwords } from "./Passwords";
import { Policy } from "./Policy";
import { Provider } from "./Provider";
import { Scim } from "./Scim";
import { SecondFactorPolicy } from "./SecondFactorPolicy";

const pages = {
  oidc: { title: "Sign in by OpenID Connect", Page: () => <Provider protocol="oidc" /> },
  saml: { title: "Sign in by SAML 2.0", Page: () => <Provider protocol="saml" /> },
  password: {
    title: "Sign in by password",
    Page: () => (
      <>
        <Passwords />
        <SecondFactorPolicy />
      </>
    ),
  },
  scim: { title: "Users and groups by SCIM", Page: Scim },
  policy: { title: "Policy of login providers", Page: Policy },
  log: { title: "Sign-in log", Page: Log },
};

/** How people come in. */
export default function SignInSettingsPage() {
  const { tab = "oidc" } = useParams({ strict: false });
  if (!Object.hasOwn(pages, tab)) return <NotFound />;
  const { title, Page } = pages[tab as keyof typeof pages];
  return (
    <Area key={tab} title={title} tabs={settingsTabs} fills={tab === "log"}>
      <Page />
    </Area>
  );
}
