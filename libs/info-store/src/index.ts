// SPDX-License-Identifier: Apache-2.0
export { changeOfCall, queryOfCall, storeCallFaults } from './call-arguments.ts';
export { CHUNK_OPTIONS, chunksOf, type Chunk, type ChunkOptions } from './chunker.ts';
export {
  parseChange,
  parseDocument,
  type Document,
  type EmbeddedChunk,
  type PreparedChange,
  type PreparedDocument,
  type StoreChange,
} from './document.ts';
export { parseFilter, RANGE_OPERATORS, type Filter, type RangeOperator } from './filter.ts';
export { filterMatches } from './filter-matches.ts';
export { filterPath, type FilterPath } from './filter-path.ts';
export {
  changeDiffers,
  changeUnknown,
  InfoStoreError,
  storeDiffers,
  storeUnknown,
  type InfoStoreReason,
} from './info-store-error.ts';
export {
  InfoStore,
  InfoStorePublisher,
  type PublishedChange,
  type PublishRequest,
  type StagedChange,
  type StoreStats,
} from './info-store.ts';
export {
  DIMENSIONS_MAX,
  DOCUMENTS_PER_CHANGE_MAX,
  HITS_MAX,
  ID_LENGTH_MAX,
  METADATA_MEMBERS_MAX,
  SOURCE_LENGTH_MAX,
} from './limits.ts';
export { MemoryInfoStore, MemoryInfoStorePublisher, memoryStores, type MemoryStores } from './memory-info-store.ts';
export {
  isMetadataName,
  isMetadataValue,
  isStorableText,
  parseMetadata,
  type Metadata,
  type MetadataValue,
} from './metadata.ts';
export { verifyModel, verifyQueryModel } from './model-checks.ts';
export { changeDigest, prepareChange, type PrepareOptions } from './prepare-change.ts';
export {
  parseQuery,
  QUERY_MODES,
  type Hit,
  type Query,
  type QueryMode,
  type QueryRequest,
  type QueryResult,
} from './query.ts';
export { fuseRankings, RANK_CONSTANT, type Fused } from './rank-fusion.ts';
export {
  isSameDefinition,
  LANGUAGES,
  parseStoreDefinition,
  type Language,
  type StoreDefinition,
} from './store-definition.ts';
export { definitionOfSettings } from './store-settings.ts';
