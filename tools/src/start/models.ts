// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { chosenProvider } from '../job/models/choose.ts';
import type { Setup } from '../setup.ts';

/** The name of the model for sessions. The one model needs no option of `writ chat`. */
const NAME = 'default';
const RECORDED = 'recorded';
const FILE_MODE = 0o600;

/**
 * Writes the file of models for sessions, so that `writ chat` works without settings: the provider's model that drives
 * the job, else its transcript. The orchestrator wants a provider's key in a file of its own, which is deleted when the
 * environment has no key. Returns the path of the file.
 */
export function writeModelsFile({ checkout, stateDir, env }: Pick<Setup, 'checkout' | 'stateDir' | 'env'>): string {
  const folder = join(stateDir, 'models');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keyFile = join(folder, 'provider.key');
  const chosen = chosenProvider(env);
  if (chosen === null) rmSync(keyFile, { force: true });
  else writePrivate(keyFile, chosen.apiKey);
  const model =
    chosen === null
      ? {
          name: RECORDED,
          provider: 'transcript',
          transcript_file: relative(folder, join(checkout, 'examples', 'duration.transcript.json')),
        }
      : {
          name: NAME,
          provider: chosen.provider,
          model: chosen.model,
          ...(chosen.baseUrl ? { base_url: chosen.baseUrl } : {}),
          key_file: relative(folder, keyFile),
        };
  const path = join(folder, 'models.json');
  writePrivate(path, `${JSON.stringify({ models: [model] }, null, 2)}\n`);
  return path;
}

function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, { mode: FILE_MODE });
  // The mode above only applies to a new file.
  chmodSync(path, FILE_MODE);
}
