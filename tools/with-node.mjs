// SPDX-License-Identifier: Apache-2.0
// Runs a TypeScript file of the workspace with the pinned Node: `node tools/with-node.mjs FILE [ARGS…]`.
import { run } from './bootstrap.mjs';

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  process.stderr.write('usage: node tools/with-node.mjs FILE [ARGS…]\n');
  process.exit(2);
}
await run(entry, args);
