// SPDX-License-Identifier: Apache-2.0
import { APPROVALS } from './pages/approvals.ts';
import { LEDGER } from './pages/ledger.ts';
import { OVERVIEW } from './pages/overview.ts';
import { RUNS } from './pages/runs.ts';
import { RUNTIME } from './pages/runtime.ts';
import { SANDBOXES } from './pages/sandboxes.ts';
import { SLO } from './pages/slo.ts';
import { TENANT } from './pages/tenant.ts';
import type { DashboardSpec } from './panel.ts';

/** Dashboards by the names of their files. */
export const DASHBOARDS: Readonly<Record<string, DashboardSpec>> = {
  overview: OVERVIEW,
  tenant: TENANT,
  approvals: APPROVALS,
  sandboxes: SANDBOXES,
  ledger: LEDGER,
  runs: RUNS,
  slo: SLO,
  runtime: RUNTIME,
};
