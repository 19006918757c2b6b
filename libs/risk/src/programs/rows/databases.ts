// SPDX-License-Identifier: Apache-2.0
import type { TableRow } from './program-form.ts';
import { SHOWS } from './shows.ts';

/** Databases, brokers and the tools that migrate them. */
export const DATABASES: readonly TableRow[] = [
  { programs: ['dropdb', 'dropuser', 'pg_dropcluster'], unless: ['--help'], kind: 'database_loss' },
  {
    programs: ['mysqladmin', 'mariadb-admin'],
    words: ['drop|shutdown|kill|flush-*|password|reset*|old-password|stop-*'],
    kind: 'database_loss',
  },
  { programs: ['pg_restore'], flags: ['-c', '--clean'], kind: 'database_loss' },
  { programs: ['prisma'], words: ['migrate', 'reset'], kind: 'database_loss' },
  {
    programs: ['prisma'],
    words: ['db', 'push'],
    flags: ['--force-reset', '--accept-data-loss'],
    kind: 'database_loss',
  },
  {
    programs: ['rails', 'rake'],
    words: ['db:drop*|db:reset|db:purge|db:schema:load|db:migrate:reset|db:truncate_all'],
    kind: 'database_loss',
  },
  {
    programs: ['php', 'artisan', 'sail'],
    words: ['artisan|migrate:fresh|migrate:reset|db:wipe', 'migrate:fresh|migrate:reset|db:wipe|migrate:refresh'],
    kind: 'database_loss',
  },
  {
    programs: ['python', 'python3', 'django-admin', 'manage'],
    words: ['flush|reset_db|sqlflush'],
    kind: 'database_loss',
  },
  {
    programs: ['python', 'python3', 'django-admin', 'manage'],
    words: ['manage.py', 'flush|reset_db'],
    kind: 'database_loss',
  },
  {
    programs: [
      'sequelize',
      'sequelize-cli',
      'knex',
      'typeorm',
      'alembic',
      'flyway',
      'liquibase',
      'dbmate',
      'mix',
      'ecto',
      'migrate',
    ],
    words: ['db:drop|db:migrate:undo:all|schema:drop|drop-all|dropAll|drop|ecto.drop|ecto.reset'],
    kind: 'database_loss',
  },
  { programs: ['flyway', 'atlas'], words: ['clean'], kind: 'database_loss' },
  { programs: ['goose', 'sqitch', 'tern'], words: ['reset|down-to|revert'], kind: 'database_loss' },
  {
    programs: ['artisan', 'sail'],
    words: ['migrate:fresh|migrate:reset|db:wipe|migrate:refresh'],
    kind: 'database_loss',
  },
  { programs: ['knex', 'artisan'], words: ['migrate:rollback'], flags: ['--all'], kind: 'database_loss' },
  { programs: ['alembic'], words: ['downgrade', 'base'], kind: 'database_loss' },
  {
    programs: ['supabase', 'hasura', 'wrangler', 'd1'],
    words: ['db|migrate|metadata|d1', 'reset|clear|delete|push'],
    kind: 'database_loss',
  },
  { programs: ['dotnet', 'dotnet-ef'], words: ['database', 'drop'], kind: 'database_loss' },
  { programs: ['dotnet'], words: ['ef', 'database', 'update', '0'], kind: 'database_loss' },
  { programs: ['prisma'], words: ['db', 'execute'], kind: 'database_loss' },
  { programs: ['drizzle-kit'], words: ['drop'], kind: 'database_loss' },
  { programs: ['drizzle-kit'], words: ['push'], flags: ['--force'], kind: 'database_loss' },
  { programs: ['mongorestore'], flags: ['--drop'], kind: 'database_loss' },
  {
    programs: ['neo4j-admin'],
    words: ['database|drop|load', 'delete|load|*'],
    flags: ['--overwrite-destination', '--force'],
    kind: 'database_loss',
  },
  { programs: ['nodetool'], words: ['clearsnapshot|decommission|removenode|assassinate|drain'], kind: 'database_loss' },
  {
    programs: ['rabbitmqctl'],
    words: ['purge_queue|stop_app|force_reset|delete_*|reset|forget_cluster_node'],
    kind: 'database_loss',
  },
  { programs: ['kafka-delete-records', 'kafka-delete-records.sh'], kind: 'database_loss' },
  { programs: ['pg_resetwal', 'pg_rewind', 'initdb', 'pg_upgrade'], unless: SHOWS, kind: 'database_loss' },
];
