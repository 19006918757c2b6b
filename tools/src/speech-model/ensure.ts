// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { MODEL_FILES } from '@writ/transcription-local';
import { ensureModel } from '../models/ensure-model.ts';
import { SetupError } from '../setup-error.ts';
import type { Setup } from '../setup.ts';
import { MODEL_PACKAGES } from './table.ts';

/** Characters that distinguish states of the table. */
const KEY_HEX = 12;

/** The folder of the model's files, by the hashes of its files. */
export const speechModelDir = (cacheDir: string): string => {
  const key = createHash('sha256')
    .update(JSON.stringify(Object.values(MODEL_FILES).map(({ sha256 }) => sha256)))
    .digest('hex');
  return join(cacheDir, `speech-model-${key.slice(0, KEY_HEX)}`);
};

/** Gets the model of speech, as `ensureModel` does. @throws SetupError */
export const ensureSpeechModel = async (setup: Setup): Promise<string> =>
  await ensureModel(setup, {
    what: 'the model of speech',
    dir: speechModelDir(setup.cacheDir),
    files: Object.values(MODEL_FILES),
    packages: MODEL_PACKAGES,
  });

/** The folder of the model; null where it can't be had: an index of Python packages may be out of reach. */
export async function findSpeechModel(setup: Setup): Promise<string | null> {
  try {
    return await ensureSpeechModel(setup);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    setup.report(error.message);
    return null;
  }
}
