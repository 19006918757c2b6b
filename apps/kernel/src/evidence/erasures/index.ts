// SPDX-License-Identifier: Apache-2.0
export { BeginErasure } from './begin-erasure.ts';
export { EraseBatches } from './erase-batches.ts';
export { KeepHashes } from './keep-hashes.ts';
export { erasureDigest } from './erasure-record.ts';
export { Erasures } from './erasures.ts';
export { ErasuresController } from './erasures.controller.ts';
export { TextErasureOrders } from './text-orders.ts';
export { RetainContents, RetentionRules } from './retention.ts';
