// SPDX-License-Identifier: Apache-2.0
import { formatId, type TenantId } from '@writ/contract';
import { connect } from '@writ/database';
import { testDatabase, type TestDatabase } from '@writ/testing';
import { checkLog } from '../check-log.ts';
import type { Finding } from '../findings.ts';
import type { Connection } from '../rows.ts';
import { KEYS, writeLog } from './write-log.ts';

/**
 * Batch sizes: across a full tile, with partial ones, the first two in an earlier version's form. The second log has
 * one record.
 */
export const BATCHES = [3, 1, 200, 60, 40];
export const BATCHES_BEFORE = 2;
export const SIZE = 304;
export const TENANT = formatId('tenant', Buffer.alloc(16, 1)) as TenantId;
export const OTHER = formatId('tenant', Buffer.alloc(16, 2)) as TenantId;

/** A database of two logs without findings, and the owner's connection to it. */
export class WrittenDatabase {
  readonly database: TestDatabase;
  readonly client: Connection;
  /** of the longer log */
  readonly logId: string;

  private constructor(database: TestDatabase, client: Connection, logId: string) {
    this.database = database;
    this.client = client;
    this.logId = logId;
  }

  static async open(): Promise<WrittenDatabase> {
    const database = await testDatabase();
    const client = await connect(database.ownerUrl, 'fsck-spec');
    await client.query('BEGIN');
    const logId = await writeLog(client, TENANT, BATCHES, BATCHES_BEFORE);
    await writeLog(client, OTHER, [1]);
    await client.query('COMMIT');
    return new WrittenDatabase(database, client, logId);
  }

  /** The findings of a log written in that way, in a transaction that is rolled back. */
  async foundIn(write: (tenant: TenantId) => Promise<unknown>, keys = KEYS): Promise<string[]> {
    const tenant = formatId('tenant', Buffer.alloc(16, 3)) as TenantId;
    await this.client.query('BEGIN');
    try {
      await write(tenant);
      const findings = (await checkLog(this.client, `log_${tenant.slice(4)}`, keys)).findings as Finding[];
      return findings.map(({ what }) => what);
    } finally {
      await this.client.query('ROLLBACK');
    }
  }

  async close(): Promise<void> {
    await this.client.end();
    await this.database.drop();
  }
}
