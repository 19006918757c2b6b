// SPDX-License-Identifier: Apache-2.0
import type { PolicyRequest } from './policy-request.ts';

/** The base request for specs: an interactive write without risk. */
export const PLAIN_ASK: PolicyRequest = {
  agent_id: 'agt_a',
  delegated_by: [],
  workspace_id: 'wsp_a',
  tool_id: 'fs.write',
  category: 'write',
  tool_class: 'inline',
  resources: [{ kind: 'fs', access: 'write', path: 'src/a.ts' }],
  risk_milli: 50,
  risk_ceiling: 'none',
  task_class: 'general',
  labels: [],
  session_mode: 'interactive',
  job_lists_tool: false,
  staged_change: false,
  max_autonomy: null,
};
