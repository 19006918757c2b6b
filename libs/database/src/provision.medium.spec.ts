// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, MAINTENANCE_DATABASE } from './address.ts';
import { connect } from './pool.ts';
import { provisionRoles } from './provision.ts';
import { LOGIN_ROLES, OWNER_ROLE, type LoginRole } from './roles.ts';

// The testing library depends on this one, so it is not used here.
const envFile = join(import.meta.dirname, '../../../.writ/test/env.json');
const server =
  process.env['WRIT_TEST_DATABASE_URL'] ??
  (existsSync(envFile)
    ? (JSON.parse(readFileSync(envFile, 'utf8')) as Record<string, string>)['WRIT_TEST_DATABASE_URL']
    : undefined);
if (!server) throw new Error('`WRIT_TEST_DATABASE_URL` is not set: run `npm run parts`');

const passwords = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`])) as Record<LoginRole, string>;
const id = randomUUID().replaceAll('-', '');
const [database, user, password] = [`writ_test_${id}`, `writ_test_owner_${id}`, randomBytes(16).toString('hex')];
const asOwner = addressOf(server, database, { role: user, password });

async function admin(...statements: string[]): Promise<void> {
  const client = await connect(addressOf(server ?? '', MAINTENANCE_DATABASE), 'spec');
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  await provisionRoles({ url: addressOf(server, database), passwords });
  await admin(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`, `ALTER DATABASE ${database} OWNER TO ${user}`);
});
afterAll(() => admin(`DROP DATABASE ${database} WITH (FORCE)`, `DROP ROLE ${user}`));

describe('a user that owns the database and may not make roles', () => {
  it('receives an error that names the missing grant', async () => {
    await expect(provisionRoles({ url: asOwner, passwords })).rejects.toThrow(
      `the user is no member of \`${OWNER_ROLE}\`, which owns the schemas: let an administrator grant it`,
    );
  });

  it('provisions the database once the roles exist', async () => {
    await admin(`GRANT ${OWNER_ROLE} TO ${user}`);
    expect((await provisionRoles({ url: asOwner, passwords })).database).toBe(database);
  });
});

it('roles are provisioned even while another client changes them', async () => {
  const end = new AbortController();
  const other = (async () => {
    const client = await connect(addressOf(server, MAINTENANCE_DATABASE), 'spec');
    try {
      // The role stays the same, and its row is written each time.
      while (!end.signal.aborted) {
        for (const role of LOGIN_ROLES) {
          await client.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`).catch(() => undefined);
          await sleep(2);
        }
      }
    } finally {
      await client.end();
    }
  })();
  try {
    for (let round = 0; round < 3; round += 1) {
      expect((await provisionRoles({ url: addressOf(server, database), passwords })).database).toBe(database);
    }
  } finally {
    end.abort();
    await other;
  }
}, 60_000);
