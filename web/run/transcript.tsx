import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { plural } from '../../src/terminal/figures.ts';
import type { RunRecord } from '../api.ts';
import { Display } from '../model/display.ts';
import { type Found, highlight, RunSearch } from '../model/search.ts';
import type { RowKind } from '../model/row.ts';
import type { RunModel } from '../model/run-model.ts';
import { Command, Empty, say, useAddressText, useSoon } from '../parts/common.tsx';
import { leaveButton, useKeys } from '../parts/keys.ts';
import { oneLine } from '../parts/plain-text.ts';
import { source } from '../parts/source.ts';
import { type ListHandle, VirtualList } from '../parts/virtual-list.tsx';
import { shortId } from '../parts/words.ts';
import { address } from '../route.ts';
import { useFollow } from './follow.ts';
import { barHeight } from './run-bar.tsx';
import { FoldRow, RowToCome, TranscriptRow } from './transcript-row.tsx';

const kinds: readonly (readonly [kinds: readonly RowKind[], title: string])[] = [
  [['text', 'prompt'], 'Words'],
  [['reasoning'], 'Reasoning'],
  [['tool'], 'Tools'],
  [['notice', 'end'], 'Notices'],
  [['log'], 'Logs'],
  [['turn'], 'Turns'],
];
/** What sticks under the bar: the search. */
const toolbarHeight = 50;
const storageKey = 'runwire.hidden-kinds';

function rememberedKinds(): ReadonlySet<RowKind> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    const known = kinds.flatMap(([names]) => names);
    return new Set(known.filter((name) => Array.isArray(kept) && kept.includes(name)));
  } catch {
    return new Set();
  }
}

interface Properties {
  run: RunRecord;
  model: RunModel;
  isReplayed: boolean;
}

