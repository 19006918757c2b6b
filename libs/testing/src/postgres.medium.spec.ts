// SPDX-License-Identifier: Apache-2.0
import { connect, LOGIN_ROLES } from '@writ/database';
import { testDatabase } from './postgres.ts';

describe('a test database', () => {
  it('is fresh for each caller, lets every role log in, and no longer exists when dropped', async () => {
    const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
    expect(one.ownerUrl).not.toBe(other.ownerUrl);
    for (const role of LOGIN_ROLES) {
      const client = await connect(one.urlFor(role), 'spec');
      expect((await client.query('SELECT current_user AS role')).rows).toEqual([{ role }]);
      await client.end();
    }
    await Promise.all([one.drop(), other.drop()]);
    await expect(connect(one.ownerUrl, 'spec')).rejects.toMatchObject({ code: '3D000' });
  });
});
