// SPDX-License-Identifier: Apache-2.0
export { Resolve } from './resolve.ts';
export { ResolveController } from './resolve.controller.ts';
