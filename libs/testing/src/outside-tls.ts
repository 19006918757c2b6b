// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './addresses.ts';

/** The certificate of a test server that plays an external host: `outside.example` or a host below it. */
export interface OutsideTls {
  readonly key: string;
  readonly cert: string;
  /** the authority that its clients have to trust */
  readonly ca: string;
  /** the same as a file */
  readonly caPath: string;
}

/** The certificate of the tests' external hosts; only clients with this authority trust it. */
export function outsideTls(): OutsideTls {
  const folder = join(repositoryRoot(), 'libs', 'testing', 'tls');
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { key: read('server.key'), cert: read('server.pem'), ca: read('ca.pem'), caPath: join(folder, 'ca.pem') };
}
