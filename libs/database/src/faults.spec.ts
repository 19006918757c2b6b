// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { faultOf, isRefusal, violatedConstraint } from './faults.ts';

const sqlError = (code: string, rest: object = {}): Error =>
  Object.assign(new Error('from the server'), { code, ...rest });

describe('faultOf', () => {
  it.each(['08006', '53300', '57P01', '57P03', '57014', 'ECONNREFUSED', 'ECONNRESET'])(
    'maps %s to `database.unavailable`',
    (code) => {
      const error = sqlError(code);
      expect(faultOf(error)).toMatchObject({ code: 'database.unavailable', cause: error });
    },
  );

  it('maps a connection lost during a statement to `database.unavailable`', () => {
    expect(faultOf(new Error('Connection terminated unexpectedly'))).toMatchObject({ code: 'database.unavailable' });
  });

  it.each(['40001', '40P01'])('maps %s, after all retries, to `overloaded`', (code) => {
    expect(faultOf(sqlError(code))).toMatchObject({ code: 'overloaded' });
  });

  it('returns faults and bugs unchanged', () => {
    const fault = new Fault('not_found');
    const bug = sqlError('42703');
    expect(faultOf(fault)).toBe(fault);
    expect(faultOf(bug)).toBe(bug);
    expect(faultOf('no error at all')).toBe('no error at all');
  });
});

describe('isRefusal', () => {
  it.each(['WR001', 'P0001', '22012', '23505', '40001'])('is true for %s: the connection stays usable', (code) => {
    expect(isRefusal(sqlError(code))).toBe(true);
  });

  it.each(['0A000', '26000', '57014', '57P01', '08006', 'ECONNRESET', ''])('is false for `%s`', (code) => {
    expect(isRefusal(sqlError(code))).toBe(false);
  });

  it("is false for errors that aren't the server's", () => {
    expect([isRefusal(new Error('Query read timeout')), isRefusal(null)]).toEqual([false, false]);
  });
});

describe('violatedConstraint', () => {
  it('returns the name of the violated constraint', () => {
    expect(violatedConstraint(sqlError('23505', { constraint: 'operation_key' }))).toBe('operation_key');
    expect(violatedConstraint(sqlError('40001'))).toBeNull();
    expect(violatedConstraint(null)).toBeNull();
  });
});
