import { useEffect, useRef, useState } from 'preact/hooks';
import { compactDuration } from '../../src/terminal/figures.ts';
import type { SentRecord } from '../model/row.ts';
import { RunModel } from '../model/run-model.ts';
import { source } from '../parts/source.ts';
import { useKeys } from '../parts/keys.ts';

const speeds = [1, 2, 5, 10, 50, 200] as const;
const pageLength = 500;
/** The longest pause in a replay. */
const longestPauseMs = 3000;

export interface ReplayState {
  /** The run up to the position of the slider; undefined: nothing is being replayed. */
  model: RunModel | undefined;
  at: number;
  isPlaying: boolean;
  speed: number;
  start(): void;
  close(): void;
  seek(sequence: number): void;
  setPlaying(isPlaying: boolean): void;
  setSpeed(speed: number): void;
}

/** Replays the run from its records, event by event. */
export function useReplay(id: string, whole: RunModel): ReplayState {
  const [model, setModel] = useState<RunModel | undefined>();
  const [at, setAt] = useState(0);
  /** The last move that reached its position, and the one that playing continues from; undefined: paused. */
  const [arrived, setArrived] = useState(0);
  const [playedFrom, setPlayedFrom] = useState<number | undefined>();
  const [speed, setSpeed] = useState<number>(10);
  const work = useRef({ page: [] as SentRecord[], moves: 0 });

  /** The record after `sequence`, from the page at hand or the next one. */
  async function after(sequence: number): Promise<SentRecord | undefined> {
    const here = work.current.page.find((record) => record.sequence > sequence);
    const [first] = work.current.page;
    if (here !== undefined && first !== undefined && first.sequence <= sequence + 1) return here;
    const { moves } = work.current;
    const page = await source.value.records(id, sequence, pageLength);
    if (moves === work.current.moves) work.current.page = page;
    return page[0];
  }

  /** Starts a move, which ends any earlier move or playback that is still under way. */
  const move = (): number => (work.current.moves += 1);

  async function seek(sequence: number): Promise<void> {
    // A user who picks a position wants to stay there.
    setPlayedFrom(undefined);
    const mine = move();
    const wanted = Math.min(Math.max(0, sequence), whole.lastSeq);
    setAt(wanted);
    // The model cannot undo an event, so going back means replaying from the beginning.
    const target = model !== undefined && model.lastSeq <= wanted ? model : new RunModel(id);
    while (target.lastSeq < wanted) {
      const page = await source.value.records(id, target.lastSeq, pageLength * 4);
      if (mine !== work.current.moves) return;
      if (page.length === 0) break;
      target.feed(page.filter((record) => record.sequence <= wanted));
      if ((page.at(-1)?.sequence ?? 0) > wanted) break;
    }
    setModel(target);
    setArrived(mine);
  }

  useEffect(() => {
    // Pressing play while a move is under way means playing from its target.
    if (playedFrom !== arrived || model === undefined) return;
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function play(): Promise<void> {
      let owed = 0;
      while (!isStopped && model !== undefined && playedFrom === work.current.moves) {
        const next = await after(model.lastSeq);
        if (isStopped || playedFrom !== work.current.moves) return;
        if (next === undefined) return setPlayedFrom(undefined);
        const before = model.lastAt;
        model.feed([next]);
        setAt(next.sequence);
        const pause = before === undefined || next.timestamp === null ? 20 : Date.parse(next.timestamp) - before;
        owed += Math.min(longestPauseMs, Math.max(0, pause) / speed);
        // Timers are not finer than this.
        if (owed < 8) continue;
        const wait = owed;
        owed = 0;
        await new Promise((resolve) => (timer = setTimeout(resolve, wait)));
      }
    }
    void play();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [playedFrom, arrived, model, speed]);

  return {
    model,
    at,
    isPlaying: playedFrom !== undefined,
    speed,
    start() {
      const mine = move();
      setModel(new RunModel(id));
      setAt(0);
      setArrived(mine);
      setPlayedFrom(mine);
    },
    close() {
      move();
      setPlayedFrom(undefined);
      setModel(undefined);
    },
    seek: (sequence) => void seek(sequence),
    setPlaying: (isPlaying) => setPlayedFrom(isPlaying ? work.current.moves : undefined),
    setSpeed,
  };
}

export function Replay({ replay, total }: { replay: ReplayState; total: number }) {
  const { model, at, isPlaying, speed } = replay;
  void model?.version.value;
  const time =
    model?.firstAt === undefined || model.lastAt === undefined ? '' : compactDuration(model.lastAt - model.firstAt);
  const faster = (by: number): void => {
    const index = speeds.findIndex((each) => each === speed);
    replay.setSpeed(speeds[Math.min(Math.max(0, index + by), speeds.length - 1)] ?? 1);
  };
  useKeys([
    { key: ' ', what: 'Replay: play or pause', run: () => replay.setPlaying(!isPlaying) },
    { key: '.', what: 'Replay: one event forward', run: () => replay.seek(at + 1) },
    { key: ',', what: 'Replay: one event back', run: () => replay.seek(at - 1) },
    { key: '>', what: 'Replay: faster', run: () => faster(1) },
    { key: '<', what: 'Replay: slower', run: () => faster(-1) },
    { key: 'Escape', what: 'Replay: close', run: replay.close },
  ]);
  return (
    <div class="replay" role="region" aria-label="Replay">
      <button
        type="button"
        class="primary"
        onClick={() => (at >= total ? replay.start() : replay.setPlaying(!isPlaying))}
      >
        {isPlaying ? 'Pause' : at >= total ? 'Again' : 'Play'}
      </button>
      <button type="button" aria-label="One event back" onClick={() => replay.seek(at - 1)}>
        ‹
      </button>
      <button type="button" aria-label="One event forward" onClick={() => replay.seek(at + 1)}>
        ›
      </button>
      <input
        type="range"
        min={0}
        max={total}
        value={at}
        aria-label="Position in the run"
        aria-valuetext={`Event ${at} of ${total}`}
        onInput={({ currentTarget }) => replay.seek(Number(currentTarget.value))}
      />
      <span class="replay-place">
        {at} of {total}
        {time === '' ? '' : ` · ${time}`}
      </span>
      <label class="inline">
        <span class="sr-only">Speed</span>
        <select value={String(speed)} onChange={({ currentTarget }) => replay.setSpeed(Number(currentTarget.value))}>
          {speeds.map((each) => (
            <option key={each} value={String(each)}>
              {each}×
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="quiet" onClick={replay.close}>
        Close
      </button>
    </div>
  );
}
