// SPDX-License-Identifier: Apache-2.0
import { LOCAL_EMBEDDING, type InfoStoreSettings } from '@writ/contract';
import { invalid } from './info-store-error.ts';
import { LANGUAGES, parseStoreDefinition, type StoreDefinition } from './store-definition.ts';

/**
 * What the settings of a registered store make of it; its id is that of its resource.
 * @throws InfoStoreError `invalid`, with the place in `pointer`: an unknown language, or an unknown model of executors
 */
export function definitionOfSettings(
  resourceId: string,
  { embedding, text_config = 'simple' }: InfoStoreSettings,
): StoreDefinition {
  if (!LANGUAGES.some((one) => one === text_config))
    throw invalid('/text_config', `the languages are ${LANGUAGES.join(', ')}`);
  return parseStoreDefinition({
    store_id: resourceId,
    language: text_config,
    embedding: embedding === undefined ? null : modelOf(embedding),
  });
}

function modelOf(embedding: NonNullable<InfoStoreSettings['embedding']>): NonNullable<StoreDefinition['embedding']> {
  if (embedding.kind === 'openai') return { model: embedding.model, dimensions: embedding.dimensions };
  if (embedding.model === LOCAL_EMBEDDING.model) return LOCAL_EMBEDDING;
  throw invalid('/embedding/model', `executors have the model \`${LOCAL_EMBEDDING.model}\` alone`);
}
