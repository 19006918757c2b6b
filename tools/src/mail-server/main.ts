// SPDX-License-Identifier: Apache-2.0
// `node tools/with-node.mjs tools/src/mail-server/main.ts`: prints the path of Dovecot as JSON, `{"program": "…"}`, and
// installs it where it is missing; or why there is none, `{"why": "…"}`.
import { mailProgram } from './mail-program.ts';

const found = await mailProgram();
process.stdout.write(`${JSON.stringify(typeof found === 'string' ? { why: found } : found)}\n`);
process.disconnect?.();
