// SPDX-License-Identifier: Apache-2.0
import type { AgentState } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import type { FreezeRow } from '../../rows/freeze-row.ts';
import type { OperationRow } from '../../rows/operation-row.ts';
import { kernelFunction } from './kernel-function.ts';

/** What a change of an agent by another one is decided on. */
export interface AgentChangeFacts {
  /** the freeze in force that the changing agent placed */
  readonly freeze: FreezeRow | null;
  /** the agent's calls that wait or run */
  readonly calls: readonly OperationRow[];
}

/** The functions of `sql/functions/agents` that the kernel calls. */
export const agentsFunctions = {
  agentChangeFacts: kernelFunction<AgentChangeFacts>()(
    'kernel.agent_change_facts',
    { tenant: sqlTypes.text, agent: sqlTypes.text, by: sqlTypes.text, rows: sqlTypes.integer },
    { returns: 'value' },
  ),
  agentState: kernelFunction<AgentState | null>()(
    'kernel.agent_state',
    {
      tenant: sqlTypes.text,
      agent: sqlTypes.text,
      by: sqlTypes.text,
      operations: sqlTypes.integer,
      others: sqlTypes.integer,
    },
    { returns: 'value' },
  ),
} as const;
