// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { addressOf, databaseOf, MAINTENANCE_DATABASE } from './address.ts';
import { codeOf, faultOf } from './faults.ts';
import { connect } from './pool.ts';
import { LOGIN_ROLES, OWNER_ROLE, SCHEMA_USERS, type LoginRole } from './roles.ts';
import { scramVerifier } from './scram.ts';

export interface ProvisionOptions {
  /**
   * of a superuser, of a role with CREATEROLE and CREATEDB, or of the database's owner if the roles exist already, with
   * these passwords
   */
  readonly url: string;
  readonly passwords: Readonly<Record<LoginRole, string>>;
}

export interface Provisioned {
  readonly database: string;
  /** the given user on the database */
  readonly ownerUrl: string;
  readonly urlFor: (role: LoginRole) => string;
}

/** Any number, the same for all that provision: concurrent runs would collide on each other's roles. */
const LOCK = 727_073_691;
/**
 * SQLSTATE of "tuple concurrently updated": another client changes the same role or database without our lock. All
 * steps here can be repeated.
 */
const CHANGED_MEANWHILE = 'XX000';
const [ATTEMPTS_MAX, PAUSE_MS_MAX] = [10, 200];
const ATTRIBUTES = 'NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT';
const name = pg.escapeIdentifier;

/**
 * Creates what migrations and processes need, and leaves existing parts unchanged: the database, the owner's role, the
 * login roles with these passwords, the schemas, and no right for PUBLIC. Roles belong to the whole server, so two
 * deployments on one server share them. Faults: `database.unavailable`.
 */
export async function provisionRoles(options: ProvisionOptions): Promise<Provisioned> {
  try {
    return await repeated(() => provision(options));
  } catch (error) {
    throw faultOf(error);
  }
}

/** Repeats a step that another client disturbed. */
async function repeated<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (codeOf(error) !== CHANGED_MEANWHILE || attempt === ATTEMPTS_MAX) throw error;
      await sleep(Math.random() * PAUSE_MS_MAX);
    }
  }
}

async function provision(options: ProvisionOptions): Promise<Provisioned> {
  const database = databaseOf(options.url);
  const ownerUrl = addressOf(options.url, database);
  const admin = await maintenance(options.url, ownerUrl);
  try {
    await admin.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await provisionCluster(admin, options.passwords);
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await admin.query(`CREATE DATABASE ${name(database)} OWNER ${OWNER_ROLE}`);
    await grantDatabase(admin, database);
    await provisionSchemas(ownerUrl);
  } finally {
    await admin.end();
  }
  return {
    database,
    ownerUrl,
    urlFor: (role) => addressOf(options.url, database, { role, password: options.passwords[role] }),
  };
}

/** Connects to the maintenance database, or to the URL's own if a managed server closes the former. */
async function maintenance(url: string, ownerUrl: string): Promise<pg.Client> {
  try {
    return await connect(addressOf(url, MAINTENANCE_DATABASE), 'writ-provision');
  } catch (error) {
    if (!['3D000', '28000', '42501'].includes(codeOf(error))) throw faultOf(error);
    return await connect(ownerUrl, 'writ-provision').catch((again: unknown) => {
      throw faultOf(again);
    });
  }
}

async function provisionCluster(admin: pg.Client, passwords: ProvisionOptions['passwords']): Promise<void> {
  if (!(await mayMakeRoles(admin))) return await verifyRoles(admin);
  // Each step by itself: with many roles, a client that changes them all the time would disturb every whole attempt.
  await repeated(() => provisionRole(admin, OWNER_ROLE, 'NOLOGIN'));
  for (const role of LOGIN_ROLES) {
    await repeated(() => provisionRole(admin, role, 'LOGIN'));
    const verifier = scramVerifier(passwords[role], randomBytes(16));
    await repeated(() => admin.query(`ALTER ROLE ${name(role)} PASSWORD ${pg.escapeLiteral(verifier)}`));
  }
  const { rows } = await admin.query<{ super: boolean }>(
    'SELECT rolsuper AS super FROM pg_roles WHERE rolname = current_user',
  );
  // Without superuser rights, the user must be a member of the owner to create its schemas and to become it.
  if (!rows[0]?.super) await admin.query(`GRANT ${OWNER_ROLE} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE`);
}

