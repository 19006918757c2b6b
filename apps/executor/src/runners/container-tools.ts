// SPDX-License-Identifier: Apache-2.0
import { CONTAINER_ACCESS, CONTAINER_CREATE, containerNameOf, madeResourceId } from '@writ/contract';
import type { FileToolOutcome } from '@writ/workspace';
import type { Call } from '../calls/runner.ts';

const IDS: ReadonlySet<string> = new Set([CONTAINER_CREATE.tool_id, CONTAINER_ACCESS.tool_id]);

/** Answers whether a tool is about containers as registered resources. */
export const isContainerTool = (toolId: string): boolean => IDS.has(toolId);

/**
 * Answers a call about a container. The executor stores nothing: the kernel registers a container when it commits the
 * call, from the arguments that it decided on, and says what is known of one when it redeems a call.
 */
export function runContainerTool({
  toolId,
  operationId,
  args,
  container,
}: Pick<Call, 'toolId' | 'operationId' | 'args' | 'container'>): FileToolOutcome<unknown> {
  if (toolId === CONTAINER_CREATE.tool_id)
    return success({ resource_id: madeResourceId(operationId), name: containerNameOf(args, operationId) });
  if (container === undefined) throw new Error(`a call of \`${toolId}\` came without its container`);
  return success(container);
}

const success = (container: unknown): FileToolOutcome<unknown> => ({
  ok: true,
  delta: null,
  blobs: [],
  result: { container },
});
