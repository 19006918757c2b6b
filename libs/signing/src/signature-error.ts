// SPDX-License-Identifier: Apache-2.0

/** Why a key, a signature or something signed was refused; closed. */
export type SignatureReason =
  | 'malformed_base64'
  | 'malformed_key'
  | 'malformed_envelope'
  | 'malformed_note'
  | 'malformed_checkpoint'
  | 'malformed_request'
  | 'wrong_payload_type'
  | 'ambiguous_key'
  | 'unknown_key'
  | 'bad_signature';

const MESSAGES: Readonly<Record<SignatureReason, string>> = {
  malformed_base64: 'text is not canonical base64',
  malformed_key: 'key is not a well-formed Ed25519 key',
  malformed_envelope: 'envelope is not a DSSE envelope with one signature',
  malformed_note: 'text is not a well-formed signed note',
  malformed_checkpoint: 'text is not a well-formed checkpoint',
  malformed_request: 'body is no request for a cosignature',
  wrong_payload_type: 'envelope carries another payload type',
  ambiguous_key: 'two known keys have the same name and hash',
  unknown_key: 'no known key has signed this',
  bad_signature: 'signature by a known key does not verify',
};

/** The only error that the parsers and verifiers of this library throw, for any input. Contains no key material. */
export class SignatureError extends Error {
  readonly reason: SignatureReason;

  constructor(reason: SignatureReason, options?: ErrorOptions) {
    super(MESSAGES[reason], options);
    this.name = 'SignatureError';
    this.reason = reason;
  }
}
