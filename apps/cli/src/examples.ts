// SPDX-License-Identifier: Apache-2.0

/** What a reader may type, for the help of each command. A spec looks for their commands and options. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  call: [
    `writ call fs.read --args '{"path":"README.md"}'`,
    'writ call shell.run --args @command.json --dry-run',
    'writ call fs.list -o json',
  ],
  chat: ['writ chat "Fix the failing test"', 'writ chat --session ses_… "And now the documentation"'],
  tool: ['writ tool list', 'writ tool get fs.read', 'writ tool apply -f tools.yaml --dry-run'],
  operation: ['writ operation list --state held', 'writ operation get op_… -o yaml', 'writ operation watch op_…'],
  policy: [
    'writ policy list',
    'writ policy validate team.json',
    `writ policy simulate shell.run --args '{"command":"ls"}' --file team.json`,
    'writ policy activate team',
  ],
  'approver-group': [
    'writ approver-group list',
    "writ approver-group set finance ann@example.com bob@example.com --description 'approves payments'",
  ],
  approval: [
    'writ approval list --mine',
    'writ approval list --order risk --tool "email.*"',
    'writ approval groups',
    'writ approval get apr_…',
    'writ approval approve apr_… --comment "looks right"',
  ],
  invitation: [
    'writ invitation create --role operator --email ann@example.com',
    'writ invitation list',
    'writ invitation delete inv_…',
  ],
  run: ['writ run get run_…', 'writ run events run_… -o json'],
  receipt: ['writ receipt op_… --out receipt.json'],
  verify: ['writ key public --out keys.json', 'writ verify receipt.json --keys keys.json'],
  workspace: ['writ workspace create docs', 'writ workspace upload wsp_… src'],
  token: [
    "writ token create --agent agt_… --tool 'fs.*' --read . --valid 8h",
    'writ token list --agent agt_…',
    'writ token revoke cap_…',
  ],
  secret: ['writ secret set DEPLOY_KEY', 'writ secret list'],
  agent: ['writ agent create reviewer', 'writ agent list -o name'],
  key: ['writ key create ci --role agent --agent agt_…', 'writ key public --out keys.json'],
  tenant: ['writ tenant create acme --as platform'],
  status: ['writ status', 'writ status -o json'],
  doctor: [
    'writ doctor',
    'writ doctor run --keys keys.json --report report.json --sign-key operator.pem',
    'writ doctor verify report.json --keys keys.json --signer operator.pub',
  ],
  open: ['writ open', 'writ open api', 'writ open --print'],
  context: [
    'writ context create work --url https://writ.example.org --workspace wsp_… --token cap_…',
    'writ context use work',
    'writ context list',
  ],
  login: [
    'writ login work --url https://writ.example.org --tenant ten_…',
    'writ login',
    'writ login work --no-browser -o json',
  ],
  logout: ['writ logout', 'writ logout work'],
  whoami: ['writ whoami', 'writ whoami -o json'],
  completion: ['source <(writ completion bash)', 'writ completion fish > ~/.config/fish/completions/writ.fish'],
};
