// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { Type } from 'typebox';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf, momentOf } from '../terminal.ts';

const OrNull = Type.Union([Type.String(), Type.Null()]);
const List = Type.Union([Type.Array(Type.String()), Type.Null()]);
const Whoami = Type.Object({
  kind: Type.String(),
  tenant_id: OrNull,
  api_key_id: OrNull,
  name: OrNull,
  role: OrNull,
  agent_id: OrNull,
  tools: List,
  scopes: List,
  capability_token_id: OrNull,
  principal: OrNull,
  person_id: OrNull,
  expires_at: Type.Union([Type.Integer(), Type.Null()]),
});

/** `writ whoami`. */
export function whoamiCommand(context: Context): Command {
  const command = new Command('whoami').description('who the API takes you for, and how long');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const who = await connect(context, options, 'admin').client.read(Whoami, '/v1/whoami');
    show(context, options, who, () =>
      fieldsOf({
        kind: who.kind.replaceAll('_', ' '),
        tenant: who.tenant_id,
        key: who.api_key_id,
        name: who.name,
        role: who.role,
        agent: who.agent_id,
        tools: who.tools?.join(' '),
        scopes: who.scopes?.join(' '),
        token: who.capability_token_id,
        person: who.principal ?? who.person_id,
        expires: who.expires_at === null ? null : momentOf(who.expires_at),
      }),
    );
  });
}
