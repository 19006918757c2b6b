// SPDX-License-Identifier: Apache-2.0

/** `hh:mm:ss`, with optional days before it (`d.hh:mm:ss`) and an optional fraction after it. */
export const TIME_SPAN = '^(?:[0-9]{1,2}\\.)?(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,7})?$';

const SHAPE = new RegExp(TIME_SPAN, 'u');

/** Milliseconds of a time span, or null where it is invalid. */
export function parseTimeSpan(text: string): number | null {
  if (!SHAPE.test(text)) return null;
  const [days, clock] = /^[0-9]{1,2}\./.test(text)
    ? [Number(text.slice(0, text.indexOf('.'))), text.slice(text.indexOf('.') + 1)]
    : [0, text];
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000);
}
