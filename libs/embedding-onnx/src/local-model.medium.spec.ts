// SPDX-License-Identifier: Apache-2.0
// The model itself. `npm run embedding-model` gets it; without it these are skipped by name.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedderContract } from '@writ/embedding/contract';
import { repositoryRoot } from '@writ/testing';
import { hasModel, modelDirIn, OnnxEmbedder } from './index.ts';

const modelDir = modelDirIn(join(repositoryRoot(), '.writ', 'cache'));
const isThere = await hasModel(modelDir);

describe.skipIf(!isThere)('the local model (skipped without `npm run embedding-model`)', () => {
  embedderContract('it', async () => {
    const embedder = new OnnxEmbedder({ modelDir });
    return { embedder, close: () => embedder.close() };
  });

  it('works where there is no shell, as in the images of the services', async () => {
    const embedder = new OnnxEmbedder({ modelDir, shell: '/no/shell' });
    expect(await embedder.embed(['x'])).toEqual([expect.objectContaining({ length: embedder.dimensions })]);
    await embedder.close();
  });

  it('finds meaning, and not words alone', async () => {
    const embedder = new OnnxEmbedder({ modelDir });
    const [question, answer, other] = await embedder.embed([
      'How do I reset my password?',
      'I forgot my login credentials',
      'The reset button of my washing machine',
    ]);
    await embedder.close();
    const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, each, n) => sum + each * b[n]!, 0);
    expect(cosine(question!, answer!)).toBeCloseTo(0.678, 2);
    expect(cosine(question!, answer!)).toBeGreaterThan(cosine(question!, other!) + 0.2);
  });

  it('is refused if a file has other bytes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'model-'));
    try {
      await cp(modelDir, folder, { recursive: true });
      await writeFile(join(folder, 'tokenizer.json'), '{}');
      const embedder = new OnnxEmbedder({ modelDir: folder });
      await expect(embedder.embed(['x'])).rejects.toMatchObject({
        reason: 'missing',
        message: expect.stringContaining('other bytes'),
      });
      await embedder.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
