// Bodies as values of a published type, judged by the compiler.

import path from 'node:path';

import ts from 'typescript';

const here = import.meta.dirname;
const options = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ES2022,
  types: ['node'],
};

/** What the compiler complains of in each body, were it given to the maker's own client. */
export function typeComplaints({ module, type }, bodies) {
  const file = path.join(here, 'made.ts');
  // A line for each, so that a complaint tells by its line whose it is. Line separators are none within JSON.
  const lines = bodies.map((body) => `told(${JSON.stringify(body).replace(/[\u2028\u2029]/g, ' ')});`);
  const head = `import type { ${type} } from '${module}'; declare function told(body: ${type}): void;`;
  const text = [head, ...lines].join('\n');
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, how, ...more) =>
    name === file ? ts.createSourceFile(name, text, how) : getSourceFile(name, how, ...more);
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  const elsewhere = [...program.getGlobalDiagnostics(), ...program.getSyntacticDiagnostics(source)];
  const complaints = bodies.map(() => []);
  for (const { messageText, start } of [...elsewhere, ...program.getSemanticDiagnostics(source)]) {
    const said = ts.flattenDiagnosticMessageText(messageText, '\n');
    const line = start === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line;
    // What is wrong with none of them, such as a package that is not there, is wrong with all.
    if (line === 0) complaints.forEach((some) => some.push(said));
    else complaints[line - 1].push(said);
  }
  return complaints;
}
