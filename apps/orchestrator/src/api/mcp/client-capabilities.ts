// SPDX-License-Identifier: Apache-2.0
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';

/** The capabilities that the client claims in the envelope of its request: attacker-controlled, of no known form. */
export function clientCapabilities<T extends object>({ mcpReq: { envelope } }: ServerContext): Partial<T> {
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as Record<string, unknown>;
  return (capabilities ?? {}) as Partial<T>;
}
