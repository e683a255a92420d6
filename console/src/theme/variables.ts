import {
  DEFAULT_THEME,
  convertCssVariables,
  defaultCssVariablesResolver,
  deepMerge,
  mergeMantineTheme,
} from "@mantine/core";
import { roles, theme } from "./theme";

const merged = mergeMantineTheme(DEFAULT_THEME, theme);

/** The style sheet of all colours and sizes, written when the console is built. */
export const variables = convertCssVariables(deepMerge(defaultCssVariablesResolver(merged), roles(merged)), ":root");
