// SPDX-License-Identifier: Apache-2.0
// `node make-password.mjs FOLDER` makes a file `password` in the folder, unless it is there. compose.yaml runs it.
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '.'] = process.argv.slice(2);
const file = join(folder, 'password');
if (!existsSync(file)) {
  // Under another name first: a run that is killed leaves no empty password. Grafana, another user, must be able to
  // read it.
  writeFileSync(`${file}.new`, randomBytes(24).toString('base64url'), { mode: 0o444 });
  renameSync(`${file}.new`, file);
}
