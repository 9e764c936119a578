import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, list, object, string } from '../../../json/read.ts';
import { ownMetaOf } from './meta.ts';
import type { Tools } from './tools.ts';

/** A permission request that waits for its answer. */
export interface Question {
  permissionId: string;
  itemId: string | undefined;
  /** What each option means. */
  kinds: ReadonlyMap<string, string>;
}

/** What the agent asks the client, and the answers. */
export class Permissions {
  readonly #sink: DecoderSink;
  readonly #tools: Tools;

  constructor(sink: DecoderSink, tools: Tools) {
    this.#sink = sink;
    this.#tools = tools;
  }

  ask(
    id: Json | undefined,
    { toolCall, options }: JsonObject,
    itemId: string | undefined,
    agent: string | undefined,
  ): Question {
    const permissionId = `permission_${typeof id === 'string' || typeof id === 'number' ? id : 'unknown'}`;
    const about = itemId === undefined ? undefined : this.#tools.inQuestion(itemId, object(toolCall), agent);
    const kinds = list(options).map(
      (each) => [string(object(each).optionId) ?? '', string(object(each).kind) ?? ''] as const,
    );
    this.#sink.emit({
      type: 'permission.requested',
      permission_id: permissionId,
      what: about?.name ?? 'unknown',
      ...present({ item_id: itemId, pattern: about?.pattern, title: filled(about?.title) }),
    });
    return { permissionId, itemId, kinds: new Map(kinds) };
  }

  answer({ permissionId, itemId, kinds }: Question, result: JsonObject): void {
    const { outcome, optionId } = object(result.outcome);
    const kind = outcome === 'selected' ? (kinds.get(string(optionId) ?? '') ?? '') : '';
    const isAllowed = kind.startsWith('allow');
    const by = ownMetaOf(result)?.by === 'rule' ? 'rule' : 'user';
    this.#sink.emit({
      type: 'permission.resolved',
      permission_id: permissionId,
      decision: isAllowed ? 'allowed' : 'denied',
      by,
      ...present({ item_id: itemId, raw_decision: filled(optionId) ?? filled(outcome) }),
    });
    if (isAllowed || itemId === undefined) return;
    this.#tools.refused(itemId, outcome === 'cancelled' ? 'cancelled' : 'denied');
  }
}
