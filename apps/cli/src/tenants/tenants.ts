// SPDX-License-Identifier: Apache-2.0
import { TenantView } from '@writ/contract';
import { Command } from 'commander';
import { Type } from 'typebox';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { limitsCommand } from './limits.ts';

const Created = Type.Object({
  tenant_id: Type.String(),
  name: Type.String(),
  api_key_id: Type.String(),
  api_key: Type.String(),
});

/** `writ tenant …`: with the platform key. */
export function tenantCommand(context: Context): Command {
  const command = new Command('create')
    .description('a tenant, with the key of its first administrator')
    .argument('<name>');
  command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'platform');
    const tenant = await client.read(Created, '/v1/tenants', { method: 'POST', body: { name } });
    show(context, options, tenant, () =>
      fieldsOf({
        tenant: tenant.tenant_id,
        'API key': tenant.api_key,
        role: 'admin',
        next: `WRIT_URL=${client.url} WRIT_API_KEY=… writ agent create NAME`,
      }),
    );
  });
  return new Command('tenant')
    .addCommand(command)
    .addCommand(listTenants(context))
    .addCommand(getTenant(context))
    .addCommand(closeTenant(context))
    .addCommand(limitsCommand(context));
}

const LIST_ROWS = 50;
const HEAD = ['tenant', 'name', 'state', 'created'] as const;
const rowOf = ({ tenant_id, name, state, created_at }: TenantView): string[] => [
  tenant_id,
  name,
  state,
  momentOf(created_at),
];

function listTenants(context: Context): Command {
  const command = new Command('list')
    .description('tenants, newest first')
    .option('--open', 'only tenants that are not closed')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const { limit, cursor, open, ...options } = command.optsWithGlobals<
      CommonOptions & { limit?: number; cursor?: string; open?: true }
    >();
    const { client } = connect(context, options, 'platform');
    const list = await readList(client, TenantView, '/v1/tenants', {
      limit,
      cursor,
      open: open === true ? 'true' : undefined,
    });
    show(context, options, list, () => tableOf(HEAD, list.items.map(rowOf)));
  });
}

function getTenant(context: Context): Command {
  const command = new Command('get').description('one tenant').argument('<tenant>');
  return command.action(async (tenant: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'platform');
    const found = await client.read(TenantView, `/v1/tenants/${encodeURIComponent(tenant)}`);
    show(context, options, found, () => fieldsOf(fieldsOfTenant(found)));
  });
}

function closeTenant(context: Context): Command {
  const command = new Command('close')
    .description('end a tenant for ever: its calls end, its keys are revoked, and its records stay')
    .argument('<tenant>')
    .requiredOption('--reason <text>', 'why; the platform key reads it');
  return command.action(async (tenant: string) => {
    const { reason, ...options } = command.optsWithGlobals<CommonOptions & { reason: string }>();
    const { client } = connect(context, options, 'platform');
    const path = `/v1/tenants/${encodeURIComponent(tenant)}/close`;
    const closed = await client.read(TenantView, path, { method: 'POST', body: { reason } });
    show(context, options, closed, () => fieldsOf(fieldsOfTenant(closed)));
  });
}

const fieldsOfTenant = ({ tenant_id, name, state, created_at, closed_at, closed_by, close_reason }: TenantView) => ({
  tenant: tenant_id,
  name,
  state,
  created: momentOf(created_at),
  ...(closed_at === null ? {} : { closed: `${momentOf(closed_at)} by ${closed_by ?? ''}`, reason: close_reason ?? '' }),
});
