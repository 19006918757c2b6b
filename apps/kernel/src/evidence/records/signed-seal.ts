// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord } from '@writ/contract';
import { sealRecord } from '@writ/receipt';
import type { Signer } from '@writ/signing';
import { RecordSeal, type RecordSubjects } from './record-sealer.ts';

/** The record key as libs/receipt uses it: an in-toto Statement in a DSSE envelope. */
export class SignedSeal extends RecordSeal {
  readonly #signer: Signer;

  constructor(signer: Signer) {
    super();
    this.#signer = signer;
  }

  override get keyid(): string {
    return this.#signer.keyid;
  }

  override seal(record: AuditRecord, { actionDigest }: RecordSubjects): { payload: Uint8Array; sig: Uint8Array } {
    const { payloadBytes, envelope } = sealRecord(record, this.#signer, actionDigest ?? undefined);
    const sig = envelope.signatures[0]?.sig ?? '';
    return { payload: payloadBytes, sig: Buffer.from(sig, 'base64') };
  }
}
