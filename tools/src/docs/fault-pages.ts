// SPDX-License-Identifier: Apache-2.0
// One page for each fault code, `docs/errors/<code>.md`: a problem's `type` is its address, and `writ` prints it.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FAULT_ANSWERS, FAULTS, isFaultCode } from '@writ/contract';
import { table } from './table.ts';

const FOLDER = 'docs/errors';
/** Questions of a person with the code, in this order. */
const SECTIONS = ['What happened', 'What to do', 'Example'] as const;

export const faultPagePath = (code: string): string => `${FOLDER}/${code}.md`;

/** The codes with a page. */
export const pagedCodes = (checkout: string): string[] =>
  globSync(`${FOLDER}/*.md`, { cwd: checkout })
    .map((path) => basename(path, '.md'))
    .filter((name) => name !== 'README')
    .sort();

const AGAIN = {
  never: 'never: the same request fails again',
  later: 'later: nothing happened',
  'same-key': 'with the same idempotency key: it may have happened',
} as const;

const ANSWERED = {
  problem: 'a problem: the request ends with it',
  result: 'a result: the call was refused or failed with it, with HTTP 200 and a receipt',
  both: 'a problem, or the result of a call with HTTP 200 and a receipt',
  internal: 'none: it is between processes, on a page, or in the state of a thing',
} as const;

/** The registry's entry of a code, for the head of its page. */
export function faultBlock(code: string): string {
  if (!isFaultCode(code)) throw new Error(`\`${code}\` has a page and is no fault code`);
  const { status, retry, message } = FAULTS[code];
  return `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}.\n\n${table(['HTTP', 'answer', 'try again'], [[String(status), ANSWERED[FAULT_ANSWERS[code]], AGAIN[retry]]])}`;
}

/** Missing or empty parts of a code's page; nothing for a complete one. */
export function pageFaults(checkout: string, code: string): string[] {
  let text: string;
  try {
    text = readFileSync(join(checkout, faultPagePath(code)), 'utf8');
  } catch {
    return [`${faultPagePath(code)} is not there: say what happened, what to do, and give an example`];
  }
  const title = text.startsWith(`# \`${code}\`\n`) ? [] : ['its title is not the code'];
  const parts = text
    .split(/^## /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()] as const);
  const order =
    parts.map(([name]) => name).join() === SECTIONS.join() ? [] : [`its sections are not ${SECTIONS.join(', ')}`];
  const short = parts.filter(([, body]) => body.length < 20).map(([name]) => `\`${name}\` says nothing`);
  return [...title, ...order, ...short].map((what) => `${faultPagePath(code)}: ${what}`);
}
