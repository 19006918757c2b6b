// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';
import { isPreviewable } from './decide-preview.ts';

test('only tools whose whole effect lies in the workspace are previewed', () => {
  const previewed = [...TOOLS.values()].filter(isPreviewable).map(({ tool_id }) => tool_id);
  expect(previewed.sort()).toEqual(['fs.edit', 'fs.edit_files', 'fs.write', 'mk8.run', 'shell.dangerous', 'shell.run']);
});
