// SPDX-License-Identifier: Apache-2.0

/** A connection that isn't HTTP. */
export interface RawTarget {
  readonly host: string;
  readonly port: number;
  /** `tls`: the gate starts TLS and verifies that the certificate is of the host; `none`: it starts none */
  readonly tls: 'none' | 'tls';
  /**
   * Set where nothing that the tool sends changes anything on the server. Callers MUST NOT set it otherwise: a
   * connection that may change something is announced before its first byte, and a call that fails after it is
   * ambiguous.
   */
  readonly isSafe?: boolean;
}
