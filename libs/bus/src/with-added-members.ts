// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/**
 * Sends a request with members that a server of the version before doesn't know. Such a server refuses the request
 * before it does anything, and names the member; then the request goes once more without it. The server MUST take a
 * request without them as one of an older peer.
 */
export async function withAddedMembers<T>(
  request: object,
  added: Readonly<Record<string, unknown>>,
  send: (request: object) => Promise<T>,
): Promise<T> {
  const left = new Map(Object.entries(added));
  for (;;) {
    try {
      return await send({ ...request, ...Object.fromEntries(left) });
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'request.malformed') throw error;
      if (!left.delete((error.pointer ?? '').slice(1))) throw error;
    }
  }
}
