// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { CliTool } from './cli-tool.ts';
import { FunctionTool, HttpTool, McpTool, type DeclaredTool } from './declared-tool.ts';

/** A tenant's own tools as they are stored: programs, and tools that are declared by a schema. */
export const TenantTool = Type.Union([CliTool, FunctionTool, HttpTool, McpTool]);
export type TenantTool = CliTool | DeclaredTool;

/** Answers whether the tool is declared by a schema; any other is a program. */
export const isDeclaredTool = (tool: TenantTool): tool is DeclaredTool => 'kind' in tool;
