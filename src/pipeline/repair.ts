import type { AgentEvent, Draft, EventOf } from '../events/event.ts';

export type RepairedSink = (event: AgentEvent, synthetic: boolean) => void;

/** A stream that starts with more noise than this has no introduction worth waiting for. */
const maxEarly = 200;

interface OpenBlock {
  kind: 'text' | 'reasoning';
  block_id: string;
  message_id: string;
  turn_id: string;
  parent_item_id: string | undefined;
  text: string;
}

/**
 * Lifecycle repair: every start gets its end and every end its start, whole texts and deltas always agree.
 * What it adds is marked synthetic; what the agent said is never changed, only completed with ids and places.
 */
export class Repair {
  readonly #emit: RepairedSink;
  #threadStarted = false;
  /** What came before the agent introduced itself: noise must not cost the thread its name. */
  #early: { draft: Draft & { type: 'log' | 'line.unknown' }; synthetic: boolean }[] = [];
  #turn: { id: string; iteration: number; items: number } | undefined;
  #iteration = 0;
  #blockCount = 0;
  /** A handful at most: one text, one reasoning, and those of running sub-agents. */
  readonly #blocks: OpenBlock[] = [];
  readonly #items = new Set<string>();
  readonly #permissions = new Set<string>();

  constructor(emit: RepairedSink) {
    this.#emit = emit;
  }

  push(draft: Draft, synthetic = false): void {
    switch (draft.type) {
      case 'thread.started':
        // An agent may introduce itself again on every turn; the thread starts once.
        if (this.#threadStarted) return;
        return this.#startThread(draft, synthetic);
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
        return this.#delta(draft, synthetic);
      case 'text.completed':
      case 'reasoning.completed':
        return this.#complete(draft, synthetic);
      case 'item.started': {
        const turn = this.#needTurn();
        if (this.#items.has(draft.item_id)) this.#emit({ type: 'item.completed', item_id: draft.item_id, status: 'abandoned' }, true);
        this.#items.add(draft.item_id);
        turn.items += 1;
        return this.#emit(draft.turn_id === undefined ? { ...draft, turn_id: turn.id } : (draft as EventOf<'item.started'>), synthetic);
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
      case 'thread.completed':
        // Always ours, made by the fold at the very end.
        return;
      default:
        this.#needThread();
        return this.#emit(draft as AgentEvent, synthetic);
    }
  }

  /** Close everything that is still open; what belongs after the agent's last word comes later. */
  end(): void {
    this.#needThread();
    this.#closeBlocks();
    for (const item_id of this.#items) this.#emit({ type: 'item.completed', item_id, status: 'abandoned' }, true);
    this.#items.clear();
    if (this.#turn !== undefined) this.#completeTurn({ type: 'turn.completed' }, true);
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

  #delta(draft: Draft & { type: 'text.delta' | 'reasoning.delta' }, synthetic: boolean): void {
    const kind = draft.type === 'text.delta' ? 'text' : 'reasoning';
    const block = this.#findBlock(kind, draft) ?? this.#openBlock(kind, draft);
    block.text += draft.text;
    this.#emit(said(draft.type, block, draft.text), synthetic);
  }

  #complete(draft: Draft & { type: 'text.completed' | 'reasoning.completed' }, synthetic: boolean): void {
    const [kind, delta] = draft.type === 'text.completed' ? (['text', 'text.delta'] as const) : (['reasoning', 'reasoning.delta'] as const);
    let block = this.#findBlock(kind, draft) ?? this.#openBlock(kind, draft);
    if (block.text === '') {
      if (draft.text !== '') this.#emit(said(delta, block, draft.text), true);
    } else if (block.text !== draft.text) {
      if (draft.text.startsWith(block.text)) {
        this.#emit(said(delta, block, draft.text.slice(block.text.length)), true);
      } else {
        // What was streamed is not what was said in the end (a retry, a rewrite): both are facts, so both are kept apart.
        this.#closeBlock(block);
        block = this.#openBlock(kind, { ...draft, block_id: `${block.block_id}_final` });
        this.#emit(said(delta, block, draft.text), true);
      }
    }
    this.#forget(block);
    this.#emit(said(draft.type, block, draft.text), synthetic);
  }

  #findBlock(
    kind: OpenBlock['kind'],
    { block_id, parent_item_id }: { block_id?: string; parent_item_id?: string | undefined },
  ): OpenBlock | undefined {
    return this.#blocks.findLast(
      (block) => block.kind === kind && block.parent_item_id === parent_item_id && (block_id === undefined || block.block_id === block_id),
    );
  }

  #openBlock(
    kind: OpenBlock['kind'],
    draft: { block_id?: string; message_id?: string; turn_id?: string; parent_item_id?: string | undefined },
  ): OpenBlock {
    const turn = this.#needTurn();
    const block: OpenBlock = {
      kind,
      block_id: draft.block_id ?? `block_${++this.#blockCount}`,
      message_id: draft.message_id ?? turn.id,
      turn_id: draft.turn_id ?? turn.id,
      parent_item_id: draft.parent_item_id,
      text: '',
    };
    this.#blocks.push(block);
    return block;
  }

  #closeBlocks(): void {
    for (let block = this.#blocks[0]; block !== undefined; block = this.#blocks[0]) this.#closeBlock(block);
  }

  #closeBlock(block: OpenBlock): void {
    this.#forget(block);
    this.#emit(said(block.kind === 'text' ? 'text.completed' : 'reasoning.completed', block, block.text), true);
  }

  #forget(block: OpenBlock): void {
    // Nearly always the only one, or the last.
    if (this.#blocks.at(-1) === block) this.#blocks.pop();
    else this.#blocks.splice(this.#blocks.indexOf(block), 1);
  }
}

function said(
  type: 'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed',
  block: OpenBlock,
  text: string,
): AgentEvent {
  const { turn_id, message_id, block_id, parent_item_id } = block;
  return parent_item_id === undefined
    ? { type, turn_id, message_id, block_id, text }
    : { type, turn_id, message_id, block_id, parent_item_id, text };
}
