// SPDX-License-Identifier: Apache-2.0
// The table of requirements that Writ takes over from five systems, with the code and the tests that prove each.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { code, list } from './table.ts';

export const COVERAGE_FILE = 'docs/reference/seed-coverage.yaml';

const closed = { additionalProperties: false } as const;
const Text = Type.String({ minLength: 1 });

const Requirement = Type.Object(
  {
    id: Type.String({ pattern: '^[KXCYL][1-9][0-9]?[a-p]?$' }),
    requirement: Text,
    /** paths of the repository */
    code: Type.Array(Text, { minItems: 1 }),
    /** names of tests by the file of their spec; no names: the whole file */
    tests: Type.Optional(Type.Record(Text, Type.Array(Text))),
    /** why Writ does it in another way, or not at all */
    ruling: Type.Optional(Text),
    /** what is still being built for it: only for the ids that seed-coverage.spec.ts lists */
    open: Type.Optional(Text),
  },
  closed,
);
export type Requirement = Static<typeof Requirement>;

const Coverage = Type.Array(
  Type.Object({ system: Text, requirements: Type.Array(Requirement, { minItems: 1 }) }, closed),
  { minItems: 1 },
);
export type Coverage = Static<typeof Coverage>;

/** Reads the table. @throws Error that names each place where it has another form */
export function readCoverage(checkout: string): Coverage {
  const read: unknown = parse(readFileSync(join(checkout, COVERAGE_FILE), 'utf8'));
  const wrong = Value.Errors(Coverage, read).map(({ instancePath, message }) => `${instancePath}: ${message}`);
  if (wrong.length > 0) throw new Error(`${COVERAGE_FILE} has another form: ${wrong.join('; ')}`);
  return read as Coverage;
}

/** Whether the text of a spec has a test or a suite with exactly that title. */
export function hasTest(spec: string, title: string): boolean {
  const literal = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/['"`]/g, '\\\\?$&');
  return new RegExp(`\\(\\s*(['"\`])${literal}\\1\\s*,`).test(spec);
}

/** What is wrong with the table, as sentences: ids, paths, tests, and rows that nothing proves. */
export function coverageFaults(checkout: string, coverage: Coverage, open: readonly string[]): string[] {
  const rows = coverage.flatMap(({ requirements }) => requirements);
  const ids = rows.map(({ id }) => id);
  const isOpen = rows.filter((row) => row.open !== undefined).map(({ id }) => id);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: stands there twice`),
    ...rows.flatMap((row) => rowFaults(checkout, row)),
    ...isOpen.filter((id) => !open.includes(id)).map((id) => `${id}: is open, and not among those that may be`),
    ...open.filter((id) => !isOpen.includes(id)).map((id) => `${id}: may be open, and isn't: take it off the list`),
  ];
}

function rowFaults(checkout: string, { id, code: paths, tests = {}, ruling, open }: Requirement): string[] {
  const isProven = Object.keys(tests).length > 0 || ruling !== undefined || open !== undefined;
  return [
    ...(isProven ? [] : [`${id}: has neither test nor ruling`]),
    ...paths.filter((path) => !existsSync(join(checkout, path))).map((path) => `${id}: no code \`${path}\``),
    ...Object.entries(tests).flatMap(([file, titles]) => {
      if (!/\.(?:spec|contract)\.ts$/.test(file) || !existsSync(join(checkout, file)))
        return [`${id}: no spec \`${file}\``];
      const spec = readFileSync(join(checkout, file), 'utf8');
      return titles.filter((title) => !hasTest(spec, title)).map((title) => `${id}: no test "${title}" in ${file}`);
    }),
  ];
}

/** The table as Markdown: a part for each system, an item for each requirement. */
export function coverageBlock(checkout: string): string {
  return readCoverage(checkout)
    .map(({ system, requirements }) => `## ${system}\n\n${requirements.map(itemOf).join('\n\n')}`)
    .join('\n\n');
}

function itemOf({ id, requirement, code: paths, tests = {}, ruling, open }: Requirement): string {
  const proofs = Object.entries(tests).map(([file, titles]) =>
    titles.length === 0 ? code(file) : `${code(file)}: ${titles.map((title) => `"${title}"`).join(', ')}`,
  );
  return [
    `### ${id}\n`,
    list([requirement]).slice(2).replaceAll('\n  ', '\n'),
    '',
    list([
      ...(ruling === undefined ? [] : [`**Ruling:** ${ruling}`]),
      ...(open === undefined ? [] : [`**Being built:** ${open}`]),
      `**Code:** ${paths.map(code).join(', ')}`,
      ...proofs,
    ]),
  ].join('\n');
}