async function mayMakeRoles(admin: pg.Client): Promise<boolean> {
  const { rows } = await admin.query<{ may: boolean }>(
    'SELECT rolsuper OR rolcreaterole AS may FROM pg_roles WHERE rolname = current_user',
  );
  return rows[0]?.may === true;
}

/**
 * For a user that owns the database and may not create roles: throws if an administrator hasn't created them, or not
 * with the right attributes.
 */
async function verifyRoles(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ role: string; ready: boolean; member: boolean | null }>(
    `SELECT role, COALESCE(NOT (rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole OR rolreplication OR rolinherit)
       AND rolcanlogin = (role <> $2), false) AS ready,
       CASE WHEN rolname = $2 THEN pg_has_role(current_user, rolname, 'MEMBER') END AS member
     FROM unnest($1::text[]) AS role LEFT JOIN pg_roles ON rolname = role`,
    [[OWNER_ROLE, ...LOGIN_ROLES], OWNER_ROLE],
  );
  const missing = rows.filter(({ ready }) => !ready).map(({ role }) => `\`${role}\``);
  const remedy = 'use a user with CREATEROLE and CREATEDB, or let an administrator make them';
  if (missing.length > 0) {
    throw new Error(
      `the user may not make roles, and these are missing or have other attributes than \`${ATTRIBUTES}\`: ${missing.join(', ')}; ${remedy}`,
    );
  }
  if (rows.some(({ member }) => member === false))
    throw new Error(
      `the user is no member of \`${OWNER_ROLE}\`, which owns the schemas: let an administrator grant it`,
    );
}

async function provisionRole(admin: pg.Client, role: string, login: 'LOGIN' | 'NOLOGIN'): Promise<void> {
  const { rows } = await admin.query<{ sound: boolean }>(
    `SELECT NOT (rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole OR rolreplication OR rolinherit) AND rolcanlogin = $2 AS sound
     FROM pg_roles WHERE rolname = $1`,
    [role, login === 'LOGIN'],
  );
  const verb = rows.length === 0 ? 'CREATE' : 'ALTER';
  // Only a superuser may name SUPERUSER in an ALTER, even as NOSUPERUSER. So a role with the right attributes is left
  // alone.
  if (!rows[0]?.sound) await admin.query(`${verb} ROLE ${name(role)} ${login} ${ATTRIBUTES}`);
}

/** Grants rights on the database itself. A copy made from a template doesn't inherit these. */
export async function grantDatabase(admin: pg.Client, database: string): Promise<void> {
  await admin.query(`REVOKE ALL ON DATABASE ${name(database)} FROM PUBLIC;
    GRANT CONNECT, CREATE ON DATABASE ${name(database)} TO ${OWNER_ROLE};
    GRANT CONNECT ON DATABASE ${name(database)} TO ${LOGIN_ROLES.join(', ')}`);
}

async function provisionSchemas(ownerUrl: string): Promise<void> {
  const client = await connect(ownerUrl, 'writ-provision');
  try {
    await client.query(`REVOKE ALL ON SCHEMA public FROM PUBLIC;
      ALTER DEFAULT PRIVILEGES FOR ROLE ${OWNER_ROLE} REVOKE ALL ON TABLES FROM PUBLIC;
      ALTER DEFAULT PRIVILEGES FOR ROLE ${OWNER_ROLE} REVOKE ALL ON SEQUENCES FROM PUBLIC;
      ALTER DEFAULT PRIVILEGES FOR ROLE ${OWNER_ROLE} REVOKE ALL ON FUNCTIONS FROM PUBLIC`);
    for (const [schema, users] of Object.entries(SCHEMA_USERS)) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${OWNER_ROLE};
        REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC;
        GRANT USAGE ON SCHEMA ${schema} TO ${users.join(', ')}`);
    }
  } finally {
    await client.end();
  }
}
