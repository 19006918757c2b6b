// SPDX-License-Identifier: Apache-2.0
import type { RenderedMessage } from '@writ/dialects';
import { visible } from './visible.ts';

/** The text of a message for a model, where it has one; else the message in the provider's format. */
export const describeMessage = (message: RenderedMessage): string =>
  typeof message['content'] === 'string' && message['role'] !== 'tool'
    ? visible(message['content'])
    : visible(JSON.stringify(message));
