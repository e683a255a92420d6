import {
  IconBrandGithub,
  IconBrandGitlab,
  IconBrandGoogle,
  IconBrandWindows,
  IconBuilding,
  IconCircle,
  IconHexagon,
  IconKey,
  IconShield,
  IconUsers,
} from "@tabler/icons-react";
import type { Schemas } from "../api/request";

type Icon = Schemas["SignInProviderIcon"];

const icons: Record<Icon, typeof IconKey> = {
  key: IconKey,
  shield: IconShield,
  building: IconBuilding,
  people: IconUsers,
  google: IconBrandGoogle,
  microsoft: IconBrandWindows,
  github: IconBrandGithub,
  gitlab: IconBrandGitlab,
  okta: IconCircle,
  keycloak: IconHexagon,
};

/** The icon of a login provider, beside its label. One that this console does not know is a key. */
export default function ProviderIcon({ icon, size = 18 }: { icon: Icon; size?: number }) {
  const Drawn = icons[icon] ?? IconKey;
  return <Drawn size={size} aria-hidden />;
}
