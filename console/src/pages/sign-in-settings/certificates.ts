/** What a list shows of an X.509 certificate. */
export interface Certificate {
  /** The common name of its subject, where it has one. */
  name: string | undefined;
  /** In upper-case hexadecimal. */
  serial: string;
  notBefore: string;
  notAfter: string;
}

interface Element {
  tag: number;
  content: Uint8Array;
}

/** Elements of a DER sequence; fails where a length reaches beyond the end. */
function elementsOf(der: Uint8Array): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < der.length;) {
    const tag = byteAt(der, at);
    let length = byteAt(der, at + 1);
    at += 2;
    if (length > 0x80) {
      const end = at + (length & 0x7f);
      for (length = 0; at < end; at += 1) length = length * 256 + byteAt(der, at);
    }
    if (at + length > der.length) throw new RangeError("the end is missing");
    elements.push({ tag, content: der.subarray(at, at + length) });
    at += length;
  }
  return elements;
}

function byteAt(der: Uint8Array, at: number): number {
  const byte = der[at];
  if (byte === undefined) throw new RangeError("the end is missing");
  return byte;
}

function partsOf(element: Element | undefined): Element[] {
  if (!element) throw new RangeError("a part is missing");
  return elementsOf(element.content);
}

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const explicitVersion = 0xa0;
const utcTime = 0x17;
const commonName = "550403";

/** A time of the validity: two digits of a year mean 1950 to 2049 (RFC 5280, 4.1.2.5.1). */
function timeOf({ tag, content }: Element): string {
  const written = String.fromCharCode(...content);
  const full = tag === utcTime ? `${written < "5" ? "20" : "19"}${written}` : written;
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`).toISOString();
}

function nameOf(subject: Element): string | undefined {
  for (const set of partsOf(subject)) {
    for (const pair of partsOf(set)) {
      const [type, value] = partsOf(pair);
      if (type && value && hex(type.content) === commonName) return new TextDecoder().decode(value.content);
    }
  }
  return undefined;
}

function read(base64: string): Certificate {
  const der = Uint8Array.from(atob(base64.replace(/\s/g, "")), (sign) => sign.charCodeAt(0));
  const [certificate] = elementsOf(der);
  const [signed] = partsOf(certificate);
  const fields = partsOf(signed);
  if (fields[0]?.tag === explicitVersion) fields.shift();
  const [serial, , , validity, subject] = fields;
  const [notBefore, notAfter] = partsOf(validity);
  if (!serial || !notBefore || !notAfter || !subject) throw new RangeError("a part is missing");
  return {
    name: nameOf(subject),
    serial: hex(serial.content)
      .replace(/^00(?=.)/, "")
      .toUpperCase(),
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
  };
}

/** The certificates of the setting: PEM, several PEM, or bare base64; nothing where one of them cannot be read. */
export function certificatesOf(setting: string): Certificate[] | undefined {
  const text = setting.replaceAll("\\n", "\n").replaceAll("\r\n", "\n");
  const encoded = text.includes("-----BEGIN ")
    ? [...text.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END/g)].map(([, body = ""]) => body)
    : text.replaceAll("\n\n", ",").split(",");
  const once = new Set(encoded.map((body) => body.replace(/\s/g, "")).filter(Boolean));
  try {
    return [...once].map(read);
  } catch {
    return undefined;
  }
}
