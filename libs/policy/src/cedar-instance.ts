// SPDX-License-Identifier: Apache-2.0
import { createRequire, Module } from 'node:module';
import * as bundled from '@cedar-policy/cedar-wasm/nodejs';

/** What of Cedar is used. */
export type Cedar = Pick<
  typeof bundled,
  'policySetTextToParts' | 'policyToJson' | 'preparsePolicySet' | 'statefulIsAuthorized' | 'validate'
>;

/** Thrown where Cedar ended instead of answering. What it was asked is unknown, and so refused. */
export class CedarFailure extends Error {
  override readonly name = 'CedarFailure';
}

const MODULE = '@cedar-policy/cedar-wasm/nodejs';
const { resolve } = createRequire(import.meta.url);

let instance: Cedar | null = bundled;
let generation = 0;

/** Raised with each instance: what was given to an earlier one is gone. */
export const cedarGeneration = (): number => generation;

/**
 * Asks Cedar. A trap (a stack that overflowed, memory out of bounds, a panic) leaves an instance of WebAssembly in a
 * state that nothing is known of, and it serves all tenants of the process. INVARIANT (one trap, one answer): whatever
 * is thrown ends that instance; the next ask has a new one.
 * @throws CedarFailure
 */
export function askCedar<T>(ask: (cedar: Cedar) => T): T {
  try {
    return ask((instance ??= newInstance()));
  } catch (cause) {
    instance = null;
    generation += 1;
    throw new CedarFailure('the policy engine failed', { cause });
  }
}

/**
 * The module once more, past the cache of modules: it makes its instance where it is evaluated, and offers no other way
 * to one.
 */
function newInstance(): Cedar {
  const path = resolve(MODULE);
  const fresh = new Module(path) as Module & { load: (path: string) => void };
  fresh.load(path);
  return fresh.exports as Cedar;
}
