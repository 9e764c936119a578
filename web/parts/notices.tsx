import { signal } from '@preact/signals';
import type { RunSummary } from '../api.ts';
import { go } from '../route.ts';
import { say } from './common.tsx';
import { oneLine } from './plain-text.ts';

const storageKey = 'runwire.notices';

function remembered(): boolean {
  try {
    return (
      'Notification' in window && Notification.permission === 'granted' && localStorage.getItem(storageKey) === 'on'
    );
  } catch {
    return false;
  }
}

/** Whether the reader wants desktop notifications; the browser has to allow them. */
const wantsNotices = signal(remembered());

async function change(): Promise<void> {
  const wants = !wantsNotices.value;
  if (wants && (!('Notification' in window) || (await Notification.requestPermission()) !== 'granted'))
    return say('The browser does not allow notifications here. The title and icon of the tab still show the state.');
  wantsNotices.value = wants;
  try {
    localStorage.setItem(storageKey, wants ? 'on' : 'off');
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  say(wants ? 'You will be notified when a run that you watch ends, fails or waits.' : 'Notifications are off.');
}

export function NoticeButton({ label }: { label: string }) {
  const wants = wantsNotices.value;
  return (
    <button
      type="button"
      aria-pressed={wants}
      title="When a run that you watch ends, fails or waits"
      onClick={() => void change()}
    >
      {wants ? 'Notifications on' : label}
    </button>
  );
}

/** Sends a desktop notification, unless the reader is looking at the page. */
export function notify(run: Pick<RunSummary, 'id' | 'title'>, what: string): void {
  if (!wantsNotices.value || (!document.hidden && document.hasFocus())) return;
  const notification = new Notification(what, { body: oneLine(run.title, 120), tag: run.id });
  notification.addEventListener('click', () => {
    focus();
    go(`/runs/${run.id}`);
  });
}
