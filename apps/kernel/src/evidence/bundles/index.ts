// SPDX-License-Identifier: Apache-2.0
export { BundlesController } from './bundles.controller.ts';
export { SealBundle } from './seal-bundle.ts';
