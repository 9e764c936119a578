import { Pieces } from '../dialects/kit/pieces.ts';

/** The place of a block in the run. */
export interface BlockIds {
  readonly kind: 'text' | 'reasoning';
  readonly block_id: string;
  readonly message_id: string;
  readonly turn_id: string;
  readonly parent_item_id: string | undefined;
}

export interface OpenBlock extends BlockIds {
  readonly text: Pieces;
}

/** The open blocks of one kind and one speaker, the run itself or a sub-agent, in the order in which they were opened. */
interface Lane {
  readonly byId: Map<string, Link>;
  last: Link | undefined;
}

interface Link {
  readonly block: OpenBlock;
  before: Link | undefined;
  after: Link | undefined;
}

/** Nearly always a handful: one text, one reasoning, and those of running sub-agents. But an agent may never close any. */
export class OpenBlocks {
  readonly #all = new Set<OpenBlock>();
  readonly #lanes = { text: new Map<string | undefined, Lane>(), reasoning: new Map<string | undefined, Lane>() };

  /** The open block with this id; without an id, the last one opened. */
  find(kind: BlockIds['kind'], parent: string | undefined, id: string | undefined): OpenBlock | undefined {
    const lane = this.#lanes[kind].get(parent);
    return (id === undefined ? lane?.last : lane?.byId.get(id))?.block;
  }

  open(place: BlockIds): OpenBlock {
    const block: OpenBlock = { ...place, text: new Pieces() };
    const lanes = this.#lanes[block.kind];
    let lane = lanes.get(block.parent_item_id);
    if (lane === undefined) lanes.set(block.parent_item_id, (lane = { byId: new Map(), last: undefined }));
    const link: Link = { block, before: lane.last, after: undefined };
    if (lane.last !== undefined) lane.last.after = link;
    lane.last = link;
    lane.byId.set(block.block_id, link);
    this.#all.add(block);
    return block;
  }

  close(block: OpenBlock): void {
    this.#all.delete(block);
    const lanes = this.#lanes[block.kind];
    const lane = lanes.get(block.parent_item_id);
    const link = lane?.byId.get(block.block_id);
    if (lane === undefined || link === undefined) return;
    if (link.before !== undefined) link.before.after = link.after;
    if (link.after === undefined) lane.last = link.before;
    else link.after.before = link.before;
    lane.byId.delete(block.block_id);
    // A lane of a sub-agent is seldom needed again.
    if (lane.last === undefined && block.parent_item_id !== undefined) lanes.delete(block.parent_item_id);
  }

  /** In the order in which they were opened. */
  all(): Iterable<OpenBlock> {
    return this.#all;
  }
}
