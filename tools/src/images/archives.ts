// SPDX-License-Identifier: Apache-2.0
// `archives.ts --out DIR`: what docker/Dockerfile's build from the sources copies into the image.
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { explain } from '../explain.ts';
import { checkout } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { readRelease } from './release.ts';
import { writeArchives } from './writ-image.ts';

try {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  if (values.out === undefined) throw new SetupError('`--out` is missing: the folder for the archives');
  mkdirSync(values.out, { recursive: true });
  await writeArchives({ checkout }, readRelease({ checkout, env: process.env }), values.out);
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
process.disconnect?.();
