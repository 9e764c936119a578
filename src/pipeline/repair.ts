import type { AgentEvent, Draft, EventOf } from '../events/event.ts';
import { finalOf } from '../events/rewritten-block.ts';
import { OpenIds } from '../ids/open-ids.ts';
import type { EventSink } from '../redact/redactor.ts';
import { type OpenBlock, OpenBlocks, type BlockIds } from './open-blocks.ts';

/** If a stream starts with more noise than this, an introduction is no longer waited for. */
const maxEarly = 200;

/** No agent has this many calls under way: the older half is considered abandoned, so that memory stays bounded. */
const mostOpenItems = 10_000;

/**
 * Lifecycle repair: every start gets its end and every end its start; whole texts and deltas always agree.
 * Added events are marked synthetic; the agent's own events are never changed, only completed with ids and places.
 */
export class Repair {
  readonly #emit: EventSink;
  #threadStarted = false;
  /** Events before the agent introduced itself: early noise must not leave the thread without a name. */
  #early: { draft: Draft & { type: 'log' | 'line.unknown' }; synthetic: boolean }[] = [];
  #turn: { id: string; iteration: number; items: number } | undefined;
  #iteration = 0;
  #blockCount = 0;
  readonly #blocks = new OpenBlocks();
  readonly #items = new OpenIds<true>();
  readonly #permissions = new Set<string>();

  constructor(emit: EventSink) {
    this.#emit = emit;
  }

