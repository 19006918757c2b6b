// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** A call's container goes by the operation, a session's by its shell. */
export const CONTAINER_ID = '^(op_[0-7][0-9a-hjkmnp-tv-z]{25}|[0-9a-f]{32})$';
/**
 * As much of the newest output as is shown of what runs; a message between processes holds several times that. In
 * bytes.
 */
export const SHOWN_BYTES_MAX = 64 * 1024;

/** A container that has a call or a session now. Those that wait in a pool are nobody's and aren't among them. */
export const ContainerView = Type.Object(
  {
    container_id: Type.String({ pattern: CONTAINER_ID }),
    kind: Type.Enum(['call', 'preview', 'session'], { description: 'session: its shell, which outlives its calls' }),
    tenant_id: idSchema('tenant'),
    agent_id: idSchema('agent'),
    workspace_id: orNull(Type.String()),
    session_id: orNull(Type.String()),
    operation_id: orNull(
      Type.String({ description: 'the call that it has; null for a session that nobody asks anything of' }),
    ),
    tool_id: Type.String(),
    executor_id: Type.String(),
    image_digest: orNull(Type.String({ description: 'null for a session' })),
    created_at: Type.Integer({ minimum: 0, description: 'when the call was proposed, or the shell opened' }),
  },
  closed,
);
export type ContainerView = Static<typeof ContainerView>;

/** What came out of a container lately. */
export const ContainerLogs = Type.Object(
  {
    container_id: ContainerView.properties.container_id,
    output: Type.String({ description: 'the end of it; what is no UTF-8 shows as U+FFFD' }),
    output_bytes: Type.Integer({ minimum: 0, description: 'all that came out so far' }),
    withheld: Type.Boolean({ description: 'a call that was given secrets shows nothing while it runs' }),
  },
  closed,
);
export type ContainerLogs = Static<typeof ContainerLogs>;

/** kernel → executors, event `peek`: whoever has the container says what came out of it. */
export const PeekEvent = Type.Object(
  { v: Type.Literal(1), container_id: Type.String(), ask_id: Type.String({ pattern: '^[0-9a-f]{32}$' }) },
  closed,
);
export type PeekEvent = Static<typeof PeekEvent>;
/** executor → kernel, event `peeked`. A lost one costs whoever asked an answer. */
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

/** Null where the platform key asks, which is no tenant's and sees all. */
const asked = { v: Type.Literal(1), caller: orNull(Caller) } as const;
const Key = Type.String({ minLength: 1, maxLength: 64 });

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const CONTAINER_REQUESTS = {
  /** → {items: ContainerView[], next_cursor}; newest first */
  'container.list': Type.Object({ ...asked, page: Page }, closed),
  /** → ContainerLogs; of a tenant's own alone */
  'container.logs': Type.Object({ v: Type.Literal(1), caller: Caller, container_id: Key }, closed),
  /**
   * → ContainerView as it was; its call ends as `sandbox.killed`, and so does its session. A preview is a `conflict`:
   * it ends with its call
   */
  'container.kill': Type.Object({ ...asked, container_id: Key }, closed),
} as const;
