import { Avatar, Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import {
  IconBook,
  IconClock,
  IconDeviceDesktop,
  IconLicense,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { root } from "../../api/client";
import type { Schemas } from "../../api/request";
import { arriving } from "../arriving";
import { nameOf } from "../people";
import { useZone } from "../zone";

const ZoneDialog = arriving(() => import("./ZoneDialog"), { waiting: null, isBeside: true });

const initials = (name: string) =>
  name
    .split(/[\s._-]+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("")
    .toUpperCase();

/** The person, the look, and the way out. Signing out is a form, since a login provider may want to be visited. */
export function MyMenu({ user }: { user: Schemas["User"] }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const name = nameOf(user);
  const zone = useZone();
  const [isChoosing, setChoosing] = useState(false);
  const schemes = [
    { value: "auto", label: "As the system", icon: IconDeviceDesktop },
    { value: "light", label: "Light", icon: IconSun, IconUser },
    { value: "dark", label: "Dark", icon: IconMoon },
  ] as const;
  return (
    <>
      {/* Outside the menu, which is gone once something in it was chosen. */}
      <form ref={form} method="post" action={`${root}/logout`} hidden />
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <UnstyledButton>
            <span className="visually-hidden">Me: {name}</span>
            <Avatar size={30} radius="xl" color="stone" variant="filled" alt="" aria-hidden>
              {initials(name)}
            </Avatar>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label className="breaks">{name}</Menu.Label>
          {schemes.map(({ value, label, icon: Icon }) => (
            <Menu.Item
              key={value}
              leftSection={<Icon size={16} aria-hidden />}
              onClick={() => setColorScheme(value)}
              rightSection={colorScheme === value ? "✓" : undefined}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconClock size={16} aria-hidden />} onClick={() => setChoosing(true)}>
            Time zone: {zone} …
          </Menu.Item>
          <Menu.Item
            leftSection={<IconUser size={16} aria-hidden />}
            onClick={() => void navigate({ to: "/me/$tab", params: { tab: "profile" } })}
          >
            Me: profile, tokens, password
          </Menu.Item>
          <Menu.Item
            component="a"
            href={`${root}/console/licences`}
            leftSection={<IconLicense size={16} aria-hidden />}
          >
            Licences of what this page is made of
          </Menu.Item>
          <Menu.Item component="a" href={`${root}/docs/`} leftSection={<IconBook size={16} aria-hidden />}>
            Read about the API
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => form.current?.submit()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChoosing && <ZoneDialog onClose={() => setChoosing(false)} />}
    </>
  );
}
