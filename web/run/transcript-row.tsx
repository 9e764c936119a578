import type { ComponentChildren } from 'preact';
import { compactCount, compactDuration, dollars, fileSize, plural } from '../../src/terminal/figures.ts';
import type { Row, ToolPart } from '../model/row.ts';
import type { Rows } from '../model/rows.ts';
import type { TurnUsage } from '../model/turn-usage.ts';
import type { RunModel } from '../model/run-model.ts';
import { Output } from '../parts/agent-text.tsx';
import { copy, Dot } from '../parts/common.tsx';
import { diffOf, DiffView } from '../parts/diff-view.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import type { State } from '../parts/words.ts';

interface Properties {
  row: Row;
  /** What a turn used, if it begins one and that is known. */
  usage?: TurnUsage | undefined;
  runId: string;
  start: number | undefined;
  isMember: boolean;
  isToggled: boolean;
  isSelected: boolean;
  isLinked: boolean;
  onToggle: () => void;
}

/** One row: what it is on the left, when and how long on the right, the rest below. */
export function TranscriptRow({
  row,
  usage,
  runId,
  start,
  isMember,
  isToggled,
  isSelected,
  isLinked,
  onToggle,
}: Properties) {
  const at = row.at === undefined || start === undefined ? '' : compactDuration(Math.max(0, row.at - start));
  return (
    <article
      id={`e${row.seq}`}
      class={`row row-${row.kind} ${isSelected ? 'is-selected' : ''} ${isLinked ? 'is-linked' : ''} ${row.isNested || isMember ? 'is-nested' : ''}`}
      aria-label={oneLine(`${row.label} ${row.tool?.about ?? ''}`, 80)}
    >
      <div class="row-main">
        {row.kind === 'turn' ? <TurnLine row={row} usage={usage} /> : content(row, isToggled, onToggle)}
        {row.omitted + (row.tool?.omitted ?? 0) > 0 ? <TooLong row={row} runId={runId} /> : null}
      </div>
      <div class="row-side">
        <span class="row-at">{at}</span>
        <a class="row-link" href={`#e${row.seq}`} title="Link to this event" aria-label={`Link to event ${row.seq}`}>
          {row.seq}
        </a>
      </div>
    </article>
  );
}

/** Megabytes of text are of no use on a page, so the rest is a click away. */
function TooLong({ row, runId }: { row: Row; runId: string }) {
  const { omitted, tool, endSeq } = row;
  const more = omitted + (tool?.omitted ?? 0);
  if (source.value.isReport) return <p class="too-long">{fileSize(more)} left out of this report.</p>;
  return (
    <p class="too-long">
      {fileSize(more)} not shown here:{' '}
      <a
        href={`/api/runs/${encodeURIComponent(runId)}/records?after=${endSeq - 1}&limit=1&follow=0`}
        download={`event-${endSeq}.txt`}
      >
        the whole event as a file
      </a>
    </p>
  );
}

/** A row whose text is still loading. */
export function RowToCome({ rows, index }: { rows: Rows; index: number }) {
  return (
    <article class={`row row-${rows.kind(index)} row-to-come`} aria-busy="true">
      <div class="row-main">
        <p class="notice-line">
          <span class="row-label">{oneLine(rows.label(index), 60)}</span>
          <span class="row-about">…</span>
        </p>
      </div>
      <div class="row-side">
        <span class="row-link">{rows.seq(index)}</span>
      </div>
    </article>
  );
}

function content(row: Row, isToggled: boolean, onToggle: () => void): ComponentChildren {
  switch (row.kind) {
    case 'tool':
      return row.tool === undefined ? null : (
        <ToolRow row={row} tool={row.tool} isToggled={isToggled} onToggle={onToggle} />
      );
    case 'text':
      return <Words row={row} />;
    case 'prompt':
      return (
        <div class="said said-prompt">
          <span class="row-label">Prompt</span>
          <Output text={row.text} lines={isToggled ? 5000 : 30} label="Prompt" class="prose-plain" />
        </div>
      );
    case 'reasoning':
      return <Reasoning row={row} isOpen={isToggled} onToggle={onToggle} />;
    default:
      return <Notice row={row} isOpen={isToggled} onToggle={onToggle} />;
  }
}

/** Where a turn begins, and what it used. */
function TurnLine({ row, usage }: { row: Row; usage: TurnUsage | undefined }) {
  const words =
    usage === undefined
      ? ''
      : [
          `${compactCount(usage.input)} in${usage.cached > 0 ? ` (${compactCount(usage.cached)} cached)` : ''}`,
          `${compactCount(usage.output)} out`,
          dollars(usage.cost),
        ]
          .filter(Boolean)
          .join(' · ');
  return (
    <p class="turn-line">
      {row.label}
      {row.text === '' ? '' : <span class="muted"> {oneLine(row.text, 80)}</span>}
      {words === '' ? null : <span class="turn-usage">{words}</span>}
    </p>
  );
}

