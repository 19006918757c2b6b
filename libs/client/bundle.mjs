// SPDX-License-Identifier: Apache-2.0
// Makes the package that users install, in dist/package: one ES module for any platform, and one file of types. Neither
// imports anything, so an installation needs no other package, and no library of types. Each adapter of a framework is
// a module and a file of types beside them, which import nothing but the types of the first.
import { build } from 'esbuild';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const here = fileURLToPath(new URL('.', import.meta.url));
const checkout = join(here, '../..');
const folder = process.argv[2] ?? join(here, 'dist/package');

/** Adapters of frameworks, each an entry point of the package. */
const ADAPTERS = ['ai', 'anthropic', 'claude-agent', 'langchain', 'openai', 'openai-agents'];

/** The client, as an adapter in the package imports it. */
const CLIENT = './index.js';

/** Node.js prints the whole line from which an error comes that nobody catches. */
const LINE_CHARACTERS = 120;

/** The folder of the innermost package in a path. */
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

const { metafile } = await build({
  absWorkingDir: checkout,
  entryPoints: [
    join(here, 'src/index.ts'),
    ...ADAPTERS.map((name) => ({ in: join(here, `src/adapters/${name}.ts`), out: name })),
  ],
  outdir: folder,
  bundle: true,
  metafile: true,
  // No module of Node.js resolves: what has one for Node.js alone fails the build.
  platform: 'neutral',
  mainFields: ['module', 'main'],
  // Portable SHA-256, Ed25519 and Base64.
  conditions: ['browser', '@writ/source', 'module'],
  target: 'es2022',
  format: 'esm',
  charset: 'utf8',
  // Names stay: a stack trace says where it comes from.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: LINE_CHARACTERS,
  legalComments: 'inline',
  logLevel: 'warning',
});

const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
if (left.length > 0) throw new Error(`the package would import ${left.join(', ')}`);

const index = join(here, 'dist/index.d.ts');
await writeFile(join(folder, 'index.d.ts'), typesOf(index));
const shared = exportedNames(index);
for (const name of ADAPTERS)
  await writeFile(join(folder, `${name}.d.ts`), adapterTypesOf(join(here, `dist/adapters/${name}.d.ts`), shared));
await writeFile(join(folder, 'THIRD-PARTY.txt'), licensesOf(Object.keys(metafile.inputs)));
await copyFile(join(checkout, 'LICENSE'), join(folder, 'LICENSE'));
await copyFile(join(here, 'README.md'), join(folder, 'README.md'));
const { name, version, license } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
const manifest = {
  name,
  version,
  description: 'Governed tool calls, approvals and receipts of Writ, for Node.js, Deno, Bun, browsers and the edge.',
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20.3' },
  exports: {
    ...Object.fromEntries(
      ['index', ...ADAPTERS].map((file) => [
        file === 'index' ? '.' : `./${file}`,
        { types: `./${file}.d.ts`, default: `./${file}.js` },
      ]),
    ),
    './package.json': './package.json',
  },
  types: './index.d.ts',
  files: ['*.js', '*.d.ts', 'THIRD-PARTY.txt'],
};
await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

/** The licenses of the packages in the bundle, which they ask for in each copy. */
function licensesOf(inputs) {
  const folders = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  return [...folders]
    .filter((path) => existsSync(join(checkout, path, 'package.json')))
    .sort()
    .map((path) => {
      const { name, version, license } = JSON.parse(readFileSync(join(checkout, path, 'package.json'), 'utf8'));
      const file = readdirSync(join(checkout, path)).find((one) => /^licen[cs]e/i.test(one));
      if (file === undefined) throw new Error(`\`${name}\` is in the package and has no file of its license`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(checkout, path, file), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** One file of types from those of the compiler, which import each other. Throws for an import of another package. */
function typesOf(entry) {
  const parts = new Map();
  readTypes(entry, parts);
  const names = new Map();
  for (const [file, { declared }] of parts)
    for (const one of declared) {
      if (names.has(one)) throw new Error(`\`${one}\` is declared in ${names.get(one)} and in ${file}`);
      names.set(one, file);
    }
  const exported = exportsOf(entry, parts);
  const missing = exported.filter(({ name }) => !names.has(name));
  if (missing.length > 0) throw new Error(`nothing declares ${missing.map(({ name }) => name).join(', ')}`);
  const list = exported.map(({ name, isType }) => `  ${isType ? 'type ' : ''}${name},`);
  const text = [...parts.values()].map((part) => part.text.trim()).filter((part) => part !== '');
  return `// SPDX-License-Identifier: Apache-2.0\n${text.join('\n')}\nexport {\n${list.join('\n')}\n};\n`;
}

/** What a file of types exports. */
function exportedNames(entry) {
  const parts = new Map();
  readTypes(entry, parts);
  return new Set(exportsOf(entry, parts).map(({ name }) => name));
}

/** The types of an adapter, which has those that it shares with the client from the client's file. */
function adapterTypesOf(file, shared) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023, true);
  const statements = source.statements.map((statement) => {
    if (!ts.isImportDeclaration(statement)) return statement.getText();
    const names = statement.importClause.namedBindings.elements.map((one) => one.name.text);
    const missing = names.filter((name) => !shared.has(name));
    if (missing.length > 0) throw new Error(`${file} has types that the client does not export: ${missing.join(', ')}`);
    targetOf(file, statement.moduleSpecifier.text);
    return `import type { ${names.join(', ')} } from '${CLIENT}';`;
  });
  return `// SPDX-License-Identifier: Apache-2.0\n${statements.join('\n')}\n`;
}

/** Reads a file of types and those that it imports, each once. */
function readTypes(file, parts) {
  if (parts.has(file)) return;
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023, true);
  const part = { text: '', declared: [], exports: [] };
  parts.set(file, part);
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier === undefined ? undefined : targetOf(file, statement.moduleSpecifier.text);
      if (from !== undefined) readTypes(from, parts);
      if (ts.isExportDeclaration(statement)) part.exports.push(...exportedBy(statement, from));
    } else {
      part.text += `${statement.getFullText().replace(/\bexport (?=declare |abstract |interface |type |class )/, '')}`;
      const names = ts.isVariableStatement(statement)
        ? statement.declarationList.declarations.map((one) => one.name.text)
        : [statement.name.text];
      // The overloads of a function are one name.
      for (const one of names) if (!part.declared.includes(one)) part.declared.push(one);
    }
  }
  part.text = part.text
    .replaceAll(/^(abstract class|class)/gm, 'declare $1')
    .replaceAll(/^\/\/ SPDX-License-Identifier: .*$/gm, '')
    .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '');
}

function targetOf(file, specifier) {
  if (!specifier.startsWith('.')) throw new Error(`${file} would import the types of \`${specifier}\``);
  return join(dirname(file), specifier.replace(/(?:\.d)?\.[jt]s$/, '.d.ts'));
}

function exportedBy({ exportClause, isTypeOnly }, from) {
  // `export type * from`: all that the other file declares.
  if (exportClause === undefined) return [{ all: from }];
  return exportClause.elements.map((one) => ({ name: one.name.text, isType: isTypeOnly || one.isTypeOnly }));
}

function exportsOf(entry, parts) {
  return parts
    .get(entry)
    .exports.flatMap(({ all, name, isType }) =>
      all === undefined ? [{ name, isType }] : parts.get(all).declared.map((one) => ({ name: one, isType: true })),
    );
}
