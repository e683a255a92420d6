/** Rows for a spreadsheet. A text that begins like a formula must not become one. */
export function csv(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) => {
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** Hands the reader a file of rows, which never leaves the browser. */
export function saveAsCsv(name: string, rows: Parameters<typeof csv>[0]) {
  saveAs(`${name}.csv`, "text/csv", csv(rows));
}

export const saveAs = (name: string, type: string, text: string) => save(name, new Blob([text], { type }));

export function save(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
