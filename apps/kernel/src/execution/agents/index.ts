// SPDX-License-Identifier: Apache-2.0
export { AgentChanges } from './agent-changes.ts';
export { readAgent } from './read-agent.ts';
