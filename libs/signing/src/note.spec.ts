// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
import { parseSigner } from './keys.ts';
import { formatNoteKey, parseNoteKey } from './note-key.ts';
import { signNote, verifyNote } from './note.ts';
import {
  ENOCH,
  ENOCH_LINE,
  PETER,
  PETER_LINE,
  PETER_PEM,
  SUMDB,
  SUMDB_NOTE,
  TEXT,
  reasonOf,
} from './vectors.contract.ts';

const peter = parseNoteKey(PETER);
const enoch = parseNoteKey(ENOCH);
const signer = parseSigner(PETER_PEM);
const reasonOfNote = (note: string, keys = [peter]) => reasonOf(() => verifyNote(note, keys));

describe('a note key', () => {
  it('is parsed and formatted as Go does', () => {
    expect(peter).toMatchObject({ name: 'PeterNeumann', keyHash: 'c74f20a3' });
    expect(formatNoteKey('PeterNeumann', signer.publicKey)).toBe(PETER);
  });

  it('is refused cut or altered anywhere', () => {
    for (let i = 0; i <= PETER.length; i += 1) {
      for (let j = i; j <= PETER.length; j += 1)
        if (j - i < PETER.length) expect(reasonOf(() => parseNoteKey(PETER.slice(i, j)))).toBe('malformed_key');
      const next = String.fromCharCode((PETER.charCodeAt(i) || 0) + 1);
      expect(reasonOf(() => parseNoteKey(PETER.slice(0, i) + next + PETER.slice(i + 1)))).toBe('malformed_key');
    }
  });

  it('is refused with a key of another length, algorithm or name, though its hash fits', () => {
    expect(
      reasonOf(() => parseNoteKey('PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==')),
    ).toBe('malformed_key');
    expect(reasonOf(() => parseNoteKey('PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'))).toBe(
      'malformed_key',
    );
    for (const name of ['', 'a b', 'a+b', 'a\u00a0b', 'a\u0085b', 'a\u2003b', '\ud800', 'a\n']) {
      expect(reasonOf(() => formatNoteKey(name, signer.publicKey))).toBe('malformed_key');
    }
    expect(reasonOf(() => formatNoteKey('name', signer.publicKey.subarray(1)))).toBe('malformed_key');
  });
});

describe('signNote', () => {
  it('writes the note that Go writes', () => {
    expect(signNote(TEXT, { name: 'PeterNeumann', signer })).toBe(`${TEXT}\n${PETER_LINE}`);
  });

  it('refuses texts and names that could not be read back', () => {
    for (const text of ['', 'abc', 'a\tb\n', 'a\r\n', '\0\n', '\ud800\n'])
      expect(reasonOf(() => signNote(text, { name: 'n', signer }))).toBe('malformed_note');
    expect(reasonOf(() => signNote(TEXT, { name: 'bad name', signer }))).toBe('malformed_key');
  });

  it('is parsed again for any text, blank lines and look-alike signatures included', () => {
    const line = fc.oneof(
      fc.constantFrom('', '— PeterNeumann AAAA', '—'),
      fc.string({ unit: 'grapheme', maxLength: 10 }).filter((s) => !/[\0-\x1f]/.test(s)),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = `${lines.join('\n')}\n`;
        expect(verifyNote(signNote(text, { name: 'PeterNeumann', signer }), [peter])).toEqual({
          text,
          signedBy: [peter],
        });
      }),
      { numRuns: 200 },
    );
  });
});

