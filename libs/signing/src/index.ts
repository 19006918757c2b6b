// SPDX-License-Identifier: Apache-2.0
export { engine as ed25519Engine } from '#ed25519';
export { formatAddCheckpoint, parseAddCheckpoint } from './add-checkpoint.ts';
export type { AddCheckpoint } from './add-checkpoint.ts';
export { decodeBase64, encodeBase64 } from './base64/base64.ts';
export { formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
export type { Checkpoint } from './checkpoint.ts';
export { cosign, formatCosignerKey, parseCosignerKey, verifyCosignatures } from './cosignature.ts';
export type { Cosignature } from './cosignature.ts';
export { pae, parseEnvelope, sealEnvelope, verifyEnvelope, verifyEnvelopeOnThread } from './dsse.ts';
export type { Envelope } from './dsse.ts';
export { keyidOf, parseSigner, parseVerifier } from './keys.ts';
export type { PublicJwk, Signer, Verifier } from './keys.ts';
export { parseNote, signNote, verifyNote } from './note.ts';
export type { NoteSignature, NoteSigner, VerifiedNote } from './note.ts';
export { formatNoteKey, parseNoteKey } from './note-key.ts';
export type { NoteKey } from './note-key.ts';
export {
  LAG_MS,
  withNext,
  withRevoked,
  withSuccessorOf,
  type RingRevocation,
  type Rotation,
} from './rings/change-ring.ts';
export {
  isClosed,
  KeyStoreError,
  PURPOSES,
  ringOf,
  signingKeyAt,
  stateAt,
  type KeyRing,
  type KeyState,
  type Purpose,
  type Revocation,
  type SigningKey,
} from './rings/key-ring.ts';
export { FixedKeys, KeyStore, LiveSigner } from './rings/key-store.ts';
export { logKeysOf, parsePublicKeys, PublicKeyEntry, publicKeysOf, type KnownKey } from './rings/public-keys.ts';
export { formatRing, parseRing } from './rings/ring-file.ts';
export { SignatureError } from './signature-error.ts';
export type { SignatureReason } from './signature-error.ts';
