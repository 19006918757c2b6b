// SPDX-License-Identifier: Apache-2.0
import type { CommandTemplate, TemplatePart } from '../schema.ts';

export const row = (
  id: string,
  binary: string,
  parts: readonly TemplatePart[],
  effect: CommandTemplate['effect'],
  summary: string,
): CommandTemplate => ({ id, binary, parts: [...parts], effect, summary });
export const choice = (...of: string[]): TemplatePart => ({ slot: 'choice', of, optional: true });
export const ANY_PATH: TemplatePart = { slot: 'path', access: 'read', most: 32 };
export const WRITTEN_PATH: TemplatePart = { slot: 'path', access: 'write' };
export const COUNT: TemplatePart = { slot: 'int', min: 1, max: 1000 };
