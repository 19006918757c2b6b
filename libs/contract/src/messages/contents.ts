// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { BlobRef } from '../delta.ts';

const closed = { additionalProperties: false } as const;

/**
 * The key for contents of a call that are stored by reference. It is sent to the one process and request that needs it.
 * It MUST NOT be stored, logged, recorded or returned.
 */
export const ContentKey = Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$', description: '32 bytes, base64' });
export type ContentKey = Static<typeof ContentKey>;

/** A key, with the attempt whose content it opens. */
export const ContentOpening = Type.Object({ key: ContentKey, attempt: Type.Integer({ minimum: 0 }) }, closed);
export type ContentOpening = Static<typeof ContentOpening>;

/**
 * kernel → orchestrator: the reference to a long result, and the key that opens it. `ref` is null if there is none by
 * reference, or it was erased; `opens` is null for a result from before contents were sealed.
 */
export const StoredResult = Type.Object(
  { v: Type.Literal(1), ref: Type.Union([BlobRef, Type.Null()]), opens: Type.Union([ContentOpening, Type.Null()]) },
  closed,
);
export type StoredResult = Static<typeof StoredResult>;
