// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { encodeReceipt, readReceiptFile } from './receipt-file.ts';
import { KEYS, PUBLISHED, RECEIPT, RECORD, RECORD_SIGNER, failedCheckOf } from './sample.contract.ts';
import { sealRecord } from './seal.ts';
import { verifyReceiptFile } from './verify.ts';

/**
 * A receipt of version 1, as other verifiers with their own code read it. A change here changes the format and needs an
 * ADR.
 */
const FILE = [
  '{"media_type":"application/vnd.writ.receipt.v1+json","envelope":{"payloadType":"application/vnd.in-toto+json","payload":"eyJfdHlwZSI6Imh0dHB',
  'zOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEiLCJwcmVkaWNhdGUiOnsiYWN0b3IiOm51bGwsImFnZW50X2lkIjoiYWd0XzAxa2R2cThxZndlOWdyNHY5bTFoN2UzeDJ6IiwiYXBwcm9',
  '2YWxfcmVmcyI6W10sImFyZ3NfaGFzaCI6IjQwY2Y1N2FiNWUzNmU1OWE0MTNmNGFiYWY2NTEzZjRkZDg3MDIyMTJiZDJlODQ3MWRlODkzNjg4NWI3MzAyNGIiLCJhdHRlbXB0IjoxLCJ',
  'hdXRvbm9teV9tb2RlIjoiYXV0b3BpbG90IiwiYnVkZ2V0X2RlbHRhIjpudWxsLCJjYXBhYmlsaXR5X3Rva2VuX2lkIjoiY2FwXzAxa2R2cThxZndlOWdyNHY5bTFoN2UzeDJ6IiwiY2h',
  'hbmdlIjpudWxsLCJjb21taXRfZGVsdGFfaWQiOiJkZWx0YV82NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2IiwiZGV',
  'jaXNpb25faGFzaCI6Ijc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3NzciLCJkZWNpc2lvbl9yZWNvcmRfaWQiOiJyZWN',
  'fMDFrZHZxOHFmd2U5Z3I0djltMWg3ZTN4MnoiLCJlZmZlY3RfZGlnZXN0IjoiODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg4ODg',
  '4ODg4OCIsImVncmVzc19jb3VudCI6MCwiZWdyZXNzX2hhc2giOm51bGwsImZhdWx0X2NvZGUiOm51bGwsImltYWdlX2RpZ2VzdCI6bnVsbCwia2VybmVsX2tleV9pZCI6IlVERFJlT1p',
  'sMWlwWEFmcDl3WXNtMTNzREJNSzVvZy0tUVdkQmp6dWY2bzQiLCJraW5kIjoidG9vbF9jYWxsIiwibG9nX2lkIjoibG9nXzAxa2R2cThxZndlOWdyNHY5bTFoN2UzeDJ6IiwibmV3X3N',
  'uYXBzaG90X2lkIjoic25hcF81NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1Iiwib3BlcmF0aW9uX2lkIjoib3BfMDF',
  'rZHZxOHFmd2U5Z3I0djltMWg3ZTN4MnoiLCJwaGFzZSI6Im91dGNvbWUiLCJwb2xpY3lfaGFzaCI6IjMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM',
  'zMzMzMzMzMzMzMzMzMzMzMzMiLCJwcm92ZW5hbmNlIjp7ImRpYWxlY3QiOiJuYXRpdmUiLCJzb3VyY2UiOiJhcGkifSwicmVjb3JkX2lkIjoicmVjXzAxa2R2cThxZndlOWdyNHY5bTF',
  'oN2UzeDJ6IiwicmVjb3JkZWRfYXQiOjE3NjcyMjU2MDAwMDAsInJlc3VsdF9oYXNoIjoiMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjI',
  'yMjIyMjIyMjIyMiIsInJpc2tfYmFzaXMiOlsid3JpdGUuaW5zaWRlX3Jvb3QiXSwicmlza19zY29yZSI6MC4xMjUsInJ1bGVfaWRzIjpbImJhc2VsaW5lLndyaXRlIl0sInNwYW5faWQ',
  'iOiJiYmJiYmJiYmJiYmJiYmJiIiwic3RhdGVfc25hcHNob3RfaWQiOiJzbmFwXzQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ0NDQ',
  '0NDQ0NDQiLCJ0YXNrX2NsYXNzIjoiZ2VuZXJhbCIsInRlbmFudF9pZCI6InRlbl8wMWtkdnE4cWZ3ZTlncjR2OW0xaDdlM3gyeiIsInRvb2xfZGVmaW5pdGlvbl9kaWdlc3QiOiIxMTE',
  'xMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExIiwidG9vbF9pZCI6ImZzLndyaXRlIiwidHJhY2VfaWQiOiJhYWFhYWFhYWF',
  'hYWFhYWFhYWFhYWFhYWFhYWFhYWFhYSIsInR4X291dGNvbWUiOiJjb21taXR0ZWQiLCJ2IjoxLCJ2ZXJkaWN0IjoiYWRtaXR0ZWQiLCJ3b3Jrc3BhY2VfaWQiOiJ3c3BfMDFrZHZxOHF',
  'md2U5Z3I0djltMWg3ZTN4MnoifSwicHJlZGljYXRlVHlwZSI6Imh0dHBzOi8vd3JpdC5kZXYvcmVjb3JkL3Rvb2xfY2FsbC92MSIsInN1YmplY3QiOlt7ImRpZ2VzdCI6eyJzaGEyNTY',
  'iOiJjYzhjZDQ4YWZkYzcyMzE0NGM3NjkzYzRmOTNlMzQwZDMxMzYzNmEyMWYyY2YxMTc0Zjc0MTkwMjU1NDUzNGZlIn0sIm5hbWUiOiJvcF8wMWtkdnE4cWZ3ZTlncjR2OW0xaDdlM3g',
  'yeiJ9LHsiZGlnZXN0Ijp7InNoYTI1NiI6IjU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTUifSwibmFtZSI6InNuYXB',
  'fNTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NTU1NSJ9XX0=","signatures":[{"keyid":"UDDReOZl1ipXAfp9wYsm1',
  '3sDBMK5og--QWdBjzuf6o4","sig":"cdS/SOqT4qSt8+5s8IrMqkliPOvUuqVBaMHmnH/T45LUbEURGmZ8racNQHmNyu4pMlPUcCtbt1V3yot1hOOTCw=="}]},"inclusion":{"le',
  'af_index":3,"tree_size":5,"hashes":["/PCmxwDdE+J0tvuo3uqN2bJuTu3eNJVxfKyECMnFF38=","ogv5p8wtyKCPX0FacbGfasQnurVNJO7IaLXTEDRJlTo=","TzUhLRL5r',
  'SA2SSyV8f55uvTse9m+89/6dXnyKT/1RqQ="],"checkpoint":"writ.local/log_01kdvq8qfwe9gr4v9m1h7e3x2z\\n5\\nYqH9A+A327MiSF40PVkhDdNVXAJoIylN5iZTk3FttC',
  '4=\\n\\n— writ.local 9QS1mz6iI1y1rmrGrGOW0WoSVbYOrE4yYIl6V86Y/ph8YVv2KsKnDPTVeMQ7xxCXCt0CsB9+PhYsI6zI3vA9RrzGFgw=\\n"}}\n',
].join('');
const KEY_FILE = [
  '{"record_keys":[{"keyid":"UDDReOZl1ipXAfp9wYsm13sDBMK5og--QWdBjzuf6o4","jwk":{"kty":"OKP","crv":"Ed25519","x":"iojj3XQJ8ZX9UtstPLpdcspnCb8dl',
  'BIb83SIAbQPb1w"},"not_before":1767225599000,"not_after":1767225601000}],"log_keys":["writ.local+f504b59b+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol3',
  '2D1uPybOU"]}',
].join('');

