// SPDX-License-Identifier: Apache-2.0
//
// What a call does to the kernel's own tables, and to information stores, when it commits. INVARIANT (from the
// decision): it follows from the tool and the arguments that were decided on. Nothing that an executor reports decides
// it.
import {
  AGENT_MANAGE,
  CONTAINER_CREATE,
  containerNameOf,
  LIMITS,
  madeResourceId,
  STORE_REGISTER,
  storeNameOf,
  storeSettingsOf,
  TASK_CREATE,
  TASK_EDIT,
  type AuditRecord,
  type ResourceKind,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import type { RegisteredResource } from '../../foundation/database/functions/resources.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** A change as kernel.apply_changes takes it. */
export type ResourceChange =
  | { readonly change: 'register'; readonly resource: RegisteredResource; readonly max: number }
  | { readonly change: 'task'; readonly task_id: string; readonly any: boolean }
  | AgentChangeOrder
  | PublishedChange;

/** A record as kernel.post_records takes it. */
type Posted = Readonly<Record<string, string>>;

/** What a call does to another agent, as kernel.change_agent takes it. */
export type AgentChangeOrder =
  | {
      readonly change: 'freeze';
      readonly agent_id: string;
      readonly freeze: { readonly freeze_id: string; readonly reason: string; readonly expires_at: number | null };
      readonly record: Posted;
    }
  | { readonly change: 'lift'; readonly agent_id: string; readonly freeze_id: string; readonly record: Posted }
  | {
      readonly change: 'cancel';
      readonly agent_id: string;
      readonly calls: readonly { readonly operation_id: string; readonly record: Posted }[];
    };

/** The change of an information store that becomes visible with the call. */
export interface PublishedChange {
  readonly change: 'publish';
  /** of the resource */
  readonly store_id: string;
  /** what the executor staged: it alone comes from there */
  readonly change_id: string;
  /** of what the arguments say, hex */
  readonly digest: string;
  /** of the store afterwards */
  readonly version: number;
}

/** Tools whose commit changes tables of the kernel, as far as the arguments alone tell. */
const CHANGING: ReadonlySet<string> = new Set(
  [AGENT_MANAGE, CONTAINER_CREATE, STORE_REGISTER, TASK_CREATE, TASK_EDIT].map(({ tool_id }) => tool_id),
);

/** Answers whether a call of the tool changes tables of the kernel. */
export const changesResources = (toolId: string): boolean => CHANGING.has(toolId);

/** The changes that a committed call makes; those of another agent are read from it when the call commits. */
export function resourceChangesOf(
  operation: Pick<OperationRow, 'operation_id' | 'agent_id' | 'tool_id'>,
  args: Readonly<Record<string, unknown>>,
): readonly ResourceChange[] {
  switch (operation.tool_id) {
    case CONTAINER_CREATE.tool_id:
      return [
        registered(operation, 'container', containerNameOf(args, operation.operation_id), { workspace_id: null }),
      ];
    case STORE_REGISTER.tool_id:
      return [registered(operation, 'info_store', storeNameOf(args, operation.operation_id), storeSettingsOf(args))];
    case TASK_CREATE.tool_id:
      return [{ change: 'task', task_id: operation.operation_id, any: false }];
    case TASK_EDIT.tool_id:
      return [{ change: 'task', task_id: String(args['task_id']), any: args['any'] === true }];
    default:
      return [];
  }
}

function registered(
  { operation_id, agent_id }: Pick<OperationRow, 'operation_id' | 'agent_id'>,
  kind: ResourceKind,
  name: string,
  settings: object,
): ResourceChange {
  const plain = settings as Readonly<Record<string, unknown>>;
  return {
    change: 'register',
    resource: {
      resource_id: madeResourceId(operation_id),
      kind,
      name,
      owner_agent_id: agent_id,
      settings: plain,
      digest: resourceDigest({ kind, name, settings: plain }),
      created_by: agent_id,
    },
    max: LIMITS.resources.max,
  };
}

/** What the record of a call says about the store that it changed: its id, its version afterwards and the digest. */
export function recordedChange(changes: readonly ResourceChange[] | undefined): AuditRecord['change'] {
  const published = changes?.find((one) => one.change === 'publish');
  if (published === undefined) return null;
  const { store_id, version, digest } = published;
  return { verb: 'store_changed', subject: `info_store:${store_id}@${String(version)}`, digest };
}
