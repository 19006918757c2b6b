// SPDX-License-Identifier: Apache-2.0
import type { Approvals } from './approvals.ts';
import { methodsOf } from './bind-groups.ts';
import { approvalsOf } from './follow-approvals.ts';
import { ApiGroups, type ApprovalsApi } from './generated/api-groups.ts';
import { ROUTES } from './generated/routes.ts';
import { openTransport } from './open-transport.ts';
import type { WritOptions } from './writ-options.ts';

/** The routes of the API, each group as a member, such as `agents` and `workspaces`. */
export class ApiClient extends ApiGroups {
  override readonly approvals: Approvals;

  /** @throws UsageError for a missing address or key */
  constructor(options: WritOptions) {
    const transport = openTransport(options);
    super((group) => methodsOf(ROUTES[group], transport));
    const approvals = methodsOf(ROUTES.approvals, transport) as unknown as ApprovalsApi;
    this.approvals = approvalsOf({ approvals, events: this.events, platform: transport.platform });
  }
}
