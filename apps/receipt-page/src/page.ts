// SPDX-License-Identifier: Apache-2.0
//
// The page: two files and an operation in, a verdict as text out. INVARIANT (text only): texts of a receipt are put on
// the page as text.
import { judge, type Judgement } from './judge.ts';

const inputOf = (id: string): HTMLInputElement =>
  document.querySelector<HTMLInputElement>(`#${id}`) as HTMLInputElement;
const [receipt, trust, operation] = [inputOf('receipt'), inputOf('trust'), inputOf('operation')];
const output = document.querySelector('#verdict') as HTMLOutputElement;

function show({ isGood, summary, lines }: Judgement): void {
  const heading = document.createElement('h2');
  heading.textContent = summary;
  const list = document.createElement('ul');
  list.append(
    ...lines.map((line) => {
      const item = document.createElement('li');
      item.textContent = line;
      return item;
    }),
  );
  output.dataset['verdict'] = isGood ? 'good' : 'bad';
  output.replaceChildren(heading, list);
}

const bytesOf = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

let verifications = 0;

async function judgeChosen(): Promise<void> {
  const [receiptFile, trustFile] = [receipt.files?.[0], trust.files?.[0]];
  if (receiptFile === undefined || trustFile === undefined) return;
  const current = (verifications += 1);
  // A verdict on other files must not be shown meanwhile.
  delete output.dataset['verdict'];
  output.textContent = 'Verifying …';
  try {
    const inputs = {
      receipt: await bytesOf(receiptFile),
      trust: await bytesOf(trustFile),
      operation: operation.value.trim(),
    };
    if (current === verifications) show(judge(inputs, Date.now()));
  } catch (error) {
    if (current === verifications)
      show({ isGood: false, summary: 'This receipt could not be verified.', lines: [String(error)] });
  }
}

for (const input of [receipt, trust, operation])
  input.addEventListener('change', () => {
    void judgeChosen();
  });
