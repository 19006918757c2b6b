// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { outsideTls, repositoryRoot } from '@writ/testing';

/** Servers on loopback that play the world outside for an executor that runs `program`. */
export interface Outside {
  readonly env: Readonly<Record<string, string>>;
  readonly program: string;
  readonly close: () => void;
}

/** Opens one for `http` and one for `https`, whose certificate is for `outside.example` and what is below it. */
export async function openOutside(listener: RequestListener): Promise<Outside> {
  const { key, cert, caPath } = outsideTls();
  const [plain, secure] = [createHttp(listener), createHttps({ key, cert }, listener)];
  for (const server of [plain, secure]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  return {
    env: {
      WRIT_TEST_OUTSIDE: JSON.stringify({ 80: portOf(plain), 443: portOf(secure) }),
      WRIT_TEST_OUTSIDE_CA: caPath,
    },
    program: join(repositoryRoot(), 'tests', 'fault', 'src', 'programs', 'executor-with-outside.mjs'),
    close: () => {
      for (const server of [plain, secure]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
