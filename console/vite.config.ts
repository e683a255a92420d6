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

/** Scripts only: their styles stay in one sheet, in the order that they need. */
const packages = /node_modules\/.*\.m?js$/;

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
            // What every page needs. Of packages, the modules that only some pages need come with those.
            { name: "vendor", test: packages, tags: ["$initial"], priority: 20 },
            { name: "frame", test: /src\//, tags: ["$initial"], priority: 20 },
            // What many pages share comes at once: each file of its own costs a request, its headers, and a dictionary.
            { name: "widgets", test: packages, minShareCount: 8, priority: 10 },
            { name: "parts", test: /src\//, minShareCount: 5, priority: 10 },
            // What editors of strategies share, without what a page of a flag shows of them anyway.
            { name: "variants", test: /src\/parts\/variants\/(WeightBar|Variants)/, minShareCount: 2, priority: 6 },
            { name: "strategies", test: /src\/pages\/feature\/strategy\//, minShareCount: 2, priority: 5 },
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
