import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';

const most = 400;
const firstPort = 20_000;
const portsEach = 100;
const patienceMs = 60_000;

/** A small number that no other copy of this user currently has. */
export function takeSlot(folder: string, isFree: IsFree, holder: string): number {
  for (let slot = 1; slot <= most; slot += 1) {
    if (take(slotFile(folder, slot), isFree, holder)) return slot;
  }
  throw new Failure('config', `there are ${most} private copies already; see "runwire orchestrate clean"`);
}

export function freeSlot(folder: string, slot: number): void {
  rmSync(slotFile(folder, slot), { force: true });
}

export function slotFile(folder: string, slot: number): string {
  return join(folder, `${slot}.slot`);
}

type IsFree = (holder: string, heardAt: number) => boolean;

function take(path: string, isFree: IsFree, holder: string): boolean {
  if (make(path, holder)) return true;
  const before = read(path);
  const heardAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // A process that has just created the file may not have written its name yet.
  if (before === '' ? Date.now() - heardAt < patienceMs : !isFree(before, heardAt)) return false;
  return giveUp(path, before) && make(path, holder);
}

function make(path: string, holder: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, holder);
    closeSync(file);
    return true;
  } catch {
    return false;
  }
}

/** Takes a slot from a holder that is gone. Another process may be doing the same, and may already have it. */
export function giveUp(path: string, holder: string): boolean {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    const isTheirs = read(aside) === holder;
    if (!isTheirs) linkSync(aside, path);
    rmSync(aside, { force: true });
    return isTheirs;
  } catch {
    return false;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What keeps two copies on one machine from colliding: their ports, and the names of their containers. */
export function slotVariables(slot: number, name: string): Record<string, string> {
  return {
    RUNWIRE_SLOT: String(slot),
    RUNWIRE_PORT_BASE: String(firstPort + slot * portsEach),
    COMPOSE_PROJECT_NAME: `runwire-${slot}-${name}`,
  };
}
