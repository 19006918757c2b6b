// SPDX-License-Identifier: Apache-2.0
import { ToolPattern } from '@writ/contract';
import { Type, type TObject } from 'typebox';
import { closed, forbid, Outcome, quoted, ruleId, supervisionClause, type PolicyTemplate } from './fragment.ts';

const template = <P extends TObject>(made: PolicyTemplate<P>): PolicyTemplate => made as unknown as PolicyTemplate;
/** Printable characters only, so that none can end a literal or a line. */
const Printable = (description: string) => Type.String({ pattern: '^[^\\x00-\\x1f\\x7f]{1,512}$', description });
const AgentId = Type.String({ pattern: '^[a-z0-9_]{1,64}$', description: 'the agent' });
const CHANGES = 'action in [Action::"write", Action::"admin"]';

const protectPaths = template({
  id: 'protect_paths',
  description:
    'Paths that agents may not change, or not without a person. Holds for what arguments name and for what the call then changed.',
  parameters: Type.Object(
    {
      id: ruleId('protect_paths'),
      paths: Type.Array(Printable("a path from the workspace's root, `*` standing for anything, also slashes"), {
        minItems: 1,
        maxItems: 64,
        description: 'which paths',
      }),
      access: Type.Enum(['write', 'any'], { default: 'write', description: 'whether reading is meant too' }),
      then: Outcome,
    },
    closed,
  ),
  make: ({ id, paths, access, then }) =>
    forbid({
      id,
      reason: `the call touches protected paths: ${paths.join(', ')}`.slice(0, 512),
      would_pass: `without ${access === 'write' ? 'a write to' : 'touching'} ${paths.join(', ')}`.slice(0, 512),
      resource: 'resource is File',
      when: [
        ...supervisionClause(then),
        ...(access === 'write' ? ['resource.access == "write"'] : []),
        `(${paths.map((path) => `resource.path like ${quoted(path)}`).join(' || ')})`,
      ],
    }),
});

const readOnlyAgent = template({
  id: 'read_only_agent',
  description: 'An agent that changes nothing, whatever its token grants.',
  parameters: Type.Object({ id: ruleId('read_only_agent'), agent_id: AgentId }, closed),
  make: ({ id, agent_id }) =>
    forbid({
      id,
      reason: 'this agent only reads',
      would_pass: 'another agent, or a tool of category read',
      principal: `principal == Agent::"${agent_id}"`,
      action: CHANGES,
      when: [],
    }),
});

const onlyTools = template({
  id: 'only_tools',
  description: 'An agent that uses some tools and no other, whatever its token grants.',
  parameters: Type.Object(
    {
      id: ruleId('only_tools'),
      agent_id: AgentId,
      tools: Type.Array(ToolPattern, { minItems: 1, maxItems: 64, description: 'tools or families (`fs.*`)' }),
    },
    closed,
  ),
  make: ({ id, agent_id, tools }) =>
    forbid({
      id,
      reason: 'this agent uses other tools',
      would_pass: `one of ${tools.join(', ')}`.slice(0, 512),
      principal: `principal == Agent::"${agent_id}"`,
      // A tool is in itself, and a family is its group; everything is in no group.
      when: [tools.includes('*') ? 'false' : `!(action in [${tools.map((tool) => `Action::"${tool}"`).join(', ')}])`],
    }),
});

const businessHours = template({
  id: 'business_hours',
  description:
    "Changes outside of some hours (UTC) need a person, or don't happen. Where the time isn't known, it is outside.",
  parameters: Type.Object(
    {
      id: ruleId('business_hours'),
      from_hour: Type.Integer({ minimum: 0, maximum: 23, default: 8, description: 'the first hour' }),
      to_hour: Type.Integer({ minimum: 1, maximum: 24, default: 18, description: 'the hour at which it ends' }),
      last_weekday: Type.Integer({
        minimum: 1,
        maximum: 7,
        default: 5,
        description: 'the last day of the week, 1 being Monday',
      }),
      then: Outcome,
    },
    closed,
  ),
  make: ({ id, from_hour, to_hour, last_weekday, then }) =>
    forbid({
      id,
      reason: `changes are made from ${from_hour} to ${to_hour} o'clock UTC, on the first ${last_weekday} days of the week`,
      would_pass: 'a time within those hours',
      action: CHANGES,
      when: [
        ...supervisionClause(then),
        `!(context has time && context.time.hour >= ${from_hour} && context.time.hour < ${to_hour} && context.time.weekday <= ${last_weekday})`,
      ],
    }),
});

const noNetworkTools = template({
  id: 'no_network_tools',
  description: "Tools that reach outside need a person, or aren't used.",
  parameters: Type.Object({ id: ruleId('no_network_tools'), then: Outcome }, closed),
  make: ({ id, then }) =>
    forbid({
      id,
      reason: 'the tool reaches outside',
      would_pass: 'a tool that stays in the workspace',
      when: ['context.tool_class == "broker"', ...supervisionClause(then)],
    }),
});

const holdAdmin = template({
  id: 'hold_admin',
  description: 'Administrative tools need so many administrators in any session, listed by a job or not.',
  parameters: Type.Object(
    {
      id: ruleId('hold_admin'),
      approvers: Type.Integer({ minimum: 1, maximum: 16, default: 2, description: 'how many' }),
    },
    closed,
  ),
  make: ({ id, approvers }) =>
    forbid({
      id,
      reason: 'administrative tools need administrators',
      would_pass: "a tool that isn't administrative",
      quorum: approvers,
      action: 'action in Action::"admin"',
      when: ['context.supervision != "escalated"'],
    }),
});

const quarantineUntrusted = template({
  id: 'quarantine_untrusted',
  description: "Once untrusted content came into a session, its changes need a person, or don't happen.",
  parameters: Type.Object({ id: ruleId('quarantine_untrusted'), then: Outcome }, closed),
  make: ({ id, then }) =>
    forbid({
      id,
      reason: 'untrusted content came into the session',
      would_pass: 'a session without untrusted content',
      action: CHANGES,
      when: [...supervisionClause(then), 'context.labels.contains("untrusted_content")'],
    }),
});

export const RULE_TEMPLATES: readonly PolicyTemplate[] = [
  protectPaths,
  readOnlyAgent,
  onlyTools,
  businessHours,
  noNetworkTools,
  holdAdmin,
  quarantineUntrusted,
];
