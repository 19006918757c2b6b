// SPDX-License-Identifier: Apache-2.0
import { formatAddCheckpoint, parseAddCheckpoint } from './add-checkpoint.ts';
import { SUMDB_NOTE, reasonOf } from './vectors.contract.ts';

/** As in the specification, with a note of the spec's own. */
const BODY =
  'old 20852014\nPlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\njrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n\n' +
  SUMDB_NOTE;
const HASH_LINE = 'PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n';

describe('a request for a cosignature', () => {
  it('is parsed from the specification’s form, and formatted as it was parsed', () => {
    const request = parseAddCheckpoint(BODY);
    expect(request).toMatchObject({ oldSize: 20_852_014, note: SUMDB_NOTE });
    expect(request.hashes).toHaveLength(2);
    expect(formatAddCheckpoint(request)).toBe(BODY);
    expect(parseAddCheckpoint(`old 0\n\n${SUMDB_NOTE}`)).toEqual({ oldSize: 0, hashes: [], note: SUMDB_NOTE });
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no blank line', 'old 0\n'],
    ['no old size', `\n\n${SUMDB_NOTE}`],
    ['a size with a zero in front', `old 01\n\n${SUMDB_NOTE}`],
    ['a size below zero', `old -1\n\n${SUMDB_NOTE}`],
    ['a size that no number holds', `old 9999999999999999\n\n${SUMDB_NOTE}`],
    ['a hash that is too short', `old 1\nAAAA\n\n${SUMDB_NOTE}`],
    ['a line that is no hash', `old 1\nhello\n\n${SUMDB_NOTE}`],
    ['64 hashes', `old 1\n${HASH_LINE.repeat(64)}\n${SUMDB_NOTE}`],
    ['another first line', `new 1\n\n${SUMDB_NOTE}`],
  ])('with %s is refused', (_what, body) => {
    expect(reasonOf(() => parseAddCheckpoint(body))).toBe('malformed_request');
  });

  it('may have 63 hashes', () => {
    expect(parseAddCheckpoint(`old 1\n${HASH_LINE.repeat(63)}\n${SUMDB_NOTE}`).hashes).toHaveLength(63);
  });
});
