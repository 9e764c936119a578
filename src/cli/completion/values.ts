import { existsSync } from 'node:fs';
import { agents } from '../../agents/registry.ts';
import { dialects } from '../../dialects/registry.ts';
import { ledgerPlace, openStore } from '../../stores/open-store.ts';
import { shortRunId } from '../../ids/run-id.ts';
import type { RunStore, RunSummary } from '../../stores/run-store.ts';
import { acpAgent } from '../../words/vocabulary.ts';
import type { Context } from '../context.ts';
import { type Answer, candidates, nothing, type Values } from './answer.ts';

const mostRuns = 30;
/** Completion must not take longer than this. */
const longestMs = 1500;

/** The words of this installation, and of the ledger named by `--ledger` among these words or by the environment. */
export function valuesOf(words: readonly string[], context: Context): Values {
  const ask = (question: (store: RunStore) => Promise<Answer>): Promise<Answer> =>
    askLedger(ledgerIn(words), context, question);
  const newest = async (store: RunStore): Promise<readonly RunSummary[]> =>
    (await store.list({}, { limit: mostRuns })).runs;
  return {
    agents: async () =>
      candidates([
        { value: 'builtin', about: 'The built-in agent of Runwire' },
        ...agents.map(({ id, title }) => ({ value: id, about: title })),
        ...agents.flatMap(({ id, title, acp }) =>
          acp === undefined ? [] : [{ value: `${acpAgent}:${id}`, about: `${title}, over ACP` }],
        ),
      ]),
    async models(current, withProvider) {
      const [{ findProvider }, { providerNames }] = await Promise.all([
        import('@pydantic/genai-prices'),
        import('../../builtin/models/providers.ts'),
      ]);
      const modelsOf = (provider: string): string[] =>
        (findProvider({ providerId: provider })?.models ?? []).map(({ id }) => id);
      if (!withProvider) return candidates(['anthropic', 'google', 'openai'].flatMap(modelsOf));
      const provider = current.slice(0, Math.max(0, current.indexOf('/')));
      return candidates(
        provider === '' ? providerNames.map((name) => `${name}/`) : modelsOf(provider).map((id) => `${provider}/${id}`),
      );
    },
    dialects(areWritten, andText) {
      const known = dialects.filter(({ encoder, about }) =>
        areWritten ? encoder !== undefined : about.reads !== undefined,
      );
      const names = known.flatMap(({ id, about, variants = [] }) => [
        { value: id, about: about.agent },
        ...(areWritten && variants.length > 1
          ? variants.map(({ name }) => ({ value: `${id}:${name}`, about: about.agent }))
          : []),
      ]);
      return candidates(andText ? [{ value: 'text' }, ...names] : names);
    },
    schemas: async () => candidates((await import('../commands/schema.ts')).schemaNames()),
    runs: () =>
      ask(async (store) =>
        candidates([
          { value: 'last', about: 'The newest run' },
          ...(await newest(store)).map((run) => ({
            value: shortRunId(run.id),
            about: [run.agent, run.status, run.title].join(' '),
          })),
        ]),
      ),
    sessions: () =>
      ask(async (store) =>
        candidates(
          (await newest(store)).flatMap(({ session_id: id, agent, title }) =>
            id === undefined ? [] : [{ value: id, about: `${agent ?? ''} ${title}` }],
          ),
        ),
      ),
    budgets: () => ask(async (store) => candidates((await store.budgets.list()).map(({ name }) => name))),
  };
}

function ledgerIn(words: readonly string[]): string | undefined {
  const at = words.lastIndexOf('--ledger');
  return at === -1 || at >= words.length - 2 ? undefined : words[at + 1];
}

/** A ledger that is missing, unreachable or broken offers no words; the command itself reports that, not the completion. */
async function askLedger(
  named: string | undefined,
  context: Context,
  question: (store: RunStore) => Promise<Answer>,
): Promise<Answer> {
  const answer = async (): Promise<Answer> => {
    const place = ledgerPlace(named, context.env, context.cwd);
    if (place.kind === 'none' || (place.kind === 'sqlite' && !existsSync(place.path))) return nothing;
    const store = await openStore(place, { mayCreate: false });
    return question(store).finally(() => store.close());
  };
  const late = new Promise<Answer>((resolve) => void setTimeout(() => resolve(nothing), longestMs).unref());
  return Promise.race([answer().catch(() => nothing), late]);
}
