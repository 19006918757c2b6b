// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** The id of a call's container is its operation's, and that of a session's container its shell's. */
export const CONTAINER_ID = '^(op_[0-7][0-9a-hjkmnp-tv-z]{25}|[0-9a-f]{32})$';
/** Limit on the newest output that is shown, in bytes; a message between processes holds several times that. */
export const SHOWN_BYTES_MAX = 64 * 1024;

/** A container that has a call or a session now. Containers of a warm pool belong to nobody and are not included. */
export const ContainerView = Type.Object(
  {
    container_id: Type.String({ pattern: CONTAINER_ID }),
    kind: Type.Enum(['call', 'preview', 'session'], { description: 'session: its shell, which outlives its calls' }),
    tenant_id: idSchema('tenant'),
    agent_id: idSchema('agent'),
    workspace_id: orNull(Type.String()),
    session_id: orNull(Type.String()),
    resource_id: orNull({
      ...idSchema('resource'),
      description: 'the registered container whose shell it is; then `session_id` is null',
    }),
    operation_id: orNull(Type.String({ description: 'its current call; null for an idle session' })),
    tool_id: Type.String(),
    executor_id: Type.String(),
    image_digest: orNull(Type.String({ description: 'null for a session' })),
    created_at: Type.Integer({ minimum: 0, description: 'when the call was proposed, or the shell opened' }),
  },
  closed,
);
export type ContainerView = Static<typeof ContainerView>;

/** The recent output of a container. */
export const ContainerLogs = Type.Object(
  {
    container_id: ContainerView.properties.container_id,
    output: Type.String({ description: 'the end of the output; bytes that are no UTF-8 show as U+FFFD' }),
    output_bytes: Type.Integer({ minimum: 0, description: 'size of the output so far' }),
    withheld: Type.Boolean({ description: 'a call with secrets shows no output while it runs' }),
  },
  closed,
);
export type ContainerLogs = Static<typeof ContainerLogs>;

/** kernel → executors, event `peek`: the executor with the container replies with its output. */
export const PeekEvent = Type.Object(
  { v: Type.Literal(1), container_id: Type.String(), ask_id: Type.String({ pattern: '^[0-9a-f]{32}$' }) },
  closed,
);
export type PeekEvent = Static<typeof PeekEvent>;
/** executor → kernel, event `peeked`. If it is lost, the requester gets no answer. */
export const PeekedEvent = Type.Object(
  {
    v: Type.Literal(1),
    ask_id: PeekEvent.properties.ask_id,
    executor_id: idSchema('executor'),
    ...ContainerLogs.properties,
  },
  closed,
);
export type PeekedEvent = Static<typeof PeekedEvent>;

/** Null for the platform key, which belongs to no tenant and sees all. */
const asked = { v: Type.Literal(1), caller: orNull(Caller) } as const;
const Key = Type.String({ minLength: 1, maxLength: 64 });

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const CONTAINER_REQUESTS = {
  /** → {items: ContainerView[], next_cursor}; newest first */
  'container.list': Type.Object({ ...asked, page: Page }, closed),
  /** → ContainerLogs; of the tenant's own containers only */
  'container.logs': Type.Object({ v: Type.Literal(1), caller: Caller, container_id: Key }, closed),
  /**
   * → ContainerView as it was; its call ends as `sandbox.killed`, and so does its session. A preview is a `conflict`:
   * it ends with its call
   */
  'container.kill': Type.Object({ ...asked, container_id: Key }, closed),
} as const;
