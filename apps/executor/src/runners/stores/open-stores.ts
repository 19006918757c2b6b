// SPDX-License-Identifier: Apache-2.0
import type { Pool } from '@writ/database';
import { hasModel, OnnxEmbedder } from '@writ/embedding-onnx';
import { PgInfoStore } from '@writ/info-store-pg';
import type { ProcessContext } from '@writ/nest-kit';
import type { ExecutorConfig } from '../../config.env.ts';
import { StoreCalls } from './store-calls.ts';

/** Information stores, with the model of embeddings where its files are there. */
export async function openStores(
  { WRIT_EMBEDDING_MODEL_DIR: modelDir }: Pick<ExecutorConfig, 'WRIT_EMBEDDING_MODEL_DIR'>,
  pool: Pool,
  logger: ProcessContext['logger'],
): Promise<{ readonly stores: StoreCalls; readonly hasModel: boolean }> {
  const model = modelDir !== undefined && (await hasModel(modelDir)) ? new OnnxEmbedder({ modelDir }) : null;
  if (model === null)
    logger.info(
      { folder: modelDir ?? null },
      'the model of embeddings is not there: information stores find words alone (npm run embedding-model)',
    );
  return { stores: new StoreCalls(new PgInfoStore(pool), model), hasModel: model !== null };
}
