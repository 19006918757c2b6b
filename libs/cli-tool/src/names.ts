// SPDX-License-Identifier: Apache-2.0
import { problemAt, TOOLS, type Problem } from '@writ/contract';

/**
 * First words of names that are reserved for Writ's own tools: a token's `fs.*` must not include a tenant's program.
 */
const FAMILIES = new Set([
  ...[...TOOLS.keys()].map((id) => id.split('.')[0] ?? id),
  'agent',
  'api',
  'calendar',
  'cli',
  'container',
  'email',
  'git',
  'info',
  'kernel',
  'mcp',
  'memory',
  'mk8',
  'policy',
  'search',
  'secret',
  'session',
  'skill',
  'system',
  'task',
  'token',
  'tool',
  'tools',
  'transcription',
  'vecdb',
  'workspace',
  'writ',
]);

/** Names of Writ's own tools in dialects, and the name for an unknown tool. */
const DIALECT_NAMES = new Set([
  'access_skill',
  'access_website',
  'apply_file_change',
  'bash',
  'build',
  'command',
  'create_sub_agent',
  'ctrl',
  'edit',
  'edit_any_task',
  'edit_file',
  'edit_task',
  'fetch',
  'get_value',
  'grep',
  'input',
  'list_dir',
  'list_directory',
  'manage_agent',
  'preview_edit_file',
  'preview_write_file',
  'query_search_engine',
  'read',
  'read_file',
  'run_command',
  'todos',
  'unknown',
  'virtual_terminal',
  'write',
  'write_file',
]);

export function nameProblems(name: string, at: string): Problem[] {
  const [family = name] = name.split('.');
  if (FAMILIES.has(family))
    return [problemAt(`${at}/name`, `\`${family}\` begins the names of Writ's own tools`, 'take another first word')];
  return DIALECT_NAMES.has(name)
    ? [problemAt(`${at}/name`, `\`${name}\` is what a dialect calls one of Writ's own tools`, 'take another')]
    : [];
}
