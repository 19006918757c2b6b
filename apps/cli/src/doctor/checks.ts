// SPDX-License-Identifier: Apache-2.0
import type { Check } from './check.ts';
import { CALL_CHECKS } from './checks/calls.ts';
import { INSTALLATION_CHECKS } from './checks/installation.ts';
import { LOG_CHECKS } from './checks/log.ts';
import { PERMIT_CHECKS } from './checks/permits.ts';
import { SANDBOX_CHECKS } from './checks/sandboxes.ts';
import { TENANT_CHECKS } from './checks/tenants.ts';

/** All checks, in the order of the report. */
export const CHECKS: readonly Check[] = [
  ...PERMIT_CHECKS,
  ...CALL_CHECKS,
  ...LOG_CHECKS,
  ...SANDBOX_CHECKS,
  ...TENANT_CHECKS,
  ...INSTALLATION_CHECKS,
];
