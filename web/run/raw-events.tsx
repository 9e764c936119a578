import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { plural } from '../../src/terminal/figures.ts';
import type { RunRecord } from '../api.ts';
import { eventTypes } from '../model/event-types.ts';
import type { RecordPages } from '../model/record-pages.ts';
import type { SentRecord } from '../model/row.ts';
import type { RunModel } from '../model/run-model.ts';
import { Output } from '../parts/agent-text.tsx';
import { copy, Empty, say, useAddressText, useSoon } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';
import { oneLine } from '../parts/plain-text.ts';
import { type ListHandle, VirtualList } from '../parts/virtual-list.tsx';
import { address, go, withQuery } from '../route.ts';
import { barHeight } from './run-bar.tsx';

/** The records themselves, with a filter by type and by words. */
export function RawEvents({ run, model }: { run: RunRecord; model: RunModel }) {
  void model.version.value;
  const type = address.value.searchParams.get('type') ?? '';
  const [words, setWords] = useAddressText('words');
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const handle = useRef<ListHandle>(null);
  const last = model.lastSeq;
  const hits = useHits(run.id, words.trim().toLowerCase(), model);

  // With every event shown, from a tape without gaps, the position gives the sequence number.
  const isAll = type === '' && hits === undefined && model.events === last;
  const sequences = useMemo(() => {
    if (isAll) return undefined;
    if (hits !== undefined && type === '') return hits.sequences;
    const found = model.sequencesOf(type);
    if (hits === undefined) return found;
    const wanted = new Set(found);
    return hits.sequences.filter((sequence) => wanted.has(sequence));
  }, [type, hits, isAll, isAll ? 0 : last, model]);
  const count = sequences?.length ?? last;
  const placeOf = (sequence: number): number =>
    sequences === undefined ? (sequence <= last ? sequence - 1 : -1) : sequences.indexOf(sequence);

  const linked = Number(/^#e(\d{1,15})$/.exec(address.value.hash)?.[1] ?? 0);
  useEffect(() => {
    const at = linked === 0 ? -1 : placeOf(linked);
    if (at < 0 && linked > 0 && linked < last && source.value.leftOut !== undefined)
      say(`Event ${linked} is left out of this report`);
    if (at < 0) return;
    handle.current?.scrollTo(at);
    setOpened((before) => new Set([...before, linked]));
  }, [linked, last >= linked]);
  useKeys([
    {
      key: '/',
      what: 'Filter events by words',
      run: () => document.querySelector<HTMLInputElement>('#filter-raw')?.focus(),
    },
    { key: 'G', what: 'Go to the end', run: () => handle.current?.scrollToEnd() },
  ]);

  return (
    <div class="raw">
      <div class="toolbar">
        <div class="search">
          <input
            id="filter-raw"
            type="search"
            value={words}
            placeholder="Filter by words"
            aria-label="Filter by words"
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <span class="search-count" role="status">
            {plural(count, 'event')}
            {source.value.leftOut === undefined ? '' : ' in this report'}
            {hits !== undefined && !hits.isDone ? ' so far…' : ''}
          </span>
        </div>
        <label class="inline">
          <span class="sr-only">Type</span>
          <select value={type} onChange={({ currentTarget }) => go(withQuery({ type: currentTarget.value }), true)}>
            <option value="">All types</option>
            {eventTypes.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {source.value.isReport ? null : (
          <a class="button" href={`/api/runs/${encodeURIComponent(run.id)}/tape`} download={`${run.id}.jsonl`}>
            Download
          </a>
        )}
      </div>
      {count === 0 ? (
        <Empty title={last === 0 ? 'No records of this run are here' : 'No matching events'}>
          {last === 0 ? null : <p>Choose another type, or search for fewer words.</p>}
        </Empty>
      ) : (
        <VirtualList
          count={count}
          identity={`${type} ${hits?.words ?? ''}`}
          estimate={26}
          inset={barHeight.value + 50}
          label="Raw events"
          handle={handle}
          render={(index) => {
            const sequence = sequences === undefined ? index + 1 : (sequences[index] ?? 0);
            return (
              <RawRow
                key={sequence}
                sequence={sequence}
                pages={model.pages}
                isOpen={opened.has(sequence)}
                onToggle={() => {
                  const next = new Set(opened);
                  if (!next.delete(sequence)) next.add(sequence);
                  setOpened(next);
                }}
              />
            );
          }}
        />
      )}
    </div>
  );
}

interface Hits {
  words: string;
  sequences: number[];
  isDone: boolean;
}

/** Searches the records themselves for words, in one pass, including those that a live run adds meanwhile. */
function useHits(id: string, wanted: string, model: RunModel): Hits | undefined {
  const [hits, setHits] = useState<Hits | undefined>();
  const looking = useRef({ wanted: '', found: [] as number[], after: 0, isBusy: false, end: new AbortController() });
  useEffect(() => () => looking.current.end.abort(), []);
  async function goOn(): Promise<void> {
    if (looking.current.wanted !== wanted) {
      looking.current.end.abort();
      looking.current = { wanted, found: [], after: 0, isBusy: false, end: new AbortController() };
    }
    const mine = looking.current;
    if (wanted === '') setHits(undefined);
    if (wanted === '' || mine.isBusy) return;
    mine.isBusy = true;
    try {
      const tell = (isDone: boolean): void => {
        if (mine === looking.current) setHits({ words: wanted, sequences: mine.found.slice(), isDone });
      };
      let shown = performance.now();
      for await (const records of source.value.all(id, mine.after, mine.end.signal)) {
        for (const record of records)
          if (record.type !== 'records.left_out' && JSON.stringify(record).toLowerCase().includes(wanted))
            mine.found.push(record.sequence);
        mine.after = records.at(-1)?.sequence ?? mine.after;
        if (mine !== looking.current) return;
        if (performance.now() - shown < 200) continue;
        tell(false);
        shown = performance.now();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      tell(true);
    } catch {
      if (!mine.end.signal.aborted)
        say('The search stopped because the server does not answer. Search again to retry.');
    } finally {
      mine.isBusy = false;
    }
  }
  useSoon(() => void goOn(), 250, [wanted, model.lastSeq]);
  return wanted === '' ? undefined : hits;
}

function RawRow({
  sequence,
  pages,
  isOpen,
  onToggle,
}: {
  sequence: number;
  pages: RecordPages;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const [record, setRecord] = useState<Exclude<SentRecord, { type: 'records.left_out' }> | undefined>();
  useEffect(() => {
    let isGone = false;
    pages.record(sequence).then(
      (found) => isGone || found?.type === 'records.left_out' || setRecord(found),
      () => {},
    );
    return () => void (isGone = true);
  }, [sequence, pages]);
  const {
    type = '',
    timestamp = '',
    sequence: _sequence,
    thread_id: _thread,
    source: _source,
    synthetic: _synthetic,
    ...rest
  } = record ?? {};
  return (
    <div class="raw-row">
      <button type="button" class="row-button" aria-expanded={isOpen} onClick={onToggle}>
        <span class="raw-number">{sequence}</span>
        <span class="raw-time">{timestamp === null ? '' : timestamp.slice(11, 23)}</span>
        <span class="raw-type">{oneLine(type, 40)}</span>
        <code class="row-about">{record === undefined ? '…' : oneLine(JSON.stringify(rest), 300)}</code>
      </button>
      {isOpen && record !== undefined ? (
        <div class="tool-body">
          <p class="part-head">
            Event {sequence}
            <button type="button" class="quiet" onClick={() => void copy(JSON.stringify(record), 'Event copied')}>
              Copy
            </button>
            <a href={`#e${sequence}`}>Link</a>
          </p>
          <Output text={JSON.stringify(record, null, 2)} label={`Event ${sequence}`} language="json" />
        </div>
      ) : null}
    </div>
  );
}
