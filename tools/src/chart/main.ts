// SPDX-License-Identifier: Apache-2.0
// Regenerates the chart's generated files: `node tools/with-node.mjs tools/src/chart/main.ts`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { chartFiles } from './generated.ts';

for (const { path, text, made } of await chartFiles(checkout)) {
  if (text === made) continue;
  writeFileSync(join(checkout, path), made);
  process.stdout.write(`${path} was out of date\n`);
}
process.disconnect?.();
