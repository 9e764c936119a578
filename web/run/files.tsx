import { useEffect, useState } from 'preact/hooks';
import type { RunRecord } from '../api.ts';
import type { FileEdit } from '../model/row.ts';
import type { ChangedFile, RunModel } from '../model/run-model.ts';
import { Empty } from '../parts/common.tsx';
import { diffOf, DiffView } from '../parts/diff-view.tsx';
import { useKeys } from '../parts/keys.ts';
import { oneLine } from '../parts/plain-text.ts';
import { address, pathWith } from '../route.ts';
import { FileLine, filesOf } from './result.tsx';

const openAtFirst = 5;

function wantedFile(hash: string): string {
  try {
    return hash.startsWith('#file-') ? decodeURIComponent(hash.slice('#file-'.length)) : '';
  } catch {
    return '';
  }
}

/** Every changed file, edit by edit. */
export function Files({ run, model }: { run: RunRecord; model: RunModel }) {
  const files = filesOf(run, model);
  const wanted = wantedFile(address.value.hash);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const isOpen = (path: string, index: number): boolean =>
    (index < openAtFirst || path === wanted) !== toggled.has(path);
  useEffect(() => {
    if (wanted !== '')
      document.querySelector(`[data-path="${CSS.escape(wanted)}"]`)?.scrollIntoView({ block: 'start' });
  }, [wanted]);
  function move(step: number): void {
    const all = [...document.querySelectorAll<HTMLElement>('.file-head')];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = all[Math.min(Math.max(0, at + step), all.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: 'center' });
  }
  useKeys([
    { key: 'j', what: 'Next file', run: () => move(1) },
    { key: 'k', what: 'Previous file', run: () => move(-1) },
  ]);
  if (files.length === 0)
    return (
      <Empty title="No changed files">
        <p>
          {run.status === 'running'
            ? 'None so far.'
            : 'The agent reported no changed files. Shell commands may have changed some: see the transcript (4).'}
        </p>
      </Empty>
    );
  return (
    <div class="files">
      {files.map((file, index) => (
        <section key={file.path} class="file" data-path={file.path} aria-label={oneLine(file.path, 200)}>
          <button
            type="button"
            class="file-head"
            aria-expanded={isOpen(file.path, index)}
            onClick={() => {
              const next = new Set(toggled);
              if (!next.delete(file.path)) next.add(file.path);
              setToggled(next);
            }}
          >
            <span class="twist" aria-hidden="true">
              {isOpen(file.path, index) ? '▾' : '▸'}
            </span>
            <FileLine file={file} />
          </button>
          {isOpen(file.path, index) ? <Edits file={file} model={model} /> : null}
        </section>
      ))}
    </div>
  );
}

const editsShown = 20;

/** The edits of a file. `page` is where the transcript is, if it is not on this page. */
export function Edits({ file, model, page }: { file: ChangedFile; model: RunModel; page?: string }) {
  const shown = file.edits.slice(-editsShown);
  if (shown.length === 0)
    return (
      <p class="muted file-note">
        The ledger records that it was {file.operation}, but the tape with the change is not here.
      </p>
    );
  return (
    <>
      {shown.map((edit, index) => (
        <Edit
          key={edit.seq}
          edit={edit}
          model={model}
          page={page}
          place={
            file.edits.length > 1
              ? `Edit ${file.edits.length - shown.length + index + 1} of ${file.edits.length}: `
              : ''
          }
        />
      ))}
    </>
  );
}

/** One edit; its diff is read when it is shown. */
function Edit({
  edit,
  model,
  place,
  page,
}: {
  edit: FileEdit;
  model: RunModel;
  place: string;
  page: string | undefined;
}) {
  const [whole, setWhole] = useState<FileEdit | undefined>();
  useEffect(() => {
    let isGone = false;
    model.pages.record(edit.seq).then(
      (record) => isGone || setWhole({ ...edit, diff: record?.type === 'file.edited' ? record.diff : undefined }),
      () => isGone || setWhole(edit),
    );
    return () => void (isGone = true);
  }, [edit.seq]);
  const call = edit.call === undefined ? undefined : model.row(edit.call);
  const isHere = whole !== undefined && (edit.call === undefined || call !== undefined);
  const diff = isHere ? diffOf(whole, call?.tool) : undefined;
  return (
    <div>
      <p class="file-note">
        {place}
        {edit.operation} by{' '}
        <a href={`${page ?? pathWith({ view: 'events' })}#e${call?.seq ?? edit.seq}`}>
          {call === undefined ? `event ${edit.seq}` : oneLine(call.label, 60)}
        </a>
        {whole?.diff === undefined && diff !== undefined ? ', reconstructed from the tool call' : ''}
      </p>
      {!isHere ? (
        <p class="muted file-note">…</p>
      ) : diff === undefined ? (
        <p class="muted file-note">The agent reported no diff.</p>
      ) : (
        <DiffView diff={diff} path={edit.path} label={`Changes to ${oneLine(edit.path, 100)}`} />
      )}
    </div>
  );
}
