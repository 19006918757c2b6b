// SPDX-License-Identifier: Apache-2.0
// The conversation of an example: its first message is an argument, and `--resume` goes on with the one that was kept.
import { readFileSync, writeFileSync } from 'node:fs';

const [, , prompt = 'refund 500'] = process.argv;

export const isResumed = prompt === '--resume';
export { prompt };

/** What an earlier process kept. */
export const kept = () => JSON.parse(readFileSync('state.json', 'utf8'));

/** A call is held: keeps what goes on later, and says which operation it is. */
export function keep(state, operation) {
  writeFileSync('state.json', JSON.stringify(state));
  console.log(JSON.stringify({ held: operation }));
}

export const finish = (text) => console.log(JSON.stringify({ text }));
