// SPDX-License-Identifier: Apache-2.0
// A process that behaves as its argument's last part says, instead of an engine.
import { basename } from 'node:path';
import { requestsOf, sendReply } from '@writ/engine-process';
import { LOCAL_MODEL } from '../model-files.ts';

const behaviour = basename(process.argv[2] ?? '');

/** Answers the process' id, which tells one process from another, and whether it sees a variable of ours. */
function vectorsOf(texts: readonly string[]): Uint8Array {
  const leaks = Object.keys(process.env).filter((name) => name.startsWith('WRIT')).length;
  const vector = new Float32Array(LOCAL_MODEL.dimensions);
  vector.set([process.pid, leaks]);
  return Buffer.concat(texts.map(() => new Uint8Array(vector.buffer)));
}

const ON_REQUEST: Readonly<Record<string, (texts: readonly string[]) => void>> = {
  'is-silent': () => undefined,
  'dies-at-work': () => process.exit(3),
  lies: () => sendReply(process.stdout, { type: 'vectors' }),
  'says-no-json': () => process.stdout.write(Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, ...Buffer.from('no!')])),
  'says-no-numbers': (texts) => {
    const bytes = new Float32Array(texts.length * LOCAL_MODEL.dimensions).fill(Number.NaN);
    sendReply(process.stdout, { type: 'vectors' }, new Uint8Array(bytes.buffer));
  },
  hoards: () => {
    const kept: Buffer[] = [];
    for (;;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  works: (texts) => void setTimeout(() => sendReply(process.stdout, { type: 'vectors' }, vectorsOf(texts)), 20),
};

if (behaviour === 'dies-at-once') process.exit(3);
if (behaviour !== 'never-starts') sendReply(process.stdout, { type: 'ready' });
for await (const { text } of requestsOf(process.stdin)) {
  const { texts } = JSON.parse(text) as { readonly texts: readonly string[] };
  ON_REQUEST[behaviour]?.(texts);
}
