// SPDX-License-Identifier: Apache-2.0
export { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
export { PreviewDispatcher } from './preview-dispatcher.ts';
export { PermitIssuer, type WithinTrace } from './permit-issuer.ts';
export { Slots } from './slots.ts';
export { SlotsController } from './slots.controller.ts';
export { withinTrace } from './within-trace.ts';
