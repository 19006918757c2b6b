// SPDX-License-Identifier: Apache-2.0
// Bounds of everything that a caller sends. Each bounds the work of one call, and so the memory of its process.

/** UTF-8 bytes of one document: a long book chapter, and some 4,000 chunks. */
export const DOCUMENT_BYTES_MAX = 4 * 1024 * 1024;
/** Documents of one change, upserts and deletes together. Publishing writes one row for each. */
export const DOCUMENTS_PER_CHANGE_MAX = 256;
/** UTF-8 bytes of all documents of one change. */
export const CHANGE_BYTES_MAX = 16 * 1024 * 1024;
/** UTF-16 code units of an id of a document or a store. */
export const ID_LENGTH_MAX = 256;
/** UTF-16 code units of a source: URLs are rarely longer. */
export const SOURCE_LENGTH_MAX = 2_048;
/** Members of the metadata of one document. */
export const METADATA_MEMBERS_MAX = 32;
/** UTF-16 code units of a text in metadata. */
export const METADATA_TEXT_LENGTH_MAX = 1_024;
/** UTF-16 code units of the text of a query. */
export const QUERY_LENGTH_MAX = 4_096;
/** Hits of one query: more than a model reads. */
export const HITS_MAX = 100;
/** Dimensions of an embedding: the largest of today's models has 4,096. */
export const DIMENSIONS_MAX = 4_096;
