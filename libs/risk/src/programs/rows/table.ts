// SPDX-License-Identifier: Apache-2.0
import type { TableRow } from './program-form.ts';
import { CLOUD } from './cloud.ts';
import { CONTAINERS } from './containers.ts';
import { DATABASES } from './databases.ts';
import { DEPLOYMENTS } from './deployments.ts';
import { HISTORY } from './history.ts';
import { MACHINE } from './machine.ts';
import { PACKAGES } from './packages.ts';
import { PROVISIONING } from './provisioning.ts';
import { TRACES } from './traces.ts';
import { WINDOWS } from './windows.ts';

/** First rows for programs with one effect, in addition to their other readings. */
export const TABLE: readonly TableRow[] = [
  ...MACHINE,
  ...TRACES,
  ...CONTAINERS,
  ...PROVISIONING,
  ...CLOUD,
  ...PACKAGES,
  ...DATABASES,
  ...HISTORY,
  ...DEPLOYMENTS,
  ...WINDOWS,
];
