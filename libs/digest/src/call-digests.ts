// SPDX-License-Identifier: Apache-2.0
//
// The digests that bind a call: the request (args_hash), the decision (action digest), the change (effect digest).
// INVARIANT (one encoding): each is SHA-256 over RFC 8785 bytes, so equal meanings have equal digests, whatever dialect
// or process wrote them. A spec pins their bytes: a change is a new `v`.
import { compareBytes, utf8Bytes } from './bytes.ts';
import { canonicalBytes } from './canonical.ts';
import { sha256Hex } from './sha256/sha256.ts';
import type { JsonValue } from './i-json.ts';

/**
 * Length of the salt in bytes: as long as the hash, so that guessing short arguments from a receipt is as hard as
 * inverting it.
 */
export const ARGS_SALT_BYTES = 32;

/**
 * `args_hash`: hex SHA-256(salt ‖ RFC 8785 args). The salt is generated once per operation and erased with the payload.
 * Without it the hash reveals nothing about the arguments.
 *
 * @throws JsonError if the arguments aren't I-JSON; Error if the salt isn't 32 bytes.
 */
export function argsHash(saltBytes: Uint8Array, args: unknown): string {
  if (saltBytes.length !== ARGS_SALT_BYTES) throw new Error(`a salt takes ${String(ARGS_SALT_BYTES)} bytes`);
  return sha256Hex(saltBytes, canonicalBytes(args));
}

/**
 * The subject of a decision. A field is null if the call was refused before it was known, such as an unknown tool or
 * token.
 */
export interface Action {
  readonly tool_id: string | null;
  readonly tool_definition_digest: string | null;
  readonly args_hash: string | null;
  readonly capability_token_id: string | null;
  readonly policy_hash: string | null;
  readonly state_snapshot_id: string | null;
  /** Null for calls that run in no image. */
  readonly image_digest: string | null;
}

/**
 * Hex SHA-256 over the RFC 8785 object of exactly the fields of `Action` and `v: 1`; other fields of the argument are
 * ignored.
 */
export function actionDigest(action: Action): string {
  return sha256Hex(
    canonicalBytes({
      v: 1,
      tool_id: action.tool_id,
      tool_definition_digest: action.tool_definition_digest,
      args_hash: action.args_hash,
      capability_token_id: action.capability_token_id,
      policy_hash: action.policy_hash,
      state_snapshot_id: action.state_snapshot_id,
      image_digest: action.image_digest,
    }),
  );
}

export interface EffectChange {
  /** Relative to the workspace; once per effect. */
  readonly path: string;
  /** The state before: a content hash, or a state with kind and mode; null if the path didn't exist. */
  readonly before: JsonValue;
  /** The state after, in the same form. */
  readonly after: JsonValue;
  /** Null or absent if `after` already has the mode. */
  readonly mode?: string | null;
}

export interface Effect {
  /** In any order. */
  readonly changes: readonly EffectChange[];
  /** Null for calls without a process. */
  readonly exit_status: number | null;
  readonly result_hash: string | null;
  /** The egress list in the order in which requests were sent. */
  readonly requests: readonly JsonValue[];
}

/**
 * Hex SHA-256 over the RFC 8785 object of the four fields and `v: 1`, the changes sorted by the UTF-8 bytes of their
 * paths. The head is not part of it: the same effect on another head has the same digest.
 *
 * @throws JsonError for a value that isn't I-JSON; Error for a duplicate path.
 */
export function effectDigest(effect: Effect): string {
  return sha256Hex(
    canonicalBytes({
      v: 1,
      changes: sortedChanges(effect.changes),
      exit_status: effect.exit_status,
      result_hash: effect.result_hash,
      requests: effect.requests,
    }),
  );
}

function sortedChanges(changes: readonly EffectChange[]): JsonValue[] {
  // Bytes, not UTF-16 units: the two orders differ above U+FFFF, and all other sorted lists of paths in Writ use bytes.
  const keyed = changes.map((change) => ({ bytes: utf8Bytes(change.path), change }));
  keyed.sort((a, b) => compareBytes(a.bytes, b.bytes));
  return keyed.map(({ bytes, change }, index) => {
    const before = keyed[index - 1];
    if (before !== undefined && compareBytes(before.bytes, bytes) === 0)
      throw new Error(`path \`${change.path}\` comes twice in an effect`);
    return { path: change.path, before: change.before, after: change.after, mode: change.mode ?? null };
  });
}
