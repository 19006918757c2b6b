// SPDX-License-Identifier: Apache-2.0
// `archives.ts --out DIR`: the files that docker/Dockerfile's build from sources copies into the image.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { explain } from '../explain.ts';
import { checkout, defaultStateDir } from '../setup.ts';
import { speechModelDir } from '../speech-model/ensure.ts';
import { SetupError } from '../setup-error.ts';
import { readRelease } from './release.ts';
import { writeArchives } from './writ-image.ts';

try {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  if (values.out === undefined) throw new SetupError('`--out` is missing: the folder for the archives');
  mkdirSync(values.out, { recursive: true });
  const cacheDir = join(defaultStateDir(process.env), 'cache');
  // `npm run speech-model` made it, where it could.
  const speechModel = speechModelDir(cacheDir);
  await writeArchives(
    { checkout, cacheDir },
    readRelease({ checkout, env: process.env }),
    values.out,
    existsSync(speechModel) ? speechModel : null,
  );
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
process.disconnect?.();
