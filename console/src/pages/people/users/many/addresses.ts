export interface Address {
  email: string;
  name: string;
}

const named = /^(.*?)\s*<([^<>]*)>$/;

/** Addresses of a pasted text, by commas, semicolons or lines, each once; and what is none. */
export function addressesOf(text: string): { addresses: Address[]; others: string[] } {
  const addresses = new Map<string, Address>();
  const others: string[] = [];
  for (const piece of text.split(/[,;\n\r]+/)) {
    const written = piece.trim();
    if (!written) continue;
    const [, name = "", within = written] = named.exec(written) ?? [];
    const email = within.trim();
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) others.push(written);
    else if (!addresses.has(email.toLowerCase()))
      addresses.set(email.toLowerCase(), { email, name: name.replace(/^["']|["']$/g, "").trim() });
  }
  return { addresses: [...addresses.values()], others };
}
