// SPDX-License-Identifier: Apache-2.0
import {
  FS_EDIT,
  FS_EDIT_FILES,
  FS_LIST,
  FS_READ,
  FS_SEARCH,
  FS_WRITE,
  NET_EGRESS,
  SHELL_RUN,
  SHELL_SESSION,
  VALUE_GET,
  WEB_FETCH,
  WEB_SEARCH,
} from '@writ/contract';

/**
 * Names of the agent loop's specification and similar ones, for providers that allow no dots in names. Arguments are
 * canonical, since providers accept their schemas.
 */
export const NATIVE_NAMES: Readonly<Record<string, string>> = {
  bash: SHELL_RUN.tool_id,
  read_file: FS_READ.tool_id,
  write_file: FS_WRITE.tool_id,
  edit_file: FS_EDIT.tool_id,
  edit_files: FS_EDIT_FILES.tool_id,
  list_directory: FS_LIST.tool_id,
  search_files: FS_SEARCH.tool_id,
  bash_session: SHELL_SESSION.tool_id,
  http_request: NET_EGRESS.tool_id,
  web_fetch: WEB_FETCH.tool_id,
  web_search: WEB_SEARCH.tool_id,
  get_value: VALUE_GET.tool_id,
};
const BY_TOOL = new Map(Object.entries(NATIVE_NAMES).map(([name, tool_id]) => [tool_id, name]));

/*
 * Tool ids have dots and no dashes, names of providers dashes and no dots: the one stands for the other. A tenant's
 * tool that is called like an alias gets a dash at its end, where no id has a dot.
 */

/** The name under which a tool is offered: `[A-Za-z0-9_-]+`. */
export function nativeNameOf(toolId: string): string {
  const alias = BY_TOOL.get(toolId);
  if (alias !== undefined) return alias;
  return Object.hasOwn(NATIVE_NAMES, toolId) ? `${toolId}-` : toolId.replaceAll('.', '-');
}

/** The tool of an offered name; inverse of `nativeNameOf`. */
export function toolIdOf(name: string): string {
  if (Object.hasOwn(NATIVE_NAMES, name)) return NATIVE_NAMES[name] ?? name;
  return (name.endsWith('-') ? name.slice(0, -1) : name).replaceAll('-', '.');
}
