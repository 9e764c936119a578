import { present } from '../../../json/present.ts';
import type { Environment, PermissionMode } from '../../../words/vocabulary.ts';
import type { Sink } from '../sink.ts';
import { abilitiesOf, advise, deniedIn } from '../../../ledger/advice.ts';
import { canDraw, type Line, wantsColours } from '../../../terminal/line.ts';
import { Narrator } from './narrator.ts';
import { Pace } from './pace.ts';
import { redrawMs, Screen } from './screen.ts';
import { Transcript } from './transcript.ts';

interface Telling {
  tell: 'all' | 'errors';
  /** Whether live rows may be drawn on a terminal, besides lines. */
  draws: boolean;
  /** Unset: the user's own command. */
  agent?: string;
  permissionMode?: PermissionMode;
  /** Flags that a run resuming this one needs as well. */
  flags?: () => readonly string[];
  /** The time in a run that is being replayed; unset: the run is live. */
  clock?: () => number;
}

/** A run, narrated on stderr while it happens. */
export interface Narration {
  sink: Sink;
  complain(message: string): void;
  /** Something else may be about to write to the terminal. */
  hide(): void;
  /** Shows all there is to show, and then nothing while a person is asked. */
  around<Answer>(ask: () => Promise<Answer>): Promise<Answer>;
  /** Nobody is listening any more. */
  mute(): void;
  close(): void;
}

/** The terminal or pipe behind stderr. */
export interface Stderr {
  readonly env: Environment;
  readonly stderrIsTerminal: boolean;
  now(): number;
  draw(text: string): void;
  stderrSize(): { columns: number; rows: number };
}

const glanceMs = 1000;

export async function narrate(
  { tell, draws, agent, permissionMode, flags = () => [], clock }: Telling,
  context: Stderr,
): Promise<Narration> {
  const { env, stderrIsTerminal, now } = context;
  const isFull = permissionMode === 'full';
  const abilities = { ...(await abilitiesOf(agent)), isFull };
  const drawn = draws && tell === 'all' && canDraw(env, stderrIsTerminal);
  const colours = wantsColours(env, stderrIsTerminal);
  let muted = false;
  let keep = (): void => {};
  const write = (text: string): void => {
    keep();
    context.draw(text);
  };
  // A replay was asked for explicitly, so all of it is shown.
  const pace = clock === undefined ? new Pace(now) : undefined;
  const narrator: Narrator = new Narrator({
    say: (line: Line) => void (muted || display.say(line)),
    now: clock ?? now,
    calls: drawn ? 'live' : 'lines',
    tell,
    isFull,
    ...present({ pace }),
    advise: (outcome) => advise(outcome, { ...abilities, flags, denied: deniedIn(outcome) }),
  });
  const display = drawn
    ? new Screen({ write, size: context.stderrSize, now }, colours, (rows) => narrator.live(rows))
    : new Transcript({ write, now }, colours, () => narrator.pulse());
  const tick = (): void => {
    pace?.tick();
    display.tick();
  };
  const timer = tell === 'all' ? setInterval(tick, drawn ? redrawMs : glanceMs).unref() : undefined;
  const close = (): void => {
    clearInterval(timer);
    display.close();
  };
  return {
    sink: {
      showAfter: (given) => void (keep = given),
      record: (record) => narrator.record(record),
      end(outcome) {
        narrator.end(outcome);
        close();
      },
    },
    complain: (message) => narrator.warn(message),
    hide: () => display.hide(),
    async around(ask) {
      narrator.tellHeld();
      display.rest(true);
      try {
        return await ask();
      } finally {
        display.rest(false);
      }
    },
    mute() {
      close();
      muted = true;
    },
    close,
  };
}
