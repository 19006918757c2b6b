// SPDX-License-Identifier: Apache-2.0
export { Freezes } from './freezes.ts';
export { FreezesController } from './freezes.controller.ts';
export { LiftFreeze } from './lift-freeze.ts';
export { PlaceFreeze } from './place-freeze.ts';
