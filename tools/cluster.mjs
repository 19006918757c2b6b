// SPDX-License-Identifier: Apache-2.0
import { run } from './bootstrap.mjs';

await run('tools/src/release/main.ts', process.argv.slice(2));
