// SPDX-License-Identifier: Apache-2.0
// Regenerates dashboards and rules: `node tools/with-node.mjs tools/src/dashboards/main.ts`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkout } from '../setup.ts';
import { generatedFiles } from './files.ts';

for (const [path, text] of generatedFiles()) {
  const file = join(checkout, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${path} was out of date\n`);
}
process.disconnect?.();
