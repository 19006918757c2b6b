// SPDX-License-Identifier: Apache-2.0
//
// The extension `io.modelcontextprotocol/tasks`. A task is an operation: its id is the operation's, so nothing is kept
// for it, any replica answers, and it can be asked for as long as the operation can.
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Result,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { Fault, isFinal, isId, type OperationView } from '@writ/contract';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { ShowOperation } from '../../calls/show-operation.ts';
import { heldInWords } from './call-result.ts';
import { clientCapabilities } from './client-capabilities.ts';
import type { McpAccess } from './access.ts';
import type { Results } from './results.ts';

/** The name of the extension. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/**
 * How long a call runs before its answer is a task, in milliseconds. Most calls end earlier, and then a task would only
 * cost the client two more requests.
 */
export const TASK_AFTER_MS = 500;
/** How often a client should ask for a task, in milliseconds: about as often as the API itself polls for a client. */
const POLL_INTERVAL_MS = 1_000;

type TaskStatus = 'working' | 'completed' | 'cancelled';

interface Task extends Record<string, unknown> {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
}

/** Whether the client can be answered with a task, as the envelope of its request says. */
export function canTakeTasks(request: ServerContext): boolean {
  const { extensions } = clientCapabilities<{ extensions: Readonly<Record<string, unknown>> }>(request);
  return extensions?.[TASKS_EXTENSION] !== undefined;
}

/** The answer of a call that has not ended: a task, which the client asks for later. */
export const createdTask = (view: OperationView): CallToolResult =>
  // The SDK has no type for this answer, which the extension adds to `tools/call`.
  ({ resultType: 'task', ...taskOf(view) }) as unknown as CallToolResult;

/** Answers the requests of the extension. */
export class McpTasks {
  readonly #kernel: KernelClient;
  readonly #show: Pick<ShowOperation, 'view'>;

  constructor(kernel: KernelClient, show: Pick<ShowOperation, 'view'>) {
    this.#kernel = kernel;
    this.#show = show;
  }

  /** The task, with the result of its call once that has ended. @throws ProtocolError for an unknown task */
  async get(access: McpAccess, request: ServerContext, { taskId }: TaskParams, results: Results): Promise<Result> {
    const view = await this.#read(access, request, taskId);
    const task = taskOf(view);
    if (task.status !== 'completed') return task;
    return { ...task, result: await results.of(await this.#show.view(access.caller, view)) };
  }

  /**
   * Acknowledges what a client sends for a task. No task asks its client for anything: INVARIANT (the stored approval
   * decides), so nothing in here is read.
   */
  async update(access: McpAccess, request: ServerContext, { taskId }: TaskParams): Promise<Result> {
    await this.#read(access, request, taskId);
    return {};
  }

  /** Cancels the call, unless its effect has begun. One that has ended stays as it is. */
  async cancel(access: McpAccess, request: ServerContext, { taskId }: TaskParams): Promise<Result> {
    const { state, operation_id } = await this.#read(access, request, taskId);
    if (isFinal(state)) return {};
    try {
      await this.#kernel.ask('operation.cancel', access.caller, { operation_id });
    } catch (error) {
      // It ended meanwhile, or its effect has begun. The client sees which in the task.
      if (!(error instanceof Fault && error.code === 'conflict')) throw error;
    }
    return {};
  }

  async #read({ caller }: McpAccess, request: ServerContext, operation_id: string): Promise<OperationView> {
    if (!canTakeTasks(request))
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
      });
    try {
      if (isId('operation', operation_id)) return await this.#kernel.ask('operation.read', caller, { operation_id });
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'not_found')) throw error;
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no such task');
  }
}

/** The parameters of the requests of the extension, which are attacker-controlled. */
export interface TaskParams {
  readonly taskId: string;
}

export const TaskParams: StandardSchemaV1<unknown, TaskParams> = {
  '~standard': {
    version: 1,
    vendor: 'writ',
    validate: (value) => {
      const { taskId } = (value ?? {}) as { readonly taskId?: unknown };
      return typeof taskId === 'string' ? { value: { taskId } } : { issues: [{ message: '`taskId` must be a text' }] };
    },
  },
};

function taskOf(view: OperationView): Task {
  const { operation_id, state, created_at, updated_at } = view;
  return {
    taskId: operation_id,
    status: statusOf(view),
    ...(state === 'held' ? { statusMessage: heldInWords(view) } : {}),
    createdAt: new Date(created_at).toISOString(),
    lastUpdatedAt: new Date(updated_at).toISOString(),
    // An operation has no time after which it is gone.
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

/**
 * A refusal or a failure of the call is a result with `isError`, so its task is completed: `failed` would mean an error
 * of the protocol.
 */
function statusOf({ state, result }: OperationView): TaskStatus {
  if (!isFinal(state)) return 'working';
  return result?.error?.code === 'cancelled' ? 'cancelled' : 'completed';
}