const plainFrom = 10_000;

function Words({ row }: { row: Row }) {
  // A growing text would be parsed again with every word, so a long one stays plain until it is complete.
  if (row.isOpen && row.text.length > plainFrom)
    return <Output text={row.text} lines={100_000} label="Text" class="prose-plain" />;
  return (
    <div class={row.isOpen ? 'is-streaming' : ''}>
      <Markdown text={row.text} />
    </div>
  );
}

function Reasoning({ row, isOpen, onToggle }: { row: Row; isOpen: boolean; onToggle: () => void }) {
  return (
    <div class="reasoning">
      <button type="button" class="row-button" aria-expanded={isOpen} onClick={onToggle}>
        <span class="twist" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        <span class="row-label">Reasoning</span>
        {isOpen ? null : <span class="row-about">{oneLine(row.text, 200)}</span>}
      </button>
      {isOpen ? <Markdown text={row.text} /> : null}
    </div>
  );
}

const noticeStates: Record<Row['tone'], State> = { good: 'good', bad: 'bad', warn: 'warn', info: 'idle' };

function Notice({ row, isOpen, onToggle }: { row: Row; isOpen: boolean; onToggle: () => void }) {
  const isLong = row.text.length > 160 || row.text.includes('\n');
  const line = (
    <>
      <Dot state={noticeStates[row.tone]} />
      <span class={`row-label text-${noticeStates[row.tone]}`}>{oneLine(row.label, 120)}</span>
      {isOpen && isLong ? null : <span class="row-about">{oneLine(row.text, 300)}</span>}
    </>
  );
  if (!isLong) return <p class="notice-line">{line}</p>;
  return (
    <div>
      <button type="button" class="row-button" aria-expanded={isOpen} onClick={onToggle}>
        <span class="twist" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        {line}
      </button>
      {isOpen ? <Output text={row.text} label={oneLine(row.label, 60)} /> : null}
    </div>
  );
}

const toolStates: Record<NonNullable<ToolPart['status']>, State> = {
  success: 'good',
  error: 'bad',
  denied: 'bad',
  cancelled: 'idle',
  abandoned: 'warn',
};
const statusWords: Record<NonNullable<ToolPart['status']>, string> = {
  success: '',
  error: 'failed',
  denied: 'denied',
  cancelled: 'cancelled',
  abandoned: 'never ended',
};

function stateOfTool({ isOpen }: Row, tool: ToolPart): State {
  return tool.status === undefined ? (isOpen ? 'running' : 'idle') : toolStates[tool.status];
}

