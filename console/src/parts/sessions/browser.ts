/** Browsers by what they call themselves: the more special first, since most call themselves several things. */
const browsers: readonly [RegExp, string][] = [
  [/\b(?:Edg|EdgA|EdgiOS)\/(\d+)/, "Edge"],
  [/\b(?:OPR|OPiOS)\/(\d+)/, "Opera"],
  [/\bSamsungBrowser\/(\d+)/, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, "Safari"],
];

/** Devices, again the more special first. */
const devices: readonly [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/** Whoever made a name up can make a long one up. */
const longest = 60;

/** A browser and its device in words, such as “Firefox 140 on Linux”; what is no browser as it calls itself. */
export function browserOf(userAgent: string | null): string {
  if (!userAgent) return "unknown browser";
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (!version) continue;
    const device = devices.find(([one]) => one.test(userAgent))?.[1];
    return device ? `${name} ${version} on ${device}` : `${name} ${version}`;
  }
  return userAgent.length > longest ? `${userAgent.slice(0, longest - 1)}…` : userAgent;
}
