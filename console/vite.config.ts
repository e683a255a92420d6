import react from "@vitejs/plugin-react";
import { defineConfig, runnerImport, type Plugin } from "vite";

/** Mantine would write its variables into a style element, which the policy forbids: they become a style sheet. */
function themeVariables(): Plugin {
  const name = "virtual:theme.css";
  return {
    name: "theme-variables",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    async load(id) {
      if (id !== `\0${name}`) return undefined;
      const { module } = await runnerImport<typeof import("./src/theme/variables")>("./src/theme/variables.ts");
      return module.variables;
    },
  };
}

/** What pages bring along that are opened later, if ever. */
const later = [
  "@mantine/(spotlight|form)",
  "@mantine/core/esm/components/(NumberInput|FileInput|FileButton|Autocomplete|MultiSelect|Slider)/",
  "react-number-format",
  "rfc6902",
];
const vendor = new RegExp(`node_modules/(?!${later.join("|")}).*\\.m?js$`);

const server = process.env.FLAGSTONE_URL ?? "http://127.0.0.1:4242";

export default defineConfig({
  base: "./",
  plugins: [react(), themeVariables()],
  build: {
    outDir: process.env.CONSOLE_DIST ?? "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
    license: { fileName: "licences.md" },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 30 },
            { name: "vendor", test: vendor, priority: 20 },
            // What many pages share comes at once: each file of its own costs a request, its headers, and a dictionary.
            { name: "parts", test: /src\/(parts|words|api)\//, minShareCount: 6, priority: 10 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/auth", "/invite", "/logout", "/docs", "/health"].map((path) => [path, server]),
    ),
  },
  test: { include: ["src/**/*.test.{ts,tsx}"] },
} as never);
