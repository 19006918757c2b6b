// SPDX-License-Identifier: Apache-2.0
import { idSchema, PersonName } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { KeyScopes, WorkerTools } from '../../edge/access/key-schemas.ts';
import { closed, Instant, orNull } from '../../edge/requests/fields.ts';
import { KEY_ROLES, route } from '../../edge/requests/route.ts';

/** Who makes a request, and what they may do. Every member is null where it doesn't apply. */
export const Whoami = Type.Object(
  {
    kind: Type.Enum(['platform', 'api_key', 'access_token', 'exchanged_token', 'session', 'workload'], {
      description:
        'what the request presented; platform: the key of the deployment, which belongs to no tenant; workload: a projected token of a Kubernetes cluster',
    }),
    tenant_id: orNull(idSchema('tenant')),
    api_key_id: orNull({ ...idSchema('apiKey'), description: 'the key or credential that records name' }),
    name: orNull(Type.String({ description: 'the name of the key or credential' })),
    role: orNull(Type.Enum(KEY_ROLES)),
    agent_id: orNull({ ...idSchema('agent'), description: 'of the role `agent`: the agent' }),
    tools: orNull({ ...WorkerTools, description: 'of the role `worker`: the tools whose calls it may take' }),
    scopes: orNull({ ...KeyScopes, description: 'the only groups of routes that it may use; null: all of its role' }),
    capability_token_id: orNull({
      ...idSchema('token'),
      description: 'of an exchanged token: its calls use this capability token',
    }),
    principal: orNull({ ...PersonName, description: 'the person, as keys name them' }),
    member_id: orNull({ ...idSchema('member'), description: 'the member: a person, or a service account' }),
    person_id: orNull({ ...idSchema('person'), description: 'the pseudonym of the person' }),
    expires_at: orNull({ ...Instant, description: 'the end of what was presented; null: it has none' }),
  },
  closed,
);
export type Whoami = Static<typeof Whoami>;

export const WHOAMI = {
  read: route({
    id: 'whoami',
    tag: 'api-keys',
    method: 'GET',
    path: '/v1/whoami',
    allowed: [...KEY_ROLES, 'platform'],
    unscoped: true,
    summary: 'Says who makes the request: the tenant, the role, the person, and how long what it presents is good',
    answers: { 200: { description: 'Who makes the request', schema: Whoami } },
  }),
};
