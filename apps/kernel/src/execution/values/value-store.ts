// SPDX-License-Identifier: Apache-2.0

/** A version of a secret, sealed and not yet stored: the parameters of kernel.put_secret. */
export interface SealedSecret {
  readonly name: string;
  readonly version: number;
  /** base64 */
  readonly sealed: string;
  readonly key_id: string;
  readonly note: string | null;
  readonly created_by: string;
}

/** A secret as a person gives it. */
export interface NewSecret {
  readonly name: string;
  readonly value: Buffer;
  readonly note: string | null;
  /** an API key's id */
  readonly created_by: string;
}

/**
 * The tenant's secrets. Implementations MUST store no value in clear, and MUST bind what they store to tenant, name and
 * version.
 */
export abstract class ValueStore {
  /**
   * Seals a next version, for the caller's own statement, which stores it with what else it writes. Callers MUST seal
   * anew where that statement finds the version taken.
   */
  abstract seal(tenantId: string, secret: NewSecret): Promise<SealedSecret>;
  /** Resolves with the version once it is durable. It writes no record: callers MUST write theirs first. */
  abstract put(tenantId: string, secret: NewSecret): Promise<number>;
}
