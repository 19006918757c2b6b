// SPDX-License-Identifier: Apache-2.0
export { enableVectorIndex, enableVectorIndexOn, INDEXED_DIMENSIONS, type SqlClient } from './enable-vector-index.ts';
export { publishFailure, registerFailure } from './failures.ts';
export { infoStoreSql } from './functions.ts';
export { PgInfoStore, SCANNED_CHUNKS, type PgInfoStoreOptions } from './pg-info-store.ts';
export { PgInfoStorePublisher } from './pg-info-store-publisher.ts';
export { VECTOR_CACHE_BYTES, VectorScanner, type Scan, type VectorScannerOptions } from './vector-scanner.ts';
