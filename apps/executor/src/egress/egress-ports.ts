// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';

/** Where to connect: the address that the gate judged, not the name. */
export interface DialTarget {
  /** the requested name or address */
  readonly host: string;
  /** null: a proxy resolves the name, as `resolve` reported */
  readonly address: string | null;
  readonly port: number;
  /** the name that the server's certificate must have; null: the gate starts no TLS */
  readonly tlsHost: string | null;
  /** set where the connection doesn't carry HTTP: TLS then offers no protocol by ALPN (RFC 7301) */
  readonly raw?: true;
}

/** The network access of the gate. */
export interface EgressPorts {
  /**
   * Resolves with all addresses of a name, or null where the proxy on the way to it resolves and judges the name.
   * Implementations MUST NOT try other names than this, and MUST NOT judge: the gate does. Rejects where there are
   * none.
   */
  readonly resolve: (host: string, signal: AbortSignal) => Promise<readonly string[] | null>;
  /**
   * Connects to exactly that address. Implementations MUST NOT resolve anything, and MUST have verified the certificate
   * before they resolve.
   */
  readonly dial: (to: DialTarget, signal: AbortSignal) => Promise<Duplex>;
}