describe('verifyNote', () => {
  it('accepts the published notes', () => {
    expect(verifyNote(`${TEXT}\n${PETER_LINE}${ENOCH_LINE}`, [peter, enoch])).toEqual({
      text: TEXT,
      signedBy: [peter, enoch],
    });
    expect(parseCheckpoint(verifyNote(SUMDB_NOTE, [parseNoteKey(SUMDB)]).text)).toMatchObject({
      origin: 'go.sum database tree',
      treeSize: 31_700_353,
    });
  });

  it('ignores signatures by unknown keys, and needs one by a known key', () => {
    expect(verifyNote(`${TEXT}\n${PETER_LINE}${ENOCH_LINE}${ENOCH_LINE}`, [peter]).signedBy).toEqual([peter]);
    expect(reasonOfNote(`${TEXT}\n${ENOCH_LINE}`)).toBe('unknown_key');
    expect(reasonOfNote(`${TEXT}\n${PETER_LINE.replace('PeterNeumann', 'CarmenSandiego')}`)).toBe('unknown_key');
    expect(reasonOfNote(`${TEXT}\n${PETER_LINE.replace('x08g', 'xxxx')}`)).toBe('unknown_key');
  });

  it('counts a key once that signed twice', () => {
    expect(verifyNote(`${TEXT}\n${PETER_LINE}${PETER_LINE}`, [peter]).signedBy).toEqual([peter]);
  });

  it('refuses the whole note for one bad signature by a known key', () => {
    const bad = `${PETER_LINE.slice(0, 60)}ABCD${PETER_LINE.slice(60)}`;
    expect(reasonOfNote(`${TEXT}\n${ENOCH_LINE}${bad}`, [peter, enoch])).toBe('bad_signature');
    expect(reasonOfNote(`Another text\n\n${PETER_LINE}`)).toBe('bad_signature');
  });

  it('refuses to choose between two keys of one name and hash', () => {
    expect(reasonOfNote(`${TEXT}\n${ENOCH_LINE}`, [enoch, peter, enoch])).toBe('ambiguous_key');
    expect(reasonOfNote(`${TEXT}\n${PETER_LINE}`, [enoch, peter, enoch])).toBe('none');
  });

  it('accepts a hundred signatures and not one more', () => {
    expect(reasonOfNote(`${TEXT}\n${ENOCH_LINE.repeat(99)}${PETER_LINE}`)).toBe('none');
    expect(reasonOfNote(`${TEXT}\n${PETER_LINE.repeat(101)}`)).toBe('malformed_note');
  });

  it.each([
    '',
    '\n\n',
    TEXT,
    `${TEXT}\n`,
    `${TEXT}\n${PETER_LINE.slice(0, -1)}`,
    `\u0001${TEXT}\n${PETER_LINE}`,
    `\ud800${TEXT}\n${PETER_LINE}`,
    `${TEXT}\n${PETER_LINE}Unexpected line.\n`,
    `${TEXT}\n— Bad Name x08go/ZJ\n`,
    `${TEXT}\n— Peter\n`,
    `${TEXT}\n—  x08go/ZJ\n`,
    `${TEXT}\n— Peter x08goA==\n`,
    `${TEXT}\n— Peter x08go\n`,
    `${TEXT}\n- Peter x08goAAA\n`,
    `${TEXT}\n${PETER_LINE.replace('=', '')}`,
    `${TEXT}\n${PETER_LINE.replace('\n', '\r\n')}`,
  ])('refuses %j', (note) => {
    expect(reasonOfNote(note)).toBe('malformed_note');
  });

  it('returns a note or throws a SignatureError for any text', () => {
    const piece = fc.oneof(
      fc.constantFrom(TEXT, '\n', '\n\n', PETER_LINE, ENOCH_LINE, '— ', ' ', 'x08go'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        reasonOfNote(pieces.join(''), [peter, enoch]);
        reasonOf(() => parseNoteKey(pieces.join('+')));
        reasonOf(() => parseCheckpoint(pieces.join('')));
      }),
      { numRuns: 2000 },
    );
  });

  it('notices a change of any character', () => {
    const note = `${TEXT}\n${PETER_LINE}`;
    for (let i = 0; i < note.length; i += 1) {
      const altered = note.slice(0, i) + (note[i] === 'x' ? 'y' : 'x') + note.slice(i + 1);
      expect(reasonOfNote(altered)).not.toBe('none');
    }
  });
});

describe('a checkpoint', () => {
  const root = new Uint8Array(Buffer.from('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'base64'));
  const text = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';

  it('is read and written as the specification shows', () => {
    const checkpoint = { origin: 'example.com/behind-the-sofa', treeSize: 20_852_163, root };
    expect(parseCheckpoint(text)).toEqual(checkpoint);
    expect(formatCheckpoint(checkpoint)).toBe(text);
    expect(formatCheckpoint({ origin: 'o', treeSize: 0, root })).toContain('\n0\n');
  });

  it.each<[string, (lines: string) => string]>([
    ['no origin', (t) => t.replace(/^[^\n]+/, '')],
    ['a leading zero', (t) => t.replace('20852163', '020852163')],
    ['a negative size', (t) => t.replace('20852163', '-1')],
    ['a size beyond 2^53', (t) => t.replace('20852163', '9007199254740992')],
    ['a size of many digits', (t) => t.replace('20852163', '1'.repeat(400))],
    ['a size in other digits', (t) => t.replace('20852163', '٢')],
    ['a short root', (t) => t.replace('CsUY', '')],
    ['a root in another spelling', (t) => t.replace('I=', 'J=')],
    ['an extension line', (t) => `${t}more\n`],
    ['no final newline', (t) => t.slice(0, -1)],
    ['a blank line', (t) => `${t}\n`],
    ['a carriage return', (t) => t.replace('sofa', 'sofa\r')],
    ['one line', () => 'origin\n'],
    ['two lines', () => 'origin\n1\n'],
  ])('with %s is refused', (_, change) => {
    expect(reasonOf(() => parseCheckpoint(change(text)))).toBe('malformed_checkpoint');
  });

  it('is not written if it could not be read', () => {
    for (const bad of [
      { origin: '' },
      { origin: 'a\nb' },
      { treeSize: -1 },
      { treeSize: 1.5 },
      { treeSize: 2 ** 53 },
      { root: root.subarray(1) },
    ]) {
      expect(reasonOf(() => formatCheckpoint({ origin: 'o', treeSize: 1, root, ...bad }))).toBe('malformed_checkpoint');
    }
  });
});
