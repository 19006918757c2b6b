// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './addresses.ts';

/** What a test's server shows that plays a host of the world outside: it is `outside.example`, or below it. */
export interface OutsideTls {
  readonly key: string;
  readonly cert: string;
  /** whom its clients have to trust */
  readonly ca: string;
  /** the same as a file */
  readonly caPath: string;
}

/** The certificate of the tests' own outside; nobody trusts it who isn't told to. */
export function outsideTls(): OutsideTls {
  const folder = join(repositoryRoot(), 'libs', 'testing', 'tls');
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { key: read('server.key'), cert: read('server.pem'), ca: read('ca.pem'), caPath: join(folder, 'ca.pem') };
}
