// SPDX-License-Identifier: Apache-2.0
import { API_TASKS } from './api-tasks.ts';
import { ARGUMENT_TASKS } from './argument-tasks.ts';
import { CALENDAR_TASKS } from './calendar-tasks.ts';
import { SECRET_TASKS } from '../redaction/secret-tasks.ts';
import { FILE_TASKS } from './file-tasks.ts';
import { MAIL_SESSION_TASKS, MAIL_TASKS } from './mail-tasks.ts';
import { MCP_SESSION_TASKS } from './mcp-tasks.ts';
import { REDACTION_TASKS } from './redaction-tasks.ts';
import { STORE_TASKS } from './store-tasks.ts';
import { TRANSCRIPT_TASKS } from './transcript-tasks.ts';

/** The tasks that the executor runs on worker threads, by name. */
export const executorTasks = {
  ...API_TASKS,
  ...ARGUMENT_TASKS,
  ...CALENDAR_TASKS,
  ...FILE_TASKS,
  ...MAIL_SESSION_TASKS,
  ...MAIL_TASKS,
  ...MCP_SESSION_TASKS,
  ...REDACTION_TASKS,
  ...SECRET_TASKS,
  ...STORE_TASKS,
  ...TRANSCRIPT_TASKS,
};

export type ExecutorTasks = typeof executorTasks;
