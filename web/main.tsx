import { render } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { isSignedOut, reportSource, type ReportData } from './api.ts';
import { ComparePage } from './compare/compare-page.tsx';
import { Beside } from './list/beside.tsx';
import { ListPage } from './list/list-page.tsx';
import { Empty, KeyHelp, notice, Problem } from './parts/common.tsx';
import { source } from './parts/source.ts';
import { helpIsOpen, listenToKeys, useKeys } from './parts/keys.ts';
import { address, go, listenToAddress, routeOf } from './route.ts';
import { QueuePage } from './queue/queue-page.tsx';
import { RunPage } from './run/run-page.tsx';
import { SignIn } from './sign-in.tsx';
import { TreePage } from './tree/tree-page.tsx';

function Route({ route }: { route: ReturnType<typeof routeOf> }) {
  switch (route.page) {
    case 'list':
      return <ListPage />;
    case 'run':
      return (
        <Beside id={route.id}>
          <RunPage key={route.id} id={route.id} />
        </Beside>
      );
    case 'tree':
      return <TreePage key={route.id} id={route.id} />;
    case 'compare':
      return <ComparePage a={route.a} b={route.b} />;
    case 'queue':
      return <QueuePage />;
    case 'unknown':
      return (
        <Empty title="Page not found">
          <p>
            <a href="/">All runs</a>
          </p>
        </Empty>
      );
  }
}

function Page() {
  const route = source.value.isReport ? ({ page: 'run', id: reportRun } as const) : routeOf(address.value);
  const [error, again] = useErrorBoundary();
  useKeys([
    { key: '?', what: 'Show this list', run: () => void (helpIsOpen.value = true) },
    ...(source.value.isReport ? [] : [{ key: 'h', what: 'All runs', run: () => go('/') }]),
  ]);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <nav class="top" aria-label="Runwire">
        {source.value.isReport ? (
          <span class="brand">Runwire report</span>
        ) : (
          <a class="brand" href="/">
            Runwire
          </a>
        )}
        {source.value.isReport ? null : (
          <a class="room" href="/queue">
            Queue
          </a>
        )}
        <button type="button" class="quiet" onClick={() => void (helpIsOpen.value = true)}>
          Keyboard <kbd>?</kbd>
        </button>
      </nav>
      <div id="content" tabIndex={-1}>
        {isSignedOut.value ? (
          <SignIn />
        ) : error === undefined ? (
          <Route route={route} />
        ) : (
          <Problem error={error instanceof Error ? error : new Error(String(error))} again={again} />
        )}
      </div>
      <div class="toast" role="status" aria-live="polite">
        {notice.value}
      </div>
      <KeyHelp />
    </>
  );
}

let reportRun = '';
const held = document.querySelector('#runwire-data')?.textContent;
if (held !== undefined && held !== null && held.trim() !== '') {
  const data = JSON.parse(held) as ReportData;
  reportRun = data.run.id;
  source.value = reportSource(data);
}
listenToAddress();
listenToKeys();
const root = document.querySelector('#page');
if (root !== null) {
  root.replaceChildren();
  render(<Page />, root);
}
