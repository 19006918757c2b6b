// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (nothing unsaid): a delta names every entry that it changes, directories too. Creating `a/b` without `a`
// needs a change of `a`; deleting a directory needs a change of all its entries. So the checked changes are complete,
// and a delta can be reversed.
import { Delta, Fault, parseMessage, type Change, type FileState } from '@writ/contract';
import { canonicalBytes, canonicalJson, concatBytes, sha256Hex, utf8Bytes } from '@writ/digest';
import { compareUtf8 } from './compare-utf8.ts';
import { isSameState } from './node.ts';
import { isWorkspacePath, type WorkspacePath } from './path.ts';
import { quote } from './quote.ts';
import { partsOf, runAtOnce, sorting, type Steps } from './steps.ts';

/** The id of a delta: over the RFC 8785 bytes of all of it, including the base. */
export function deltaId(delta: Delta): string {
  return `delta_${sha256Hex(canonicalBytes(delta))}`;
}

/**
 * Parses a delta from an executor: attacker-controlled. Throws `effect.invalid` unless it matches the schema, its paths
 * are canonical, sorted by their bytes and unique, its states are valid for their kind, and each change changes
 * something.
 */
export function parseDelta(value: unknown): Delta {
  let delta: Delta;
  try {
    delta = parseMessage(Delta, value);
  } catch (error) {
    throw new Fault('effect.invalid', error instanceof Fault ? error.detail : undefined, { cause: error });
  }
  delta.changes.forEach((change, index) => {
    const why = problemIn(change, delta.changes[index - 1]);
    if (why) throw new Fault('effect.invalid', `the change of ${quote(change.path)} ${why}`);
  });
  return delta;
}

function problemIn(change: Change, previous: Change | undefined): string | null {
  if (!isWorkspacePath(change.path)) return 'is at no path of a workspace';
  if (previous && compareUtf8(previous.path, change.path) >= 0) return 'is out of order';
  if (!isState(change.before) || !isState(change.after)) return 'holds a state that its kind does not have';
  return isSameState(change.before, change.after) ? 'changes nothing' : null;
}

function isState(state: FileState | null): boolean {
  if (state === null) return true;
  const content = state.kind === 'dir' ? state.sha256 === null && state.size === 0 : state.sha256 !== null;
  return content && (state.mode !== null) === (state.kind === 'file');
}

/** The delta of these changes, which may be in any order. */
export function deltaOf(base: string, changes: readonly Change[]): Delta {
  return runAtOnce(orderingDelta(base, changes));
}

/** The same in steps: a delta may have tens of thousands of changes. */
export function* orderingDelta(base: string, changes: readonly Change[]): Steps<Delta> {
  return { v: 1, base, changes: yield* sorting(changes, (a, b) => compareUtf8(a.path, b.path)) };
}

/** A delta as it is stored, and the id of those bytes. */
export interface EncodedDelta {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The RFC 8785 bytes of a delta and its id, in steps. */
export function* encodingDelta({ v, base, changes }: Delta): Steps<EncodedDelta> {
  // The members are in the order of RFC 8785, and each part is encoded by it.
  const texts = [utf8Bytes(`{"base":${canonicalJson(base)},"changes":[`)];
  for (const part of partsOf(changes)) {
    const text = canonicalJson(part).slice(1, -1);
    texts.push(utf8Bytes(texts.length === 1 ? text : `,${text}`));
    yield;
  }
  texts.push(utf8Bytes(`],"v":${canonicalJson(v)}}`));
  const bytes = concatBytes(texts);
  yield;
  return { id: `delta_${sha256Hex(bytes)}`, bytes };
}

/** The delta that reverts this one, from the snapshot that this one leads to. */
export function reverseDelta(delta: Delta, base: string): Delta {
  return {
    v: 1,
    base,
    changes: delta.changes.map(({ path, before, after }) => ({ path, before: after, after: before })),
  };
}

/** The paths that a delta writes. */
export function pathsOf(delta: Delta): WorkspacePath[] {
  return delta.changes.map((change) => change.path as WorkspacePath);
}
