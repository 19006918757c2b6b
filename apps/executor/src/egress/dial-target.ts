// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { TUNNEL } from '@writ/contract';
import type { EgressTarget } from '@writ/egress';
import type { EgressPorts } from './egress-ports.ts';
import { GateRefusal } from './gate-refusal.ts';
import { withTimeout } from './with-timeout.ts';

/** Longer than any honest server takes to accept a connection and finish TLS. */
const CONNECT_MS_MAX = 10_000;

/** All addresses of a host, at least one; null where a proxy resolves names. @throws GateRefusal */
export async function addressesOf(
  host: string,
  ports: EgressPorts,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const addresses = isIP(host) === 0 ? await lookUp(host, ports, signal) : [host];
  if (addresses?.length === 0) throw new GateRefusal('egress.failed', `\`${host}\` has no address`);
  return addresses;
}

async function lookUp(host: string, ports: EgressPorts, signal: AbortSignal): Promise<readonly string[] | null> {
  try {
    return await withTimeout(CONNECT_MS_MAX, signal, (until) => ports.resolve(host, until));
  } catch (cause) {
    throwIfRefused(signal);
    throw new GateRefusal('egress.failed', `\`${host}\` has no address`, null, { cause });
  }
}

/** Connects to the judged address. @throws GateRefusal */
export async function dialTarget(
  method: string,
  { scheme, host, port }: EgressTarget,
  address: string | null,
  ports: EgressPorts,
  signal: AbortSignal,
): Promise<Duplex> {
  const tlsHost = (scheme === 'https' || scheme === 'tls') && method !== TUNNEL ? host : null;
  const raw = scheme === 'tls' ? { raw: true as const } : {};
  try {
    return await withTimeout(CONNECT_MS_MAX, signal, async (until) => {
      const connection = await ports.dial({ host, address, port, tlsHost, ...raw }, until);
      // Nobody waits for it any more.
      if (until.aborted) connection.on('error', () => undefined).destroy();
      return connection;
    });
  } catch (cause) {
    throwIfRefused(signal);
    throw new GateRefusal('egress.failed', `\`${host}\` could not be connected to`, null, { cause });
  }
}

/** Throws why the gate aborted: then the other side is not to blame. */
function throwIfRefused({ reason }: AbortSignal): void {
  if (reason instanceof GateRefusal) throw reason;
}
