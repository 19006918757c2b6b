// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

/** The scheduling classes, in the order in which they are served. */
export const SCHEDULING_CLASSES = ['interactive', 'background', 'maintenance'] as const;

/**
 * When a waiting call is served among those of its tenant. `interactive`: a person or a program waits for it.
 * `background`: nobody does. `maintenance`: it can wait for minutes.
 */
export const SchedulingClass = Type.Enum([...SCHEDULING_CLASSES]);
export type SchedulingClass = Static<typeof SchedulingClass>;
