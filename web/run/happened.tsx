import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { compactCount, costInWords, plural, seconds } from '../../src/terminal/figures.ts';
import type { RunRecord } from '../api.ts';
import type { RunModel } from '../model/run-model.ts';
import { source } from '../parts/source.ts';
import { oneLine, visible } from '../parts/plain-text.ts';
import { capital, clockTime, dateTime, labelsOf, shortId, stateOf } from '../parts/words.ts';
import { figuresOf } from './run-bar.tsx';

/** Without the word that says whose it is: `failed: …`, `config: …`. */
const bare = (detail: string): string => detail.replace(/^\w{1,30}: (?=.{20})/, '');

/** The first layer, what happened and how we know; its verdict is in the bar above. */
export function Happened({ run, model }: { run: RunRecord; model: RunModel }) {
  void model.version.value;
  // What was said once is not said again under another name.
  const evidence = (run.outcome?.verdict.evidence ?? []).filter(
    ({ detail }, index, all) => !all.slice(0, index).some((before) => before.detail.includes(bare(detail))),
  );
  return (
    <section class={`happened happened-${stateOf(run)}`} aria-label="What happened">
      <Prompt text={run.prompt === '' ? run.title : run.prompt} />
      {evidence.length > 0 ? (
        <dl class="evidence" aria-label="Why">
          {evidence.map(({ signal, detail }, index) => (
            <div key={index}>
              <dt>{capital(oneLine(signal, 60))}</dt>
              <dd>{oneLine(detail, 600)}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      <Warnings run={run} />
      <Facts run={run} model={model} />
    </section>
  );
}

function Prompt({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > 220 || text.includes('\n');
  return (
    <div class={`prompt ${isOpen ? 'is-open' : ''}`}>
      <p>{isOpen ? visible(text.slice(0, 20_000)) : oneLine(text, 220) || '(no prompt)'}</p>
      {isLong ? (
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Less' : 'Show full prompt'}
        </button>
      ) : null}
    </div>
  );
}

function Warnings({ run: { outcome } }: { run: RunRecord }) {
  const warnings = outcome?.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <details class="warnings">
      <summary>{plural(warnings.length + (outcome?.omitted?.warnings ?? 0), 'warning')}</summary>
      <ul>
        {warnings.slice(0, 50).map((text, index) => (
          <li key={index}>{oneLine(text, 600)}</li>
        ))}
      </ul>
    </details>
  );
}

function below(children: NonNullable<RunRecord['children']>): string {
  const { runs, cost_known: known } = children;
  const cost = costInWords(children);
  const costs = cost === undefined ? '' : `, ${cost}${known === runs ? '' : ` (known of ${known})`}`;
  return plural(runs, 'run') + costs;
}

const stoppedBy = 'stopped.by';
const stoppedReason = 'stopped.reason';

function stoppedInWords({ [stoppedBy]: by, [stoppedReason]: reason }: RunRecord['labels']): string | undefined {
  if (by === undefined) return undefined;
  return `by ${by}${reason === undefined ? '' : `: “${reason}”`}`;
}

const costSources: Readonly<Record<string, string>> = {
  reported: 'as reported by the agent',
  computed: 'tokens × list price',
  wire: 'of its requests, as they passed',
};

/** Where one agent took over from another: each with how it ended and what it used. */
function agentsInTurn({ outcome }: RunRecord): string | undefined {
  return outcome?.agents
    ?.map(({ agent, class: end, cost }) =>
      [agent, end.replaceAll('_', ' '), costInWords({ cost })].filter(Boolean).join(', '),
    )
    .join(' → ');
}

/** What it was kept from, if anything. */
function networkInWords({ outcome }: RunRecord): string | undefined {
  const { network } = outcome ?? {};
  if (network === undefined) return undefined;
  if (!network.enforced) return `not limited: ${network.lack ?? 'this system cannot'}`;
  const hosts = (network.stopped_hosts ?? []).map(({ host, count }) =>
    count === 1 ? host : `${host} (${count} times)`,
  );
  const reach = network.mode === 'none' ? 'nothing could be reached' : 'only the model could be reached';
  return network.stopped === 0
    ? `${reach}; nothing else was tried`
    : `${reach}; refused ${plural(network.stopped, 'time')}${hosts.length === 0 ? '' : `: ${hosts.slice(0, 10).join(', ')}`}`;
}

function Facts({ run, model }: { run: RunRecord; model: RunModel }) {
  void model.version.value;
  const isLive = run.status === 'running';
  const input = run.input_tokens ?? model.tokens.input;
  const output = run.output_tokens ?? model.tokens.output;
  const cached = run.cache_read_tokens ?? model.tokens.cacheRead;
  const { took, cost } = figuresOf(run, model);
  const labels = labelsOf(run);
  const facts: readonly (readonly [name: string, value: ComponentChildren, title?: string])[] = [
    ['Agent', [run.agent, run.agent_version].filter(Boolean).join(' ')],
    ['Model', run.model],
    ['Started', dateTime(run.started_at)],
    ['Took', took === undefined ? undefined : seconds(took)],
    [
      'Tokens',
      input === undefined && output === undefined
        ? undefined
        : `${compactCount(input ?? 0)} in${cached === undefined || cached === 0 ? '' : ` (${compactCount(cached)} cached)`}, ${compactCount(output ?? 0)} out`,
    ],
    [
      'Cost',
      cost === undefined
        ? isLive
          ? undefined
          : 'unknown: the agent reported no cost, and there is no price for its model'
        : `${cost}${run.cost_source === undefined || costSources[run.cost_source] === undefined ? '' : ` ${costSources[run.cost_source]}`}`,
    ],
    [
      'Work',
      [
        plural(run.turns ?? model.turns, 'turn'),
        plural(run.tool_calls ?? model.tools, 'tool call'),
        plural(run.artifacts ?? model.files.size, 'changed file'),
      ].join(', '),
    ],
    [
      'Part of',
      run.parent_run_id === undefined || source.value.isReport ? undefined : (
        <a href={`/runs/${run.parent_run_id}`}>{shortId(run.parent_run_id)}</a>
      ),
    ],
    ['Folder', run.cwd],
    ['Host', run.host],
    [
      'Below it',
      run.children === undefined ? undefined : source.value.isReport ? (
        below(run.children)
      ) : (
        <a href={`/runs/${run.id}/tree`}>{below(run.children)}</a>
      ),
    ],
    [
      'Tries',
      run.attempts.length > 1
        ? run.attempts
            .map(
              ({ number, class: verdict, reason }) =>
                `${number}: ${verdict}${reason === undefined ? '' : ` (${oneLine(reason, 80)})`}`,
            )
            .join('; ')
        : undefined,
    ],
    ['Stopped', stoppedInWords(run.labels)],
    [
      'Changed',
      model.changes.map(({ at, words }) => (at === undefined ? words : `${words} at ${clockTime(at)}`)).join('; '),
    ],
    ['Agents in turn', agentsInTurn(run)],
    ['Network', networkInWords(run)],
    ['Labels', labels.length === 0 ? undefined : labels.map(([key, value]) => `${key}=${value}`).join(' ')],
    [
      'Secrets',
      run.outcome?.provenance.redactions === undefined ? undefined : `${run.outcome.provenance.redactions} redacted`,
    ],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === undefined || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? oneLine(value, 400) : value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
