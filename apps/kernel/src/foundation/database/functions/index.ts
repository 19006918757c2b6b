// SPDX-License-Identifier: Apache-2.0
import { admissionFunctions } from './admission.ts';
import { agentsFunctions } from './agents.ts';
import { apiKeysFunctions } from './api-keys.ts';
import { approvalsFunctions } from './approvals.ts';
import { approverGroupsFunctions } from './approver-groups.ts';
import { attemptsFunctions } from './attempts.ts';
import { dispatchFunctions } from './dispatch.ts';
import { erasureFunctions } from './erasure.ts';
import { functionCallsFunctions } from './function-calls.ts';
import { foundationFunctions } from './foundation.ts';
import { freezesFunctions } from './freezes.ts';
import { historyFunctions } from './history.ts';
import { imagesFunctions } from './images.ts';
import { keysFunctions } from './keys.ts';
import { maintenanceFunctions } from './maintenance.ts';
import { mcpConnectionsFunctions } from './mcp-connections.ts';
import { mcpServersFunctions } from './mcp-servers.ts';
import { noticesFunctions } from './notices.ts';
import { outcomesFunctions } from './outcomes.ts';
import { outputsFunctions } from './outputs.ts';
import { policyFunctions } from './policy.ts';
import { previewsFunctions } from './previews.ts';
import { recordsFunctions } from './records.ts';
import { externalVersionsFunctions } from './external-versions.ts';
import { resourcesFunctions } from './resources.ts';
import { shellsFunctions } from './shells.ts';
import { tenantsFunctions } from './tenants.ts';
import { tokensFunctions } from './tokens.ts';
import { toolsFunctions } from './tools.ts';
import { usageFunctions } from './usage.ts';
import { valuesFunctions } from './values.ts';
import { workspacesFunctions } from './workspaces.ts';

/** The SQL functions that the kernel calls: one table, a file for each capability of `sql/functions`. */
export const kernelSql = {
  ...admissionFunctions,
  ...agentsFunctions,
  ...apiKeysFunctions,
  ...approvalsFunctions,
  ...approverGroupsFunctions,
  ...attemptsFunctions,
  ...dispatchFunctions,
  ...erasureFunctions,
  ...functionCallsFunctions,
  ...foundationFunctions,
  ...freezesFunctions,
  ...historyFunctions,
  ...imagesFunctions,
  ...keysFunctions,
  ...maintenanceFunctions,
  ...mcpConnectionsFunctions,
  ...mcpServersFunctions,
  ...noticesFunctions,
  ...outcomesFunctions,
  ...outputsFunctions,
  ...policyFunctions,
  ...previewsFunctions,
  ...recordsFunctions,
  ...externalVersionsFunctions,
  ...resourcesFunctions,
  ...shellsFunctions,
  ...tenantsFunctions,
  ...tokensFunctions,
  ...toolsFunctions,
  ...usageFunctions,
  ...valuesFunctions,
  ...workspacesFunctions,
} as const;

export type { ImageFor } from './images.ts';

// The schemas of libraries, in the kernel's database.
export { audioSql, type KeptRow } from '@writ/audio-pg';
export { infoStoreSql, registerFailure } from '@writ/info-store-pg';
