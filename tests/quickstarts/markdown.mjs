// What a Markdown document tells its reader to do, section by section.

// The sections by their title; what stands before the first heading of the second rank is under "". Each is a list of
// steps: { run } is to be executed and may have `expected`, what the document shows of its output; { file, text } is to
// be written. The language of a fence says which: `sh` is executed, `text` and `json` after it are its output, and what
// has a name after the language is a file of that name.
export function read(markdown) {
  const sections = new Map();
  let steps = [];
  sections.set("", steps);
  const pattern = /^## (?<title>.+)$|^```(?<language>\w+)(?: (?<file>\S+))?\n(?<text>[^]*?)^```$/gm;
  for (const { groups } of markdown.matchAll(pattern)) {
    const { title, language, file, text } = groups;
    if (title) {
      steps = [];
      sections.set(title, steps);
    } else if (file) {
      steps.push({ file, text });
    } else if (language === "sh") {
      steps.push({ run: text });
    } else if (["text", "json"].includes(language)) {
      const last = steps.at(-1);
      if (!last?.run || last.expected) throw new Error(`nothing has this output:\n${text}`);
      last.expected = text;
    } else {
      throw new Error(`nobody knows what to do with this ${language}:\n${text}`);
    }
  }
  return sections;
}

// Whether an output is the one that a document shows, where … stands for anything within a line, and for any number of
// lines where it stands alone.
export function agrees(expected, output) {
  const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const within = (text) => text.split("…").map(literally).join(".*");
  const pattern = `${expected.trim()}\n`.split(/^…\n/m).map(within).join("(?:.*\\n)*");
  return new RegExp(`^${pattern}$`).test(`${output.trim()}\n`);
}
