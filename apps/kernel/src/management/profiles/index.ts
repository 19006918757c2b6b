// SPDX-License-Identifier: Apache-2.0
export { Profiles } from './profiles.ts';
export { ProfilesController } from './profiles.controller.ts';
