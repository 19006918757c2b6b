// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { ListedRequest } from './request-list.ts';

/** How a request is admitted. */
export interface AdmitOptions {
  /** whether what is sent changes nothing on the server; without it the method tells */
  readonly isSafe?: boolean;
  /** how long nothing may pass, in milliseconds: for a service that works for minutes before it answers */
  readonly idleMs?: number;
}

/** An admitted request, with the connection to its target. */
export interface AdmittedRequest {
  readonly connection: Duplex;
  readonly listed: ListedRequest;
}
