import { useEffect, useState } from 'preact/hooks';
import { useAddressText } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { address, go, withQuery } from '../route.ts';

export const filterNames = [
  'status',
  'class',
  'agent',
  'model',
  'label',
  'since',
  'until',
  'search',
  'file',
  'parent',
  'root',
  'session',
  'cwd',
  'repo',
  'host',
  'user',
  'min_cost',
  'max_cost',
] as const;
type FilterName = (typeof filterNames)[number];

const statuses = [
  ['', 'All'],
  ['running', 'Running'],
  ['success', 'Succeeded'],
  ['error', 'Failed'],
  ['incomplete', 'Incomplete'],
  ['cancelled', 'Cancelled'],
] as const;

const ages = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['1d', 'Last day'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;

const typed: readonly (readonly [name: FilterName, title: string, hint: string])[] = [
  ['file', 'Touched file', 'src/app.ts'],
  ['label', 'Label', 'git.branch=main'],
  ['repo', 'Repository', 'shop'],
  ['host', 'Host', 'laptop'],
  ['user', 'User', 'kim'],
  ['min_cost', 'Cost from $', '0.50'],
  ['max_cost', 'Cost to $', '5'],
];
/** Filters that come only from links. */
const linked: readonly (readonly [name: FilterName, title: string])[] = [
  ['until', 'Started before'],
  ['parent', 'Started by'],
  ['root', 'In the tree of'],
  ['session', 'Session'],
  ['cwd', 'Folder'],
];

/** Which runs to list; every filter is in the address, so that a list can be bookmarked and sent. */
export function Filters() {
  const { searchParams } = address.value;
  const status = searchParams.get('status') ?? '';
  const isUsed = filterNames.some((name) => searchParams.has(name));
  const [isOpen, setOpen] = useState(
    filterNames.some((name) => name !== 'status' && name !== 'search' && name !== 'since' && searchParams.has(name)),
  );
  return (
    <section class="filters" aria-label="Filters">
      <div class="filters-first">
        <TypedFilter name="search" title="Search prompts and answers" hint="Search all runs: words, or prefix* …" id="search-runs" />
        <div class="chips" role="group" aria-label="State">
          {statuses.map(([value, title]) => (
            <a key={value} class="chip" href={withQuery({ status: value })} aria-current={status === value ? 'true' : undefined}>
              {title}
            </a>
          ))}
        </div>
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </button>
        {isUsed ? (
          <a class="clear" href="/">
            Clear
          </a>
        ) : null}
      </div>
      {isOpen ? (
        <div class="filters-more">
          <Choice name="agent" title="Agent" />
          <Choice name="model" title="Model" />
          <Choice name="class" title="Verdict" />
          <label>
            <span>Started</span>
            <select value={searchParams.get('since') ?? ''} onChange={({ currentTarget }) => go(withQuery({ since: currentTarget.value }))}>
              {ages.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          {typed.map(([name, title, hint]) => (
            <TypedFilter key={name} name={name} title={title} hint={hint} isLabelled />
          ))}
          {linked.map(([name, title]) =>
            searchParams.has(name) ? <TypedFilter key={name} name={name} title={title} hint="" isLabelled /> : null,
          )}
        </div>
      ) : null}
    </section>
  );
}

/** The values found in runs, most used first. */
function Choice({ name, title }: { name: 'agent' | 'model' | 'class'; title: string }) {
  const [values, setValues] = useState<readonly string[]>([]);
  const chosen = address.value.searchParams.get(name) ?? '';
  useEffect(() => {
    source.value.stats(name, new URLSearchParams()).then(
      (rows) => setValues(rows.flatMap(({ group }) => (group === undefined ? [] : [group])).slice(0, 100)),
      () => setValues([]),
    );
  }, [name]);
  return (
    <label>
      <span>{title}</span>
      <select value={chosen} onChange={({ currentTarget }) => go(withQuery({ [name]: currentTarget.value }))}>
        <option value="">Any</option>
        {[...new Set([...(chosen === '' ? [] : [chosen]), ...values])].map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TypedProperties {
  name: FilterName;
  title: string;
  hint: string;
  id?: string;
  isLabelled?: boolean;
}

function TypedFilter({ name, title, hint, id, isLabelled = false }: TypedProperties) {
  const [text, setText] = useAddressText(name);
  const input = (
    <input
      id={id}
      type="search"
      value={text}
      placeholder={hint}
      aria-label={title}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
  return isLabelled ? (
    <label>
      <span>{title}</span>
      {input}
    </label>
  ) : (
    input
  );
}
