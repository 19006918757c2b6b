// SPDX-License-Identifier: Apache-2.0
import { readArguments } from './provider.ts';

describe('arguments as a provider streamed them', () => {
  it('have the names that the model wrote, whatever was read before', () => {
    // In this order JSON.parse gives the second one's quote as the first one's backslash.
    expect(['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}'].map((text) => readArguments(text))).toEqual([{ args: { h: [], '\\': 0 } }, { args: { h: 1, '"': 2 } }]);
  });

  it.each(['', ' \n'])('that are no text are none: %j', (text) => {
    expect(readArguments(text)).toEqual({ args: {} });
  });

  it.each(['[]', 'null', '1', '"a"', '{"a":1', '{"\\u0061":1,}'])('that are no object are a problem of the call: %s', (text) => {
    expect(readArguments(text)).toEqual({ args: {}, problem: expect.stringContaining('no JSON object') as string });
  });
});
