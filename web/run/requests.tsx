import { compactCount, compactDuration, dollars, plural } from '../../src/terminal/figures.ts';
import type { RunRecord, WireView } from '../api.ts';
import type { RunModel } from '../model/run-model.ts';
import { Output } from '../parts/agent-text.tsx';
import { Empty, Problem, useAnswer } from '../parts/common.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';

type RequestView = WireView['requests'][number];

/** Every request to a model: what was new in it, what came back, what it used, and how long it took. */
export function Requests({ run, model }: { run: RunRecord; model: RunModel }) {
  void model.version.value;
  const count = countOf(model);
  const { answer, error, again } = useAnswer(() => source.value.wire(run.id), [run.id, count]);
  if (answer === undefined)
    return error === undefined ? <p class="loading">Loading the requests…</p> : <Problem error={error} again={again} />;
  const { requests, omitted } = answer;
  if (requests.length === 0)
    return (
      <Empty title="No requests">
        <p>Nothing of this run passed through the wire.</p>
      </Empty>
    );
  const longest = Math.max(1, ...requests.map(({ duration_ms: took = 0 }) => took));
  return (
    <div class="requests">
      {requests.some(({ path }) => path !== undefined) ? null : (
        <p class="muted">
          What was said was not kept: <code>--wire record</code> keeps it.
        </p>
      )}
      <ol>
        {requests.map((each) => (
          <Request key={each.request} request={each} longest={longest} />
        ))}
      </ol>
      {omitted === 0 ? null : <p class="muted">{plural(omitted, 'more request')}</p>}
    </div>
  );
}

/** How many answers of models were seen. */
export const countOf = (model: RunModel): number => model.sequencesOf('model.responded').length;

function Request({ request: each, longest }: { request: RequestView; longest: number }) {
  const { duration_ms: took = 0, first_byte_ms: first = 0 } = each;
  const isBad = each.error !== undefined || (each.ended !== undefined && each.ended !== 'complete');
  const share = (ms: number): string => `${Math.min(100, (ms / longest) * 100)}%`;
  return (
    <li class={`request ${isBad ? 'is-bad' : ''}`}>
      <header>
        <h2>
          Request {each.request}
          {each.is_side === true ? <span class="muted"> beside the work</span> : null}
        </h2>
        <span class="request-model">{modelOf(each)}</span>
        <span class="request-figures">{figuresOf(each)}</span>
      </header>
      <span class="request-time" aria-hidden="true">
        <span class="request-wait" style={{ width: share(first) }} />
        <span class="request-answer" style={{ width: share(Math.max(0, took - first)) }} />
      </span>
      <dl>
        {each.changed.length === 0 ? null : <Part name="Set" text={each.changed.join(', ')} />}
        {each.new
          .map(messageOf)
          .filter(({ isOfModel }) => !isOfModel)
          .map(({ name, text }, index) => (
            <Part key={index} name={name} text={text} />
          ))}
        {each.new_omitted === undefined ? null : <Part name="" text={plural(each.new_omitted, 'more message')} />}
        {each.text === undefined ? null : <Part name="Answer" text={each.text} isAnswer />}
        {(each.calls ?? []).map(({ name, args }, index) => (
          <Part key={index} name="Call" text={`${name} ${args}`} isAnswer />
        ))}
        {each.error === undefined ? null : <Part name="Error" text={each.error} />}
      </dl>
    </li>
  );
}

function Part({ name, text, isAnswer = false }: { name: string; text: string; isAnswer?: boolean }) {
  return (
    <>
      <dt class={isAnswer ? 'is-answer' : ''}>{oneLine(name, 40)}</dt>
      <dd>
        <Output text={text} lines={8} label={`${oneLine(name, 40)} of the request`} />
      </dd>
    </>
  );
}

function modelOf({ model, model_served: served }: RequestView): string {
  if (model === undefined || served === undefined || model === served) return oneLine(served ?? model ?? '', 80);
  return `${oneLine(model, 80)}, answered by ${oneLine(served, 80)}`;
}

function figuresOf(each: RequestView): string {
  const cached = each.cache_read_tokens ?? 0;
  return [
    each.input_tokens === undefined ? undefined : `${compactCount(each.input_tokens)} in`,
    cached === 0 ? undefined : `${compactCount(cached)} of it cached`,
    each.output_tokens === undefined ? undefined : `${compactCount(each.output_tokens)} out`,
    each.cost_usd === undefined ? undefined : dollars(each.cost_usd),
    each.duration_ms === undefined ? undefined : compactDuration(each.duration_ms),
    each.status === 200 || each.status === undefined ? undefined : `HTTP ${each.status}`,
    each.ended === undefined || each.ended === 'complete' ? undefined : each.ended.replaceAll('_', ' '),
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** Who says what in a message, whichever API it is of; a message that was cut off is shown as it is. What a model said was shown when it came back. */
function messageOf(message: string): { name: string; text: string; isOfModel: boolean } {
  try {
    const { role, type, content, parts, output } = JSON.parse(message) as Record<string, unknown>;
    const words = wordsOf(content ?? parts ?? output);
    const [who, kind] = [role, type].map((word) => (typeof word === 'string' ? word : ''));
    const name = (who === '' ? kind : who)?.replaceAll('_', ' ') ?? '';
    const isOfModel = who === 'assistant' || who === 'model' || /(?:_call|^reasoning)$/.test(kind ?? '');
    return {
      name: name === '' ? 'New' : `${name[0]?.toUpperCase()}${name.slice(1)}`,
      text: words === '' ? message : words,
      isOfModel,
    };
  } catch {
    return { name: 'New', text: message, isOfModel: false };
  }
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value
    .map((part: unknown) => {
      const { text, content } = (part ?? {}) as Record<string, unknown>;
      return typeof text === 'string' ? text : wordsOf(content) || JSON.stringify(part);
    })
    .join('\n');
}
