// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@writ/contract';
import { HOW_TO_GET_THE_MODEL, LOCAL_MODEL, MODEL_FILES, type ModelFile } from '../model-files.ts';

export type ModelBytes = Readonly<Record<keyof typeof MODEL_FILES, Uint8Array>>;

/**
 * Reads the files of the model. What is returned is what was hashed: nobody can exchange a file in between.
 *
 * @throws Fault `transcription.unavailable` for a file that is missing or another one
 */
export async function readModels(dir: string): Promise<ModelBytes> {
  const entries = await Promise.all(
    Object.entries(MODEL_FILES).map(async ([key, file]) => [key, await readModel(dir, file)] as const),
  );
  return Object.fromEntries(entries) as Record<keyof typeof MODEL_FILES, Uint8Array>;
}

async function readModel(dir: string, file: ModelFile): Promise<Uint8Array> {
  const bytes = await readFile(join(dir, file.name)).catch((cause: unknown) => {
    throw new Fault(
      'transcription.unavailable',
      `the model \`${LOCAL_MODEL.id}\` is missing: there is no \`${file.name}\`; ${HOW_TO_GET_THE_MODEL}`,
      { cause },
    );
  });
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256)
    throw new Fault(
      'transcription.unavailable',
      `the model \`${LOCAL_MODEL.id}\` has another \`${file.name}\` than it must have; ${HOW_TO_GET_THE_MODEL}`,
    );
  return bytes;
}
