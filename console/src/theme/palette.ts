/** Colours by role. The contrasts that they must keep are those of `palette.test.ts`. */
export const light = {
  page: "#F6F5F2",
  card: "#FFFFFF",
  line: "#DAD7CF",
  text: "#1D2327",
  muted: "#596168",
  accent: "#0B5F66",
  onAccent: "#FFFFFF",
  edge: "#84898C",
  danger: "#B3261E",
  warning: "#8A5300",
  good: "#2E6B34",
  production: "#7A3E00",
  productionTint: "#FBF0E4",
  hover: "#EFEDE8",
};

export type Palette = typeof light;

export const dark: Palette = {
  page: "#14181B",
  card: "#1C2226",
  line: "#343B40",
  text: "#E8E6E1",
  muted: "#A6ADB1",
  accent: "#63C5CB",
  onAccent: "#0E1A1B",
  edge: "#7C858A",
  danger: "#F2938C",
  warning: "#E3B05C",
  good: "#86C98C",
  production: "#F0B072",
  productionTint: "#2A2119",
  hover: "#252C31",
};

/** Of lines and bars, in the order in which they are given out. */
export const charts = {
  light: ["#0B5F66", "#B18730", "#87010B", "#4D2281", "#0F9AF3"],
  dark: ["#63C5CB", "#FCCC6B", "#C16842", "#8847D7", "#44709E"],
};
