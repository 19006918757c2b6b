// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULTS, isFaultCode } from './faults.ts';

describe('faults', () => {
  it('have a code of lower-case words, an HTTP error status and a message in the required form', () => {
    for (const [code, row] of Object.entries(FAULTS)) {
      expect(code).toMatch(/^[a-z_]+(\.[a-z_]+)?$/);
      expect(row.status).toBeGreaterThanOrEqual(400);
      expect(row.message).toMatch(/^[^A-Z].*[^.]$/);
    }
  });

  it('state whether to retry, and keep the cause private', () => {
    const fault = new Fault('overloaded', undefined, { cause: new Error('secret') });
    expect(fault).toMatchObject({ status: 503, retryable: true, message: FAULTS.overloaded.message });
    expect(JSON.stringify(fault)).not.toContain('secret');
    expect(new Fault('permit.spent').retryable).toBe(false);
    expect(isFaultCode('permit.spent')).toBe(true);
    expect(isFaultCode('toString')).toBe(false);
  });
});
