/** What differs between two requests that mean the same. */
export interface ReplayRules {
  /** Fields that are left out, as paths from the top of the body: `input.*.id`. */
  drop?: readonly string[];
  /** What is replaced in every text. */
  replace?: readonly (readonly [pattern: RegExp, instead: string | ((found: string) => string)])[];
  /** Texts whose lines come in any order, and lists whose elements do, as paths. */
  sort?: readonly string[];
}

/** `(Available: 'b', 'a')`. */
function sortedNames(found: string): string {
  const names = found.slice('(Available: '.length, -1).split(', ');
  return `(Available: ${names.toSorted().join(', ')})`;
}

/** Gemini CLI and its fork name the group of processes of a command in its result. */
const processGroup = [/^Process Group PGID: \d{1,10}$/gm, 'Process Group PGID: …'] as const;

/** Each agent's own; agents that are not here send the same bytes every time, as far as is known. */
const rules: Readonly<Record<string, ReplayRules>> = {
  codex: {
    drop: ['input.*.id', 'input.*.internal_chat_message_metadata_passthrough', 'prompt_cache_key', 'client_metadata'],
    replace: [
      [/^Chunk ID: [0-9a-f]{1,40}$/gm, 'Chunk ID: …'],
      [/^Wall time: [\d.]{1,20} seconds$/gm, 'Wall time: … seconds'],
      // It counts what follows, with the paths in it.
      [/^Original token count: \d{1,10}$/gm, 'Original token count: …'],
    ],
  },
  gemini: {
    // Its skills come in a random order: in the instructions, in the description of the tool, and in the list of their names.
    sort: [
      'systemInstruction.parts.*.text',
      'tools.*.functionDeclarations.*.description',
      'tools.*.functionDeclarations.*.parametersJsonSchema.properties.*.enum',
    ],
    replace: [[/_\d{13}_\d{1,9}\b/g, '_…'], processGroup, [/\(Available: [^()]{1,4000}\)/g, sortedNames]],
  },
  qwen: { replace: [processGroup] },
};

export function rulesFor(agent: string | undefined): ReplayRules {
  return (agent === undefined ? undefined : rules[agent]) ?? {};
}

const months = 'January|February|March|April|May|June|July|August|September|October|November|December';
const days = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';

/** Every agent tells its model which day it is. */
export const dates: readonly RegExp[] = [
  /\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g,
  new RegExp(`\\b(?:(?:${days}), )?(?:${months}) \\d{1,2}, \\d{4}\\b`, 'g'),
  new RegExp(`\\b(?:(?:${days}), )?\\d{1,2} (?:${months}) \\d{4}\\b`, 'g'),
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{2} \d{4}\b/g,
  /\b\d{1,2}\/\d{1,2}\/\d{4}\b/g,
];
