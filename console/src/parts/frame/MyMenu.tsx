import { Avatar, Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { IconBook, IconDeviceDesktop, IconLogout, IconMoon, IconSun } from "@tabler/icons-react";
import { useRef } from "react";
import { root } from "../../api/client";
import type { Schemas } from "../../api/request";

export const nameOf = ({ name, username, email, id }: Schemas["User"]) => name || username || email || `user ${id}`;

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
  const form = useRef<HTMLFormElement>(null);
  const name = nameOf(user);
  const schemes = [
    { value: "auto", label: "As the system", icon: IconDeviceDesktop },
    { value: "light", label: "Light", icon: IconSun },
    { value: "dark", label: "Dark", icon: IconMoon },
  ] as const;
  return (
    <>
      {/* Outside the menu, which is gone once something in it was chosen. */}
      <form ref={form} method="post" action={`${root}/logout`} hidden />
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <UnstyledButton aria-label={`Me: ${name}`}>
            <Avatar size={30} radius="xl" color="stone" variant="filled" alt="">
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
          <Menu.Item component="a" href={`${root}/docs/`} leftSection={<IconBook size={16} aria-hidden />}>
            Read about the API
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => form.current?.submit()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
