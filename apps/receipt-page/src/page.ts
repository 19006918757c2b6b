// SPDX-License-Identifier: Apache-2.0
//
// The page: two files and a name in, a verdict in words out. INVARIANT (text only): what a receipt says is put on the
// page as text.
import { judge, type Judgement } from './judge.ts';

const inputOf = (id: string): HTMLInputElement =>
  document.querySelector<HTMLInputElement>(`#${id}`) as HTMLInputElement;
const [receipt, trust, operation] = [inputOf('receipt'), inputOf('trust'), inputOf('operation')];
const output = document.querySelector('#verdict') as HTMLOutputElement;

function show({ isGood, says, lines }: Judgement): void {
  const heading = document.createElement('h2');
  heading.textContent = says;
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

let asked = 0;

async function judgeChosen(): Promise<void> {
  const [receiptFile, trustFile] = [receipt.files?.[0], trust.files?.[0]];
  if (receiptFile === undefined || trustFile === undefined) return;
  const mine = (asked += 1);
  // A verdict on other files must not stand there meanwhile.
  delete output.dataset['verdict'];
  output.textContent = 'Verifying …';
  try {
    const given = {
      receipt: await bytesOf(receiptFile),
      trust: await bytesOf(trustFile),
      operation: operation.value.trim(),
    };
    if (mine === asked) show(judge(given, Date.now()));
  } catch (error) {
    if (mine === asked) show({ isGood: false, says: 'This receipt could not be judged.', lines: [String(error)] });
  }
}

for (const input of [receipt, trust, operation])
  input.addEventListener('change', () => {
    void judgeChosen();
  });
