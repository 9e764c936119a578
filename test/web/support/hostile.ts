import type { AgentEvent, EventRecord } from '../../../src/events/event.ts';
import type { RunRecord } from '../../../src/stores/run-store.ts';
import { demoRun, runId, startOfAll, taped } from './fixture-runs.ts';
import type { FixtureRun } from './fixture-server.ts';

const script = 'window.__hit=(window.__hit||0)+1';
const away = 'http://attacker.invalid';
const esc = '\u001b';

/** Texts that were markup, code, a command or an order of letters somewhere. */
export const hostile: readonly string[] = [
  `<script>${script}</script>`,
  `</script><script>${script}</script>`,
  `<!--<script>${script}</script>-->`,
  `<img src=x onerror="${script}">`,
  `<img src="${away}/pixel.png">`,
  `"><img src=x onerror=${script}>`,
  `'><svg onload=${script}>`,
  `<svg><script>${script}</script></svg>`,
  `<svg><animate onbegin=${script} attributeName=x dur=1s>`,
  `<svg><use href="data:image/svg+xml,<svg id=x onload=${script}/>#x"></use></svg>`,
  `<math><mi//xlink:href="data:x,<script>${script}</script>">`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${script}>`,
  `<iframe srcdoc="<script>parent.${script}</script>"></iframe>`,
  `<iframe src="javascript:${script}"></iframe>`,
  `<object data="javascript:${script}"></object>`,
  `<embed src="${away}/x.swf">`,
  `<link rel=stylesheet href="${away}/x.css">`,
  `<style>@import url(${away}/x.css);body{display:none}</style>`,
  `<base href="${away}/">`,
  `<meta http-equiv=refresh content="0;url=${away}">`,
  `<form action="${away}"><button formaction="javascript:${script}">x</button></form>`,
  `<details open ontoggle=${script}>`,
  `<input autofocus onfocus=${script}>`,
  `<video><source onerror=${script}></video>`,
  `<a href="javascript:${script}">x</a>`,
  `[link](javascript:${script})`,
  `[link](JaVaScRiPt:${script})`,
  `[link](java\nscript:${script})`,
  `[link](\u0001javascript:${script})`,
  `[link](data:text/html,<script>${script}</script>)`,
  `[link](vbscript:msgbox)`,
  `[link](file:///etc/passwd)`,
  `[link](//attacker.invalid/x)`,
  `![picture](${away}/pixel.png)`,
  `![picture](javascript:${script})`,
  `<javascript:${script}>`,
  `[a]: javascript:${script}\n\n[a]`,
  `\`\`\`html\n<script>${script}</script>\n\`\`\``,
  `| a | b |\n| --- | --- |\n| <img src=x onerror=${script}> | [x](javascript:${script}) |`,
  `- [ ] <img src=x onerror=${script}>`,
  `<details><summary>x</summary><script>${script}</script></details>`,
  `&lt;script&gt;${script}&lt;/script&gt;`,
  `&#x3C;script&#x3E;${script}&#x3C;/script&#x3E;`,
  `{{constructor.constructor('${script}')()}}`,
  `\${${script}}`,
  `${esc}[31mred${esc}[0m ${esc}[38;2;1;2;3mtrue${esc}[0m`,
  `${esc}]0;title\u0007after`,
  `${esc}]8;;javascript:${script}\u0007link${esc}]8;;\u0007`,
  `${esc}]8;;${away}${esc}\\link${esc}]8;;${esc}\\`,
  `${esc}[2J${esc}[H${esc}[999;999Hgone`,
  `${esc}P$q"p${esc}\\${esc}_Gf=100;AAAA${esc}\\`,
  `${esc}[31;"><img src=x onerror=${script}>m`,
  'safe\u202egnp.exe\u202c',
  '\u2066\u2067\u2068\u2069\u202a\u202b\u202d',
  'zero\u200bwidth\ufeff\u2060\u00ad',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '{"__proto__":{"polluted":true}}',
  `a\u0000b\u0007c\u0008d`,
  '\ud800 half a character',
  'ﷺ'.repeat(2000),
  'Z\u0351\u036b\u0343'.repeat(1500),
  'x'.repeat(60_000),
  `${'['.repeat(3000)}${'('.repeat(3000)}`,
  `${'> '.repeat(400)}deep`,
  `${'*'.repeat(5000)}`,
  `#e1"><script>${script}</script>`,
  `../../../../etc/passwd`,
];

/** A run in which every field that an agent controls says the same. */
export function hostileRun(text: string, number: number): FixtureRun {
  const block = { turn_id: 't', message_id: 'm' };
  const json = { [text.slice(0, 200)]: text, ['__proto__']: text };
  const events: [number, AgentEvent][] = [
    [0, { type: 'thread.started', agent: text, agent_version: text, model: text, session_id: text, cwd: text }],
    [1, { type: 'prompt.submitted', text }],
    [1, { type: 'turn.started', turn_id: 't', iteration: 1, model: text }],
    [1, { type: 'text.delta', ...block, block_id: 'b1', text }],
    [1, { type: 'text.completed', ...block, block_id: 'b1', text }],
    [1, { type: 'reasoning.completed', ...block, block_id: 'b2', text }],
    [1, { type: 'item.started', item_id: 'i1', turn_id: 't', kind: 'command', name: text, args: { command: text } }],
    [1, { type: 'item.output', item_id: 'i1', chunk: text }],
    [1, { type: 'item.completed', item_id: 'i1', status: 'error', output: text, error: text, exit_code: 1 }],
    [1, { type: 'item.started', item_id: 'i2', turn_id: 't', kind: 'file_edit', name: text, args: json }],
    [1, { type: 'item.completed', item_id: 'i2', status: 'success', output: json }],
    [
      0,
      {
        type: 'file.edited',
        path: text,
        operation: 'modified',
        item_id: 'i2',
        diff: `@@ -1 +1 @@\n-${text}\n+${text}!`,
      },
    ],
    [1, { type: 'file.edited', path: `second ${text}`, operation: 'created', diff: text }],
    [1, { type: 'permission.requested', permission_id: 'p', what: text, title: text }],
    [1, { type: 'retry.scheduled', cause: text, delay_ms: 10 }],
    [1, { type: 'limit.reached', limit: 'cost', message: text }],
    [1, { type: 'branch.updated', branch_id: text || 'x', agent: text, status: text, remarks: text }],
    [1, { type: 'limit.changed', limit: 'cost', maximum: 3, by: text }],
    [1, { type: 'run.paused', reason: 'person', by: text, cause: text }],
    [1, { type: 'branch.published', branch_id: text || 'x', status: 'error', url: text, message: text }],
    [1, { type: 'log', stream: 'stderr', text }],
    [1, { type: 'error', scope: text, code: 'unknown', message: text, stack: text, fatal: true }],
    [1, { type: 'line.unknown', dialect: text, wire: json }],
    [1, { type: 'agent.finished', status: 'failed', message: text }],
    [1, { type: 'process.ended', exit_code: null, signal: text, reason: 'signalled' }],
  ];
  const base = demoRun(number);
  const { outcome } = base.run;
  const run: RunRecord = {
    ...base.run,
    title: text,
    prompt: text,
    agent: text,
    agent_version: text,
    model: text,
    cwd: text,
    host: text,
    session_id: text,
    status: 'error',
    class: 'tool',
    started_at: startOfAll - number * 1000,
    labels: { [text.slice(0, 200)]: text },
    attempts: [
      { number: 1, status: 'error', class: 'tool', reason: text },
      { number: 2, status: 'error', class: 'tool', reason: text },
    ],
    ...(outcome === undefined
      ? {}
      : {
          outcome: {
            ...outcome,
            message: text,
            warnings: [text],
            artifacts: [{ path: text, operation: 'created', type: 'file' }],
            lineage: {
              branches: [
                { branch_id: text || 'x', agent: text, status: text, remarks: text },
                { branch_id: `${text}2`, agent: text, run_id: runId(number), status: text, winner: true },
                // Those of the next run, so that one of them stands in a card.
                { branch_id: `${text}3`, agent: text, run_id: runId(number + 1), remarks: text, winner: true },
              ],
            },
            agents: [{ agent: text, model_name: text, class: 'tool', reason: text }],
            network: {
              mode: 'model',
              enforced: true,
              stopped: 2,
              stopped_hosts: [{ host: text, process: text, count: 2 }],
            },
            verdict: { class: 'tool', exit_code: 5, evidence: [{ signal: text, detail: text }] },
          },
        }),
  };
  const records: EventRecord[] = taped(events);
  return { run, records };
}