/** The fourth layer: everything that was said and done, in order. */
export function Transcript({ run, model, isReplayed }: Properties) {
  const version = model.version.value;
  const [hidden, setHidden] = useState(rememberedKinds);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const [selected, setSelected] = useState(-1);
  const [isListed, setListed] = useState(false);
  const handle = useRef<ListHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const display = useMemo(() => new Display(model.rows, { hidden, opened }), [model, hidden, opened]);
  const lastDisplay = useRef(display);
  display.update();
  // Rows above a fold that opens stay where they are.
  const kept = lastDisplay.current === display ? display.length : display.sameAs(lastDisplay.current);
  lastDisplay.current = display;

  const isLive = run.status === 'running' || isReplayed;
  const { isFollowing, setFollowing } = useFollow(isLive && !/^#e\d/.test(address.value.hash));
  const find = useSearch(run.id, model, version);

  /** Shows a row, even if a fold or filter hides it. */
  function reveal(row: number, opensFold = true): void {
    const kind = model.rows.kind(row);
    if (hidden.has(kind)) hide(new Set([...hidden].filter((each) => each !== kind)));
    const item = display.itemOf(row);
    if (display.kind(item) === 'fold' && opensFold && !opened.has(display.first(item)))
      setOpened(new Set([...opened, display.first(item)]));
    setFollowing(false);
    pending.current = { row };
    setSelected(row);
  }
  const pending = useRef<{ row: number } | undefined>(undefined);
  useEffect(() => {
    const wanted = pending.current;
    if (wanted === undefined) return;
    pending.current = undefined;
    handle.current?.scrollTo(display.itemOf(wanted.row));
  });

  // A link to an event is followed as soon as that event is here.
  const linked = Number(/^#e(\d{1,15})$/.exec(address.value.hash)?.[1] ?? 0);
  const shownLink = useRef(0);
  useEffect(() => {
    if (linked === 0 || shownLink.current === linked || model.lastSeq < linked) return;
    shownLink.current = linked;
    const row = model.rows.rowOf(linked);
    if (row >= 0) reveal(row);
  }, [linked, version]);

  function hide(next: ReadonlySet<RowKind>): void {
    setHidden(next);
    try {
      localStorage.setItem(storageKey, JSON.stringify([...next]));
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  }
  function toggle(row: number): void {
    const next = new Set(toggled);
    if (!next.delete(row)) next.add(row);
    setToggled(next);
  }
  function toggleFold(first: number): void {
    const next = new Set(opened);
    if (!next.delete(first)) next.add(first);
    setOpened(next);
  }
  function step(by: number): void {
    leaveButton();
    const from = selected < 0 ? (handle.current?.firstVisible() ?? 0) - (by > 0 ? 1 : 0) : display.itemOf(selected);
    reveal(display.first(Math.min(Math.max(0, from + by), display.length - 1)), false);
  }
  function jumpToTrouble(by: number): void {
    const from = selected < 0 ? (by > 0 ? -1 : model.rows.length) : selected;
    for (let at = from + by; at >= 0 && at < model.rows.length; at += by)
      if (model.rows.tone(at) === 'bad') return reveal(at);
    say(by > 0 ? 'No more errors below' : 'No more errors above');
  }
  function choose(row: number): void {
    setListed(false);
    find.setPlace(row);
    reveal(row);
  }
  function jumpToMatch(by: number): void {
    const row = find.next(by);
    if (row !== undefined) reveal(row);
  }
  useKeys([
    { key: 'j', what: 'Next row', run: () => step(1) },
    { key: 'k', what: 'Previous row', run: () => step(-1) },
    {
      key: 'Enter',
      what: 'Open or close the row',
      run: () => {
        const item = display.itemOf(selected);
        if (selected < 0) return;
        if (display.kind(item) === 'fold') toggleFold(display.first(item));
        else toggle(selected);
      },
    },
    {
      key: '/',
      what: 'Search in this run',
      run: () => document.querySelector<HTMLInputElement>('#search-run')?.focus(),
    },
    { key: 'n', what: 'Next match', run: () => jumpToMatch(1) },
    { key: 'N', what: 'Previous match', run: () => jumpToMatch(-1) },
    { key: 'e', what: 'Next error', run: () => jumpToTrouble(1) },
    { key: 'E', what: 'Previous error', run: () => jumpToTrouble(-1) },
    { key: 'f', what: 'Follow the end', run: () => setFollowing(!isFollowing) },
    {
      key: 'g',
      what: 'Go to the beginning',
      run: () => {
        leaveButton();
        if (display.length > 0) reveal(display.first(0), false);
      },
    },
    { key: 'G', what: 'Go to the end', run: () => handle.current?.scrollToEnd() },
  ]);

  useEffect(() => {
    const frame = requestAnimationFrame(() => highlight(box.current, find.words.trim()));
    return () => cancelAnimationFrame(frame);
  });
  useEffect(() => () => highlight(null, ''), []);

  return (
    <div class="transcript" ref={box}>
      <div class="toolbar">
        <div class="search">
          <input
            id="search-run"
            type="search"
            value={find.words}
            placeholder="Search in this run"
            aria-label="Search in this run"
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => find.setWords(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              jumpToMatch(event.shiftKey ? -1 : 1);
            }}
          />
          <span class="search-count" role="status">
            {find.words.trim() === ''
              ? ''
              : find.found === undefined
                ? '…'
                : `${find.place === undefined ? '' : `${find.place} of `}${find.found.count} in ${plural(find.found.rows.length, 'row')}${source.value.leftOut === undefined ? '' : ' in this report'}${find.isOver ? '' : ' so far…'}`}
          </span>
        </div>
        {(find.found?.snippets.length ?? 0) === 0 ? null : (
          <button type="button" class="quiet" aria-expanded={isListed} onClick={() => setListed(!isListed)}>
            {isListed ? 'Hide matches' : 'List matches'}
          </button>
        )}
        <div class="chips" role="group" aria-label="Show">
          {kinds.map(([names, title]) => {
            const isShown = names.every((name) => !hidden.has(name));
            return (
              <button
                key={title}
                type="button"
                class="chip"
                aria-pressed={isShown}
                onClick={() =>
                  hide(new Set(isShown ? [...hidden, ...names] : [...hidden].filter((each) => !names.includes(each))))
                }
              >
                {title}
              </button>
            );
          })}
        </div>
        {model.troubleCount > 0 ? (
          <button type="button" class="quiet text-bad" onClick={() => jumpToTrouble(1)}>
            Next error <kbd>e</kbd>
          </button>
        ) : null}
        {isListed && find.found !== undefined ? <Matches found={find.found} onChoose={choose} /> : null}
      </div>
      {model.rows.length === 0 ? (
        <Empty title={run.status === 'running' ? 'Nothing yet' : 'No records of this run are here'}>
          {run.status === 'running' ? (
            <p>The first event will appear here by itself.</p>
          ) : run.last_sequence === 0 || run.tape === undefined ? (
            <>
              <p>The run was imported or made without a tape, or the tape was pruned. To see what the ledger keeps:</p>
              <Command text={`runwire runs show ${shortId(run.id)}`} />
            </>
          ) : (
            <p>Reading the tape…</p>
          )}
        </Empty>
      ) : display.length === 0 ? (
        <Empty title="Everything is hidden">
          <p>
            <button type="button" onClick={() => hide(new Set())}>
              Show all kinds
            </button>
          </p>
        </Empty>
      ) : (
        <VirtualList
          count={display.length}
          identity={display}
          kept={kept}
          estimate={34}
          inset={barHeight.value + toolbarHeight}
          isHeld={isLive && isFollowing}
          label="Transcript"
          handle={handle}
          onRange={(from, to) => model.look(display.first(from), display.first(to - 1) + 1)}
          render={(index) => {
            const first = display.first(index);
            const kind = display.kind(index);
            if (kind === 'fold')
              return (
                <FoldRow
                  model={model}
                  members={display.members(first)}
                  isOpen={opened.has(first)}
                  isSelected={display.itemOf(selected) === index && selected >= 0}
                  onToggle={() => toggleFold(first)}
                />
              );
            const row = model.row(first);
            if (row === undefined) return <RowToCome rows={model.rows} index={first} />;
            return (
              <TranscriptRow
                row={row}
                usage={model.turnUsage.of(first)}
                start={model.firstAt}
                runId={run.id}
                isMember={kind === 'member'}
                isToggled={toggled.has(first)}
                isSelected={first === selected}
                isLinked={linked !== 0 && row.seq <= linked && linked <= row.lastSeq && first === selected}
                onToggle={() => toggle(first)}
              />
            );
          }}
        />
      )}
      {isLive ? (
        <div class="follow" role="status">
          {isFollowing ? (
            <button type="button" class="quiet" onClick={() => setFollowing(false)}>
              <span class="dot dot-running" aria-hidden="true">
                ◐
              </span>{' '}
              Following the end <kbd>f</kbd>
            </button>
          ) : (
            <button type="button" class="primary" onClick={() => setFollowing(true)}>
              Paused because you scrolled: follow again <kbd>f</kbd>
            </button>
          )}
        </div>
      ) : null}
    </div>
  );
}

/** Every match with the words around it; a click leads to its row. */
function Matches({ found, onChoose }: { found: Found; onChoose: (row: number) => void }) {
  return (
    <ol class="matches" aria-label="Matches">
      {found.snippets.map(({ row, label, before, match, after }) => (
        <li key={row}>
          <button type="button" class="row-button" onClick={() => onChoose(row)}>
            <span class="row-label">{oneLine(label, 40)}</span>
            <span class="row-about">
              {oneLine(before, 80)} <mark>{oneLine(match, 80)}</mark> {oneLine(after, 140)}
            </span>
          </button>
        </li>
      ))}
      {found.rows.length > found.snippets.length ? (
        <li class="muted">{plural(found.rows.length - found.snippets.length, 'more row')}: Enter goes through all</li>
      ) : null}
    </ol>
  );
}

function useSearch(id: string, model: RunModel, version: number) {
  const [words, setWords] = useAddressText('find');
  const [found, setFound] = useState<Found | undefined>();
  const [isOver, setOver] = useState(true);
  const [at, setAt] = useState(-1);
  const wanted = words.trim();
  const searching = useRef<{ end: AbortController; search: RunSearch; isBusy: boolean } | undefined>(undefined);
  useEffect(() => {
    setAt(-1);
    setFound(undefined);
    if (wanted === '') return;
    const mine = { end: new AbortController(), search: new RunSearch(id, wanted), isBusy: false };
    const timer = setTimeout(() => {
      searching.current = mine;
      void goOn();
    }, 150);
    return () => {
      clearTimeout(timer);
      mine.end.abort();
      searching.current = undefined;
    };
  }, [wanted, id, model]);
  // What a live run adds meanwhile is searched as well.
  useSoon(() => void goOn(), 300, [version]);
  async function goOn(): Promise<void> {
    const mine = searching.current;
    if (mine === undefined || mine.isBusy) return;
    mine.isBusy = true;
    setOver(false);
    const tell = (result: Found): void => {
      if (!mine.end.signal.aborted) setFound(result);
    };
    try {
      tell(await mine.search.upTo(model.lastSeq, mine.end.signal, tell));
      if (!mine.end.signal.aborted) setOver(true);
    } catch {
      if (!mine.end.signal.aborted)
        say('The search stopped because the server does not answer. Search again to retry.');
    } finally {
      mine.isBusy = false;
    }
  }
  return {
    words,
    setWords,
    found,
    isOver,
    place: found === undefined || at < 0 ? undefined : (found.before[at] ?? 0) + 1,
    setPlace: (row: number) => setAt(found?.rows.indexOf(row) ?? -1),
    next(by: number): number | undefined {
      if (found === undefined || found.rows.length === 0) return undefined;
      const index = at < 0 && by < 0 ? found.rows.length - 1 : (at + by + found.rows.length) % found.rows.length;
      setAt(index);
      return found.rows[index];
    },
  };
}
