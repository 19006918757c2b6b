// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { BlobRef } from '../delta.ts';

const closed = { additionalProperties: false } as const;

/**
 * Opens contents of a call that are kept by reference. It goes to the one process and request that needs it; it MUST
 * NOT be kept, logged, recorded or answered.
 */
export const ContentKey = Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$', description: '32 bytes, base64' });
export type ContentKey = Static<typeof ContentKey>;

/** A key with the attempt that it sealed a content for. */
export const ContentOpens = Type.Object({ key: ContentKey, attempt: Type.Integer({ minimum: 0 }) }, closed);
export type ContentOpens = Static<typeof ContentOpens>;

/**
 * kernel → orchestrator: where a long result is, and what opens it. `ref` null: there is none by reference, or it was
 * erased; `opens` null: it is of a time when none was sealed.
 */
export const StoredResult = Type.Object(
  { v: Type.Literal(1), ref: Type.Union([BlobRef, Type.Null()]), opens: Type.Union([ContentOpens, Type.Null()]) },
  closed,
);
export type StoredResult = Static<typeof StoredResult>;
