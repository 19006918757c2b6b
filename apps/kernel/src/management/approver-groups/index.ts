// SPDX-License-Identifier: Apache-2.0
export { ApproverGroups, leaveGroups } from './approver-groups.ts';
export { ApproverGroupsController } from './approver-groups.controller.ts';
