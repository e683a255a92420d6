// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { keyOf, queryClient } from "../../api/queries";
import { DraftNote } from "./DraftNote";
import { pendingRequest } from "./requests";

// The server does not answer.
vi.mock("../../api/client", async (actual) => ({ ...(await actual()), send: () => new Promise(() => undefined) }));
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

it("says nothing of the change request of another project, while its own is asked for", () => {
  const inReview = { id: 7, title: "Launch of the shop", state: "In review", environment: "production" };
  queryClient.setQueryData(keyOf(pendingRequest("shop")), { data: [inReview], version: undefined });
  const place = document.createElement("div");
  const root = createRoot(place);
  const show = (project: string) =>
    act(() =>
      root.render(
        <MantineProvider>
          <QueryClientProvider client={queryClient}>
            <DraftNote project={project} environment="production" />
          </QueryClientProvider>
        </MantineProvider>,
      ),
    );
  show("shop");
  expect(place.textContent).toContain("#7 “Launch of the shop”");
  show("bank");
  expect(place.textContent).toContain("this is added to your draft");
  expect(place.textContent).not.toContain("Launch of the shop");
  act(() => root.unmount());
});
