// SPDX-License-Identifier: Apache-2.0
import { addressOf, databaseOf } from './address.ts';

describe('the database of a URL', () => {
  it('is the named one, else `writ`', () => {
    expect(databaseOf('postgres://a@h/team')).toBe('team');
    expect(databaseOf('postgres://a@h')).toBe('writ');
    expect(databaseOf('postgres://a@h/postgres')).toBe('writ');
  });

  it('is replaced, and the user with it, and the rest stays', () => {
    expect(addressOf('postgres://a:b@h:5433/x?sslmode=require', 'y')).toBe('postgres://a:b@h:5433/y?sslmode=require');
    expect(addressOf('postgres://a:b@h/x', 'y', { role: 'writ_ledger', password: 'p@ss/w' })).toBe('postgres://writ_ledger:p%40ss%2Fw@h/y');
  });
});
