import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure, messageOf } from '../../failure.ts';
import { codeOfClass } from '../../outcome/faults.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { Thread } from '../../pipeline/thread.ts';
import { present } from '../../json/present.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import { makeFolder } from '../../files/make-folder.ts';
import type { Context } from '../context.ts';
import { redaction } from '../streams.ts';
import type { HtmlDocument } from './html-document.ts';
import { ciOf, type Documents, readDocuments, readGithub } from './document-flags.ts';
import type { RunValues } from './options.ts';

interface Text {
  write(text: string): void;
}

/** The documents that were requested: each is written in one go when the run has ended, however it ended. */
export async function openDocuments(
  { outcome, reportMd, junit, prComment }: Documents,
  { stdout, onUnwritten }: { stdout: Text; onUnwritten: (message: string) => void },
  context: Context,
): Promise<Sink[]> {
  const sinks: Sink[] = [];
  if (outcome === '-')
    sinks.push({
      end: (result) => stdout.write(`${JSON.stringify(result, null, context.stdoutIsTerminal ? 2 : 0)}\n`),
    });
  else if (outcome !== undefined) {
    const file = openFile('--outcome', outcome, context, onUnwritten);
    sinks.push({ end: (result) => file.text(`${JSON.stringify(result)}\n`) });
  }
  if (reportMd !== undefined) {
    const file = openFile('--report-md', reportMd, context, onUnwritten);
    const [{ Story }, { reportMarkdown }] = await Promise.all([
      import('../../reports/story.ts'),
      import('../../reports/report-md.ts'),
    ]);
    const story = new Story();
    sinks.push({ record: (record) => story.record(record), end: (result) => file.text(reportMarkdown(result, story)) });
  }
  if (junit !== undefined) {
    const file = openFile('--junit', junit, context, onUnwritten);
    const { junitXml } = await import('../../reports/junit.ts');
    sinks.push({ end: (result) => file.text(junitXml([result])) });
  }
  if (prComment !== undefined) {
    const text =
      prComment === '-'
        ? (body: string) => stdout.write(body)
        : openFile('--pr-comment', prComment, context, onUnwritten).text;
    const [{ Story }, comment] = await Promise.all([
      import('../../reports/story.ts'),
      import('../../reports/pr-comment.ts'),
    ]);
    const changes = new Story();
    sinks.push({
      record: (record) => void (record.type === 'file.edited' && changes.record(record)),
      end: (result) => text(comment.prComment(result, changes)),
    });
  }
  return sinks;
}

/** A prompt, an answer or the output of a tool is for the user alone; a file that was there before keeps its permissions. */
const ownMode = 0o600;

/** A file that is either complete or absent. */
export interface OpenFile {
  text(whole: string): void;
  parts(parts: AsyncIterable<string>): Promise<void>;
}

/** Removes what an earlier run left there, so that nobody takes it for this one, and fails before the run if the file cannot be written. */
export function openFile(
  flag: string,
  name: string,
  { cwd }: Context,
  onUnwritten: (message: string) => void,
): OpenFile {
  const { path, isFile, mode } = placeOf(resolve(cwd, name));
  // The agent may be able to write here too: use a name that it cannot guess, and never an existing file or link.
  const temporary = isFile ? `${path}.${randomBytes(8).toString('hex')}.part` : path;
  const begin = (text: string): void => writeFileSync(temporary, text, isFile ? { flag: 'wx', mode: ownMode } : {});
  if (isFile)
    try {
      makeFolder(dirname(path), 0o777);
      begin('');
      rmSync(temporary);
      rmSync(path, { force: true });
    } catch (error) {
      throw new Failure('output', `${flag} ${name}: cannot be written: ${messageOf(error)}`, { cause: error });
    }
  const failed = (error: unknown): void => {
    if (isFile) rmSync(temporary, { force: true });
    onUnwritten(`${flag} ${name}: not written: ${messageOf(error)}`);
  };
  function keep(): void {
    if (!isFile) return;
    if (mode !== undefined) chmodSync(temporary, mode);
    renameSync(temporary, path);
  }
  return {
    text(whole) {
      try {
        begin(whole);
        keep();
      } catch (error) {
        failed(error);
      }
    },
    async parts(parts) {
      try {
        if (isFile) begin('');
        for await (const part of parts) appendFileSync(temporary, part);
        keep();
      } catch (error) {
        failed(error);
      }
    },
  };
}

/** Follows a link, so that it stays a link; a pipe or a device is written to, never replaced. */
function placeOf(path: string): { path: string; isFile: boolean; mode?: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { path, isFile: true };
  if (found.isDirectory()) throw new Failure('output', `${path}: cannot be written: it is a directory`);
  return found.isFile()
    ? { path: realpathSync(path), isFile: true, mode: found.mode & 0o777 }
    : { path, isFile: false };
}

/** A failure passes several places that could report it: only the first one does. */
const reported = new WeakSet<Failure>();

/** A run that was refused before it could begin has an outcome too, if one was requested. */
export async function documentRefusal(
  failure: Failure,
  { values, prompt = '' }: { values: RunValues; prompt?: string | undefined },
  context: Context,
): Promise<void> {
  if (reported.has(failure)) return;
  reported.add(failure);
  let printed = '';
  const complain = (message: string): void => context.warn(`runwire: warning: ${message}`);
  const ci = ciOf(readGithub(values), context.env);
  const ciRoom = ci === undefined ? undefined : await import('./ci.ts');
  let sinks: Sink[];
  let file: string | undefined;
  let html: HtmlDocument | undefined;
  try {
    const documents = readDocuments(values);
    file = documents.outcome === '-' ? undefined : (documents.outcome ?? ciRoom?.usualOutcomeFile(ci, context));
    sinks = await openDocuments(
      { ...documents, outcome: documents.outcome ?? file },
      { stdout: { write: (text) => void (printed += text) }, onUnwritten: complain },
      context,
    );
    if (documents.reportHtml !== undefined)
      html = new (await import('./html-document.ts')).HtmlDocument(documents.reportHtml, context, {
        complain,
        onUnwritten: complain,
      });
  } catch (error) {
    // The documents themselves may be the reason for the failure.
    if (error instanceof Failure) return;
    throw error;
  }
  const outcome = refusedOutcome(failure, { prompt, model: values.model }, context);
  for (const sink of sinks) sink.end?.(outcome);
  html?.writeAlone(outcome);
  if (ci !== undefined && ciRoom !== undefined)
    await new ciRoom.Ci(ci, context).tell(outcome, file === undefined ? undefined : resolve(context.cwd, file));
  const outlet = new Outlet(context.print);
  outlet.write(printed);
  await outlet.close();
  if (outlet.problem !== undefined) await (await import('../effects.ts')).describeFailure(outlet.problem, context);
}

function refusedOutcome(
  { code: name, message }: Failure,
  { prompt, model }: { prompt: string; model: string | undefined },
  context: Context,
): RunOutcome {
  const thread = new Thread({
    clock: context.now,
    startedAt: context.now(),
    introduction: { task: prompt, ...present({ model }) },
    ...redaction(false, context),
  });
  const code = codeOfClass[name];
  thread.tell({ type: 'error', scope: 'runwire', code, message, fatal: true });
  thread.tell({ type: 'agent.finished', status: 'failed', code, message });
  return thread.end('runwire');
}
