import type { AskPerson } from '../../../builtin/permissions/question.ts';
import { decide, type Decision, type PermissionRules } from '../../../builtin/permissions/rules.ts';
import { locate } from '../../../builtin/permissions/workspace.ts';
import type { Need } from '../../../builtin/tools/tool.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, list, object, string } from '../../../json/read.ts';
import type { Draft, ItemKind } from '../../../events/event.ts';
import { subject } from '../../../events/subject.ts';
import { shellQuote } from '../../../terminal/shell-quote.ts';

interface Call {
  kind: ItemKind;
  name: string;
  args: Json;
}

/** An agent may begin calls and never end them; it asks only about recent ones. */
const mostOpen = 1000;

interface JudgeOptions {
  rules: PermissionRules;
  cwd: string;
  ask: AskPerson | undefined;
  signal: AbortSignal;
}

/** Answers an agent's permission requests, by the built-in agent's rules or by asking a person, if there is one. */
export class Judge {
  readonly #options: JudgeOptions;
  /** Open calls, as the agent announced them. */
  readonly #calls = new Map<string, Call>();
  /** Before the prompt and after its answer, an agent has no reason to ask for permission. */
  #isPrompted = false;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  see(draft: Draft): void {
    if (draft.type === 'prompt.submitted') this.#isPrompted = true;
    else if (draft.type === 'agent.finished') this.#isPrompted = false;
    else if (draft.type === 'item.started') this.#open(draft);
    else if (draft.type === 'item.completed') this.#calls.delete(draft.item_id);
  }

  #open({ item_id, kind, name, args }: Draft & { type: 'item.started' }): void {
    this.#calls.set(item_id, { kind, name, args });
    // Many at once: finding the oldest entry of a map takes longer the more entries were deleted.
    if (this.#calls.size > mostOpen)
      for (const oldest of [...this.#calls.keys()].slice(0, mostOpen / 2)) this.#calls.delete(oldest);
  }

  /** The answer to `session/request_permission`. */
  async answer({ toolCall, options }: JsonObject): Promise<JsonObject> {
    if (!this.#isPrompted) return { outcome: { outcome: 'cancelled' } };
    const about = object(toolCall);
    const itemId = string(about.toolCallId) ?? '';
    const call = this.#calls.get(itemId) ?? { kind: 'tool_call', name: string(about.title) ?? 'unknown', args: {} };
    const decision = this.#decide(call, about);
    const { ask, signal } = this.#options;
    const isAsked = decision.mayAsk === true && ask !== undefined && !signal.aborted;
    const { kind, name, args } = call;
    const allowed = isAsked
      ? await ask({ itemId, kind, name, subject: subject(args), reason: decision.reason }, signal)
      : decision.allowed;
    if (signal.aborted) return { outcome: { outcome: 'cancelled' } };
    return {
      outcome: this.#choose(list(options), allowed),
      _meta: { runwire: { by: isAsked ? 'user' : 'rule', reason: decision.reason } },
    };
  }

  /** Once, never always: an agent that is always allowed a kind of action does not ask again, so no rule could deny it. */
  #choose(options: readonly Json[], allowed: boolean): JsonObject {
    const ids = (kind: string): string[] =>
      options.flatMap((each) => (object(each).kind === kind ? (filled(object(each).optionId) ?? []) : []));
    const { mode, deny } = this.#options.rules;
    const mayAlways = mode === 'full' && deny.length === 0;
    const [optionId] = allowed
      ? [
          ...ids('allow_once'),
          ...(mayAlways ? ids('allow_always') : []),
          ...ids('reject_once'),
          ...ids('reject_always'),
        ]
      : [...ids('reject_once'), ...ids('reject_always')];
    return optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
  }

  #decide(call: Call, about: JsonObject): Decision {
    let last: Decision | undefined;
    for (const { tool, need, isOutside } of this.#needs(call, about)) {
      if (isOutside && this.#options.rules.mode !== 'full')
        return { allowed: false, reason: `${need.subject} is outside the working directory` };
      last = decide(this.#options.rules, tool, need);
      if (!last.allowed) return last;
    }
    return last ?? { allowed: false, reason: 'it does not say what it is about' };
  }

  #needs({ kind, name, args }: Call, about: JsonObject): { tool: string; need: Need; isOutside: boolean }[] {
    const of = (tool: string, access: Need['access'], what: string) => [
      { tool, need: { access, subject: what }, isOutside: false },
    ];
    switch (kind) {
      case 'command':
        return of('bash', 'execute', commandOf(args));
      case 'web':
        return of('fetch', 'network', hostOf(args));
      case 'read':
        return this.#paths('read', 'read', args, about);
      case 'search':
        return this.#paths('grep', 'read', args, about);
      case 'file_edit':
        return this.#paths('edit', 'write', args, about);
      case 'plan':
        return of('todo', 'none', '');
      default:
        if (about.kind === 'think') return of('todo', 'none', '');
        // Leaving plan mode means starting to act.
        if (about.kind === 'switch_mode')
          return of('todo', this.#options.rules.mode === 'read-only' ? 'execute' : 'none', '');
        return of(name, 'execute', name);
    }
  }

  #paths(tool: string, access: Need['access'], args: Json, { locations, content }: JsonObject) {
    const places = [...list(locations), ...list(content).filter((each) => object(each).type === 'diff')];
    const paths = places.flatMap((each) => filled(object(each).path) ?? []);
    const named = [...new Set([...paths, ...(paths.length === 0 ? [subject(args)] : [])])];
    return named.map((path) => {
      const { name, isOutside } = this.#place(path);
      return { tool, need: { access, subject: name }, isOutside };
    });
  }

  #place(path: string): { name: string; isOutside: boolean } {
    const { cwd, rules } = this.#options;
    try {
      return { name: locate(path, { cwd, directories: rules.directories }).name, isOutside: false };
    } catch {
      return { name: path, isOutside: true };
    }
  }
}

function commandOf(args: Json): string {
  const { command } = object(args);
  return Array.isArray(command) ? shellQuote(command.map((word) => string(word) ?? '')) : subject(args);
}

/** The requested host; '' where none is named. */
function hostOf(args: Json): string {
  const { url, urls, prompt } = object(args);
  const address = string(url) ?? string(list(urls)[0]) ?? /https?:\/\/[^\s"'<>]+/.exec(string(prompt) ?? '')?.[0] ?? '';
  return URL.canParse(address) ? new URL(address).hostname : '';
}
