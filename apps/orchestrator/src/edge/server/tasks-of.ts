// SPDX-License-Identifier: Apache-2.0
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WorkerTasks } from '../work/worker-tasks.ts';

/** Where a server keeps them: what reads the parameters of handlers is no provider, and nothing is injected into it. */
const TASKS = Symbol('worker tasks');

/** Gives the requests of a server the worker threads that read their bodies. */
export function provideTasks(fastify: FastifyInstance, tasks: WorkerTasks): void {
  fastify.decorate(TASKS, tasks);
}

/** The worker threads for a request. */
export function tasksOf(request: FastifyRequest): WorkerTasks {
  return (request.server as unknown as { readonly [TASKS]: WorkerTasks })[TASKS];
}
