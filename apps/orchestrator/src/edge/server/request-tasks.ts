// SPDX-License-Identifier: Apache-2.0
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WorkerTasks } from '../work/worker-tasks.ts';

/**
 * The property of the server that holds the worker tasks. Parameter decorators are not providers, so nothing can be
 * injected into them.
 */
const TASKS = Symbol('worker tasks');

/** Makes the worker threads that read bodies available to a server's requests. */
export function provideTasks(fastify: FastifyInstance, tasks: WorkerTasks): void {
  fastify.decorate(TASKS, tasks);
}

/** The worker tasks of the server that received a request. */
export function tasksOf(request: FastifyRequest): WorkerTasks {
  return (request.server as unknown as { readonly [TASKS]: WorkerTasks })[TASKS];
}
