import { useEffect, useState } from 'preact/hooks';
import { askableFilters, type FilterQuery } from '../../src/contract/row-filters.ts';
import { useAddressText } from '../parts/common.tsx';
import { source } from '../parts/source.ts';
import { address, go, withQuery } from '../route.ts';

export const filterNames = askableFilters.map(({ query }) => query);
const titles = Object.fromEntries(
  askableFilters.map(({ query, filter: { title = query } }) => [query, title]),
) as Readonly<Record<FilterQuery, string>>;

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

const typed = askableFilters.filter(({ filter }) => filter.hint !== undefined);
const linked = askableFilters.filter(({ filter }) => filter.isLinked === true);

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
        <TypedFilter name="search" hint="Search all runs: words, or prefix* …" id="search-runs" />
        <div class="chips" role="group" aria-label={titles.status}>
          {statuses.map(([value, title]) => (
            <a
              key={value}
              class="chip"
              href={withQuery({ status: value })}
              aria-current={status === value ? 'true' : undefined}
            >
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
          <Choice name="agent" />
          <Choice name="model" />
          <Choice name="class" />
          <label>
            <span>{titles.since}</span>
            <select
              value={searchParams.get('since') ?? ''}
              onChange={({ currentTarget }) => go(withQuery({ since: currentTarget.value }))}
            >
              {ages.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          {typed.map(({ query, filter: { hint = '' } }) => (
            <TypedFilter key={query} name={query} hint={hint} isLabelled />
          ))}
          {linked.map(({ query }) =>
            searchParams.has(query) ? <TypedFilter key={query} name={query} hint="" isLabelled /> : null,
          )}
        </div>
      ) : null}
    </section>
  );
}

/** The values found in runs, most used first. */
function Choice({ name }: { name: 'agent' | 'model' | 'class' }) {
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
      <span>{titles[name]}</span>
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
  name: FilterQuery;
  hint: string;
  id?: string;
  isLabelled?: boolean;
}

function TypedFilter({ name, hint, id, isLabelled = false }: TypedProperties) {
  const [text, setText] = useAddressText(name);
  const input = (
    <input
      id={id}
      type="search"
      value={text}
      placeholder={hint}
      aria-label={titles[name]}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
  return isLabelled ? (
    <label>
      <span>{titles[name]}</span>
      {input}
    </label>
  ) : (
    input
  );
}
