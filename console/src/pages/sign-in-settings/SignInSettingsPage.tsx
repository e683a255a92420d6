import { useParams } from "@tanstack/react-router";
import { Area } from "../../parts/area/Area";
import { arriving } from "../../parts/arriving";
import { NotFound } from "../not-found/NotFound";
import { settingsTabs } from "../../parts/settings";
import { Passwords } from "./Passwords";
import { Policy } from "./Policy";
import { Provider } from "./Provider";
import { SecondFactorPolicy } from "./SecondFactorPolicy";

const pages = {
  oidc: { title: "Sign in by OpenID Connect", Page: () => <Provider protocol="oidc" /> },
  saml: { title: "Sign in by SAML 2.0", Page: () => <Provider protocol="saml" /> },
  providers: { title: "Login providers", Page: arriving(() => import("./providers/Providers")) },
  password: {
    title: "Sign in by password",
    Page: () => (
      <>
        <Passwords />
        <SecondFactorPolicy />
      </>
    ),
  },
  accounts: { title: "Policy on accounts", Page: arriving(() => import("./accounts/Accounts")) },
  scim: { title: "Users and groups by SCIM", Page: arriving(() => import("./Scim")) },
  policy: { title: "Policy of login providers", Page: Policy },
  log: { title: "Sign-in log", Page: arriving(() => import("./Log")) },
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
