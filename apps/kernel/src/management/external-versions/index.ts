// SPDX-License-Identifier: Apache-2.0
export { ExternalVersionsController } from './external-versions.controller.ts';
export { ExternalVersions } from './external-versions.ts';
