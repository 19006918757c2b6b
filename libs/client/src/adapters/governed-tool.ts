// SPDX-License-Identifier: Apache-2.0
import type { OwnFunction } from '../functions.ts';

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A function of your process that a model may call, and Writ decides each call of it. */
export interface GovernedTool {
  /** its name in Writ, such as `billing.refund` */
  readonly toolId: string;
  readonly description: string;
  /** the schema of its arguments, which is one of an object */
  readonly parameters: JsonSchema;
  /** the schema of its result; default: any JSON */
  readonly result?: JsonSchema;
  /** what a policy knows it by; default: `write` */
  readonly category?: 'read' | 'write';
  readonly run: OwnFunction;
}

/** Tools by the names that the model calls them by. */
export type GovernedTools = Readonly<Record<string, GovernedTool>>;

/** The declaration of a function, as `tools.apply` takes it. */
export interface FunctionDeclaration {
  name: string;
  description: string;
  category: 'read' | 'write';
  mode: 'caller';
  parameters: Record<string, unknown>;
  result?: Record<string, unknown>;
}

/** The declarations of these tools. An administrator registers them: `admin.tools.apply({ functions })`. */
export const declarationsOf = (tools: GovernedTools): FunctionDeclaration[] =>
  Object.values(tools).map(({ toolId, description, category = 'write', parameters, result }) => ({
    name: toolId,
    description,
    category,
    mode: 'caller',
    parameters: { ...parameters },
    ...(result === undefined ? {} : { result: { ...result } }),
  }));

/** Names of an object that are its own: a model may call `constructor`. */
export const toolOf = (tools: GovernedTools, name: string): GovernedTool | undefined =>
  Object.hasOwn(tools, name) ? tools[name] : undefined;