  /** `isWhole`: a delta whose block ends immediately with the same text. */
  push(draft: Draft, synthetic = false, isWhole = false): void {
    switch (draft.type) {
      case 'thread.started':
        // An agent may introduce itself again on every turn.
        return this.#threadStarted ? undefined : this.#startThread(draft, synthetic);
      case 'log':
      case 'line.unknown':
        if (!this.#threadStarted && this.#early.length < maxEarly) {
          this.#early.push({ draft, synthetic });
          return;
        }
        this.#needThread();
        return this.#emit(draft, synthetic);
      case 'turn.started':
        return this.#startTurn(draft, synthetic);
      case 'turn.completed':
        return this.#completeTurn(draft, synthetic);
      case 'text.delta':
      case 'reasoning.delta':
        return this.#delta(draft, synthetic, isWhole);
      case 'text.completed':
      case 'reasoning.completed':
        return this.#complete(draft, synthetic);
      case 'item.started': {
        const turn = this.#needTurn();
        if (this.#items.has(draft.item_id)) this.#abandon(draft.item_id);
        else if (this.#items.size >= mostOpenItems) this.#abandonOldest();
        this.#items.set(draft.item_id, true);
        turn.items += 1;
        draft.turn_id ??= turn.id;
        return this.#emit(draft as EventOf<'item.started'>, synthetic);
      }
      case 'item.output':
        this.#needItem(draft.item_id);
        return this.#emit(draft, synthetic);
      case 'item.completed':
        this.#needItem(draft.item_id);
        this.#items.delete(draft.item_id);
        return this.#emit(draft, synthetic);
      case 'permission.requested':
        this.#needThread();
        this.#permissions.add(draft.permission_id);
        return this.#emit(draft, synthetic);
      case 'permission.resolved':
        this.#needThread();
        if (!this.#permissions.delete(draft.permission_id)) {
          this.#emit({ type: 'permission.requested', permission_id: draft.permission_id, what: 'unknown' }, true);
        }
        return this.#emit(draft, synthetic);
      case 'retry.scheduled':
        this.#needThread();
        // A text that was cut off stays as it is: the model starts it again.
        for (const block of this.#blocks.all()) if (block.parent_item_id === undefined) this.#closeBlock(block);
        return this.#emit(draft, synthetic);
      case 'thread.completed':
        // Ignored: the final one is always our own, made by the fold at the very end.
        return;
      default:
        this.#needThread();
        return this.#emit(draft as AgentEvent, synthetic);
    }
  }

  /** Another run in the same stream introduces itself. */
  nextRun(draft: EventOf<'thread.started'>, synthetic = false): void {
    this.end();
    this.#emit(draft, synthetic);
  }

  /** Closes everything that is still open; events that belong after the agent's last one come later. */
  end(): void {
    this.#needThread();
    this.#closeBlocks();
    for (const item_id of this.#items.keys()) this.#abandon(item_id);
    this.#items.clear();
    if (this.#turn !== undefined) this.#completeTurn({ type: 'turn.completed' }, true);
  }

  #abandon(item_id: string): void {
    this.#emit({ type: 'item.completed', item_id, status: 'abandoned' }, true);
  }

  /** Many at once: finding the oldest entry of a set takes longer the more entries were deleted. */
  #abandonOldest(): void {
    for (const item_id of [...this.#items.keys()].slice(0, mostOpenItems / 2)) {
      this.#items.delete(item_id);
      this.#abandon(item_id);
    }
  }

  #needThread(): void {
    if (!this.#threadStarted) this.#startThread({ type: 'thread.started' }, true);
  }

  #startThread(draft: EventOf<'thread.started'>, synthetic: boolean): void {
    this.#threadStarted = true;
    this.#emit(draft, synthetic);
    for (const each of this.#early) this.#emit(each.draft, each.synthetic);
    this.#early = [];
  }

  #needTurn(): { id: string; iteration: number; items: number } {
    if (this.#turn === undefined) this.#startTurn({ type: 'turn.started' }, true);
    return this.#turn as { id: string; iteration: number; items: number };
  }

  #needItem(itemId: string): void {
    if (this.#items.has(itemId)) return;
    this.push({ type: 'item.started', item_id: itemId, kind: 'tool_call', name: 'unknown', args: {} }, true);
  }

  #startTurn(draft: Draft & { type: 'turn.started' }, synthetic: boolean): void {
    this.#needThread();
    if (this.#turn !== undefined) this.#completeTurn({ type: 'turn.completed' }, true);
    this.#iteration = draft.iteration ?? this.#iteration + 1;
    const turn = { id: draft.turn_id ?? `turn_${this.#iteration}`, iteration: this.#iteration, items: 0 };
    this.#turn = turn;
    this.#emit({ ...draft, turn_id: turn.id, iteration: turn.iteration }, synthetic);
  }

  #completeTurn(draft: Draft & { type: 'turn.completed' }, synthetic: boolean): void {
    // The end of a turn other than the open one: its start was lost, or turns overlap.
    if (draft.turn_id !== undefined && draft.turn_id !== this.#turn?.id) {
      this.#startTurn(
        {
          type: 'turn.started',
          turn_id: draft.turn_id,
          ...(draft.iteration === undefined ? {} : { iteration: draft.iteration }),
        },
        true,
      );
    }
    const turn = this.#needTurn();
    this.#closeBlocks();
    this.#turn = undefined;
    this.#emit(
      {
        ...draft,
        turn_id: draft.turn_id ?? turn.id,
        iteration: draft.iteration ?? turn.iteration,
        tool_call_count: draft.tool_call_count ?? turn.items,
        has_final_report: draft.has_final_report ?? false,
      },
      synthetic,
    );
  }

  #delta(draft: Draft & { type: 'text.delta' | 'reasoning.delta' }, synthetic: boolean, isWhole: boolean): void {
    const kind = draft.type === 'text.delta' ? 'text' : 'reasoning';
    const open = this.#blocks.find(kind, draft.parent_item_id, draft.block_id);
    const block = open ?? this.#blocks.open(this.#placeOf(kind, draft));
    block.text.add(draft.text);
    this.#emit(blockEvent(draft.type, block, draft.text), synthetic, isWhole && open === undefined);
  }

  #complete(draft: Draft & { type: 'text.completed' | 'reasoning.completed' }, synthetic: boolean): void {
    const [kind, delta] =
      draft.type === 'text.completed' ? (['text', 'text.delta'] as const) : (['reasoning', 'reasoning.delta'] as const);
    const open = this.#blocks.find(kind, draft.parent_item_id, draft.block_id);
    const streamed = open?.text.toString() ?? '';
    let place: BlockIds = open ?? this.#placeOf(kind, draft);
    let missing: string | undefined = draft.text === streamed ? undefined : draft.text.slice(streamed.length);
    if (open !== undefined && draft.text.startsWith(streamed)) this.#blocks.close(open);
    else if (open !== undefined) {
      // The streamed text differs from the final text (a retry, a rewrite): both are facts, so both are kept, as separate blocks.
      this.#closeBlock(open);
      place = this.#placeOf(kind, {
        ...draft,
        block_id: this.#unusedBlock(kind, finalOf(open.block_id), draft.parent_item_id),
      });
      missing = draft.text;
    }
    if (missing !== undefined) this.#emit(blockEvent(delta, place, missing), true, missing === draft.text);
    this.#emit(blockEvent(draft.type, place, draft.text), synthetic);
  }

  #unusedBlock(kind: BlockIds['kind'], block_id: string, parent_item_id: string | undefined): string {
    return this.#blocks.find(kind, parent_item_id, block_id) === undefined
      ? block_id
      : this.#unusedBlock(kind, finalOf(block_id), parent_item_id);
  }

  #placeOf(kind: BlockIds['kind'], draft: Partial<Omit<BlockIds, 'kind'>>): BlockIds {
    const turn = this.#needTurn();
    return {
      kind,
      block_id: draft.block_id ?? `block_${++this.#blockCount}`,
      message_id: draft.message_id ?? turn.id,
      turn_id: draft.turn_id ?? turn.id,
      parent_item_id: draft.parent_item_id,
    };
  }

  #closeBlocks(): void {
    for (const block of this.#blocks.all()) this.#closeBlock(block);
  }

  #closeBlock(block: OpenBlock): void {
    this.#blocks.close(block);
    this.#emit(
      blockEvent(block.kind === 'text' ? 'text.completed' : 'reasoning.completed', block, block.text.toString()),
      true,
    );
  }
}

function blockEvent(
  type: 'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed',
  place: BlockIds,
  text: string,
): AgentEvent {
  const { turn_id, message_id, block_id, parent_item_id } = place;
  return parent_item_id === undefined
    ? { type, turn_id, message_id, block_id, text }
    : { type, turn_id, message_id, block_id, parent_item_id, text };
}
