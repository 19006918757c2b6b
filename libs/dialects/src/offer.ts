// SPDX-License-Identifier: Apache-2.0
import { matchesTool } from '@writ/capability';
import { SHELL_DANGEROUS, type Grant, type ToolDefinition } from '@writ/contract';

/** What a model may be told of: the tools that there are, and the chain of its token, root first. */
export interface Offer {
  readonly tools: readonly ToolDefinition[];
  readonly chain: readonly Pick<Grant, 'tools' | 'fs' | 'net' | 'secrets' | 'profiles'>[];
}

/** The tools that every token of the chain grants, by id; raw commands where it names a profile for them too. A chain without tokens grants nothing. */
export function offeredTools({ tools, chain }: Offer): ToolDefinition[] {
  const hasProfile = chain.every(({ profiles = [] }) => profiles.length > 0);
  const granted = ({ tool_id }: ToolDefinition): boolean =>
    chain.length > 0 && (tool_id !== SHELL_DANGEROUS.tool_id || hasProfile) && chain.every((grant) => grant.tools.some((pattern) => matchesTool(pattern, tool_id)));
  return tools.filter(granted).sort((a, b) => (a.tool_id < b.tool_id ? -1 : 1));
}

const line = (what: string, names: readonly string[], none: string): string => `${what}: ${names.length === 0 ? none : names.map((name) => `\`${name}\``).join(', ')}.`;
const root = (path: string): string => (path === '' ? 'the whole workspace' : path);

/** In words what the token reaches. A child only narrows, so the last of the chain says it all. */
export function reachOf({ chain }: Offer): string[] {
  const grant = chain.at(-1);
  if (grant === undefined) return [];
  const roots = (which: (each: Grant['fs'][number]) => boolean): string[] => grant.fs.filter(which).map(({ path }) => root(path));
  const denied = roots((each) => each.denied === true);
  return [
    line('You may read', roots((each) => each.denied !== true && each.read), 'no files'),
    line('You may write', roots((each) => each.denied !== true && each.write), 'no files'),
    ...(denied.length === 0 ? [] : [line('Never at or below', denied, '')]),
    line('You may connect to', grant.net.map(({ domain, methods }) => `${domain} (${methods.join(', ')})`), 'nothing'),
    ...(grant.profiles === undefined || grant.profiles.length === 0 ? [] : [line('Execution profiles for raw commands', grant.profiles, '')]),
    ...(grant.secrets.length === 0 ? [] : [line('Secrets that you may use by name, without seeing them', grant.secrets, '')]),
  ];
}

interface Shown { readonly type?: string; readonly description?: string; readonly enum?: readonly unknown[]; readonly required?: readonly string[]; readonly properties?: Readonly<Record<string, Shown>> }

/** Parameters in a line: `path, offset? (lines to skip)`. */
export function parametersInWords(parameters: object): string {
  const { properties = {}, required = [] } = parameters as Shown;
  const words = ({ description, enum: values }: Shown): string => {
    const said = [...(values === undefined ? [] : [values.map(String).join(' | ')]), ...(description === undefined ? [] : [description])].join('; ');
    return said === '' ? '' : ` (${said})`;
  };
  return Object.entries(properties).map(([name, schema]) => `${name}${required.includes(name) ? '' : '?'}${words(schema)}`).join(', ');
}
