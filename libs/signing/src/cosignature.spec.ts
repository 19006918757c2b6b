// SPDX-License-Identifier: Apache-2.0
import { cosign, formatCosignerKey, parseCosignerKey, verifyCosignatures } from './cosignature.ts';
import { encodeBase64 } from './base64/base64.ts';
import { formatCheckpoint } from './checkpoint.ts';
import { formatNoteKey, parseNoteKey } from './note-key.ts';
import { signNote, verifyNote } from './note.ts';
import { parseSigner } from './keys.ts';
import { PETER_PEM, RFC8032_PEM, reasonOf } from './vectors.contract.ts';

const log = { name: 'log.example', signer: parseSigner(RFC8032_PEM) };
const witness = { name: 'witness.example/w1', signer: parseSigner(PETER_PEM) };
const KEY = parseCosignerKey(formatCosignerKey(witness.name, witness.signer.publicKey));
const LOG_KEY = parseNoteKey(formatNoteKey(log.name, log.signer.publicKey));
/** The same key as a signer of notes, which has another hash. */
const KEY_AS_NOTE_KEY = parseNoteKey(formatNoteKey(witness.name, witness.signer.publicKey));
const TIME = 1_679_315_147;
const TEXT = formatCheckpoint({ origin: 'log.example/one', treeSize: 7, root: new Uint8Array(32).fill(7) });
const NOTE = signNote(TEXT, log);
const LINE = cosign(TEXT, witness, TIME);
/** The line with other bytes after the key's hash. */
const withSignature = (change: (bytes: Buffer) => Buffer): string => {
  const [dash, name, encoded = ''] = LINE.trimEnd().split(' ');
  return `${String(dash)} ${String(name)} ${encodeBase64(change(Buffer.from(encoded, 'base64')))}\n`;
};

describe('a cosignature', () => {
  it('is the line that the specification describes, byte for byte', () => {
    const bytes = Buffer.from(LINE.split(' ')[2] ?? '', 'base64');
    expect(LINE.startsWith(`— ${witness.name} `)).toBe(true);
    expect(bytes.subarray(0, 4).toString('hex')).toBe(KEY.keyHash);
    expect(bytes.readBigUInt64BE(4)).toBe(BigInt(TIME));
    expect(() =>
      KEY.verifier.verify(Buffer.from(`cosignature/v1\ntime 1679315147\n${TEXT}`), bytes.subarray(12)),
    ).not.toThrow();
    expect(bytes).toHaveLength(4 + 8 + 64);
  });

  it("verifies beside the log's own signature, which stays valid", () => {
    expect(verifyCosignatures(NOTE + LINE, [KEY])).toEqual([{ key: KEY, time: TIME }]);
    expect(verifyNote(NOTE + LINE, [LOG_KEY, KEY_AS_NOTE_KEY]).signedBy).toEqual([LOG_KEY]);
  });

  it('counts once, with its latest time, however often it is repeated', () => {
    const later = cosign(TEXT, witness, TIME + 5);
    expect(verifyCosignatures(NOTE + LINE + later + LINE, [KEY])).toEqual([{ key: KEY, time: TIME + 5 }]);
  });

  it('by an unknown key is ignored, and none is no error', () => {
    expect(verifyCosignatures(NOTE + LINE, [])).toEqual([]);
    expect(verifyCosignatures(NOTE, [KEY])).toEqual([]);
  });

  it.each<[string, string]>([
    ['of another checkpoint', signNote(TEXT.replace('\n7\n', '\n8\n'), log) + LINE],
    [
      'with another time',
      NOTE +
        withSignature((bytes) => {
          bytes[11]! ^= 1;
          return bytes;
        }),
    ],
    [
      'with a byte changed',
      NOTE +
        withSignature((bytes) => {
          bytes[70]! ^= 1;
          return bytes;
        }),
    ],
    ['cut short', NOTE + withSignature((bytes) => bytes.subarray(0, 75))],
    ['with a byte more', NOTE + withSignature((bytes) => Buffer.concat([bytes, Buffer.of(0)]))],
    ['with a time that no number holds', NOTE + withSignature((bytes) => bytes.fill(0xff, 4, 12))],
  ])('%s is refused', (_what, note) => {
    expect(reasonOf(() => verifyCosignatures(note, [KEY]))).toBe('bad_signature');
  });

  it('is refused if two known keys could have made it', () => {
    expect(reasonOf(() => verifyCosignatures(NOTE + LINE, [KEY, { ...KEY }]))).toBe('ambiguous_key');
  });

  it('is made of checkpoints only, and by witnesses that have a name', () => {
    expect(reasonOf(() => cosign('hello\n', witness, TIME))).toBe('malformed_checkpoint');
    expect(reasonOf(() => cosign(TEXT, { ...witness, name: 'a b' }, TIME))).toBe('malformed_key');
  });
});

describe("a witness's key", () => {
  it('is not accepted as a key for notes, nor the other way round', () => {
    expect(reasonOf(() => parseCosignerKey(formatNoteKey(witness.name, witness.signer.publicKey)))).toBe(
      'malformed_key',
    );
    expect(reasonOf(() => parseNoteKey(formatCosignerKey(witness.name, witness.signer.publicKey)))).toBe(
      'malformed_key',
    );
  });
});
