// SPDX-License-Identifier: Apache-2.0

/** Every check of a receipt, in order, each with its meaning in words. `keys` comes before there is a receipt. */
export const CHECKS = {
  keys: 'the published keys are well formed',
  format: 'the file is the JSON of a receipt, with every member once and no other',
  payload_type: 'the envelope carries an in-toto statement',
  signature: 'a known record key signed the payload',
  statement: 'the payload is an in-toto statement of version 1',
  record: 'the predicate is an audit record that agrees with itself',
  predicate_type: "the predicate type is that of the record's kind",
  subject: 'the subjects are the operation, by its action digest, and what it committed',
  record_key: 'the record names the key that signed it',
  key_validity: 'the key was valid when the record was made',
  checkpoint: 'a known log key signed the checkpoint',
  origin: "the checkpoint is of the record's log, by the deployment's key",
  witnesses: 'as many witnesses cosigned the checkpoint as the trust policy asks for',
  freshness: 'the witnesses saw the checkpoint as lately as the trust policy asks for',
  tree_size: "the proof is for the checkpoint's tree size",
  inclusion: 'the record is in the log that the checkpoint states',
  expectation: 'the receipt is the one that was asked for',
} as const;
export type CheckName = keyof typeof CHECKS;

/**
 * Names the check that a receipt failed. `message` has the finding; it may repeat names from the receipt, never
 * secrets.
 */
export class ReceiptError extends Error {
  readonly check: CheckName;

  constructor(check: CheckName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReceiptError';
    this.check = check;
  }
}
