// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';

/** The folder of the npm that the lockfile names, for the sandbox image: it comes with `npm ci`, as our node does. */
export const npmPackage = (checkout: string): string => join(checkout, 'node_modules', 'npm');
