// SPDX-License-Identifier: Apache-2.0
export { AgentsController } from './agents.controller.ts';
export { Agents } from './agents.ts';
