// SPDX-License-Identifier: Apache-2.0
// Regenerates the generated parts of the documents: `node tools/with-node.mjs tools/src/docs/main.ts`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { documentsOf } from './documents.ts';

for (const { path, text, made } of await documentsOf(checkout)) {
  if (text === made) continue;
  writeFileSync(join(checkout, path), made);
  process.stdout.write(`${path} was out of date\n`);
}
process.disconnect?.();
