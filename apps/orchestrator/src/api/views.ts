// SPDX-License-Identifier: Apache-2.0
// What the API answers with, where the contract between processes doesn't say it already.
import {
  AgentView,
  ApprovalView,
  CapabilityToken,
  CliTool,
  ContainerView,
  DelegationView,
  ErasureView,
  FreezeView,
  IssuedToken,
  OperationView,
  PersonName,
  PolicyActivation,
  ProfileView,
  RegistrarKeyView,
  ResourceView,
  SandboxView,
  SecretView,
  SkillView,
  SnapshotView,
  TokenUse,
  TreeEntry,
  WorkspaceView,
  idSchema,
} from '@writ/contract';
import { Type, type Static, type TSchema } from 'typebox';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });

/** One page of a list, newest first. */
export const listOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item),
      next_cursor: orNull(Type.String({ description: 'for `cursor` of the next request; null on the last page' })),
    },
    closed,
  );

const RoleName = Type.Union([
  Type.Literal('admin'),
  Type.Literal('operator'),
  Type.Literal('agent'),
  Type.Literal('auditor'),
]);

export const ApiKeyView = Type.Object(
  {
    api_key_id: idSchema('apiKey'),
    name: Type.String(),
    role: RoleName,
    agent_id: orNull(idSchema('agent')),
    principal: orNull({ ...PersonName }),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that made it, or `platform`' }),
    revoked_at: orNull(Instant),
  },
  closed,
);
export type ApiKeyView = Static<typeof ApiKeyView>;

export const NewApiKey = Type.Object(
  { ...ApiKeyView.properties, api_key: Type.String({ description: 'the key itself: shown once, kept nowhere' }) },
  closed,
);
export type NewApiKey = Static<typeof NewApiKey>;

/** Things that a revoked key has made and that stay. */
export const RevokedApiKey = Type.Object(
  {
    ...ApiKeyView.properties,
    remains: Type.Object(
      {
        capability_tokens: Type.Array(IssuedToken, { description: 'that it issued and that are valid, newest first' }),
        jobs: Type.Array(
          Type.Object({ job_id: idSchema('job'), name: Type.String(), state: Type.Enum(['active', 'paused']) }, closed),
          {
            description:
              'that it made, newest first; one on whose behalf it ran starts no run until an administrator changes it',
          },
        ),
        more: Type.Boolean({ description: 'whether there are more than are listed' }),
      },
      { ...closed, description: 'what the key made and what stays until somebody removes it' },
    ),
  },
  closed,
);
export type RevokedApiKey = Static<typeof RevokedApiKey>;

export const NewTenant = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    name: Type.String(),
    api_key_id: idSchema('apiKey'),
    api_key: Type.String({ description: 'the key of the first administrator: shown once, kept nowhere' }),
  },
  closed,
);
export type NewTenant = Static<typeof NewTenant>;

export const ToolView = Type.Object(
  {
    tool_id: Type.String(),
    version: Type.Integer(),
    description: Type.String(),
    category: Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('admin')]),
    class: Type.Union([Type.Literal('inline'), Type.Literal('sandboxed'), Type.Literal('broker')]),
    mutating: Type.Boolean(),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments' }),
    result: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the result' }),
    limits: Type.Record(Type.String(), Type.Integer()),
    definition_digest: Type.String({ description: 'SHA-256 of the definition, as records carry it' }),
    cli: Type.Optional(
      Type.Object(
        {
          cmd: Type.String(),
          args: Type.Array(Type.String()),
          optional_args: CliTool.properties.optional_args,
          env: Type.Array(Type.Object({ name: Type.String(), secrets: Type.Array(Type.String()) }, closed), {
            description: 'the variables that it declares, by name, with the secrets in them',
          }),
          applied_by: Type.String(),
          applied_at: Type.Integer(),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type ToolView = Static<typeof ToolView>;

/** A token as callers see it: the immutable grant, where it stands in its chain, and what is gone of its budgets. */
export const TokenView = Type.Object({ ...CapabilityToken.properties, ...TokenUse.properties }, closed);
export type TokenView = Static<typeof TokenView>;

export const TreeView = Type.Object(
  {
    workspace_id: idSchema('workspace'),
    snapshot_id: Type.String(),
    path: Type.String(),
    entries: Type.Array(TreeEntry),
    next_cursor: orNull(Type.String({ description: 'for `cursor` of the next request; null when all is told' })),
  },
  closed,
);
export type TreeView = Static<typeof TreeView>;

/** A record by its place in the log. */
export const RecordView = Type.Object(
  {
    leaf_index: Type.Integer({ minimum: 0 }),
    tree_size: Type.Integer({ minimum: 1, description: 'records of the log, by the checkpoint of its receipt' }),
    statement: Type.Record(Type.String(), Type.Unknown(), {
      description: 'the in-toto Statement v1 that was signed; its `predicate` is the record',
    }),
    receipt: Type.String({ description: 'where its receipt is' }),
  },
  closed,
);
export type RecordView = Static<typeof RecordView>;

export const ApiKeyList = listOf(ApiKeyView);
export const AgentList = listOf(AgentView);
export const ResourceList = listOf(ResourceView);
export const ContainerList = listOf(ContainerView);
export const SandboxList = listOf(SandboxView);
export const ProfileList = listOf(ProfileView);
export const SkillList = listOf(SkillView);
export const RegistrarKeyList = listOf(RegistrarKeyView);
export const SecretList = listOf(SecretView);
export const ToolList = Type.Object({ items: Type.Array(ToolView) }, closed);
export const OperationList = listOf(OperationView);
export const ApprovalList = listOf(ApprovalView);
export const DelegationList = listOf(DelegationView);
export const ErasureList = listOf(ErasureView);
export const FreezeList = listOf(FreezeView);
export const PolicyActivationList = listOf(PolicyActivation);
export const TokenList = listOf(TokenView);
export const WorkspaceList = listOf(WorkspaceView);
export const SnapshotList = listOf(SnapshotView);

export const Health = Type.Object({ status: Type.Literal('ok') }, closed);
export const ReadyView = Type.Object(
  { ready: Type.Boolean(), checks: Type.Record(Type.String(), Type.String()) },
  closed,
);
