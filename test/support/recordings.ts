import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import type { Expected } from './expected.ts';
import { isSweep } from './sweep.ts';

const home = join(import.meta.dirname, '..', 'recordings');

export interface Served {
  requests: {
    model?: string;
    side?: boolean;
    done?: boolean;
    aborted?: boolean;
    fault?: { type?: string; status?: number };
    answer?: {
      text?: string;
      textLength?: number;
      reasoning?: string;
      calls?: { name: string; args?: unknown; input?: unknown }[];
      usage?: { input: number; cached: number; output: number; reasoning: number };
    };
  }[];
}

export interface Recording {
  agent: string;
  scenario: string;
  folder: string;
  stdout: Uint8Array;
  stderr: Uint8Array;
  exit: ProcessEnd;
  served: Served;
}

export function loadRecording(folder: string, scenario: string): Recording {
  const file = (name: string): string => join(home, folder, scenario, name);
  const exit = JSON.parse(readFileSync(file('exit.json'), 'utf8')) as {
    code: number | null;
    signal: string | null;
    timedOut?: boolean;
  };
  return {
    agent: folder.split('@')[0] ?? folder,
    scenario,
    folder,
    stdout: readFileSync(file('stdout.jsonl')),
    stderr: readFileSync(file('stderr.txt')),
    exit: { exit_code: exit.code, signal: exit.signal, ...(exit.timedOut === true ? { timedOut: true } : {}) },
    served: JSON.parse(readFileSync(file('served.json'), 'utf8')) as Served,
  };
}

export function scenariosOf(folder: string): string[] {
  return readdirSync(join(home, folder)).toSorted();
}

export function allRecordings(
  tables: readonly Expected[],
): { name: string; folder: string; scenario: string; expected: Expected }[] {
  return tables.flatMap((expected) =>
    Object.keys(expected.classes).map((scenario) => ({
      name: `${expected.folder}/${scenario}`,
      folder: expected.folder,
      scenario,
      expected,
    })),
  );
}

/** They hold one long text, hundreds of times what others hold, and nothing that others do not. */
const long = new Set(['long-text', 'slow-reader', 'long-tool-output']);

/** Of recordings that are all read in the same way: each, but of the long ones the first, where `npm run test:sweeps` tries all. */
export function withOneLong<Each extends { scenario: string }>(recordings: readonly Each[]): Each[] {
  const first = recordings.find(({ scenario }) => long.has(scenario));
  return recordings.filter((each) => isSweep || each === first || !long.has(each.scenario));
}

export interface Truth {
  message: string;
  /** Names of the tools the model called, in order. */
  calls: string[];
  tokens: { input: number; output: number; cached: number; reasoning: number };
}

/** What the model's side knows: the last answer it finished, every call it made, every token it counted. */
export function truthOf(served: Served): Truth {
  const done = served.requests.filter(
    (request) => request.done === true && request.side !== true && request.answer !== undefined,
  );
  const texts = done.flatMap(({ answer }) => (answer?.text ? [answer.text] : []));
  const sum = (field: 'input' | 'output' | 'cached' | 'reasoning'): number =>
    done.reduce((total, { answer }) => total + (answer?.usage?.[field] ?? 0), 0);
  return {
    message: (texts.at(-1) ?? '').trim(),
    calls: done.flatMap(({ answer }) => answer?.calls ?? []).map((call) => call.name),
    tokens: { input: sum('input'), output: sum('output'), cached: sum('cached'), reasoning: sum('reasoning') },
  };
}