describe('the bytes of a receipt', () => {
  it('are those of version 1', () => {
    expect(encodeReceipt(RECEIPT)).toBe(FILE);
    expect(createHash('sha256').update(FILE).digest('hex')).toBe(
      '2982b3b47ac3e4330eacf054710bfe6aa67ddc5123f06f506869a6497eb3e1a4',
    );
    expect(JSON.stringify(PUBLISHED)).toBe(KEY_FILE);
  });

  it('with `usage_counted_by` differ from those of version 1 by that member alone', () => {
    const settled = { ...RECORD, budget_delta: { cpu_ms: 5 } };
    const payloads = [settled, { ...settled, usage_counted_by: 'agent' as const }].map((record) =>
      Buffer.from(sealRecord(record, RECORD_SIGNER).payloadBytes).toString(),
    );
    expect(payloads[1]?.replace('"usage_counted_by":"agent",', '')).toBe(payloads[0]);
    expect(
      createHash('sha256')
        .update(payloads[1] ?? '')
        .digest('hex'),
    ).toBe('13ec355c417e9db19f4cd684c959f39bdbe26f98cab4ce449d9415b614bec5e6');
  });

  it('with `person` differ from those of version 1 by that member alone', () => {
    const person = 'per_01kdvq8qfwe9gr4v9m1h7e3x2z';
    const payloads = [RECORD, { ...RECORD, person }].map((record) =>
      Buffer.from(sealRecord(record, RECORD_SIGNER).payloadBytes).toString(),
    );
    expect(payloads[1]?.replace(`"person":"${person}",`, '')).toBe(payloads[0]);
  });

  it('of version 1 verify', () => {
    expect(failedCheckOf(() => verifyReceiptFile(FILE, KEYS))).toBe('none');
    expect(verifyReceiptFile(FILE, KEYS).isReformatted).toBe(false);
  });

  it('of version 1 are rebuilt from any other formatting of their JSON', () => {
    const pretty = JSON.stringify(JSON.parse(FILE), null, '\t');
    expect(encodeReceipt(readReceiptFile(pretty).receipt)).toBe(FILE);
    expect(verifyReceiptFile(pretty, KEYS).isReformatted).toBe(true);
  });
});
