// SPDX-License-Identifier: Apache-2.0
export { ActivatePolicy } from './activate-policy.ts';
export { PoliciesController } from './policies.controller.ts';
export { PutPolicy } from './put-policy.ts';
export { ShowPolicies } from './show-policies.ts';
