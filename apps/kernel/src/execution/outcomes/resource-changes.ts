// SPDX-License-Identifier: Apache-2.0
//
// What a call does to the kernel's own tables, and to information stores, when it commits. INVARIANT (from the
// decision): it follows from the tool and the arguments that were decided on. Nothing that an executor reports decides
// it.
import {
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

type Decided = Pick<OperationRow, 'operation_id' | 'agent_id' | 'tool_id'>;
type Arguments = Readonly<Record<string, unknown>>;

/** Of each tool whose commit changes tables of the kernel, the changes, which follow from the arguments alone. */
const CHANGES_OF: ReadonlyMap<string, (operation: Decided, args: Arguments) => readonly ResourceChange[]> = new Map([
  [
    CONTAINER_CREATE.tool_id,
    (operation: Decided, args: Arguments) => [
      registered(operation, 'container', containerNameOf(args, operation.operation_id), { workspace_id: null }),
    ],
  ],
  [
    STORE_REGISTER.tool_id,
    (operation, args) => [
      registered(operation, 'info_store', storeNameOf(args, operation.operation_id), storeSettingsOf(args)),
    ],
  ],
  [TASK_CREATE.tool_id, ({ operation_id }) => [{ change: 'task', task_id: operation_id, any: false }]],
  [TASK_EDIT.tool_id, (_, args) => [{ change: 'task', task_id: String(args['task_id']), any: args['any'] === true }]],
]);

/** Answers whether {@link resourceChangesOf} knows the changes of the tool's calls. */
export const changesResources = (toolId: string): boolean => CHANGES_OF.has(toolId);

/** The changes that a committed call makes to tables of the kernel; none for a tool that makes none. */
export const resourceChangesOf = (operation: Decided, args: Arguments): readonly ResourceChange[] =>
  CHANGES_OF.get(operation.tool_id)?.(operation, args) ?? [];

function registered(
  { operation_id, agent_id }: Decided,
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
