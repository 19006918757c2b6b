// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { Type } from 'typebox';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf } from '../terminal.ts';
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
        next: `WRIT_URL=${client.url} WRIT_API_KEY=… writ agents create NAME`,
      }),
    );
  });
  return new Command('tenant').addCommand(command).addCommand(limitsCommand(context));
}
