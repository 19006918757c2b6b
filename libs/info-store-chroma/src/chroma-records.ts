// SPDX-License-Identifier: Apache-2.0
import { InfoStoreError, type Metadata, type PreparedDocument } from '@writ/info-store';

/** Members of a record's metadata that say which document it belongs to. Documents have none of this prefix. */
const OWN = 'writ.';
export const DOCUMENT = 'writ.document_id';
export const CHUNK = 'writ.chunk';
export const SOURCE = 'writ.source';

/** A record of Chroma: one chunk. */
export interface ChromaRecord {
  readonly id: string;
  readonly embedding: Float32Array;
  readonly document: string;
  readonly metadata: Metadata;
}

/** @throws InfoStoreError `invalid` for metadata with our own names, `model_differs` for a chunk without a vector */
export function recordsOf({ document, chunks }: PreparedDocument): ChromaRecord[] {
  const { document_id, source, metadata } = document;
  const taken = Object.keys(metadata).find((name) => name.startsWith(OWN));
  if (taken !== undefined)
    throw new InfoStoreError('invalid', `metadata has no names that begin with \`${OWN}\`: rename \`${taken}\``);
  return chunks.map(({ index, text, embedding }) => {
    if (embedding === null) throw new InfoStoreError('model_differs', 'Chroma needs an embedding for each chunk');
    return {
      id: `${index}:${document_id}`,
      embedding,
      document: text,
      metadata: { ...metadata, [DOCUMENT]: document_id, [CHUNK]: index, [SOURCE]: source },
    };
  });
}
