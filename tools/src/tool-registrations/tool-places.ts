// SPDX-License-Identifier: Apache-2.0
// The places where each of Writ's own tools must be registered besides its definition. Most lists of tools are derived
// from `TOOLS`; these can't be, since a person decides on their content.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolDefinition } from '@writ/contract';

/** A definition in `libs/contract/src/tools/`, and its constant. */
export interface DefinedTool {
  readonly constant: string;
  readonly tool: Pick<ToolDefinition, 'tool_id' | 'category' | 'class'>;
}

/** A place of registration, and the required change. */
interface Place {
  /** files, one of which must name the tool; relative to the checkout */
  readonly files: readonly string[];
  readonly isFor: (tool: DefinedTool) => boolean;
  /** the tool's form in the file */
  readonly names: (tool: DefinedTool) => RegExp;
  readonly todo: string;
}

const DEFINITIONS = 'libs/contract/src/tools/*.ts';
const SPECS = '**/*.spec.ts';

const quoted = ({ tool }: DefinedTool): RegExp => new RegExp(`'${tool.tool_id.replaceAll('.', '\\.')}'`);
const listed = ({ constant }: DefinedTool): RegExp => new RegExp(`\\b${constant}\\b`);
const byItsId = ({ constant }: DefinedTool): RegExp => new RegExp(`\\b${constant}\\.tool_id\\b`);
const isFile = ({ tool }: DefinedTool): boolean => tool.class === 'inline' && tool.tool_id.startsWith('fs.');

/** The default tool of the container runner, for tools that no runner names. */
const PLAIN_COMMAND = 'shell.run';

const PLACES: readonly Place[] = [
  {
    files: ['libs/contract/src/tools/registry.ts'],
    isFor: () => true,
    names: listed,
    todo: 'add it to `TOOLS`, in the order in which models are offered them',
  },
  {
    files: ['libs/contract/src/index.ts', 'libs/contract/src/tools/index.ts'],
    isFor: () => true,
    names: listed,
    todo: 'export it',
  },
  {
    files: ['libs/contract/src/tools/registry.spec.ts'],
    isFor: () => true,
    names: quoted,
    todo: 'pin its id in "are these"',
  },
  {
    files: ['libs/workspace/src/fs-tools/run.ts'],
    isFor: isFile,
    names: byItsId,
    todo: 'add the function that runs it to the table',
  },
  {
    files: ['apps/executor/src/runners/**/*.ts'],
    isFor: (defined) => defined.tool.class === 'inline' && !isFile(defined),
    names: byItsId,
    todo: 'run it: `inline-runner.ts` says which function does',
  },
  {
    files: ['apps/executor/src/runners/**/*.ts'],
    isFor: ({ tool }) => tool.class === 'broker',
    names: byItsId,
    todo: 'run it: `broker-runner.ts` says which function does',
  },
  {
    files: ['apps/executor/src/runners/**/*.ts', 'apps/executor/src/sessions/**/*.ts'],
    isFor: ({ tool }) => tool.class === 'sandboxed' && tool.tool_id !== PLAIN_COMMAND,
    names: ({ constant }) => new RegExp(`\\btoolId = ${constant}\\.tool_id\\b`),
    todo: 'write a runner of this `toolId`, else it runs as a command of `shell.run`',
  },
  {
    files: ['apps/orchestrator/src/**/ocsf-mapping.ts'],
    isFor: ({ tool }) => tool.category !== 'read',
    names: quoted,
    todo: 'say in `OF_TOOLS` which activity of OCSF a call of it is',
  },
  {
    files: ['tests/e2e/src/**/*.spec.ts'],
    isFor: () => true,
    names: quoted,
    todo: 'call it in a spec, against a whole Writ',
  },
];

/** All definitions of tools in the contract's sources, exported or not. */
export async function definedTools(checkout: string): Promise<DefinedTool[]> {
  const tools: DefinedTool[] = [];
  for (const file of globSync(DEFINITIONS, { cwd: checkout, exclude: [SPECS] }).sort()) {
    const members = (await import(pathToFileURL(join(checkout, file)).href)) as Readonly<Record<string, unknown>>;
    for (const [constant, value] of Object.entries(members))
      if (isDefinition(value)) tools.push({ constant, tool: value });
  }
  return tools;
}

/** The missing registrations, one line each: the file, the tool, the change. Empty when none is missing. */
export function missingPlaces(checkout: string, tools: readonly DefinedTool[]): string[] {
  const texts = PLACES.map((place) => textOf(checkout, place));
  return tools.flatMap((defined) =>
    PLACES.flatMap((place, index) =>
      !place.isFor(defined) || place.names(defined).test(texts[index] ?? '')
        ? []
        : [`${place.files.join(' or ')}: \`${defined.tool.tool_id}\` (${defined.constant}) is missing: ${place.todo}`],
    ),
  );
}

function textOf(checkout: string, { files }: Place): string {
  const isOfSpecs = files.some((file) => file.endsWith('.spec.ts'));
  return globSync([...files], { cwd: checkout, exclude: isOfSpecs ? [] : [SPECS] })
    .map((file) => readFileSync(join(checkout, file), 'utf8'))
    .join('\n');
}

const isDefinition = (value: unknown): value is ToolDefinition =>
  typeof value === 'object' && value !== null && 'tool_id' in value && 'parameters' in value && 'resources' in value;
