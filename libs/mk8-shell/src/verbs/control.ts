// SPDX-License-Identifier: Apache-2.0
import { number, optional, text } from '../registry/arguments.ts';
import { verbsOf, type Verb } from '../registry/verb.ts';
import { StepError } from '../run/step-error.ts';

const verb = verbsOf('control');
const flow = verbsOf('flow');

export const CONTROL_VERBS: readonly Verb[] = [
  verb('Echo', 'none', 'a text, as it is', [text('message')], ['hello'], ([message = '']) => message),
  verb('Sleep', 'none', 'waits', [number('seconds', 0.1, 30)], ['0.5'], async ([seconds = ''], { clock, signal }) => {
    await clock.sleep(Number(seconds) * 1000, signal);
    return `slept ${seconds} s`;
  }),
  verb(
    'Assert',
    'none',
    'fails where two texts differ',
    [text('actual'), text('expected'), optional(text('message'))],
    ['a', 'a'],
    ([actual = '', expected = '', message = 'the assertion failed']) => {
      if (actual !== expected)
        throw new StepError(`${message}: expected \`${expected.slice(0, 200)}\`, got \`${actual.slice(0, 200)}\``);
      return 'ok';
    },
  ),
  verb('Fail', 'none', 'fails with a message', [text('message')], ['on purpose'], ([message = '']) => {
    throw new StepError(message);
  }),
  flow(
    'ForEach',
    'none',
    'the operation of `forEach.body` for each of `forEach.items`, with `$ITEM` and `$INDEX`; 256 at most, none within another',
    [],
    [],
    null,
    { fields: { forEach: { items: ['a', 'b'], body: { verb: 'Echo', args: ['$INDEX $ITEM'] } } } },
  ),
  flow('If', 'none', 'the operation of `if.then` where `if.predicate` holds', [], [], null, {
    fields: {
      if: { predicate: { kind: 'FileExists', args: ['$WORKSPACE/a.txt'] }, then: { verb: 'Echo', args: ['there'] } },
    },
  }),
  verbsOf('composition')(
    'Include',
    'none',
    'the operations of a fragment that an administrator registered',
    [text('fragment')],
    ['greet'],
    null,
  ),
];
