import { Button, Tooltip, type ButtonProps } from "@mantine/core";
import { useWhyNot } from "../api/queries";
import type { Place } from "../api/permissions";
import type { Planned } from "../api/request";
import type { ReactNode } from "react";

interface Props extends Pick<ButtonProps, "variant" | "color" | "size" | "leftSection" | "loading" | "className"> {
  /** What the click leads to; its permission decides. */
  request: Planned;
  place?: Place;
  /** Another reason why not. */
  because?: string;
  type?: "button" | "submit";
  onClick?: () => void;
  children: ReactNode;
}

/** A button that tells why it does nothing, also to those who reach it by keyboard. */
export function ActionButton({ request, place, because, onClick, type = "button", children, ...looks }: Props) {
  const whyNot = useWhyNot()(request, place) ?? because;
  const button = (
    <Button
      {...looks}
      type={whyNot ? "button" : type}
      aria-disabled={whyNot ? true : undefined}
      data-disabled={whyNot ? true : undefined}
      onClick={whyNot ? undefined : onClick}
    >
      {children}
    </Button>
  );
  return whyNot ? <Tooltip label={whyNot}>{button}</Tooltip> : button;
}
