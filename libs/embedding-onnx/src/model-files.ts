// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_EMBEDDING } from '@writ/contract';
import type { EmbeddingModel } from '@writ/embedding';

/** A file in the model's folder. The process loads no other bytes under that name. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The model: sentence-transformers/all-MiniLM-L6-v2 with weights of 8 bits. ADR 0119 says why. */
export const LOCAL_MODEL: EmbeddingModel = LOCAL_EMBEDDING;

export const MODEL_FILES = {
  network: {
    name: 'model.onnx',
    bytes: 22_928_619,
    sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
  },
  tokenizer: {
    name: 'tokenizer.json',
    bytes: 466_247,
    sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
  },
} as const satisfies Readonly<Record<string, ModelFile>>;

/** Completes "the model … is missing". */
export const HOW_TO_GET_THE_MODEL = 'run `npm run embedding-model`, or name its folder';

/** Answers whether the folder has the model's files. Their bytes are checked when they are loaded. */
export async function hasModel(dir: string): Promise<boolean> {
  const files = Object.values(MODEL_FILES).map(({ name }) => access(join(dir, name)));
  return (await Promise.allSettled(files)).every(({ status }) => status === 'fulfilled');
}

/** Characters that distinguish models. */
const KEY_HEX = 12;

/** The model's folder in a cache: `.writ/cache` of a checkout. Another model has another folder. */
export function modelDirIn(cacheDir: string): string {
  const hashes = Object.values(MODEL_FILES).map(({ sha256 }) => sha256);
  const key = createHash('sha256').update(hashes.join()).digest('hex').slice(0, KEY_HEX);
  return join(cacheDir, `embedding-model-${key}`);
}
