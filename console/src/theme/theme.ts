import {
  Drawer,
  Modal,
  Tooltip,
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from "@mantine/core";
import { charts, dark, light } from "./palette";

const shades = (...colours: string[]) => colours as unknown as MantineColorsTuple;

// Known to React, unknown to the types of a button that may be any element.
const close = { "aria-label": "Close" } as object;

export const theme = createTheme({
  primaryColor: "stone",
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  colors: {
    stone: shades(
      "#e7f5f6",
      "#cfe9eb",
      "#9dd6da",
      dark.accent,
      "#41aab1",
      "#2a8f96",
      "#17777e",
      light.accent,
      "#094b51",
      "#06363a",
    ),
    red: shades(
      "#fdeceb",
      "#fad5d2",
      "#f6b4af",
      dark.danger,
      "#e4645a",
      "#d6463b",
      "#c5352a",
      light.danger,
      "#8d1e17",
      "#6b1611",
    ),
    // The darkest shades are the grounds of the dark scheme.
    dark: shades(
      dark.text,
      "#c9ccc9",
      dark.muted,
      "#8b9398",
      dark.line,
      "#2b3237",
      dark.card,
      dark.page,
      "#101416",
      "#0c0f11",
    ),
  },
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "0.75rem", sm: "0.875rem", md: "1rem", lg: "1.25rem", xl: "1.5rem" },
  headings: {
    fontWeight: "600",
    sizes: { h1: { fontSize: "1.5rem" }, h2: { fontSize: "1.25rem" }, h3: { fontSize: "1rem" } },
  },
  defaultRadius: "sm",
  radius: { sm: "6px", md: "8px" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  cursorType: "pointer",
  respectReducedMotion: true,
  variantColorResolver: (input) => {
    const resolved = defaultVariantColorsResolver(input);
    const isAccent = input.color === undefined || input.color === "stone";
    if (input.variant === "filled" && isAccent) return { ...resolved, color: "var(--mantine-primary-color-contrast)" };
    if (input.variant === "filled" && input.color === "red") return { ...resolved, color: "var(--on-danger)" };
    return resolved;
  },
  components: {
    // Locking the page writes a style element; theme/page.css does it.
    Modal: Modal.extend({
      defaultProps: {
        lockScroll: false,
        transitionProps: { duration: 100 },
        closeButtonProps: close,
        attributes: { header: { role: "presentation" } },
      },
    }),
    Drawer: Drawer.extend({
      defaultProps: {
        lockScroll: false,
        position: "right",
        transitionProps: { duration: 100 },
        closeButtonProps: close,
        attributes: { header: { role: "presentation" } },
      },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: { multiline: true, maw: 320, events: { hover: true, focus: true, touch: true } },
    }),
  },
});

/** Our roles, and Mantine's own names for them. */
export const roles: CSSVariablesResolver = () => {
  const named = (palette: typeof light) => ({
    ...Object.fromEntries(
      Object.entries(palette).map(([role, colour]) => [
        `--${role.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
        colour,
      ]),
    ),
    ...Object.fromEntries(
      charts[palette === light ? "light" : "dark"].map((colour, at) => [`--chart-${at + 1}`, colour]),
    ),
    "--on-danger": palette === light ? "#FFFFFF" : "#1F0F0E",
    "--mantine-color-body": palette.card,
    "--mantine-color-text": palette.text,
    "--mantine-color-dimmed": palette.muted,
    "--mantine-color-default-border": palette.edge,
    "--mantine-color-gray-4": palette.edge,
    "--mantine-color-placeholder": palette.muted,
    "--mantine-color-anchor": palette.accent,
    "--mantine-color-error": palette.danger,
    "--mantine-primary-color-contrast": palette.onAccent,
    "--mantine-color-stone-light-color": palette.accent,
    "--mantine-color-stone-text": palette.accent,
    "--mantine-color-red-text": palette.danger,
    "--mantine-color-red-outline": palette.danger,
    "--mantine-color-red-light-color": palette.danger,
  });
  return { variables: {}, light: named(light), dark: named(dark) };
};
