import { Button, Tooltip, type ButtonProps } from "@mantine/core";
import { useDrafted, useWhyNot } from "../api/queries";
import { guardingProject } from "../api/guards";
import { proposalOf } from "../api/proposals";
import type { Place } from "../api/permissions";
import type { Planned } from "../api/request";
import type { ReactNode } from "react";
import { addToDraft } from "../words/drafts";

interface Props extends Pick<ButtonProps, "variant" | "color" | "size" | "leftSection" | "loading" | "className"> {
  /** What the click leads to; its permission decides. */
  request: Planned;
  place?: Place;
  /** Another reason why not. */
  because?: string;
  type?: "button" | "submit";
  /** Whether the click makes the call, and does not only lead to it: where that needs approval, it says so. */
  isFinal?: boolean;
  onClick?: () => void;
  children: ReactNode;
}

/** A button that tells why it does nothing, also to those who reach it by keyboard. */
export function ActionButton(props: Props) {
  const { request, place, because, onClick, type = "button", isFinal = type === "submit", children, ...looks } = props;
  const whyNot = useWhyNot(guardingProject(request))(request, place) ?? because;
  const isDrafted = useDrafted(isFinal ? proposalOf(request)?.project : undefined)(request) !== undefined;
  const button = (
    <Button
      {...looks}
      type={whyNot ? "button" : type}
      aria-disabled={whyNot ? true : undefined}
      data-disabled={whyNot ? true : undefined}
      onClick={whyNot ? undefined : onClick}
    >
      {isDrafted ? addToDraft : children}
    </Button>
  );
  return whyNot ? <Tooltip label={whyNot}>{button}</Tooltip> : button;
}