function figures({ isOpen }: Row, tool: ToolPart): string {
  return [
    tool.status === undefined ? (isOpen ? 'running' : 'its end is left out') : statusWords[tool.status],
    tool.exitCode === undefined || tool.exitCode === 0 ? '' : `exit ${tool.exitCode}`,
    tool.durationMs === undefined ? '' : compactDuration(tool.durationMs),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** A call and its result. For commands and failed calls the first lines are shown even when the row is closed. */
function ToolRow({
  row,
  tool,
  isToggled,
  onToggle,
}: {
  row: Row;
  tool: ToolPart;
  isToggled: boolean;
  onToggle: () => void;
}) {
  const isOpen = isToggled;
  const state = stateOfTool(row, tool);
  const isTold = tool.kind === 'command' || state === 'bad' || row.isOpen;
  const edit = tool.files[0];
  const diff = tool.kind === 'file_edit' ? diffOf(edit, tool) : undefined;
  return (
    <div class="tool">
      <button type="button" class="row-button" aria-expanded={isOpen} onClick={onToggle}>
        <Dot state={state} />
        <span class="row-label">{oneLine(tool.name, 60)}</span>
        <code class="row-about">{oneLine(tool.about, 300)}</code>
        <span class={`row-figures text-${state === 'good' ? 'muted' : state}`}>{figures(row, tool)}</span>
      </button>
      {isOpen ? (
        <div class="tool-body">
          <PartHead title="Input" text={argsText(tool.args)} />
          <Output text={argsText(tool.args)} lines={60} label="Input" language={languageOfArgs(tool)} />
          {tool.files.map((each) => {
            const change = diffOf(each, tool);
            return (
              <div key={each.seq}>
                <p class="part-head">
                  {each.operation} <bdi>{oneLine(each.path, 300)}</bdi>
                </p>
                {change === undefined ? null : (
                  <DiffView diff={change} path={each.path} label={`Changes to ${oneLine(each.path, 100)}`} />
                )}
              </div>
            );
          })}
          {tool.error === undefined || tool.error === row.text ? null : (
            <>
              <p class="part-head text-bad">Error</p>
              <Output text={tool.error} lines={40} label="Error" />
            </>
          )}
          {row.text === '' ? (
            <p class="part-head muted">{row.isOpen ? 'No output yet' : 'No output'}</p>
          ) : (
            <>
              <PartHead title="Output" text={row.text} />
              <Output text={row.text} lines={400} label="Output" />
            </>
          )}
        </div>
      ) : diff !== undefined ? (
        <DiffView
          diff={diff}
          path={edit?.path ?? tool.about}
          label={`Changes to ${oneLine(edit?.path ?? tool.about, 100)}`}
          lines={12}
        />
      ) : isTold && (row.text !== '' || tool.error !== undefined) ? (
        <Peek
          text={row.text === '' ? (tool.error ?? '') : row.text}
          fromEnd={row.isOpen || state === 'bad'}
          onMore={onToggle}
        />
      ) : null}
    </div>
  );
}

function PartHead({ title, text }: { title: string; text: string }) {
  return (
    <p class="part-head">
      {title}
      <button type="button" class="quiet" onClick={() => void copy(text, `${title} copied`)}>
        Copy
      </button>
    </p>
  );
}

const peekLines = 6;
const peekLength = 4000;

/** The first lines of the output; the last ones while it is still running, and where it failed: there stands why. */
function Peek({ text, fromEnd, onMore }: { text: string; fromEnd: boolean; onMore: () => void }) {
  const part = fromEnd ? text.slice(-peekLength) : text.slice(0, peekLength);
  const lines = part.trimEnd().split('\n');
  const shown = (fromEnd ? lines.slice(-peekLines) : lines.slice(0, peekLines)).join('\n');
  const isCut = lines.length > peekLines || text.length > peekLength;
  return (
    <div class="peek">
      <Output text={shown} lines={peekLines} label="Output" />
      {isCut ? (
        <button type="button" class="more" onClick={onMore}>
          Show all output
        </button>
      ) : null}
    </div>
  );
}

function argsText(args: unknown): string {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null) return JSON.stringify(args) ?? '';
  const fields = Object.entries(args);
  // A single text reads better as it is than with escaped line breaks.
  if (fields.length === 1 && typeof fields[0]?.[1] === 'string') return fields[0][1];
  return JSON.stringify(args, null, 2);
}

/** A command is one of a shell; several fields are shown as JSON. */
function languageOfArgs({ kind, args }: ToolPart): string | undefined {
  const isText = typeof args !== 'object' || args === null || Object.keys(args).length === 1;
  return isText ? (kind === 'command' ? 'sh' : undefined) : 'json';
}

interface FoldProperties {
  model: RunModel;
  members: readonly number[];
  isOpen: boolean;
  isSelected: boolean;
  onToggle: () => void;
}

const aboutsShown = 4;

/** Three or more calls to the same tool. */
export function FoldRow({ model, members, isOpen, isSelected, onToggle }: FoldProperties) {
  const { rows } = model;
  let [failed, running, took] = [0, 0, 0];
  for (const member of members) {
    if (rows.tone(member) === 'bad') failed += 1;
    if (rows.isOpen(member)) running += 1;
    took += Math.max(0, (rows.endAt(member) ?? 0) - (rows.at(member) ?? rows.endAt(member) ?? 0));
  }
  const first = members[0] ?? 0;
  const label = oneLine(rows.label(first), 60);
  const state: State = running > 0 ? 'running' : failed > 0 ? 'bad' : 'good';
  const abouts = members.slice(0, aboutsShown).map((member) => oneLine(model.row(member)?.tool?.about ?? '', 40));
  const at = rows.at(first);
  return (
    <article
      class={`row row-fold ${isSelected ? 'is-selected' : ''}`}
      aria-label={`${members.length} calls to ${label}`}
    >
      <div class="row-main">
        <button type="button" class="row-button" aria-expanded={isOpen} onClick={onToggle}>
          <span class="twist" aria-hidden="true">
            {isOpen ? '▾' : '▸'}
          </span>
          <Dot state={state} />
          <span class="row-label">{label}</span>
          <span class="fold-count">{members.length} calls</span>
          <code class="row-about">{abouts.filter(Boolean).join(', ')}</code>
          <span class="row-figures text-muted">
            {[failed > 0 ? plural(failed, 'failure') : '', took > 0 ? compactDuration(took) : '']
              .filter(Boolean)
              .join(' · ')}
          </span>
        </button>
      </div>
      <div class="row-side">
        <span class="row-at">
          {at === undefined || model.firstAt === undefined ? '' : compactDuration(Math.max(0, at - model.firstAt))}
        </span>
        <span class="row-link">{rows.seq(first)}</span>
      </div>
    </article>
  );
}
