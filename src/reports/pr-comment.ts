import type { RunOutcome } from '../outcome/outcome.ts';
import { reportMarkdown } from './report-md.ts';
import type { Story } from './story.ts';

/** GitHub takes 65,536 characters, and GitLab more. */
const mostBytes = 60_000;
/** Not shown; by it, a workflow finds its comment of the run before, and replaces it. */
const mark = '<!-- runwire:pr-comment -->\n';

/** The body of a comment on a pull request: the report of the run without its transcript, of which a link to the log says more. */
export function prComment(outcome: RunOutcome, changes: Story): string {
  return mark + reportMarkdown(outcome, changes, mostBytes - mark.length);
}
