import { eventIn } from '../../../events/check.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, isObject, list, object } from '../../../json/read.ts';

/** The branches of a report: the program's own has two ids, Runwire's has everything known about each branch. */
export function readBranches(report: JsonObject, sink: DecoderSink): void {
  const lineage = isObject(report.lineage) ? report.lineage : report;
  const start = idIn(lineage.start_branch_id);
  const latest = idIn(lineage.latest_branch_id);
  const branches = list(lineage.branches).map(object);
  let last = start;
  if (start !== undefined && !branches.some(({ branch_id }) => branch_id === start))
    sink.emit({ type: 'branch.updated', branch_id: start, is_start: true });
  for (const branch of branches) {
    const id = idIn(branch.branch_id);
    if (id === undefined) sink.note('unrecognised', 'a branch without an id');
    else {
      readBranch(id, branch, id === start, sink);
      if (id !== start) last = id;
    }
  }
  if (latest !== undefined && latest !== last) sink.emit({ type: 'branch.updated', branch_id: latest });
}

function readBranch(branch_id: string, { cost, ...branch }: JsonObject, isStart: boolean, sink: DecoderSink): void {
  const place = { branch_id, ...present({ is_start: isStart || undefined }) };
  const event = eventIn({ type: 'branch.updated', ...branch, ...present({ cost_usd: cost }), ...place });
  if (event === undefined) sink.note('unrecognised', 'what is said of a branch');
  sink.emit(event ?? { type: 'branch.updated', ...place });
}

/** The result of publishing: in the program's own report, a text or a pull request. */
export function readPublish(report: JsonObject, hasFailed: boolean, sink: DecoderSink): void {
  const event = isObject(report.publish) ? eventIn({ type: 'branch.published', ...report.publish }) : undefined;
  if (event !== undefined) return sink.emit(event);
  if (report.publish !== undefined) sink.note('unrecognised', 'final_report.publish');
  const url = filled(report.pr_url);
  const ref = filled(report.pr_head_branch);
  const number = report.pr_number === undefined || url !== undefined ? '' : `pull request ${asText(report.pr_number)}`;
  const message = [asText(report.publish_report), number].filter((part) => part !== '').join('\n');
  if (url === undefined && ref === undefined && message === '') return;
  const branch_id = idIn(report.latest_branch_id) ?? idIn(report.start_branch_id) ?? ref;
  if (branch_id === undefined) return sink.note('unrecognised', 'a publish report without a branch');
  const status = hasFailed ? 'error' : 'success';
  sink.emit({ type: 'branch.published', branch_id, status, ...present({ ref, url, message: message || undefined }) });
}

function idIn(value: Json | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : filled(value);
}
