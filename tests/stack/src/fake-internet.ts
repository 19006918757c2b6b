// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { outsideTls, repositoryRoot } from '@writ/testing';

/** Servers on loopback that stand for the internet, for an executor that runs `program`. */
export interface FakeInternet {
  readonly env: Readonly<Record<string, string>>;
  readonly program: string;
  readonly close: () => void;
}

/**
 * Opens one for `http` and one for `https`, whose certificate is for `outside.example` and its subdomains.
 *
 * @param others servers on loopback that play external ones: their ports by the ports that they play
 */
export async function openFakeInternet(
  listener: RequestListener,
  others: Readonly<Record<number, number>> = {},
): Promise<FakeInternet> {
  const { key, cert, caPath } = outsideTls();
  const [plain, secure] = [createHttp(listener), createHttps({ key, cert }, listener)];
  for (const server of [plain, secure]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  return {
    env: {
      WRIT_TEST_OUTSIDE: JSON.stringify({ ...others, 80: portOf(plain), 443: portOf(secure) }),
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
