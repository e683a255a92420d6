import { MantineProvider, localStorageColorSchemeManager } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/queries";
import { ConfirmDialog } from "./parts/confirm";
import { ConflictDialog } from "./parts/conflict/ConflictDialog";
import { StillWaiting } from "./parts/band/StillWaiting";
import { Notices } from "./parts/frame/Notices";
import { router } from "./router";
import { theme } from "./theme/theme";
import "./theme/styles";

const schemes = localStorageColorSchemeManager({ key: "flagstone.scheme" });
const place = document.getElementById("console");

if (place) {
  createRoot(place).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        colorSchemeManager={schemes}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <ConfirmDialog />
          <ConflictDialog />
          <StillWaiting />
          <Notices />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
