// SPDX-License-Identifier: Apache-2.0
import { createRequire, Module } from 'node:module';
import * as bundled from '@cedar-policy/cedar-wasm/nodejs';

/** The part of Cedar's API in use. */
export type Cedar = Pick<
  typeof bundled,
  'policySetTextToParts' | 'policyToJson' | 'preparsePolicySet' | 'statefulIsAuthorized' | 'validate'
>;

/** Thrown if Cedar crashed instead of answering. The call is then refused. */
export class CedarFailure extends Error {
  override readonly name = 'CedarFailure';
}

const MODULE = '@cedar-policy/cedar-wasm/nodejs';
const { resolve } = createRequire(import.meta.url);

let instance: Cedar | null = bundled;
let generation = 0;

/** Raised with each instance; a new one has lost the parsed rules of the earlier ones. */
export const cedarGeneration = (): number => generation;

/**
 * Calls Cedar. A trap (stack overflow, memory out of bounds, a panic) leaves an instance of WebAssembly in an unknown
 * state, and it serves all tenants of the process. INVARIANT (one trap, one answer): any exception discards that
 * instance; the next call has a new one.
 * @throws CedarFailure
 */
export function callCedar<T>(ask: (cedar: Cedar) => T): T {
  try {
    return ask((instance ??= newInstance()));
  } catch (cause) {
    instance = null;
    generation += 1;
    throw new CedarFailure('the policy engine failed', { cause });
  }
}

/**
 * Loads the module again, past the cache of modules: it makes its instance when it is evaluated, and in no other way.
 */
function newInstance(): Cedar {
  const path = resolve(MODULE);
  const fresh = new Module(path) as Module & { load: (path: string) => void };
  fresh.load(path);
  return fresh.exports as Cedar;
}
