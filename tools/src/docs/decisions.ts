// SPDX-License-Identifier: Apache-2.0
// The form of architecture decision records: name, title, status, and a line in the index.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'docs/adr';
const FILE = /^(\d{4})-[a-z0-9-]+\.md$/;
const TITLE = /^# (\d{4})\. ([A-Z][^:]*: .*\S)$/;
const REFERENCE = String.raw`\[(\d{4})\]\((\d{4}-[a-z0-9-]+\.md)\)`;
/** The closed list of statuses. */
const STATUSES: readonly RegExp[] = [
  /^accepted$/,
  new RegExp(`^accepted, amended by ${REFERENCE}(?:, ${REFERENCE})*$`),
  new RegExp(`^superseded by ${REFERENCE}$`),
];

const fileNameOf = (number: string, title: string): string =>
  `${number}-${title
    .toLowerCase()
    .replaceAll("'s", 's')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')}.md`;

/** The first two paragraphs of a record. A formatter may wrap the second. */
function headOf(text: string): { readonly first: string; readonly status: string } {
  const [first = '', second = ''] = text.split('\n\n').map((paragraph) => paragraph.trim().replaceAll('\n', ' '));
  return { first, status: /^Status: (.*)$/.exec(second)?.[1] ?? '' };
}

/** The faults of one record. Its links may only lead to `files`. */
function faultsOf(file: string, text: string, files: ReadonlySet<string>): string[] {
  const { first, status } = headOf(text);
  const [, number = '', title = ''] = TITLE.exec(first) ?? [];
  if (title === '') return [`${file}: the title is not \`# NNNN. Subject: decision\``];
  const faults: string[] = [];
  if (fileNameOf(number, title) !== file) faults.push(`${file}: its title asks for ${fileNameOf(number, title)}`);
  if (!STATUSES.some((pattern) => pattern.test(status))) faults.push(`${file}: unknown status \`${status}\``);
  for (const [, shown = '', to = ''] of status.matchAll(new RegExp(REFERENCE, 'g')))
    if (!files.has(to) || !to.startsWith(shown) || to <= file) faults.push(`${file}: no later record ${to}`);
  return faults;
}

/** The line of a record in the index: title, link, status. */
function indexLineOf(file: string, text: string): string {
  const { first, status } = headOf(text);
  return `- [${first.replace(/^# /, '')}](${file}): ${status}`;
}

/**
 * The faults of a checkout's decision records, as sentences; empty without faults. Each record has a title, a status of
 * the closed list, and exactly one line in the index.
 */
export function decisionFaults(checkout: string): string[] {
  const folder = join(checkout, FOLDER);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const all = readdirSync(folder).filter((file) => file !== 'README.md');
  const files = all.filter((file) => FILE.test(file)).sort();
  const known = new Set(files);
  const numbers = files.map((file) => file.slice(0, 4));
  const wanted = files.map((file) => indexLineOf(file, read(file)));
  const lines = read('README.md')
    .replaceAll(/\n {2}(?=\S)/g, ' ')
    .split('\n')
    .filter((line) => /^- \[\d{4}\./.test(line));
  return [
    ...all.filter((file) => !FILE.test(file)).map((file) => `${file}: not a name of a record`),
    ...numbers.filter((number, index) => numbers.indexOf(number) !== index).map((number) => `${number}: used twice`),
    ...files.flatMap((file) => faultsOf(file, read(file), known)),
    ...wanted
      .filter((line) => lines.filter((other) => other === line).length !== 1)
      .map((line) => `README.md: not there exactly once: ${line}`),
    ...lines.filter((line) => !wanted.includes(line)).map((line) => `README.md: leads to no record: ${line}`),
  ];
}
