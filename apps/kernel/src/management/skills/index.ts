// SPDX-License-Identifier: Apache-2.0
export { Skills } from './skills.ts';
export { SkillsController } from './skills.controller.ts';
