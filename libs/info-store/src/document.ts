// SPDX-License-Identifier: Apache-2.0
import { utf8Bytes } from '@writ/digest';
import type { Chunk } from './chunker.ts';
import { invalid } from './info-store-error.ts';
import {
  CHANGE_BYTES_MAX,
  DOCUMENT_BYTES_MAX,
  DOCUMENTS_PER_CHANGE_MAX,
  ID_LENGTH_MAX,
  SOURCE_LENGTH_MAX,
} from './limits.ts';
import { parseMetadata, parseText, type Metadata } from './metadata.ts';

/** A text that a store holds. Its id is unique in the store. */
export interface Document {
  readonly document_id: string;
  readonly text: string;
  /** where it comes from: a URL, a path or a title */
  readonly source: string;
  readonly metadata: Metadata;
}

/** What one call changes in a store: each document at most once, all of them or none. */
export interface StoreChange {
  readonly store_id: string;
  /** new documents, and new versions of documents */
  readonly upserts: readonly Document[];
  /** ids of documents to remove; one that isn't there is fine */
  readonly deletes: readonly string[];
}

/** A chunk with its embedding, which has the length 1; null in a store of texts alone. */
export interface EmbeddedChunk extends Chunk {
  readonly embedding: Float32Array | null;
}

/** A document that is ready to be staged. */
export interface PreparedDocument {
  readonly document: Document;
  readonly chunks: readonly EmbeddedChunk[];
}

/** A change whose documents are chunked and embedded. */
export interface PreparedChange {
  readonly change: StoreChange;
  readonly documents: readonly PreparedDocument[];
  /** the model of the embeddings; null if there are none */
  readonly model: string | null;
  /** SHA-256 of the change, see `changeDigest` */
  readonly digest: string;
}

/**
 * Checks a change that a caller sent.
 * @throws InfoStoreError `invalid`, with the place in `pointer`
 */
export function parseChange(value: unknown): StoreChange {
  const { store_id, upserts = [], deletes = [] } = parseObject(value, '', ['store_id', 'upserts', 'deletes']);
  const documents = parseList(upserts, '/upserts').map((each, n) => parseDocument(each, `/upserts/${n}`));
  const removed = parseList(deletes, '/deletes').map((each, n) => parseId(each, `/deletes/${n}`));
  const count = documents.length + removed.length;
  if (count === 0) throw invalid('', 'the change is empty: name a document in `upserts` or `deletes`');
  if (count > DOCUMENTS_PER_CHANGE_MAX)
    throw invalid('', `a change has at most ${DOCUMENTS_PER_CHANGE_MAX} documents, and this has ${count}: split it`);
  const ids = [...documents.map(({ document_id }) => document_id), ...removed];
  const repeated = ids.find((id, n) => ids.indexOf(id) !== n);
  if (repeated !== undefined) throw invalid('', `the change names the document \`${repeated}\` twice`);
  const bytes = documents.reduce((sum, { text }) => sum + utf8Bytes(text).length, 0);
  if (bytes > CHANGE_BYTES_MAX)
    throw invalid(
      '/upserts',
      `a change has at most ${CHANGE_BYTES_MAX} bytes of text, and this has ${bytes}: split it`,
    );
  return { store_id: parseId(store_id, '/store_id'), upserts: documents, deletes: removed };
}

/** @throws InfoStoreError `invalid` */
export function parseDocument(value: unknown, pointer: string): Document {
  const names = ['document_id', 'text', 'source', 'metadata'];
  const { document_id, text, source = '', metadata = {} } = parseObject(value, pointer, names);
  const content = parseText(text, `${pointer}/text`, DOCUMENT_BYTES_MAX);
  const bytes = utf8Bytes(content).length;
  if (bytes > DOCUMENT_BYTES_MAX)
    throw invalid(`${pointer}/text`, `a document has at most ${DOCUMENT_BYTES_MAX} bytes, and this has ${bytes}`);
  return {
    document_id: parseId(document_id, `${pointer}/document_id`),
    text: content,
    source: parseText(source, `${pointer}/source`, SOURCE_LENGTH_MAX),
    metadata: parseMetadata(metadata, `${pointer}/metadata`),
  };
}

/** @throws InfoStoreError `invalid` for an empty or long id, and for control characters */
export function parseId(value: unknown, pointer: string): string {
  const id = parseText(value, pointer, ID_LENGTH_MAX);
  if (!/^[^\p{Cc}]+$/u.test(id)) throw invalid(pointer, 'an id is not empty and has no control characters');
  return id;
}

/** @throws InfoStoreError `invalid` for another value than an object, and for a member that isn't named */
export function parseObject(value: unknown, pointer: string, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(pointer, 'an object is needed here');
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw invalid(pointer, `the member \`${unknown}\` is unknown here: the members are ${names.join(', ')}`);
  return value as Record<string, unknown>;
}

function parseList(value: unknown, pointer: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(pointer, 'a list is needed here');
  if (value.length > DOCUMENTS_PER_CHANGE_MAX)
    throw invalid(pointer, `the list has at most ${DOCUMENTS_PER_CHANGE_MAX} members: split the change`);
  return value as readonly unknown[];
}
