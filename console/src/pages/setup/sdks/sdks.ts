import { browser } from "./browser";
import { mobile } from "./mobile";
import { http, openFeature } from "./openFeature";
import type { Sdk } from "./sdk";
import { server } from "./server";

const groups: Record<string, Record<string, Sdk>> = {
  Server: server,
  Browser: browser,
  Mobile: mobile,
  OpenFeature: openFeature,
  HTTP: http,
};

export const sdks: Record<string, Sdk> = { ...server, ...browser, ...mobile, ...openFeature, ...http };

export const sdkOptions = Object.entries(groups).map(([group, members]) => ({
  group,
  items: Object.entries(members).map(([value, { label }]) => ({ value, label })),
}));
