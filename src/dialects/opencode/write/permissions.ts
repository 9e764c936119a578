import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import { decisionOf } from '../read/permissions.ts';
import { plainTitle } from '../words.ts';
import type { Lane } from './lane.ts';
import type { Session } from './session.ts';

export function askPermission(session: Session, lane: Lane, event: EventOf<'permission.requested'>): void {
  session.write('permission.updated', {
    id: event.permission_id,
    type: event.what,
    ...present({ pattern: event.pattern }),
    sessionID: session.id,
    messageID: lane.message,
    ...present({ callID: event.item_id }),
    title: event.title ?? plainTitle(event.what, event.pattern),
    metadata: {},
    time: { created: session.now },
  });
}

export function answerPermission(session: Session, event: EventOf<'permission.resolved'>): void {
  const raw = event.raw_decision;
  const response =
    raw !== undefined && decisionOf(raw) === event.decision ? raw : event.decision === 'allowed' ? 'once' : 'reject';
  session.write('permission.replied', { sessionID: session.id, permissionID: event.permission_id, response });
}
