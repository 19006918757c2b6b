// SPDX-License-Identifier: Apache-2.0
export { cedarPolicy } from './cedar-policy.ts';
export { defaultPolicySets } from './default-policy-sets.ts';
