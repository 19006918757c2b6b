// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';

/** Where to connect, as it was judged: the address, not the name. */
export interface Dialled {
  /** the name or address that was asked for */
  readonly host: string;
  /** null: a proxy resolves the name, as `resolve` said */
  readonly address: string | null;
  readonly port: number;
  /** the name whose certificate the other side must show; null: no TLS of ours */
  readonly tlsHost: string | null;
}

/** What the gate reaches the world by. */
export interface EgressPorts {
  /**
   * All addresses of a name; null where the proxy that it is reached through resolves it, and judges it.
   * Implementations MUST NOT try other names than this, and MUST NOT judge: the gate does. Rejects where there are
   * none.
   */
  readonly resolve: (host: string, signal: AbortSignal) => Promise<readonly string[] | null>;
  /**
   * Connects to exactly that address. Implementations MUST NOT resolve anything, and MUST have verified the certificate
   * before they resolve.
   */
  readonly dial: (to: Dialled, signal: AbortSignal) => Promise<Duplex>;
}
