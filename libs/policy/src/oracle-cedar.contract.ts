// SPDX-License-Identifier: Apache-2.0
import { createRequire, Module } from 'node:module';
import type * as cedar from '@cedar-policy/cedar-wasm/nodejs';

const path = createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs');
const own = new Module(path) as Module & { load: (path: string) => void };
own.load(path);

/** An instance of Cedar for comparisons in specs. The process's own one may have ended in a spec that traps it. */
export const oracle = own.exports as typeof cedar;
