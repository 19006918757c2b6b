// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, OperationView } from '@writ/contract';
import { TokenView } from '../calls/kernel/token-view.ts';
import type { NamedSchemas } from '../edge/openapi/schemas.ts';
import { ExpandableApproval } from './approvals/views.ts';
import { ExpandableOperation } from './operations/views.ts';
import { ExpandableRun, RunView } from './sessions/views.ts';
import { ChildTokens, ExpandableToken, TokenList } from './tokens/views.ts';

/** What requests can expand has one name, with and without its expansions. */
export const NAMED_EXPANDABLE: NamedSchemas = {
  Approval: [ExpandableApproval, ApprovalView],
  Operation: [ExpandableOperation, OperationView],
  Run: [ExpandableRun, RunView],
  Token: [ExpandableToken, TokenView],
  TokenList: [TokenList, ChildTokens],
};
