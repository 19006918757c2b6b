// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULTS, isFaultCode } from './faults.ts';
import { FAULT_TITLES } from './fault-titles.ts';

describe('faults', () => {
  it('have a code of lower-case words, an HTTP error status and a message in the required form', () => {
    for (const [code, row] of Object.entries(FAULTS)) {
      expect(code).toMatch(/^[a-z_]+(\.[a-z_]+)?$/);
      expect(row.status).toBeGreaterThanOrEqual(400);
      expect(row.message).toMatch(/^[^A-Z].*[^.]$/);
    }
  });

  it('have a title each, which is short, differs from the message, and names one fault alone', () => {
    expect(Object.keys(FAULT_TITLES).sort()).toEqual(Object.keys(FAULTS).sort());
    for (const [code, title] of Object.entries(FAULT_TITLES)) {
      expect([code, title]).toEqual([code, expect.stringMatching(/^[A-Z][^.]{3,39}$/)]);
      expect(title.toLowerCase()).not.toBe(FAULTS[code as keyof typeof FAULTS].message.toLowerCase());
    }
    expect(new Set(Object.values(FAULT_TITLES)).size).toBe(Object.keys(FAULTS).length);
  });

  it('state whether to retry, and keep the cause private', () => {
    const fault = new Fault('overloaded', undefined, { cause: new Error('secret') });
    expect(fault).toMatchObject({ status: 503, retryable: true, message: FAULTS.overloaded.message });
    expect(JSON.stringify(fault)).not.toContain('secret');
    expect(new Fault('permit.spent').retryable).toBe(false);
    expect(isFaultCode('permit.spent')).toBe(true);
    expect(isFaultCode('toString')).toBe(false);
  });

  it('are `later` only where nothing happened, since clients then repeat any request', () => {
    const later = Object.entries(FAULTS).flatMap(([code, { retry }]) => (retry === 'later' ? [code] : []));
    // A new one needs a look at each place that throws it: no change may have been made or asked for before.
    expect(later.sort()).toEqual([
      'auth.issuer_unavailable',
      'image.not_ready',
      'ledger.unavailable',
      'mcp.busy',
      'mcp.token_unavailable',
      'overloaded',
      'queue.full',
      'rate.limited',
      'receipt.pending',
      'record.backlog',
      'sandbox.unavailable',
      'session.busy',
      'store.unavailable',
      'transcription.unavailable',
    ]);
  });
});
